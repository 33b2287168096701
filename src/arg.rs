//! Operators that compare scalars by a key: where the least and the greatest stand, and both at once.

use crate::element::{Constant, NAN_BITS, Numeric};
use crate::error::Error;
use crate::operator::Operator;

/// The scalars that [`Operator::arg_min`] and its kin compare: `u32`, `i32`, `f32`.
pub trait Ordered: Numeric {
    /// WGSL that makes a key of the bits `b`: a u32 that orders as the scalar does.
    #[doc(hidden)]
    const KEY: &str;
    /// WGSL that makes the bits of a key `k` again.
    #[doc(hidden)]
    const BITS: &str;
    /// The key.
    #[doc(hidden)]
    fn key(self, nan: u32) -> u32;
    /// The scalar of a key.
    #[doc(hidden)]
    fn of_key(key: u32, nan: u32) -> Self;
}

impl Ordered for u32 {
    const KEY: &str = "b";
    const BITS: &str = "k";
    fn key(self, _: u32) -> u32 {
        self
    }
    fn of_key(key: u32, _: u32) -> Self {
        key
    }
}

impl Ordered for i32 {
    const KEY: &str = "b ^ 0x80000000u";
    const BITS: &str = "k ^ 0x80000000u";
    fn key(self, _: u32) -> u32 {
        self as u32 ^ 0x8000_0000
    }
    fn of_key(key: u32, _: u32) -> Self {
        (key ^ 0x8000_0000) as i32
    }
}

impl Ordered for f32 {
    // Negatives upside down, the rest above them. NaN is told by its bits, since drivers may take it
    // for granted that there is none.
    const KEY: &str = "select(select(b | 0x80000000u, ~b, (b >> 31u) == 1u), nan, \
                       (b & 0x7fffffffu) > 0x7f800000u)";
    const BITS: &str =
        "select(select(~k, k & 0x7fffffffu, (k >> 31u) == 1u), 0x7fc00000u, k == nan)";
    fn key(self, nan: u32) -> u32 {
        let bits = self.to_bits();
        match bits {
            _ if self.is_nan() => nan,
            _ if bits >> 31 == 1 => !bits,
            _ => bits | 0x8000_0000,
        }
    }
    fn of_key(key: u32, nan: u32) -> Self {
        f32::from_bits(match key {
            _ if key == nan => NAN_BITS,
            _ if key >> 31 == 1 => key & 0x7fff_ffff,
            _ => !key,
        })
    }
}

/// The keys of NaN, which no other float has: the least and the greatest.
const LOW: u32 = 0;
const HIGH: u32 = u32::MAX;

/// WGSL of a function `name` from a scalar to its key.
fn key_function<T: Ordered>(name: &str, nan: u32) -> String {
    let scalar = T::LAYOUT.wgsl();
    format!(
        "fn {name}(x: {scalar}) -> u32 {{
    let nan = {nan}u;
    let b = bitcast<u32>(x);
    return {};
}}\n",
        T::KEY
    )
}

/// WGSL of a function `name` from a key to the scalar's bits.
fn bits_function<T: Ordered>(name: &str, nan: u32) -> String {
    format!("fn {name}(k: u32) -> u32 {{\n    let nan = {nan}u;\n    return {};\n}}\n", T::BITS)
}

impl<T: Ordered> Operator<T> {
    /// Where the least item stands: `[its number, the bits of its value]`, the first of equal ones, by a
    /// [`Reduce`](crate::Reduce) or a [`Scan`](crate::Scan).
    ///
    /// Values compare as for [`min`](Self::min): NaN wins and comes out as 0x7FC00000, -0.0 is below
    /// 0.0. Numbers are modulo 2^32. Of nothing: `[u32::MAX, the greatest value]`.
    ///
    /// Errors: none that a caller could cause.
    ///
    /// ```
    /// use lookback::{Context, Operator};
    /// let least = Operator::<f32>::arg_min()?;
    /// let [index, bits] = Context::new()?.reduce(&[2.5, -1.0, 7.0, -1.0], &least)?;
    /// assert_eq!((index, f32::from_bits(bits)), (1, -1.0));
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn arg_min() -> Result<Operator<T, [u32; 2], [u32; 2]>, Error> {
        Self::arg("arg_min", "<", T::splat(Constant::Greatest), LOW, |a, b| a < b)
    }

    /// Where the greatest item stands; otherwise as [`arg_min`](Self::arg_min). Of nothing:
    /// `[u32::MAX, the least value]`.
    ///
    /// ```
    /// use lookback::{Context, Operator};
    /// let greatest = Operator::<i32>::arg_max()?;
    /// assert_eq!(Context::new()?.reduce(&[-5, 7, 7], &greatest)?, [1, 7]);
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn arg_max() -> Result<Operator<T, [u32; 2], [u32; 2]>, Error> {
        Self::arg("arg_max", ">", T::splat(Constant::Least), HIGH, |a, b| a > b)
    }

    fn arg(
        name: &str,
        better: &str,
        nothing: T,
        nan: u32,
        is_better: fn(u32, u32) -> bool,
    ) -> Result<Operator<T, [u32; 2], [u32; 2]>, Error> {
        let combine = format!("select(a, b, (b.x {better} a.x) | ((b.x == a.x) & (b.y < a.y)))");
        let scalar = T::LAYOUT.wgsl();
        let lift = key_function::<T>("arg_key", nan)
            + &format!(
                "fn lift(x: {scalar}, i: u32) -> vec2<u32> {{ return vec2<u32>(arg_key(x), i); }}"
            );
        let lower = bits_function::<T>("arg_bits", nan)
            + "fn lower(x: vec2<u32>) -> vec2<u32> { return vec2<u32>(x.y, arg_bits(x.x)); }";
        let host = move |a: [u32; 2], b: [u32; 2]| {
            let takes_b = is_better(b[0], a[0]) || (b[0] == a[0] && b[1] < a[1]);
            if takes_b { b } else { a }
        };
        let bits = move |key| bytemuck::pod_collect_to_vec::<T, u32>(&[T::of_key(key, nan)]);
        Operator::from_wgsl([nothing.key(nan), u32::MAX], &combine)?
            .with_host(host)
            .commutative()
            .named(name)
            .with_indexed_lift(&lift, move |x: T, i| [x.key(nan), i])?
            .with_lower(&lower, move |x: [u32; 2]| [x[1], bits(x[0])[0]])
    }
}

/// The least and the greatest item at once.
macro_rules! min_max {
    ($($scalar:ident)*) => {$(
        impl Operator<$scalar> {
            /// The least and the greatest item, `[min, max]`, as by [`min`](Self::min) and
            /// [`max`](Self::max), but reading the items once.
            ///
            /// Errors: none that a caller could cause.
            ///
            /// ```
            /// use lookback::{Context, Operator};
            #[doc = concat!("let both = Operator::<", stringify!($scalar), ">::min_max()?;")]
            #[doc = concat!("let items = [2, 7, 1].map(|x| x as ", stringify!($scalar), ");")]
            /// let [min, max] = Context::new()?.reduce(&items, &both)?;
            /// assert_eq!((min, max), (items[2], items[1]));
            /// # Ok::<(), lookback::Error>(())
            /// ```
            pub fn min_max() -> Result<Operator<$scalar, [u32; 2], [$scalar; 2]>, Error> {
                type T = $scalar;
                let scalar = stringify!($scalar);
                let combine = "vec2<u32>(min(a.x, b.x), max(a.y, b.y))";
                let lift = key_function::<T>("min_key", LOW)
                    + &key_function::<T>("max_key", HIGH)
                    + &format!("fn lift(x: {scalar}) -> vec2<u32> {{ return vec2<u32>(min_key(x), max_key(x)); }}");
                let lower = bits_function::<T>("min_bits", LOW)
                    + &bits_function::<T>("max_bits", HIGH)
                    + &format!("fn lower(x: vec2<u32>) -> vec2<{scalar}> {{
    return bitcast<vec2<{scalar}>>(vec2<u32>(min_bits(x.x), max_bits(x.y)));
}}");
                let nothing = [
                    T::splat(Constant::Greatest).key(LOW),
                    T::splat(Constant::Least).key(HIGH),
                ];
                Operator::from_wgsl(nothing, combine)?
                    .with_host(|a: [u32; 2], b: [u32; 2]| [a[0].min(b[0]), a[1].max(b[1])])
                    .commutative()
                    .named("min_max")
                    .with_lift(&lift, |x: T| [x.key(LOW), x.key(HIGH)])?
                    .with_lower(&lower, |x: [u32; 2]| [T::of_key(x[0], LOW), T::of_key(x[1], HIGH)])
            }
        }
    )*};
}

min_max!(u32 i32 f32);
