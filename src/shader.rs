//! Shader text: the embedded files, and how a kernel's module is put together from them.

pub(crate) mod comments;
pub(crate) mod link;
pub(crate) mod prelude;
pub(crate) mod unroll;
pub(crate) mod user_text;

use std::fmt;

use crate::operator::Definition;
use crate::wgsl::{Layers, Subgroup, WorkgroupReduce};

macro_rules! embed {
    ($($path:literal)*) => {
        &[$(($path, include_str!(concat!("../shaders/", $path, ".wgsl")))),*]
    };
}

/// Every shader file by its path below `shaders/`, without the ending.
pub(crate) const FILES: &[(&str, &str)] = embed!(
    "params"
    "dispatch_arguments"
    "reduce"
    "scan_downsweep"
    "scan_single_pass"
    "accumulate/commutative"
    "accumulate/ordered"
    "carry/params"
    "carry/partials"
    "carry/state"
    "descriptor/split32"
    "extent/buffer"
    "extent/params"
    "look_back/chained"
    "look_back/window"
    "memory/separate"
    "memory/shared"
    "section"
    "section_halving"
    "section_scan/brent_kung"
    "section_scan/kogge_stone"
    "single_pass/state"
    "single_pass/walk"
    "stalled/fail"
    "stalled/reduce"
    "subgroup/emulated"
    "subgroup/native"
    "subgroup/partition"
    "subgroup/shuffle"
    "subgroup_reduce/builtin"
    "subgroup_reduce/ladder"
    "subgroup_scan/builtin"
    "subgroup_scan/ladder"
    "tile/layout"
    "tile/scalar"
    "tile/vector"
    "tile_scan"
    "vote/emulated"
    "vote/lanes"
    "vote/match_any"
    "vote/native"
    "workgroup"
    "workgroup_lanes"
    "workgroup_reduce/interleaved"
    "workgroup_reduce/sequential"
    "workgroup_reduce/strided"
    "workgroup_reduce/subgroup_tail"
    "workgroup_reduce/subgroups"
    "workgroup_reduce/unrolled"
    "workgroup_scan/brent_kung"
    "workgroup_scan/coarsened"
    "workgroup_scan/kogge_stone"
    "workgroup_totals/section"
    "workgroup_totals/shuffles"
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
    /// `shaders/scan_single_pass.wgsl`.
    SinglePass,
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
    /// From the call's parameters, or for a later piece from the single pass's state.
    State,
}

/// How a tile of a single pass finds what stands before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LookBack {
    /// By the inclusive prefix of the tile before.
    Chained,
    /// By walking back over aggregates, a window at a time.
    Window,
}

/// What a tile of a single pass does that has waited in vain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stalled {
    /// It gives up, and the call has no result.
    Fail,
    /// It reduces the tile that it waits for by itself.
    Reduce,
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

/// Descriptors that a look of a single pass takes in.
const WINDOW: u32 = 32;

/// All that decides a kernel's text and overrides, but for the operator: plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kernel {
    /// The root file.
    pub root: Root,
    /// The part of the operator.
    pub part: Part,
    /// The files of the subgroup and workgroup layers.
    pub layers: Layers,
    /// The file for `tile`.
    pub tile: Tile,
    /// The file for `memory`.
    pub memory: Memory,
    /// The file for `carry`.
    pub carry: Carry,
    /// The file for `extent`.
    pub extent: Extent,
    /// The file for `look_back`; single passes only.
    pub look_back: LookBack,
    /// The file for `stalled`; single passes only.
    pub stalled: Stalled,
    /// Every how many tiles one publishes nothing, for tests; 0 for none.
    pub stall_every: u32,
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
            Root::SinglePass => "single_pass",
        }
    }

    fn file(self) -> &'static str {
        match self {
            Root::Reduce => "reduce",
            Root::Downsweep => "scan_downsweep",
            Root::Arguments => "dispatch_arguments",
            Root::SinglePass => "scan_single_pass",
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
        let tile_constants = prelude::tile_constants(&definition, self.group, self.rows);
        let mut constants = prelude::constants(&definition);
        constants.extend(tile_constants);
        let accumulate = match definition.commutative {
            true => "accumulate/commutative",
            false => "accumulate/ordered",
        };
        let mut choices = self.layers.choices(&definition);
        choices.extend([
            ("accumulate", accumulate),
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
                    Carry::State => "carry/state",
                },
            ),
            ("descriptor", "descriptor/split32"),
            (
                "look_back",
                match self.look_back {
                    LookBack::Chained => "look_back/chained",
                    LookBack::Window => "look_back/window",
                },
            ),
            (
                "stalled",
                match self.stalled {
                    Stalled::Fail => "stalled/fail",
                    Stalled::Reduce => "stalled/reduce",
                },
            ),
            (
                "extent",
                match self.extent {
                    Extent::Params => "extent/params",
                    Extent::Buffer => "extent/buffer",
                },
            ),
        ]);
        let mut generated = self.layers.generated(&definition);
        generated.insert("groups", prelude::groups(&definition, &constants));
        generated.insert("prelude", prelude::prelude(&definition, &constants));
        link::link(FILES, self.root.file(), &choices, &generated, &constants)
    }

    /// The values of the overrides that the module declares.
    pub fn overrides(&self) -> Vec<(&'static str, f64)> {
        let mut overrides = vec![("WORKGROUP_SIZE", f64::from(self.workgroup_size))];
        if self.root != Root::Arguments {
            overrides.push(("SECTION_SIZE", f64::from(self.section_size())));
        }
        if let Subgroup::Emulated(width) = self.layers.subgroup {
            overrides.push(("EMULATED_WIDTH", f64::from(width)));
        }
        if matches!(self.root, Root::Downsweep | Root::SinglePass) {
            overrides.push(("EXCLUSIVE", f64::from(u8::from(self.exclusive))));
        }
        if self.root == Root::SinglePass {
            overrides.push(("STALL_EVERY", f64::from(self.stall_every)));
            if self.look_back == LookBack::Window {
                overrides.push(("WINDOW", f64::from(self.workgroup_size.min(WINDOW))));
            }
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
        // A commutative reduction by a tree does without shuffles.
        let shuffles = self.root != Root::Reduce || !operator.commutative || !self.halves();
        let scratch = match self.layers.subgroup {
            Subgroup::Emulated(_) if shuffles => (item * self.workgroup_size).next_multiple_of(16),
            _ => 0,
        };
        // The ticket, and what a look finds.
        let single_pass = match (self.root, self.look_back) {
            (Root::SinglePass, LookBack::Window) => 5 * 16,
            (Root::SinglePass, LookBack::Chained) => 2 * 16 + item.next_multiple_of(16),
            _ => 0,
        };
        scratch + (item * self.section_size()).next_multiple_of(16) + single_pass
    }

    /// Storage bindings of the kernel.
    pub fn storage_bindings(&self) -> u32 {
        let wide = if self.tile == Tile::Vector { 2 } else { 1 };
        let data = match (self.root, self.memory) {
            (Root::Arguments, _) => 1,
            (_, Memory::Shared) => wide,
            (Root::Reduce, Memory::Separate) => wide + 1,
            (Root::Downsweep | Root::SinglePass, Memory::Separate) => 2 * wide,
        };
        let state = u32::from(self.root == Root::SinglePass);
        data + state
            + u32::from(self.carry == Carry::Partials)
            + u32::from(self.extent == Extent::Buffer)
    }

    /// Entries of the section: one a lane, or one a subgroup. Subgroups can be as narrow as 4
    /// lanes, whatever the adapter reports.
    fn section_size(&self) -> u32 {
        let reduces = self.root == Root::Reduce
            || (self.root, self.look_back) == (Root::SinglePass, LookBack::Window);
        match reduces && self.layers.reduce != WorkgroupReduce::Subgroups {
            true => self.workgroup_size,
            false => self.workgroup_size.div_ceil(4),
        }
    }

    /// Whether a reduction goes by trees in workgroup memory alone.
    fn halves(&self) -> bool {
        use WorkgroupReduce::{Interleaved, Sequential, Strided};
        matches!(self.layers.reduce, Interleaved | Strided | Sequential)
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lookback.{}", self.root.entry_point())
    }
}

/// Whether a text calls a function or names a type with parameters.
pub(crate) fn calls(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let starts = !text[..at].ends_with(word);
        starts && text[at + name.len()..].starts_with(['(', '<'])
    })
}

/// Whether a name is declared or called by the library's shaders: a user's text that declared
/// it would change what they do.
pub(crate) fn is_reserved(name: &str) -> bool {
    let ours = FILES.iter().any(|(_, text)| calls(text, name) || link::declares(text, name));
    let guard = name.starts_with("lookback_");
    !name.is_empty() && (ours || guard || prelude::NAMES.contains(&name))
}
