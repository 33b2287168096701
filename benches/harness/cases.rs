//! Elements and operators, as data. A new one is a line in [`all`].

use std::rc::Rc;

use lookback::{Context, Element, Error, Operator};

use super::arrays::{Arrays, Workload};

/// What a measurement is about, besides the primitive and n.
pub trait Subject {
    fn operator(&self) -> &'static str;
    fn element(&self) -> &'static str;
    /// Bytes of an item.
    fn bytes(&self) -> u64;

    /// Its name on the command line.
    fn name(&self) -> String {
        format!("{}-{}", self.operator(), self.element())
    }
}

/// An operator over an element, and items for it.
pub trait Case: Subject {
    /// Arrays on the device of `n` items and what scans of them come to. The first item stands
    /// `first` items from the start of its buffer.
    fn arrays(&self, context: &Context, n: u64, first: u64) -> Result<Rc<dyn Workload>, Error>;
}

struct Typed<T: Element> {
    name: &'static str,
    element: &'static str,
    operator: Operator<T>,
    item: fn(u32) -> T,
}

impl<T: Element> Subject for Typed<T> {
    fn operator(&self) -> &'static str {
        self.name
    }

    fn element(&self) -> &'static str {
        self.element
    }

    fn bytes(&self) -> u64 {
        T::LAYOUT.size_bytes()
    }
}

impl<T: Element> Case for Typed<T> {
    fn arrays(&self, context: &Context, n: u64, first: u64) -> Result<Rc<dyn Workload>, Error> {
        Ok(Rc::new(Arrays::new(context, &self.operator, self.item, n, first)?))
    }
}

/// All cases. Items are such that every partial result matters to the results after it, and that
/// any order of combining gives the same bits, so results are compared bit by bit.
pub fn all() -> Vec<Box<dyn Case>> {
    fn case<T: Element>(
        name: &'static str,
        element: &'static str,
        operator: Operator<T>,
        item: fn(u32) -> T,
    ) -> Box<dyn Case> {
        Box::new(Typed { name, element, operator, item })
    }
    vec![
        case("sum", "u32", Operator::<u32>::sum(), sum_u32),
        case("sum", "i32", Operator::<i32>::sum(), |i| mixed(i) as i32 >> 3),
        // Whole numbers whose sums stay far below 2^24 are exact in any order; no item is zero.
        case("sum", "f32", Operator::<f32>::sum(), |i| 2.0 * (mixed(i) >> 30) as f32 - 3.0),
        // Maxima of items without a trend would stay the same after the first few thousand.
        case("max", "u32", Operator::<u32>::max(), |i| (i << 3).wrapping_add(mixed(i) & 0xff)),
        case("max", "f32", Operator::<f32>::max(), |i| {
            (i >> 2) as f32 + (mixed(i) & 15) as f32 - 4096.0
        }),
        case("affine", "u32x2", affine(), |i| [mixed(i) | 1, mixed(!i)]),
    ]
}

/// The composition of x -> a x + b, the left one first, modulo 2^32. It does not commute, and with
/// odd factors forgets nothing.
fn affine() -> Operator<[u32; 2]> {
    Operator::from_wgsl([1, 0], "vec2<u32>(a.x * b.x, a.y * b.x + b.y)")
        .unwrap_or_else(|e| panic!("{e}"))
        .with_host(|a: [u32; 2], b: [u32; 2]| {
            [a[0].wrapping_mul(b[0]), a[1].wrapping_mul(b[0]).wrapping_add(b[1])]
        })
}

/// The items of the sum of u32, which the peers share.
pub fn sum_u32(i: u32) -> u32 {
    mixed(i) >> 7
}

/// A hash of a position.
pub fn mixed(i: u32) -> u32 {
    let mut h = i.wrapping_mul(2654435761);
    h = (h ^ h >> 16).wrapping_mul(0x7feb_352d);
    h = (h ^ h >> 15).wrapping_mul(0x846c_a68b);
    h ^ h >> 16
}
