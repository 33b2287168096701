//! The elements and operators that the tests run over, each with data that suits it.
#![allow(dead_code, reason = "not every test binary uses all of it")]

use std::mem::{offset_of, size_of};

use lookback::{Capabilities, Element, Integer, Layout, Numeric, Operator};

/// A position-dependent hash: `H(i, s)` of the project's cases.
pub fn hash(i: u32, seed: u32) -> u32 {
    let mut h = i.wrapping_mul(2654435761).wrapping_add(seed);
    h ^= h >> 16;
    h = h.wrapping_mul(0x7FEB_352D);
    h ^= h >> 15;
    h = h.wrapping_mul(0x846C_A68B);
    h ^ (h >> 16)
}

/// Called once for every pair of element and operator.
pub trait Visit {
    fn visit<I: Element, A: Element, O: Element>(
        &mut self,
        name: &str,
        operator: &Operator<I, A, O>,
        make: fn(usize) -> I,
    );
}

/// Items for which every partial result is exact, so that any order gives the same bits.
pub trait Exact: Element {
    /// Any item; sums of these are exact.
    fn any(i: usize) -> Self;
    /// Products of these are exact.
    fn factor(i: usize) -> Self;
}

impl Exact for u32 {
    fn any(i: usize) -> Self {
        hash(i as u32, 1)
    }
    fn factor(i: usize) -> Self {
        hash(i as u32, 2) | 1
    }
}

impl Exact for i32 {
    fn any(i: usize) -> Self {
        hash(i as u32, 3) as i32
    }
    fn factor(i: usize) -> Self {
        (hash(i as u32, 4) | 1) as i32
    }
}

impl Exact for f32 {
    fn any(i: usize) -> Self {
        // Between -4 and 3 and adding to about 0: sums of millions stay below 2^24.
        (hash(i as u32, 5) % 8) as f32 - if i & 1 == 0 { 4.0 } else { 3.0 }
    }
    fn factor(i: usize) -> Self {
        // Each power of two is followed by its inverse.
        let exponent = (hash(i as u32 / 2, 6) % 8) as f32;
        if i & 1 == 0 { exponent.exp2() } else { -(-exponent).exp2() }
    }
}

impl<S: Exact, const N: usize> Exact for [S; N]
where
    [S; N]: Element,
{
    fn any(i: usize) -> Self {
        std::array::from_fn(|lane| S::any(i * N + lane))
    }
    fn factor(i: usize) -> Self {
        std::array::from_fn(|lane| S::factor(i + 2 * lane))
    }
}

/// Affine maps x -> a x + b modulo 2^32, the left one applied first: does not commute.
pub fn affine() -> Operator<[u32; 2]> {
    Operator::from_wgsl([1u32, 0], "vec2<u32>(b.x * a.x, b.x * a.y + b.y)").unwrap().with_host(
        |l: [u32; 2], r: [u32; 2]| {
            [r[0].wrapping_mul(l[0]), r[0].wrapping_mul(l[1]).wrapping_add(r[1])]
        },
    )
}

/// The maps of case F1.
pub fn affine_item(i: usize) -> [u32; 2] {
    let i = i as u32;
    [i.wrapping_mul(2).wrapping_add(3), i.wrapping_mul(2654435761)]
}

/// The last item that is not 0: does not commute.
pub fn last_nonzero() -> Operator<u32> {
    let keep = |a: u32, b: u32| if b != 0 { b } else { a };
    Operator::from_wgsl(0u32, "select(a, b, b != 0u)").unwrap().with_host(keep)
}

/// A user's function on floats, with a helper: the value nearer to infinity, later ones first.
pub fn last_finite() -> Operator<f32> {
    let text = "fn is_set(x: f32) -> bool { return x != 0.0; }
fn combine(a: f32, b: f32) -> f32 { return select(a, b, is_set(b)); }";
    Operator::from_wgsl(0f32, text).unwrap().with_host(|a, b| if b != 0.0 { b } else { a })
}

/// A sum of u32 that does not wrap, by lift to two words: input and accumulator differ.
pub fn wide_sum() -> Operator<u32, [u32; 2]> {
    let carry = "vec2<u32>(a.x + b.x, a.y + b.y + select(0u, 1u, a.x + b.x < a.x))";
    Operator::from_wgsl([0u32; 2], carry)
        .unwrap()
        .with_host(|a: [u32; 2], b: [u32; 2]| {
            let (low, carry) = a[0].overflowing_add(b[0]);
            [low, a[1].wrapping_add(b[1]).wrapping_add(u32::from(carry))]
        })
        .commutative()
        .with_lift("vec2<u32>(x, 0u)", |x: u32| [x, 0])
        .unwrap()
}

/// The span of signed values in four words, lowered to one float: all three types differ.
pub fn spread() -> Operator<i32, [i32; 4], f32> {
    let text = "vec4<i32>(min(a.x, b.x), max(a.y, b.y), a.z + b.z, b.w)";
    Operator::from_wgsl([i32::MAX, i32::MIN, 0, 0], text)
        .unwrap()
        .with_host(|a: [i32; 4], b: [i32; 4]| {
            [a[0].min(b[0]), a[1].max(b[1]), a[2].wrapping_add(b[2]), b[3]]
        })
        .with_lift("vec4<i32>(x % 1000, x % 1000, 1, 0)", |x: i32| [x % 1000, x % 1000, 1, 0])
        .unwrap()
        .with_lower("f32(x.y) - f32(x.x)", |x: [i32; 4]| x[1] as f32 - x[0] as f32)
        .unwrap()
}

/// A run of items: 3 words, a size that is no power of two.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Run {
    pub first: u32,
    pub count: u32,
    pub last: i32,
}

impl Element for Run {
    const LAYOUT: Layout = Layout::structure(
        "Run",
        "struct Run { first: u32, count: u32, last: i32 }",
        &[
            ("first", offset_of!(Run, first)),
            ("count", offset_of!(Run, count)),
            ("last", offset_of!(Run, last)),
        ],
        size_of::<Run>(),
    );
}

/// Joins runs: the first's start, the last's end. Does not commute.
pub fn join_runs() -> Operator<Run> {
    let text = "fn combine(a: Run, b: Run) -> Run {
        if (a.count == 0u) { return b; }
        if (b.count == 0u) { return a; }
        return Run(a.first, a.count + b.count, b.last);
    }";
    Operator::from_wgsl(Run { first: 0, count: 0, last: 0 }, text).unwrap().with_host(
        |a: Run, b| match (a.count, b.count) {
            (0, _) => b,
            (_, 0) => a,
            _ => Run { first: a.first, count: a.count.wrapping_add(b.count), last: b.last },
        },
    )
}

/// A centre of mass before its division: a vector and padding, 4 words.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Moment {
    pub position: [i32; 2],
    pub mass: i32,
    pub padding: u32,
}

impl Element for Moment {
    const LAYOUT: Layout = Layout::structure(
        "Moment",
        "struct Moment { position: vec2<i32>, mass: i32 }",
        &[("position", offset_of!(Moment, position)), ("mass", offset_of!(Moment, mass))],
        size_of::<Moment>(),
    );
}

/// Adds moments.
pub fn add_moments() -> Operator<Moment> {
    let zero = Moment { position: [0; 2], mass: 0, padding: 0 };
    Operator::from_wgsl(zero, "Moment(a.position + b.position, a.mass + b.mass)")
        .unwrap()
        .with_host(|a: Moment, b: Moment| Moment {
            position: [0, 1].map(|i| a.position[i].wrapping_add(b.position[i])),
            mass: a.mass.wrapping_add(b.mass),
            padding: 0,
        })
        .commutative()
}

/// Runs of the items that 3 divides: a struct of a lifted scalar.
pub fn threes() -> Operator<u32, Run> {
    let lift = "fn lift(x: u32) -> Run {
        if (x % 3u == 0u) { return Run(x, 1u, i32(x)); }
        return Run();
    }";
    let host = |x: u32| match x % 3 {
        0 => Run { first: x, count: 1, last: x as i32 },
        _ => Run { first: 0, count: 0, last: 0 },
    };
    join_runs().with_lift(lift, host).unwrap()
}

/// A sum of 5 words: more than a descriptor takes.
pub fn wide() -> Operator<Five> {
    Operator::from_wgsl(Five([0; 5]), "Five(a.a + b.a, a.b + b.b, a.c + b.c, a.d + b.d, a.e + b.e)")
        .unwrap()
}

/// Its twin on the host.
pub fn add_five(a: Five, b: Five) -> Five {
    Five(std::array::from_fn(|i| a.0[i].wrapping_add(b.0[i])))
}

/// An item for it.
pub fn five(i: usize) -> Five {
    Five(std::array::from_fn(|word| hash(i as u32, word as u32)))
}

/// 5 words.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Five([u32; 5]);

impl Element for Five {
    const LAYOUT: Layout = Layout::structure(
        "Five",
        "struct Five { a: u32, b: u32, c: u32, d: u32, e: u32 }",
        &[("a", 0), ("b", 4), ("c", 8), ("d", 12), ("e", 16)],
        size_of::<Five>(),
    );
}

fn numeric<T: Numeric + Exact>(visit: &mut impl Visit, element: &str) {
    visit.visit(&format!("{element} sum"), &Operator::<T>::sum(), T::any);
    visit.visit(&format!("{element} product"), &Operator::<T>::product(), T::factor);
    visit.visit(&format!("{element} min"), &Operator::<T>::min(), T::any);
    visit.visit(&format!("{element} max"), &Operator::<T>::max(), T::any);
}

fn integer<T: Integer + Exact>(visit: &mut impl Visit, element: &str) {
    numeric::<T>(visit, element);
    visit.visit(&format!("{element} and"), &Operator::<T>::and(), T::any);
    visit.visit(&format!("{element} or"), &Operator::<T>::or(), T::any);
    visit.visit(&format!("{element} xor"), &Operator::<T>::xor(), T::any);
}

/// Every element with every operator.
pub fn all(visit: &mut impl Visit) {
    integer::<u32>(visit, "u32");
    integer::<[u32; 2]>(visit, "vec2<u32>");
    integer::<[u32; 3]>(visit, "vec3<u32>");
    integer::<[u32; 4]>(visit, "vec4<u32>");
    integer::<i32>(visit, "i32");
    integer::<[i32; 2]>(visit, "vec2<i32>");
    integer::<[i32; 3]>(visit, "vec3<i32>");
    integer::<[i32; 4]>(visit, "vec4<i32>");
    numeric::<f32>(visit, "f32");
    numeric::<[f32; 2]>(visit, "vec2<f32>");
    numeric::<[f32; 3]>(visit, "vec3<f32>");
    numeric::<[f32; 4]>(visit, "vec4<f32>");
    own(visit);
}

/// The users' operators: functions, other types, orders that matter.
pub fn own(visit: &mut impl Visit) {
    visit.visit("affine maps", &affine(), affine_item);
    visit.visit("last nonzero", &last_nonzero(), |i| u32::any(i) * u32::from(i % 37 == 0));
    visit.visit("last finite", &last_finite(), |i| (i % 5) as f32 * (i % 1000) as f32);
    visit.visit("wide sum", &wide_sum(), u32::any);
    visit.visit("spread", &spread(), i32::any);
    visit.visit("join runs", &join_runs(), |i| Run {
        first: i as u32,
        count: 1 + u32::any(i) % 3,
        last: i32::any(i),
    });
    visit.visit("add moments", &add_moments(), |i| Moment {
        position: [i32::any(i), i as i32],
        mass: i32::any(i + 7),
        padding: 0,
    });
    visit.visit("threes", &threes(), |i| u32::any(i) % 100);
}

/// What each driver runs: every scalar, every vector width, every kind of operator, other types
/// for input and output, an order that matters. With `LOOKBACK_FULL=1` every pair there is.
pub fn some(visit: &mut impl Visit) {
    if std::env::var("LOOKBACK_FULL").is_ok_and(|value| value == "1") {
        return all(visit);
    }
    visit.visit("u32 sum", &Operator::<u32>::sum(), u32::any);
    visit.visit("i32 min", &Operator::<i32>::min(), i32::any);
    visit.visit("f32 sum", &Operator::<f32>::sum(), f32::any);
    visit.visit("f32 max", &Operator::<f32>::max(), f32::any);
    visit.visit("vec2<f32> product", &Operator::<[f32; 2]>::product(), <[f32; 2]>::factor);
    visit.visit("vec3<i32> xor", &Operator::<[i32; 3]>::xor(), <[i32; 3]>::any);
    visit.visit("vec4<f32> min", &Operator::<[f32; 4]>::min(), <[f32; 4]>::any);
    own(visit);
}

/// The names of what [`some`] visits, in order.
pub fn names() -> Vec<String> {
    struct Names(Vec<String>);
    impl Visit for Names {
        fn visit<I: Element, A: Element, O: Element>(
            &mut self,
            name: &str,
            _: &Operator<I, A, O>,
            _: fn(usize) -> I,
        ) {
            self.0.push(name.to_owned());
        }
    }
    let mut names = Names(Vec::new());
    some(&mut names);
    names.0
}

/// A capable device, as data.
pub fn capabilities(device_type: wgpu::DeviceType, vendor: u32) -> Capabilities {
    Capabilities {
        adapter: "made by hand".to_owned(),
        driver: String::new(),
        backend: wgpu::Backend::Noop,
        device_type,
        vendor,
        subgroups: true,
        subgroup_lanes_min: 32,
        subgroup_lanes_max: 32,
        atomics_64: true,
        coherent_memory: true,
        // The devices that stand behind it are opened without.
        immediate_bytes: 0,
        timestamps: false,
        workgroup_lanes: 1024,
        workgroups: 65_535,
        workgroup_bytes: 32_768,
        storage_bindings: 8,
        binding_bytes: 128 << 20,
        buffer_bytes: 256 << 20,
        binding_alignment: 256,
    }
}
