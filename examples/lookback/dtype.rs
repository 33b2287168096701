//! The item types of arrays: the one place where a type that a file names at run time becomes
//! a type of Rust.

use lookback::{Numeric, Operator};

use crate::cli::Builtin;

/// An item type, as numpy names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// '<u4'
    Uint32,
    /// '<i4'
    Int32,
    /// '<f4'
    Float32,
}

impl Dtype {
    /// All of them, for messages and look-ups.
    pub const ALL: [Dtype; 3] = [Dtype::Uint32, Dtype::Int32, Dtype::Float32];

    /// Bytes of one item.
    pub const BYTES: u64 = 4;

    /// Numpy's name.
    pub fn name(self) -> &'static str {
        match self {
            Dtype::Uint32 => "uint32",
            Dtype::Int32 => "int32",
            Dtype::Float32 => "float32",
        }
    }

    /// What stands in a file's header.
    pub fn descr(self) -> &'static str {
        match self {
            Dtype::Uint32 => "<u4",
            Dtype::Int32 => "<i4",
            Dtype::Float32 => "<f4",
        }
    }
}

/// Evaluates an expression with the type `$T` that a [`Dtype`] stands for.
macro_rules! with_dtype {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            $crate::dtype::Dtype::Uint32 => {
                type $T = u32;
                $body
            }
            $crate::dtype::Dtype::Int32 => {
                type $T = i32;
                $body
            }
            $crate::dtype::Dtype::Float32 => {
                type $T = f32;
                $body
            }
        }
    };
}
pub(crate) use with_dtype;

/// An item type of arrays.
pub trait Item: Numeric {
    /// Its name in files.
    const DTYPE: Dtype;

    /// Reads a value of the command line.
    fn parse(text: &str) -> Option<Self>;

    /// Writes a value so that it reads back as the same.
    fn show(self) -> String;

    /// Whether [`Item::show`] gives a number of JSON.
    fn is_json_number(self) -> bool;

    /// A bit operator, if the type has bits to speak of.
    fn bitwise(op: Builtin) -> Option<Operator<Self>>;

    /// A built-in operator, if the type has it.
    fn builtin(op: Builtin) -> Option<Operator<Self>> {
        match op {
            Builtin::Sum => Some(Operator::sum()),
            Builtin::Product => Some(Operator::product()),
            Builtin::Min => Some(Operator::min()),
            Builtin::Max => Some(Operator::max()),
            Builtin::And | Builtin::Or | Builtin::Xor => Self::bitwise(op),
        }
    }
}

macro_rules! integer_item {
    ($T:ident, $dtype:ident) => {
        impl Item for $T {
            const DTYPE: Dtype = Dtype::$dtype;

            fn parse(text: &str) -> Option<Self> {
                text.trim().parse().ok()
            }

            fn show(self) -> String {
                self.to_string()
            }

            fn is_json_number(self) -> bool {
                true
            }

            fn bitwise(op: Builtin) -> Option<Operator<Self>> {
                match op {
                    Builtin::And => Some(Operator::and()),
                    Builtin::Or => Some(Operator::or()),
                    Builtin::Xor => Some(Operator::xor()),
                    _ => None,
                }
            }
        }
    };
}

integer_item!(u32, Uint32);
integer_item!(i32, Int32);

impl Item for f32 {
    const DTYPE: Dtype = Dtype::Float32;

    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let value: f32 = text.parse().ok()?;
        // Rust reads numbers that are too large as infinity.
        let meant = !value.is_infinite() || text.to_ascii_lowercase().contains("inf");
        meant.then_some(value)
    }

    fn show(self) -> String {
        // `{:?}` is the shortest text that reads back, with an exponent where it is long.
        if self.is_nan() { "nan".to_owned() } else { format!("{self:?}") }
    }

    fn is_json_number(self) -> bool {
        self.is_finite()
    }

    fn bitwise(_: Builtin) -> Option<Operator<Self>> {
        None
    }
}
