//! Shader text: the embedded files, and how a kernel's module is put together from them.

pub(crate) mod link;
pub(crate) mod prelude;
mod unroll;
pub(crate) mod user_text;

use std::collections::BTreeMap;
use std::fmt;

use crate::operator::Definition;

macro_rules! embed {
    ($($path:literal)*) => {
        &[$(($path, include_str!(concat!("../shaders/", $path, ".wgsl")))),*]
    };
}

/// Every shader file by its path below `shaders/`, without the ending.
const FILES: &[(&str, &str)] = embed!(
    "params"
    "dispatch_arguments"
    "reduce"
    "scan_downsweep"
    "accumulate/commutative"
    "accumulate/ordered"
    "carry/params"
    "carry/partials"
    "extent/buffer"
    "extent/params"
    "memory/separate"
    "memory/shared"
    "subgroup/emulated"
    "subgroup/ladder"
    "subgroup/native"
    "tile/layout"
    "tile/scalar"
    "tile/vector"
    "workgroup_scan/kogge_stone"
);

/// Which root a kernel starts from; its entry point has the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Root {
    /// `shaders/reduce.wgsl`.
    Reduce,
    /// `shaders/scan_downsweep.wgsl`.
    Downsweep,
    /// `shaders/dispatch_arguments.wgsl`.
    Arguments,
}

/// How lanes of a subgroup exchange values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subgroup {
    /// By the hardware's subgroups.
    Native,
    /// Through workgroup memory, as subgroups of the given number of lanes.
    Emulated(u32),
}

/// How tiles are read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tile {
    /// 16 bytes at a time.
    Vector,
    /// 4 bytes at a time.
    Scalar,
}

/// Whether input and output are one binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Memory {
    /// Two bindings.
    Separate,
    /// One binding, read and written.
    Shared,
}

/// Where a chunk's carry comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Carry {
    /// From the call's parameters.
    Params,
    /// From the partials that the spine has scanned.
    Partials,
}

/// Where the number of items comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Extent {
    /// From the call's parameters.
    Params,
    /// From a buffer of the device.
    Buffer,
}

/// Which part of the operator a pass applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// Inputs are lifted, outputs lowered.
    Whole,
    /// Inputs are lifted, accumulators written.
    ToAccumulators,
    /// Accumulators are read and written.
    OnAccumulators,
    /// Accumulators are read, outputs lowered.
    FromAccumulators,
}

/// All that decides a kernel's text and overrides, but for the operator: plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kernel {
    /// The root file.
    pub root: Root,
    /// The part of the operator.
    pub part: Part,
    /// The file for `subgroup`.
    pub subgroup: Subgroup,
    /// The file for `tile`.
    pub tile: Tile,
    /// The file for `memory`.
    pub memory: Memory,
    /// The file for `carry`.
    pub carry: Carry,
    /// The file for `extent`.
    pub extent: Extent,
    /// Exclusive instead of inclusive outputs; scans only.
    pub exclusive: bool,
    /// Lanes of a workgroup.
    pub workgroup_size: u32,
    /// Neighbouring items of one lane: the fewest that fill whole quads of words.
    pub group: u32,
    /// Groups of one lane.
    pub rows: u32,
}

impl Root {
    /// The name of the entry point.
    pub fn entry_point(self) -> &'static str {
        match self {
            Root::Reduce => "reduce",
            Root::Downsweep => "downsweep",
            Root::Arguments => "dispatch_arguments",
        }
    }

    fn file(self) -> &'static str {
        match self {
            Root::Reduce => "reduce",
            Root::Downsweep => "scan_downsweep",
            Root::Arguments => "dispatch_arguments",
        }
    }
}

impl Kernel {
    /// The operator as this kernel sees it.
    pub(crate) fn definition(&self, operator: &Definition) -> Definition {
        match self.part {
            Part::Whole => operator.clone(),
            Part::ToAccumulators => operator.to_accumulators(),
            Part::OnAccumulators => operator.on_accumulators(),
            Part::FromAccumulators => operator.lowering(),
        }
    }

    /// The module's text.
    pub(crate) fn link(&self, operator: &Definition) -> Result<String, String> {
        let definition = self.definition(operator);
        let constants = prelude::constants(&definition, self.group, self.rows);
        let accumulate = match definition.commutative {
            true => "accumulate/commutative",
            false => "accumulate/ordered",
        };
        let choices = link::Choices::from([
            ("accumulate", accumulate),
            (
                "subgroup",
                match self.subgroup {
                    Subgroup::Native => "subgroup/native",
                    Subgroup::Emulated(_) => "subgroup/emulated",
                },
            ),
            (
                "tile",
                match self.tile {
                    Tile::Vector => "tile/vector",
                    Tile::Scalar => "tile/scalar",
                },
            ),
            (
                "memory",
                match self.memory {
                    Memory::Separate => "memory/separate",
                    Memory::Shared => "memory/shared",
                },
            ),
            (
                "carry",
                match self.carry {
                    Carry::Params => "carry/params",
                    Carry::Partials => "carry/partials",
                },
            ),
            (
                "extent",
                match self.extent {
                    Extent::Params => "extent/params",
                    Extent::Buffer => "extent/buffer",
                },
            ),
            ("workgroup_scan", "workgroup_scan/kogge_stone"),
        ]);
        let generated = BTreeMap::from([
            ("prelude", prelude::prelude(&definition, &constants)),
            ("exchange", prelude::exchange(&definition)),
        ]);
        link::link(FILES, self.root.file(), &choices, &generated, &constants)
    }

    /// The values of the overrides that the module declares.
    pub fn overrides(&self) -> Vec<(&'static str, f64)> {
        let mut overrides = vec![("WORKGROUP_SIZE", f64::from(self.workgroup_size))];
        if self.root != Root::Arguments {
            overrides.push(("SUBGROUP_COUNT_MAX", f64::from(self.subgroup_count_max())));
        }
        if let Subgroup::Emulated(width) = self.subgroup {
            overrides.push(("EMULATED_WIDTH", f64::from(width)));
        }
        if self.root == Root::Downsweep {
            overrides.push(("EXCLUSIVE", f64::from(u8::from(self.exclusive))));
        }
        overrides
    }

    /// Items of one tile.
    pub fn tile_items(&self) -> u32 {
        self.workgroup_size * self.rows * self.group
    }

    /// Bytes of workgroup memory, each variable rounded up to 16.
    pub(crate) fn workgroup_bytes(&self, operator: &Definition) -> u32 {
        if self.root == Root::Arguments {
            return 0;
        }
        let item = operator.accumulator.workgroup_bytes();
        let scratch = match self.subgroup {
            Subgroup::Native => 0,
            Subgroup::Emulated(_) => (item * self.workgroup_size).next_multiple_of(16),
        };
        scratch + (item * self.subgroup_count_max()).next_multiple_of(16)
    }

    /// Storage bindings of the kernel.
    pub fn storage_bindings(&self) -> u32 {
        let wide = if self.tile == Tile::Vector { 2 } else { 1 };
        let data = match (self.root, self.memory) {
            (Root::Arguments, _) => 1,
            (_, Memory::Shared) => wide,
            (Root::Reduce, Memory::Separate) => wide + 1,
            (Root::Downsweep, Memory::Separate) => 2 * wide,
        };
        data + u32::from(self.carry == Carry::Partials) + u32::from(self.extent == Extent::Buffer)
    }

    /// Subgroups can be as narrow as 4 lanes, whatever the adapter reports.
    fn subgroup_count_max(&self) -> u32 {
        self.workgroup_size.div_ceil(4)
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lookback.{}", self.root.entry_point())
    }
}

/// Whether a name is declared or called by the library's shaders: a user's text that declared
/// it would change what they do.
pub(crate) fn is_reserved(name: &str) -> bool {
    let called = |text: &str| {
        text.match_indices(name).any(|(at, _)| {
            let word = |c: char| c.is_alphanumeric() || c == '_';
            let starts = !text[..at].ends_with(word);
            starts && text[at + name.len()..].starts_with(['(', '<'])
        })
    };
    let ours = FILES.iter().any(|(_, text)| called(text) || link::declares(text, name));
    !name.is_empty() && (ours || prelude::NAMES.contains(&name))
}
