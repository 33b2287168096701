//! Numpy's .npy files: one-dimensional little-endian arrays of the supported item types.
//!
//! The header is checked against the file's length before anything of its size is allocated.
//! Format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use bytemuck::Pod;

use crate::Result;
use crate::dtype::Dtype;

const MAGIC: &[u8] = b"\x93NUMPY";

/// Longer headers are refused; those of one-dimensional arrays are about 120 bytes.
const HEADER_BYTES_MAX: u64 = 1 << 16;

// Items are read and written as they lie in memory.
const _: () = assert!(cfg!(target_endian = "little"));

/// A file whose header and length are sound; its items are not read yet.
#[derive(Debug)]
pub struct Array {
    /// The type of the items.
    pub dtype: Dtype,
    /// Number of items.
    pub n_items: u64,
    path: PathBuf,
    file: File,
    first_byte: u64,
}

impl Array {
    /// Opens a file and checks all but its items.
    pub fn open(path: &Path) -> Result<Self> {
        let at = |what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
        let metadata = path.metadata().map_err(|e| at(&e))?;
        if !metadata.is_file() {
            return Err(at(&"not a regular file").into());
        }
        let mut file = File::open(path).map_err(|e| at(&e))?;
        let (text, first_byte) = header_text(&mut file, metadata.len()).map_err(|e| at(&e))?;
        let (dtype, n_items) = Header::parse(&text).and_then(Header::check).map_err(|e| at(&e))?;

        let wanted = u128::from(n_items) * u128::from(Dtype::BYTES);
        let got = metadata.len() - first_byte;
        if wanted != u128::from(got) {
            let fault = if wanted > got.into() { "truncated" } else { "too long" };
            return Err(at(&format!(
                "the file is {fault}: {n_items} items of {} take {wanted} bytes, {got} follow the \
                 header",
                dtype.name(),
            ))
            .into());
        }
        Ok(Array { dtype, n_items, path: path.to_owned(), file, first_byte })
    }

    /// Reads the items, which must be of the type that `dtype` stands for.
    pub fn read<T: Pod>(&mut self) -> Result<Vec<T>> {
        let at = |what: &dyn std::fmt::Display| format!("{}: {what}", self.path.display());
        let n_items = usize::try_from(self.n_items).map_err(|e| at(&e))?;
        let mut items = Vec::new();
        items.try_reserve_exact(n_items).map_err(|e| at(&e))?;
        items.resize(n_items, T::zeroed());
        self.file.seek(SeekFrom::Start(self.first_byte)).map_err(|e| at(&e))?;
        self.file.read_exact(bytemuck::cast_slice_mut(&mut items)).map_err(|e| at(&e))?;
        Ok(items)
    }
}

/// Writes a whole file.
pub fn write<T: Pod>(to: &mut impl Write, dtype: Dtype, items: &[T]) -> io::Result<()> {
    let (descr, n_items) = (dtype.descr(), items.len());
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({n_items},), }}");
    // Magic, version, length, text and newline fill whole units of 64 bytes.
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    to.write_all(MAGIC)?;
    to.write_all(&[1, 0])?;
    to.write_all(&(length as u16).to_le_bytes())?;
    writeln!(to, "{text:<width$}", width = length - 1)?;
    to.write_all(bytemuck::cast_slice(items))
}

/// The header's text, and where the items start.
fn header_text(file: &mut File, file_bytes: u64) -> std::result::Result<(String, u64), String> {
    let mut read = |length: usize, what: &str| {
        let mut bytes = vec![0; length];
        match file.read_exact(&mut bytes) {
            Ok(()) => Ok(bytes),
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Err(what.to_owned()),
            Err(e) => Err(e.to_string()),
        }
    };
    let not_npy = "not a .npy file";
    if read(MAGIC.len(), not_npy)? != MAGIC {
        return Err(not_npy.to_owned());
    }
    let truncated = "the file is truncated: it ends within the header";
    let version = read(2, truncated)?;
    let length_bytes = match version[..] {
        [1, 0] => 2,
        [2, 0] | [3, 0] => 4,
        _ => {
            let (major, minor) = (version[0], version[1]);
            return Err(format!(
                ".npy version {major}.{minor} is not supported; 1.0, 2.0 and 3.0 are"
            ));
        }
    };
    let length = read(length_bytes, truncated)?;
    let length = length.iter().rev().fold(0, |length, &byte| length << 8 | u64::from(byte));
    let first_byte = (MAGIC.len() + 2 + length_bytes) as u64 + length;
    if first_byte > file_bytes {
        return Err(truncated.to_owned());
    }
    if length > HEADER_BYTES_MAX {
        return Err(format!(
            "a header of {length} bytes; at most {HEADER_BYTES_MAX} are supported"
        ));
    }
    // Latin-1 up to version 2, UTF-8 from 3 on; all that is supported is ASCII.
    let text = read(length as usize, truncated)?;
    Ok((String::from_utf8_lossy(&text).into_owned(), first_byte))
}

/// A header as it is written: a dictionary of Python's.
struct Header {
    descr: String,
    fortran_order: bool,
    shape: Vec<u64>,
}

impl Header {
    /// Reads the dictionary, whose keys may come in any order.
    fn parse(text: &str) -> std::result::Result<Self, String> {
        let mut rest = Rest(text);
        Self::fields(&mut rest).map_err(|what| {
            let place = text.len() - rest.0.len();
            format!("a malformed header: {what} at byte {place} of it")
        })
    }

    fn fields(rest: &mut Rest<'_>) -> std::result::Result<Self, String> {
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        rest.expect("{")?;
        while !rest.take("}") {
            let key = rest.quoted()?;
            rest.expect(":")?;
            let repeated = match key {
                "descr" if rest.0.trim_start().starts_with('[') => {
                    return Err("a structured dtype, which is not supported,".to_owned());
                }
                "descr" => descr.replace(rest.quoted()?.to_owned()).is_some(),
                "fortran_order" => fortran_order.replace(rest.boolean()?).is_some(),
                "shape" => shape.replace(rest.tuple()?).is_some(),
                _ => return Err(format!("an unknown key '{key}'")),
            };
            if repeated {
                return Err(format!("a second '{key}'"));
            }
            if !rest.take(",") {
                rest.expect("}")?;
                break;
            }
        }
        if !rest.0.trim().is_empty() {
            return Err("text after the dictionary".to_owned());
        }
        let missing = |key: &str| format!("no '{key}'");
        Ok(Header {
            descr: descr.ok_or_else(|| missing("descr"))?,
            fortran_order: fortran_order.ok_or_else(|| missing("fortran_order"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
        })
    }

    /// The item type and the number of items, if they are supported.
    fn check(self) -> std::result::Result<(Dtype, u64), String> {
        let dtype = Dtype::ALL.into_iter().find(|dtype| dtype.descr() == self.descr);
        let dtype = dtype.ok_or_else(|| {
            format!(
                "dtype {} ('{}') is not supported; little-endian uint32, int32 and float32 are",
                long_name(&self.descr),
                self.descr,
            )
        })?;
        if self.fortran_order {
            return Err("Fortran order is not supported; C order is".to_owned());
        }
        match self.shape[..] {
            [n_items] => Ok((dtype, n_items)),
            ref shape => {
                let sizes = shape.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
                let n_dimensions = shape.len();
                Err(format!(
                    "the shape ({sizes}) has {n_dimensions} dimensions; only arrays of 1 dimension \
                     are supported"
                ))
            }
        }
    }
}

/// What is left of a header's text. Spaces before a token mean nothing.
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    fn take(&mut self, token: &str) -> bool {
        self.0 = self.0.trim_start();
        self.0.strip_prefix(token).map(|rest| self.0 = rest).is_some()
    }

    fn expect(&mut self, token: &str) -> std::result::Result<(), String> {
        if self.take(token) { Ok(()) } else { Err(format!("no '{token}'")) }
    }

    fn quoted(&mut self) -> std::result::Result<&'a str, String> {
        let quote = ['\'', '"'].into_iter().find(|quote| self.take(quote.encode_utf8(&mut [0; 4])));
        let (text, rest) = quote.and_then(|quote| self.0.split_once(quote)).ok_or("no string")?;
        self.0 = rest;
        Ok(text)
    }

    fn boolean(&mut self) -> std::result::Result<bool, String> {
        if self.take("True") {
            return Ok(true);
        }
        if self.take("False") { Ok(false) } else { Err("neither True nor False".to_owned()) }
    }

    fn tuple(&mut self) -> std::result::Result<Vec<u64>, String> {
        let mut sizes = Vec::new();
        self.expect("(")?;
        while !self.take(")") {
            self.0 = self.0.trim_start();
            let digits = self.0.bytes().take_while(u8::is_ascii_digit).count();
            let (number, rest) = self.0.split_at(digits);
            sizes.push(number.parse().map_err(|e| format!("a size that is none ({e})"))?);
            self.0 = rest;
            // Python 2 wrote long integers.
            self.take("L");
            if !self.take(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(sizes)
    }
}

/// Numpy's name of a type that a header gives in short.
fn long_name(descr: &str) -> String {
    let mut chars = descr.chars();
    let order = match chars.next() {
        Some('>') => "big-endian ",
        _ => "",
    };
    let kind = match chars.next() {
        Some('b') => return "bool".to_owned(),
        Some('i') => "int",
        Some('u') => "uint",
        Some('f') => "float",
        Some('c') => "complex",
        _ => return "of another kind".to_owned(),
    };
    match chars.as_str().parse::<u32>() {
        Ok(bytes @ 1..=64) => format!("{order}{kind}{}", 8 * bytes),
        _ => "of another kind".to_owned(),
    }
}
