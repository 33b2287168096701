//! What `verify` checks: every primitive with its algorithm, over operators, element types and
//! sizes, each against its sequential twin in `lookback::reference`.

use std::rc::Rc;

use lookback::{
    Algorithm, Context, Element, Kind, Operator, Plan, Reduce, Scan, Tuning, reference,
};

use crate::gpu::{self, Timed};
use crate::{Result, compactions, info, segments};

/// A size that takes all passes on every device, and that no tile divides.
pub const MANY: u32 = 1_000_003;

/// One comparison, ready to run.
pub struct Check {
    /// What is computed.
    pub primitive: &'static str,
    /// How.
    pub algorithm: &'static str,
    /// The operator.
    pub operator: &'static str,
    /// The element type, as WGSL names it.
    pub element: String,
    /// Items.
    pub n_items: u32,
    /// Native or emulated subgroups, and their lanes.
    pub lanes: String,
    /// Runs it; with `true` a word of the GPU's result is flipped before it is compared.
    pub run: Box<dyn Fn(bool) -> Result<Outcome>>,
}

/// What a comparison came to.
pub struct Outcome {
    /// Bytes compared.
    pub bytes: u64,
    /// Upload, GPU and download, without compiling.
    pub seconds: f64,
    /// Whether it is a single pass that gave up each time, as the driver may make it.
    pub gave_up: bool,
    /// The first difference, if there is one.
    pub mismatch: Option<String>,
}

/// All checks, in order of size within a primitive and operator.
pub fn all(context: &Context) -> Result<Vec<Check>> {
    // Exact sums: no partial sum of a million of these needs more than 24 bits.
    let small = |word: u32| (word % 17) as f32 - 8.0;
    let fraction = |word: u32| word as i32 as f32 / 1024.0;
    // x -> a.x * x + a.y, then the same of b: where a stands left of b matters.
    let affine = Operator::from_wgsl([1u32, 0], "vec2<u32>(b.x * a.x, b.x * a.y + b.y)")?
        .with_host(|a: [u32; 2], b: [u32; 2]| {
            [b[0].wrapping_mul(a[0]), b[0].wrapping_mul(a[1]).wrapping_add(b[1])]
        });
    let odd = |i: u32| [word(i, 0) | 1, word(i, 1)];

    let mut checks = Vec::new();
    checks.extend(checks_of(context, "affine (user's)", &affine, odd, edges)?);
    checks.extend(checks_of(context, "sum", &Operator::<u32>::sum(), |i| word(i, 0), few)?);
    let signed = |i| word(i, 0) as i32;
    checks.extend(checks_of(context, "min", &Operator::<i32>::min(), signed, few)?);
    let exact = move |i| small(word(i, 0));
    checks.extend(checks_of(context, "sum", &Operator::<f32>::sum(), exact, few)?);
    let floats = move |i| [0, 1, 2].map(|lane| fraction(word(i, lane)));
    checks.extend(checks_of(context, "max", &Operator::<[f32; 3]>::max(), floats, few)?);
    let quads = |i| [0, 1, 2, 3].map(|lane| word(i, lane));
    checks.extend(checks_of(context, "xor", &Operator::<[u32; 4]>::xor(), quads, few)?);
    checks.extend(compactions::all(context)?);
    let sum = Operator::<u32>::sum();
    checks.extend(segments::reductions(context, "sum", &sum, |i| word(i, 0))?);
    checks.extend(segments::reductions(context, "min", &Operator::<i32>::min(), signed)?);
    let float = move |i| fraction(word(i, 0));
    checks.extend(segments::reductions(context, "max", &Operator::<f32>::max(), float)?);
    Ok(checks)
}

/// Sizes around every place where a kernel does something else.
fn edges(tile: u32, single_tiles: u32) -> Vec<u32> {
    let single = tile * single_tiles;
    vec![0, 1, 2, 63, 64, 65, tile - 1, tile, tile + 1, 2 * tile + 1, single, single + 1, MANY]
}

/// The first size of several passes, and a large one.
fn few(tile: u32, single_tiles: u32) -> Vec<u32> {
    vec![tile * single_tiles + 1, MANY]
}

/// A word that depends on nothing but its place: a hash, so that no two stretches are alike.
pub fn word(item: u32, lane: u32) -> u32 {
    let mut x = item.wrapping_mul(4).wrapping_add(lane).wrapping_add(0x9E37_79B9);
    for multiplier in [0x85EB_CA6B, 0xC2B2_AE35] {
        x = (x ^ x >> 16).wrapping_mul(multiplier);
    }
    x ^ x >> 15
}

/// A function of the items.
type Side<T, R> = Box<dyn Fn(&[T]) -> Result<R>>;

/// A primitive with an operator, on the GPU and on the host.
pub struct Primitive<T> {
    pub name: &'static str,
    pub algorithm: &'static str,
    pub plan: Plan,
    /// Nothing if it gave up.
    pub gpu: Side<T, Option<Timed<T>>>,
    pub host: Side<T, Vec<T>>,
}

impl<T: Element> Primitive<T> {
    /// The check of so many items, of which `make` gives the one at a place.
    pub fn check(
        self: Rc<Self>,
        context: &Context,
        operator: &'static str,
        n_items: u32,
        make: impl Fn(u32) -> T + 'static,
    ) -> Check {
        Check {
            primitive: self.name,
            algorithm: self.algorithm,
            operator,
            element: T::LAYOUT.wgsl(),
            n_items,
            lanes: info::subgroups(&self.plan, context.capabilities()),
            run: Box::new(move |corrupt| {
                let items: Vec<T> = (0..n_items).map(&make).collect();
                compare(&self, &items, corrupt)
            }),
        }
    }
}

/// How often a single pass that gives up is asked again.
const TRIES: usize = 2;

/// Every primitive that there is. A new one is one more entry.
fn primitives<T: Element>(context: &Context, operator: &Operator<T>) -> Result<Vec<Primitive<T>>> {
    let reduce = {
        let reduce = Reduce::new(context, operator)?;
        let (context, operator) = (context.clone(), operator.clone());
        Primitive {
            name: "reduce",
            algorithm: "chunked reduction",
            plan: reduce.plan(MANY)?,
            gpu: Box::new(move |items| {
                let timed = gpu::timed(&context, items, 1, |pass, input, output| {
                    reduce.record_in_pass(pass, input, output)
                });
                timed.map(Some)
            }),
            host: Box::new(move |items| Ok(vec![reference::reduce(items, &operator, None)?])),
        }
    };
    let tuning = Tuning::for_device(context.capabilities());
    let scan = |name, kind, algorithm: Algorithm| -> Result<Primitive<T>> {
        let scan = Scan::with_algorithm(context, operator, kind, algorithm, &tuning)?;
        let (context, operator) = (context.clone(), operator.clone());
        let shown = match algorithm {
            Algorithm::Auto => scan.choice(false).algorithm,
            named => named,
        };
        Ok(Primitive {
            name,
            algorithm: shown.name(),
            plan: scan.plan(MANY)?,
            gpu: Box::new(move |items| {
                for _ in 0..TRIES {
                    if let Some(timed) = gpu::timed_scan(&context, &scan, items)? {
                        return Ok(Some(timed));
                    }
                }
                Ok(None)
            }),
            host: Box::new(move |items| Ok(reference::scan(items, &operator, kind, None)?)),
        })
    };
    let mut all = vec![reduce];
    for (name, kind) in [("inclusive scan", Kind::Inclusive), ("exclusive scan", Kind::Exclusive)] {
        all.push(scan(name, kind, Algorithm::Auto)?);
    }
    // By name, but for what auto comes to.
    let chosen = all[1].algorithm;
    let named = Algorithm::ALL.into_iter().filter(|named| *named != Algorithm::Auto);
    for algorithm in named.filter(|named| named.name() != chosen) {
        all.push(scan("inclusive scan", Kind::Inclusive, algorithm)?);
    }
    Ok(all)
}

/// The checks of every primitive with one operator. `make` gives the item at a place, `sizes`
/// the sizes for a tile's items and the tiles that one workgroup handles alone.
fn checks_of<T: Element>(
    context: &Context,
    operator_name: &'static str,
    operator: &Operator<T>,
    make: impl Fn(u32) -> T + Copy + 'static,
    sizes: fn(u32, u32) -> Vec<u32>,
) -> Result<Vec<Check>> {
    let single_tiles = Tuning::for_device(context.capabilities()).single_tiles;
    let mut checks = Vec::new();
    for primitive in primitives(context, operator)? {
        let primitive = Rc::new(primitive);
        let tile = primitive.plan.passes.last().map_or(64, |pass| pass.kernel.tile_items());
        // Those that wait for others wait long for thousands of tiles, where threads share a core.
        let waits = ["chained", "look-back"].contains(&primitive.algorithm);
        let most = if waits { 100 * tile + 1 } else { MANY };
        for n_items in sizes(tile, single_tiles).into_iter().map(|n| n.min(most)) {
            checks.push(primitive.clone().check(context, operator_name, n_items, make));
        }
    }
    Ok(checks)
}

/// Runs a primitive on both sides and compares every byte.
fn compare<T: Element>(primitive: &Primitive<T>, items: &[T], corrupt: bool) -> Result<Outcome> {
    let wanted = (primitive.host)(items)?;
    let Some(Timed { items: mut got, seconds, .. }) = (primitive.gpu)(items)? else {
        return Ok(Outcome { bytes: 0, seconds: 0.0, gave_up: true, mismatch: None });
    };
    if corrupt {
        let words: &mut [u32] = bytemuck::cast_slice_mut(&mut got);
        let middle = words.len() / 2;
        words[middle] ^= 1;
    }
    let mismatch = match wanted.len() == got.len() {
        false => Some(format!("{} items wanted, got {}", wanted.len(), got.len())),
        true => first_difference(&wanted, &got),
    };
    Ok(Outcome { bytes: size_of_val(&wanted[..]) as u64, seconds, gave_up: false, mismatch })
}

/// The first item that differs in any bit.
pub fn first_difference<T: Element>(wanted: &[T], got: &[T]) -> Option<String> {
    let bits = |item: &T| -> String {
        let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(item));
        words.iter().map(|word| format!("{word:08x}")).collect::<Vec<_>>().join(" ")
    };
    let mut pairs = wanted.iter().zip(got).enumerate();
    let (index, (wanted, got)) =
        pairs.find(|(_, (wanted, got))| bytemuck::bytes_of(*wanted) != bytemuck::bytes_of(*got))?;
    let (wanted_bits, got_bits) = (bits(wanted), bits(got));
    Some(format!("item {index}: wanted {wanted:?} ({wanted_bits}), got {got:?} ({got_bits})"))
}
