//! Element types: how an item lies in a buffer and what it is in a shader.
//!
//! Buffers are read and written as 32-bit words. The shader text that turns words into a
//! value and back is generated from one constant, [`Element::LAYOUT`], so that a new type is
//! data: no shader file knows which types exist.

use std::fmt::Debug;

use crate::error::Error;
use crate::layout::{Layout, Scalar};

/// A type that the primitives take: plain data whose words are those of its [`Layout`].
///
/// Implemented for `u32`, `i32`, `f32` and arrays of 2, 3 or 4 of them, which are WGSL's
/// `vec2`, `vec3` and `vec4`. A struct of your own implements it with [`Layout::structure`].
///
/// ```
/// use lookback::Element;
/// assert_eq!(<[f32; 2]>::LAYOUT.wgsl(), "vec2<f32>");
/// assert_eq!(<[f32; 2]>::LAYOUT.words(), 2);
/// ```
pub trait Element: bytemuck::Pod + Debug + PartialEq + Send + Sync {
    /// How an item lies in a buffer. Its `words()` times 4 is the size of the type.
    const LAYOUT: Layout;
}

/// Fails unless the type is as large as its layout says.
pub(crate) fn check_size<T: Element>() -> Result<(), Error> {
    match T::LAYOUT.size_bytes() == size_of::<T>() as u64 {
        true => Ok(()),
        false => Err(Error::Layout {
            element: std::any::type_name::<T>(),
            field: String::new(),
            wanted: format!("{} bytes in all", T::LAYOUT.size_bytes()),
            got: format!("{} bytes", size_of::<T>()),
        }),
    }
}

/// Elements with sum, product, min and max; vectors work component by component.
pub trait Numeric: Element {
    /// Every component is `value`.
    #[doc(hidden)]
    fn splat(value: Constant) -> Self;
    /// Component-wise arithmetic: the host twin of a built-in operator.
    #[doc(hidden)]
    fn apply(operation: Arithmetic, a: Self, b: Self) -> Self;
}

/// Elements with the bit operators and, or, xor.
pub trait Integer: Numeric {}

/// The constants that identities are made of.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Constant {
    /// What a sum starts from without changing it: -0.0 for floats, since 0.0 + -0.0 is 0.0.
    SumIdentity,
    Zero,
    One,
    /// The least value, negative infinity for floats.
    Least,
    /// The greatest value, infinity for floats.
    Greatest,
    /// All bits set.
    AllBits,
}

/// The built-in operations.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Arithmetic {
    Sum,
    Product,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// The one NaN that min and max give.
pub(crate) const NAN_BITS: u32 = 0x7FC0_0000;

/// Bits of a float as a u32 that orders as the float does, -0.0 below 0.0.
fn ordered(bits: u32) -> u32 {
    if bits >> 31 == 0 { bits ^ 0x8000_0000 } else { !bits }
}

macro_rules! integer_element {
    ($scalar:ident, $variant:ident) => {
        impl Element for $scalar {
            const LAYOUT: Layout = Layout::scalar(Scalar::$variant);
        }
        impl Numeric for $scalar {
            fn splat(value: Constant) -> Self {
                match value {
                    Constant::SumIdentity | Constant::Zero => 0,
                    Constant::One => 1,
                    Constant::Least => $scalar::MIN,
                    Constant::Greatest => $scalar::MAX,
                    Constant::AllBits => !0,
                }
            }
            fn apply(operation: Arithmetic, a: Self, b: Self) -> Self {
                match operation {
                    Arithmetic::Sum => a.wrapping_add(b),
                    Arithmetic::Product => a.wrapping_mul(b),
                    Arithmetic::Min => a.min(b),
                    Arithmetic::Max => a.max(b),
                    Arithmetic::And => a & b,
                    Arithmetic::Or => a | b,
                    Arithmetic::Xor => a ^ b,
                }
            }
        }
        impl Integer for $scalar {}
    };
}

integer_element!(u32, U32);
integer_element!(i32, I32);

impl Element for f32 {
    const LAYOUT: Layout = Layout::scalar(Scalar::F32);
}

impl Numeric for f32 {
    fn splat(value: Constant) -> Self {
        match value {
            Constant::SumIdentity => -0.0,
            Constant::Zero => 0.0,
            Constant::One => 1.0,
            Constant::Least => f32::NEG_INFINITY,
            Constant::Greatest => f32::INFINITY,
            Constant::AllBits => f32::from_bits(NAN_BITS),
        }
    }
    fn apply(operation: Arithmetic, a: Self, b: Self) -> Self {
        let keep_left = match operation {
            Arithmetic::Sum => return a + b,
            Arithmetic::Product => return a * b,
            _ if a.is_nan() || b.is_nan() => return f32::from_bits(NAN_BITS),
            Arithmetic::Min => ordered(a.to_bits()) <= ordered(b.to_bits()),
            _ => ordered(a.to_bits()) >= ordered(b.to_bits()),
        };
        if keep_left { a } else { b }
    }
}

macro_rules! vector_element {
    ($($lanes:literal)*) => {$(
        impl Element for [u32; $lanes] {
            const LAYOUT: Layout = Layout::vector::<$lanes>(Scalar::U32);
        }
        impl Element for [i32; $lanes] {
            const LAYOUT: Layout = Layout::vector::<$lanes>(Scalar::I32);
        }
        impl Element for [f32; $lanes] {
            const LAYOUT: Layout = Layout::vector::<$lanes>(Scalar::F32);
        }
        impl<S: Numeric> Numeric for [S; $lanes]
        where
            [S; $lanes]: Element,
        {
            fn splat(value: Constant) -> Self {
                [S::splat(value); $lanes]
            }
            fn apply(operation: Arithmetic, a: Self, b: Self) -> Self {
                std::array::from_fn(|i| S::apply(operation, a[i], b[i]))
            }
        }
        impl<S: Integer> Integer for [S; $lanes] where [S; $lanes]: Element {}
    )*};
}

vector_element!(2 3 4);
