//! What a shader is made from of an operator: no Rust types, no closures.

use crate::layout::Layout;
use crate::selection::Selection;
use crate::shader::kernel::{Flags, Payload};

/// How accumulators are held while they are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Encoding {
    /// As themselves.
    Plain,
    /// Floats as u32 that order alike, NaN on top: for max.
    OrderedNanHigh,
    /// Floats as u32 that order alike, NaN at the bottom: for min.
    OrderedNanLow,
}

impl Encoding {
    /// The type of an accumulator while it is combined.
    pub fn wgsl(self, layout: Layout) -> String {
        match self {
            Encoding::Plain => layout.wgsl(),
            _ => layout.as_u32().wgsl(),
        }
    }
}

/// An instruction that devices have for an operator over a subgroup, named as WGSL names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Builtin {
    Add,
    Mul,
    Min,
    Max,
    And,
    Or,
    Xor,
}

impl Builtin {
    /// Whether WGSL has the scan too.
    pub fn scans(self) -> bool {
        matches!(self, Builtin::Add | Builtin::Mul)
    }
}

/// All of an operator that a shader is made from: no Rust types, no closures.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Definition {
    pub name: String,
    pub input: Layout,
    pub accumulator: Layout,
    pub output: Layout,
    pub encoding: Encoding,
    /// `fn combine(a, b)` of encoded accumulators; of a headed one `combine_values`.
    pub combine: String,
    /// `fn lift(x: IN) -> ACC`.
    pub lift: String,
    /// Whether `lift` takes the item's number too: `i: u32`.
    pub lift_indexed: bool,
    /// `fn lower(x: ACC) -> OUT`.
    pub lower: String,
    /// What is scanned, and which items are written.
    pub payload: Payload,
    pub flags: Flags,
    pub selection: Selection,
    /// Whether accumulators are held within segments: with how many of them begin.
    pub headed: bool,
    /// Whether what is read, and what is written, are accumulators as they are held.
    pub reads_held: bool,
    pub writes_held: bool,
    /// Words of an item of a compaction's first and second output.
    pub first_words: u32,
    pub second_words: u32,
    pub identity: Vec<u32>,
    pub of_nothing: Vec<u32>,
    pub commutative: bool,
    /// Whether the user's text has loops.
    pub loops: bool,
    /// Whether lanes may take different ways in `combine`.
    pub branches: bool,
    /// Whether an index in the user's text is known at run time only.
    pub indexes: bool,
    /// The device's instruction that gives the very bits that `combine` gives.
    pub builtin: Option<Builtin>,
}

impl Definition {
    /// Whether each output has room for an accumulator.
    pub fn accumulator_fits_output(&self) -> bool {
        self.acc_words() == self.out_words() && !self.payload.compacts()
    }

    /// Words from an item's input to the next one's, and from its output. Those of a compaction do
    /// not stand where the items do.
    pub fn strides(&self) -> (u32, u32) {
        let out_words = if self.payload.compacts() { 0 } else { self.out_words() };
        (self.in_words(), out_words)
    }

    /// The type of a value while it is combined: of `T`, or of its member within segments.
    pub fn value(&self) -> String {
        self.encoding.wgsl(self.accumulator)
    }

    /// What is compared where a segment may begin: keys, or the items themselves.
    pub fn keys(&self) -> Layout {
        self.selection.keys.unwrap_or(self.input)
    }

    /// Words of what is read.
    pub fn in_words(&self) -> u32 {
        self.input.words() + u32::from(self.headed && self.reads_held)
    }

    /// Words of an accumulator as it is held.
    pub fn acc_words(&self) -> u32 {
        self.accumulator.words() + u32::from(self.headed)
    }

    /// Words of what is written.
    pub fn out_words(&self) -> u32 {
        self.output.words() + u32::from(self.headed && self.writes_held)
    }

    /// Bytes of an accumulator in workgroup memory, as it is held.
    pub fn held_bytes(&self) -> u32 {
        match self.headed {
            true => self.accumulator.workgroup_bytes_with_word(),
            false => self.accumulator.workgroup_bytes(),
        }
    }

    /// The same operator on accumulators alone: nothing lifted, nothing lowered.
    pub fn on_accumulators(&self) -> Definition {
        let wgsl = self.accumulator.wgsl();
        Definition {
            input: self.accumulator,
            output: self.accumulator,
            lift: format!("fn lift(x: {wgsl}) -> {wgsl} {{ return x; }}"),
            lower: format!("fn lower(x: {wgsl}) -> {wgsl} {{ return x; }}"),
            lift_indexed: false,
            payload: Payload::Items,
            flags: Flags::None,
            selection: Selection::default(),
            reads_held: true,
            writes_held: true,
            ..self.clone()
        }
    }

    /// The same operator up to its accumulators: inputs lifted, nothing lowered.
    pub fn to_accumulators(&self) -> Definition {
        let plain = self.on_accumulators();
        let (output, lower) = (plain.output, plain.lower);
        Definition { output, lower, writes_held: true, ..self.clone() }
    }

    /// The same operator from its accumulators: nothing lifted, outputs lowered.
    pub fn lowering(&self) -> Definition {
        let (output, lower) = (self.output, self.lower.clone());
        Definition { output, lower, writes_held: false, ..self.on_accumulators() }
    }
}
