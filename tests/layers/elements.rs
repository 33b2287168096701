//! The elements and operators of the layers' property set: six types, each with a sum, a maximum
//! and a composition of affine maps, which does not commute.

use std::mem::offset_of;

use lookback::{Element, Layout, Operator};

use crate::common::operators::Exact;

/// Called once for every pair of element and operator.
pub trait Visit {
    fn visit<T: Element>(&mut self, name: &str, operator: &Operator<T>, make: Make<T>);
}

/// Items, and the identity.
#[derive(Clone, Copy)]
pub struct Make<T> {
    pub item: fn(usize) -> T,
    pub identity: T,
}

/// Elements, and operators of each.
pub const COUNTS: [usize; 2] = [6, 3];

/// 8 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Pair {
    a: u32,
    b: u32,
}

impl Element for Pair {
    const LAYOUT: Layout = Layout::structure(
        "Pair",
        "struct Pair { a: u32, b: u32 }",
        &[("a", offset_of!(Pair, a)), ("b", offset_of!(Pair, b))],
        size_of::<Pair>(),
    );
}

/// 16 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Quad {
    a: [u32; 2],
    b: [u32; 2],
}

impl Element for Quad {
    const LAYOUT: Layout = Layout::structure(
        "Quad",
        "struct Quad { a: vec2<u32>, b: vec2<u32> }",
        &[("a", offset_of!(Quad, a)), ("b", offset_of!(Quad, b))],
        size_of::<Quad>(),
    );
}

fn pair(i: usize) -> Pair {
    Pair { a: u32::any(i) | 1, b: u32::any(i + 9) }
}

fn quad(i: usize) -> Quad {
    Quad { a: [u32::any(i) | 1, u32::any(i + 1)], b: [u32::any(i + 2), u32::any(i + 3)] }
}

fn affine(a: u32, b: u32) -> u32 {
    let [(am, ac), (bm, bc)] = [a, b].map(|x| (x >> 16, x & 0xffff));
    (bm.wrapping_mul(am) & 0xffff) << 16 | (bm.wrapping_mul(ac).wrapping_add(bc) & 0xffff)
}

/// Factor and offset modulo 2^16 in one word.
const AFFINE: &str = "fn affine(a: u32, b: u32) -> u32 {
    let m = ((b >> 16u) * (a >> 16u)) & 0xffffu;
    let c = ((b >> 16u) * (a & 0xffffu) + (b & 0xffffu)) & 0xffffu;
    return (m << 16u) | c;
}
";

fn affine_float(a: f32, b: f32) -> f32 {
    let [(am, ac), (bm, bc)] = [a, b].map(|x| (x as u32 / 64, x as u32 % 64));
    ((bm * am % 61) * 64 + (bm * ac + bc) % 61) as f32
}

/// Factor and offset modulo 61 in one whole float.
const AFFINE_FLOAT: &str = "fn affine_float(a: f32, b: f32) -> f32 {
    let x = u32(a);
    let y = u32(b);
    let m = (y / 64u) * (x / 64u) % 61u;
    let c = ((y / 64u) * (x % 64u) + y % 64u) % 61u;
    return f32(m * 64u + c);
}
";

fn float_map(i: usize) -> f32 {
    ((1 + u32::any(i) % 60) * 64 + u32::any(i + 7) % 61) as f32
}

fn operator<T: Element>(
    identity: T,
    text: &str,
    host: impl Fn(T, T) -> T + Send + Sync + 'static,
) -> Operator<T> {
    Operator::from_wgsl(identity, text).unwrap().with_host(host)
}

/// Every element with every operator: 6 times 3 visits, the element changing last.
pub fn all(visit: &mut impl Visit) {
    let wrap = |text: &str, ty: &str, body: &str| {
        format!("{text}fn combine(a: {ty}, b: {ty}) -> {ty} {{ return {body}; }}")
    };
    visit.visit("u32 sum", &Operator::<u32>::sum(), Make { item: u32::any, identity: 0 });
    visit.visit("u32 max", &Operator::<u32>::max(), Make { item: u32::any, identity: 0 });
    let text = wrap(AFFINE, "u32", "affine(a, b)");
    visit.visit(
        "u32 affine",
        &operator(1 << 16, &text, affine),
        Make { item: u32::any, identity: 1 << 16 },
    );

    visit.visit("i32 sum", &Operator::<i32>::sum(), Make { item: i32::any, identity: 0 });
    visit.visit("i32 max", &Operator::<i32>::max(), Make { item: i32::any, identity: i32::MIN });
    let text = wrap(AFFINE, "i32", "bitcast<i32>(affine(bitcast<u32>(a), bitcast<u32>(b)))");
    let host = |a: i32, b: i32| affine(a as u32, b as u32) as i32;
    visit.visit(
        "i32 affine",
        &operator(1 << 16, &text, host),
        Make { item: i32::any, identity: 1 << 16 },
    );

    visit.visit("f32 sum", &Operator::<f32>::sum(), Make { item: f32::any, identity: -0.0 });
    visit.visit(
        "f32 max",
        &Operator::<f32>::max(),
        Make { item: f32::any, identity: f32::NEG_INFINITY },
    );
    let text = wrap(AFFINE_FLOAT, "f32", "affine_float(a, b)");
    visit.visit(
        "f32 affine",
        &operator(64.0, &text, affine_float),
        Make { item: float_map, identity: 64.0 },
    );

    type Vector = [f32; 4];
    visit.visit(
        "vec4 sum",
        &Operator::<Vector>::sum(),
        Make { item: Vector::any, identity: [-0.0; 4] },
    );
    visit.visit(
        "vec4 max",
        &Operator::<Vector>::max(),
        Make { item: Vector::any, identity: [f32::NEG_INFINITY; 4] },
    );
    let each = ["x", "y", "z", "w"].map(|c| format!("affine_float(a.{c}, b.{c})")).join(", ");
    let text = wrap(AFFINE_FLOAT, "vec4<f32>", &format!("vec4<f32>({each})"));
    let host = |a: Vector, b: Vector| std::array::from_fn(|i| affine_float(a[i], b[i]));
    let make = |i| std::array::from_fn(|lane| float_map(4 * i + lane));
    visit.visit(
        "vec4 affine",
        &operator([64.0; 4], &text, host),
        Make { item: make, identity: [64.0; 4] },
    );

    let zero = Pair { a: 0, b: 0 };
    let host = |x: Pair, y: Pair| Pair { a: x.a.wrapping_add(y.a), b: x.b.wrapping_add(y.b) };
    visit.visit(
        "pair sum",
        &operator(zero, "Pair(a.a + b.a, a.b + b.b)", host),
        Make { item: pair, identity: zero },
    );
    let host = |x: Pair, y: Pair| Pair { a: x.a.max(y.a), b: x.b.max(y.b) };
    visit.visit(
        "pair max",
        &operator(zero, "Pair(max(a.a, b.a), max(a.b, b.b))", host),
        Make { item: pair, identity: zero },
    );
    let host = |x: Pair, y: Pair| Pair {
        a: y.a.wrapping_mul(x.a),
        b: y.a.wrapping_mul(x.b).wrapping_add(y.b),
    };
    let identity = Pair { a: 1, b: 0 };
    visit.visit(
        "pair affine",
        &operator(identity, "Pair(b.a * a.a, b.a * a.b + b.b)", host),
        Make { item: pair, identity },
    );

    let zero = Quad { a: [0; 2], b: [0; 2] };
    let each = |f: fn(u32, u32) -> u32| {
        move |x: Quad, y: Quad| Quad {
            a: [f(x.a[0], y.a[0]), f(x.a[1], y.a[1])],
            b: [f(x.b[0], y.b[0]), f(x.b[1], y.b[1])],
        }
    };
    let sum = operator(zero, "Quad(a.a + b.a, a.b + b.b)", each(u32::wrapping_add));
    visit.visit("quad sum", &sum, Make { item: quad, identity: zero });
    let max = operator(zero, "Quad(max(a.a, b.a), max(a.b, b.b))", each(u32::max));
    visit.visit("quad max", &max, Make { item: quad, identity: zero });
    let host = |x: Quad, y: Quad| Quad {
        a: [0, 1].map(|i| y.a[i].wrapping_mul(x.a[i])),
        b: [0, 1].map(|i| y.a[i].wrapping_mul(x.b[i]).wrapping_add(y.b[i])),
    };
    let identity = Quad { a: [1; 2], b: [0; 2] };
    visit.visit(
        "quad affine",
        &operator(identity, "Quad(b.a * a.a, b.a * a.b + b.b)", host),
        Make { item: quad, identity },
    );
}
