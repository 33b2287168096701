//! Kernels: all that decides a module's text and overrides, and how it is put together.

use std::fmt;

use super::{FILES, link, prelude};
use crate::operator::Definition;
use crate::wgsl::{Layers, Subgroup, WorkgroupReduce};

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
    /// `shaders/scan_chunks.wgsl`.
    Chunks,
    /// `shaders/scan_propagate.wgsl`.
    Propagate,
}

/// How tiles are read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tile {
    /// 16 bytes at a time, in blocks of what a subgroup of so many lanes holds.
    Block(u32),
    /// 16 bytes at a time.
    Vector,
    /// 4 bytes at a time.
    Scalar,
    /// 16 bytes at a time, and no tile is partly filled.
    Whole,
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
    /// By walking back over aggregates, as many at a time as a subgroup has lanes.
    Subgroup,
    /// The same by the whole workgroup, without subgroup operations.
    Workgroup,
}

/// What a tile of a single pass does that has waited in vain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stalled {
    /// It gives up, and the call has no result.
    Fail,
    /// It reduces the tile that it waits for by itself.
    Reduce,
}

/// How a tile's value and state travel to other tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Descriptor {
    /// Together, in 64-bit atomic words; Vulkan with 64-bit atomics. Values of up to 4 words.
    Packed64,
    /// Together, in 32-bit atomic words of half a word each; every device. Values of up to 4 words.
    Split32,
    /// One after the other, with a fence between; Vulkan with coherent memory. Any value, and the
    /// whole workgroup must look back.
    Fenced,
}

/// What makes a single pass what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SinglePass {
    /// The file for `look_back`.
    pub look_back: LookBack,
    /// The file for `stalled`.
    pub stalled: Stalled,
    /// The file for `descriptor`.
    pub descriptor: Descriptor,
    /// Whether looks, windows and tiles reduced for others are counted.
    pub counting: bool,
    /// Every how many tiles one publishes nothing, for tests; 0 for none.
    pub stall_every: u32,
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

/// Descriptors that a look by a whole workgroup takes in.
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
    /// What a single pass adds; `None` for every other root.
    pub single_pass: Option<SinglePass>,
    /// Whether the driver checks indices and ends loops, which the library's own text needs not.
    pub checked: bool,
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
            Root::Chunks => "chunks",
            Root::Propagate => "propagate",
        }
    }

    fn file(self) -> &'static str {
        match self {
            Root::Reduce => "reduce",
            Root::Downsweep => "scan_downsweep",
            Root::Arguments => "dispatch_arguments",
            Root::SinglePass => "scan_single_pass",
            Root::Chunks => "scan_chunks",
            Root::Propagate => "scan_propagate",
        }
    }
}

impl Descriptor {
    /// Words of a descriptor of a value of `words` words.
    pub(crate) fn words(self, words: u32) -> u32 {
        match self {
            Descriptor::Packed64 | Descriptor::Split32 => 2 * words,
            Descriptor::Fenced => 1 + 2 * words,
        }
    }

    /// The most words of a value.
    pub(crate) fn words_max(self) -> u32 {
        match self {
            Descriptor::Packed64 | Descriptor::Split32 => 4,
            Descriptor::Fenced => 16,
        }
    }
}

impl SinglePass {
    /// The files that stand for folders.
    fn choices(&self) -> link::Choices {
        link::Choices::from([
            (
                "descriptor",
                match self.descriptor {
                    Descriptor::Packed64 => "descriptor/packed64",
                    Descriptor::Split32 => "descriptor/split32",
                    Descriptor::Fenced => "descriptor/fenced",
                },
            ),
            (
                "look_back",
                match self.look_back {
                    LookBack::Chained => "look_back/chained",
                    LookBack::Subgroup => "look_back/subgroup",
                    LookBack::Workgroup => "look_back/workgroup",
                },
            ),
            (
                "stalled",
                match self.stalled {
                    Stalled::Fail => "stalled/fail",
                    Stalled::Reduce => "stalled/reduce",
                },
            ),
        ])
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

    /// Words of what it reads and of what it writes.
    pub(crate) fn words(&self, operator: &Definition) -> (u32, u32) {
        let Definition { input, accumulator, output, .. } = operator;
        let (read, written) = match self.part {
            Part::Whole => (input, output),
            Part::ToAccumulators => (input, accumulator),
            Part::OnAccumulators => (accumulator, accumulator),
            Part::FromAccumulators => (accumulator, output),
        };
        (read.words(), written.words())
    }

    /// The module's text.
    pub(crate) fn link(&self, operator: &Definition) -> Result<String, String> {
        let definition = self.definition(operator);
        let block_lanes = if let Tile::Block(lanes) = self.tile { lanes } else { 1 };
        let tile_constants =
            prelude::tile_constants(&definition, self.group, self.rows, block_lanes);
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
                    Tile::Block(_) => "tile/block",
                    Tile::Vector => "tile/vector",
                    Tile::Scalar => "tile/scalar",
                    Tile::Whole => "tile/whole",
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
            (
                "extent",
                match self.extent {
                    Extent::Params => "extent/params",
                    Extent::Buffer => "extent/buffer",
                },
            ),
        ]);
        if let Some(single_pass) = self.single_pass {
            choices.extend(single_pass.choices());
        }
        let mut generated = self.layers.generated(&definition);
        generated.insert("groups", prelude::groups(&definition, &constants));
        generated.insert("prelude", prelude::prelude(&definition, &constants));
        link::link(FILES, self.root.file(), &choices, &generated, &constants)
    }

    /// The values of the overrides that the module declares.
    pub fn overrides(&self) -> Vec<(&'static str, f64)> {
        let mut overrides = vec![("WORKGROUP_SIZE", f64::from(self.workgroup_size))];
        if !matches!(self.root, Root::Arguments | Root::Propagate) {
            overrides.push(("SECTION_SIZE", f64::from(self.section_size())));
        }
        if let Subgroup::Emulated(width) = self.layers.subgroup {
            overrides.push(("EMULATED_WIDTH", f64::from(width)));
        }
        if matches!(self.root, Root::Downsweep | Root::SinglePass | Root::Chunks) {
            overrides.push(("EXCLUSIVE", f64::from(u8::from(self.exclusive))));
        }
        if let Some(single_pass) = self.single_pass {
            overrides.push(("STALL_EVERY", f64::from(single_pass.stall_every)));
            overrides.push(("COUNTING", f64::from(u8::from(single_pass.counting))));
            let patience = match single_pass.stalled {
                Stalled::Fail => 8192,
                Stalled::Reduce => 1024,
            };
            overrides.push(("PATIENCE", f64::from(patience)));
            if single_pass.stalled == Stalled::Reduce {
                overrides.push(("REDUCED_MAX", f64::from(self.reduced_max())));
            }
            if single_pass.look_back == LookBack::Workgroup {
                overrides.push(("WINDOW", f64::from(self.workgroup_size.min(WINDOW))));
            }
        }
        overrides
    }

    /// Tiles that a walk may reduce for others. Each takes up to 64 looks, a row up to 8 trips, a
    /// workgroup's totals up to 64: that is below the 65,535 trips after which lavapipe ends all
    /// loops.
    fn reduced_max(&self) -> u32 {
        49_152 / (8 * self.rows + 128)
    }

    /// Items of one tile.
    pub fn tile_items(&self) -> u32 {
        self.workgroup_size * self.rows * self.group
    }

    /// Bytes of workgroup memory, each variable rounded up to 16.
    pub(crate) fn workgroup_bytes(&self, operator: &Definition) -> u32 {
        // Neither does a lane need another, nor emulated subgroups a scratch.
        if matches!(self.root, Root::Arguments | Root::Propagate) {
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
        let single_pass = match self.single_pass.map(|single_pass| single_pass.look_back) {
            Some(LookBack::Workgroup) => 5 * 16,
            Some(LookBack::Subgroup) => 2 * 16 + item.next_multiple_of(16),
            Some(LookBack::Chained) => 2 * 16 + item.next_multiple_of(16),
            None => 0,
        };
        scratch + (item * self.section_size()).next_multiple_of(16) + single_pass
    }

    /// Storage bindings of the kernel.
    pub fn storage_bindings(&self) -> u32 {
        let wide = u32::from(self.tile != Tile::Scalar) + u32::from(self.tile != Tile::Whole);
        let data = match (self.root, self.memory) {
            (Root::Arguments, _) => 1,
            (Root::Reduce, Memory::Separate) => wide + 1,
            // It reads quads and writes a word.
            (Root::Reduce, Memory::Shared) if self.tile == Tile::Whole => 2,
            (_, Memory::Shared) => wide,
            (_, Memory::Separate) => 2 * wide,
        };
        let state = self.single_pass.map_or(0, |single_pass| match single_pass.descriptor {
            Descriptor::Split32 => 1,
            Descriptor::Packed64 | Descriptor::Fenced => 2,
        });
        data + state
            + u32::from(self.carry == Carry::Partials || self.root == Root::Chunks)
            + u32::from(self.extent == Extent::Buffer)
    }

    /// Entries of the section: one a lane, or one a subgroup. Subgroups can be as narrow as 4
    /// lanes, whatever the adapter reports.
    fn section_size(&self) -> u32 {
        let looks = self.single_pass.map(|single_pass| single_pass.look_back);
        let reduces = self.root == Root::Reduce || looks == Some(LookBack::Workgroup);
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
