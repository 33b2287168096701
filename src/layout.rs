//! Layouts: how an item lies in a buffer and what it is in a shader, as data.

use naga::TypeInner;

use crate::error::Error;

/// A scalar of one 32-bit word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scalar {
    /// Unsigned integer, WGSL `u32`.
    U32,
    /// Signed integer, WGSL `i32`.
    I32,
    /// Floating point, WGSL `f32`.
    F32,
}

impl Scalar {
    /// The WGSL name.
    pub const fn wgsl(self) -> &'static str {
        match self {
            Scalar::U32 => "u32",
            Scalar::I32 => "i32",
            Scalar::F32 => "f32",
        }
    }
}

/// How an item lies in a buffer and what it is in a shader: one scalar, a vector of 2 to 4 of
/// them, or a struct of scalars and vectors.
///
/// Items lie in memory as in Rust: a vector of 3 takes 3 words. Only inside a struct it stands
/// where WGSL puts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    /// Scalars of one item, 1 to 4.
    Lanes(Scalar, u32),
    Struct {
        name: &'static str,
        wgsl: &'static str,
        /// The Rust fields' names and byte offsets.
        fields: &'static [(&'static str, usize)],
        size_bytes: usize,
    },
}

/// A scalar or a vector within an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// The field's name; empty if it is the whole item.
    pub name: String,
    pub first_word: u32,
    pub scalar: Scalar,
    pub lanes: u32,
}

impl Layout {
    /// The layout of one scalar.
    pub const fn scalar(scalar: Scalar) -> Self {
        Layout(Kind::Lanes(scalar, 1))
    }

    /// The layout of `LANES` scalars, from 2 to 4; another number does not compile.
    pub const fn vector<const LANES: u32>(scalar: Scalar) -> Self {
        const { assert!(LANES >= 2 && LANES <= 4, "a vector has 2 to 4 lanes") };
        Layout(Kind::Lanes(scalar, LANES))
    }

    /// The layout of a struct: its WGSL name and declaration, the Rust fields' names and byte
    /// offsets, and the Rust size. When an operator is made of it, names, offsets and size are
    /// compared, so that the same buffer serves a user's own shaders. What Rust has at an offset is
    /// not known here: that it is an f32 and not a u32 is for the caller to see to.
    ///
    /// The struct has scalars and vectors of u32, i32 and f32, in at most 16 words. Where WGSL
    /// pads, Rust needs a field of its own, which WGSL need not have.
    ///
    /// ```
    /// use std::mem::{offset_of, size_of};
    /// use lookback::{Element, Layout};
    ///
    /// #[repr(C)]
    /// #[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
    /// struct Body {
    ///     position: [f32; 2],
    ///     mass: f32,
    ///     padding: u32,
    /// }
    ///
    /// impl Element for Body {
    ///     const LAYOUT: Layout = Layout::structure(
    ///         "Body",
    ///         "struct Body { position: vec2<f32>, mass: f32 }",
    ///         &[("position", offset_of!(Body, position)), ("mass", offset_of!(Body, mass))],
    ///         size_of::<Body>(),
    ///     );
    /// }
    /// ```
    pub const fn structure(
        name: &'static str,
        wgsl: &'static str,
        fields: &'static [(&'static str, usize)],
        size_bytes: usize,
    ) -> Self {
        Layout(Kind::Struct { name, wgsl, fields, size_bytes })
    }

    /// 32-bit words of one item in a buffer.
    pub const fn words(&self) -> u32 {
        match self.0 {
            Kind::Lanes(_, lanes) => lanes,
            // Smaller ones are refused, but nothing divides by them.
            Kind::Struct { size_bytes, .. } if size_bytes < 4 => 1,
            Kind::Struct { size_bytes, .. } => (size_bytes / 4) as u32,
        }
    }

    /// Bytes of one item in a buffer.
    pub const fn size_bytes(&self) -> u64 {
        4 * self.words() as u64
    }

    /// The WGSL type, such as `f32`, `vec4<u32>` or the struct's name.
    pub fn wgsl(&self) -> String {
        match self.0 {
            Kind::Lanes(scalar, 1) => scalar.wgsl().to_owned(),
            Kind::Lanes(scalar, lanes) => format!("vec{lanes}<{}>", scalar.wgsl()),
            Kind::Struct { name, .. } => name.to_owned(),
        }
    }

    /// The struct's declaration; empty for scalars and vectors.
    pub(crate) fn declaration(&self) -> &'static str {
        match self.0 {
            Kind::Lanes(..) => "",
            Kind::Struct { wgsl, .. } => wgsl,
        }
    }

    /// Whether items are made of floats alone, without being a struct.
    pub(crate) fn is_float(&self) -> bool {
        matches!(self.0, Kind::Lanes(Scalar::F32, _))
    }

    /// The same shape of u32.
    pub(crate) fn as_u32(&self) -> Layout {
        match self.0 {
            Kind::Lanes(_, lanes) => Layout(Kind::Lanes(Scalar::U32, lanes)),
            Kind::Struct { .. } => *self,
        }
    }

    /// Bytes of one value in workgroup memory, where a vector of 3 takes the room of 4 words.
    pub(crate) const fn workgroup_bytes(&self) -> u32 {
        match self.0 {
            Kind::Lanes(_, 3) => 16,
            _ => 4 * self.words(),
        }
    }

    /// Bytes of a struct of one value and a word after it in workgroup memory.
    pub(crate) fn workgroup_bytes_with_word(&self) -> u32 {
        let lanes = |member: &Member| member.lanes.next_power_of_two();
        let members = self.members().unwrap_or_default();
        let alignment = 4 * members.iter().map(lanes).max().unwrap_or(1);
        (4 * self.words() + 4).next_multiple_of(alignment)
    }

    /// The members in order. A struct's must be those of Rust.
    ///
    /// Errors: [`Error::Layout`], with the field that differs.
    pub(crate) fn members(&self) -> Result<Vec<Member>, Error> {
        match self.0 {
            Kind::Lanes(scalar, lanes) => {
                Ok(vec![Member { name: String::new(), first_word: 0, scalar, lanes }])
            }
            Kind::Struct { name, wgsl, fields, size_bytes } => {
                struct_members(name, wgsl, fields, size_bytes)
            }
        }
    }
}

fn struct_members(
    name: &'static str,
    wgsl: &str,
    fields: &[(&str, usize)],
    size_bytes: usize,
) -> Result<Vec<Member>, Error> {
    let differs = |field: &str, wanted: String, got: String| Error::Layout {
        element: name,
        field: field.to_owned(),
        wanted,
        got,
    };
    if crate::shader::is_reserved(name) {
        let got = format!("`{name}`, which its own text uses");
        return Err(differs("", "a name that the library does not use".to_owned(), got));
    }
    let module = naga::front::wgsl::parse_str(wgsl)
        .map_err(|e| differs("", "valid WGSL".to_owned(), format!("{} ({wgsl:?})", e.message())))?;
    let ty = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name));
    let Some(TypeInner::Struct { members, span }) = ty.map(|(_, ty)| &ty.inner) else {
        return Err(differs("", format!("a WGSL struct {name}"), format!("{wgsl:?}")));
    };
    let mut rust = fields.iter();
    let mut found = Vec::new();
    for member in members {
        let field = member.name.clone().unwrap_or_default();
        let at = |side: &str, offset: usize| format!("{field} at byte {offset}, as in {side}");
        match rust.next() {
            Some(&(rust_name, offset)) if rust_name == field => {
                if offset != member.offset as usize {
                    let (wgsl, rust) = (at("WGSL", member.offset as usize), at("Rust", offset));
                    return Err(differs(&field, wgsl, rust));
                }
            }
            other => {
                let got = other.map_or("nothing".to_owned(), |(name, _)| format!("`{name}`"));
                return Err(differs(&field, format!("the field `{field}` of WGSL"), got));
            }
        }
        let (scalar, lanes) = match module.types[member.ty].inner {
            TypeInner::Scalar(scalar) => (scalar, 1),
            TypeInner::Vector { size, scalar } => (scalar, size as u32),
            _ => return Err(differs(&field, "a scalar or a vector".into(), "another type".into())),
        };
        let scalar = match (scalar.kind, scalar.width) {
            (naga::ScalarKind::Uint, 4) => Scalar::U32,
            (naga::ScalarKind::Sint, 4) => Scalar::I32,
            (naga::ScalarKind::Float, 4) => Scalar::F32,
            _ => return Err(differs(&field, "u32, i32 or f32".into(), "another scalar".into())),
        };
        found.push(Member { name: field, first_word: member.offset / 4, scalar, lanes });
    }
    if let Some((rust_name, _)) = rust.next() {
        return Err(differs(rust_name, "no further field".into(), format!("`{rust_name}`")));
    }
    if *span as usize != size_bytes {
        let wanted = format!("{span} bytes in all as in WGSL, padding fields included");
        return Err(differs("", wanted, format!("{size_bytes} bytes in Rust")));
    }
    if size_bytes > 64 {
        return Err(differs("", "64 bytes at most".into(), format!("{size_bytes} bytes")));
    }
    Ok(found)
}
