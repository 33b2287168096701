//! What a kernel is chosen from, as data: each choice is a file of a folder in `shaders/`, or a root.

use super::link;

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
    /// `shaders/run_length_decode.wgsl`.
    Decode,
    /// `shaders/clear.wgsl`.
    Clear,
    /// `shaders/heads_mark.wgsl`.
    MarkHeads,
    /// `shaders/segmented_reduce_short.wgsl`.
    ShortSegments,
    /// `shaders/segmented_reduce_long.wgsl`.
    LongSegments(Queue),
}

/// Which segments wait for the last pass of a segmented reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Queue {
    /// Those that the first pass has listed.
    Listed,
    /// All; there is no first pass.
    All,
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

/// How the parameters of a pass reach its kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ParamsSpace {
    /// In a uniform, of a buffer that each recorded call makes.
    Uniform,
    /// In the commands of the pass.
    Immediate,
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
    /// Tiles that a walk may reduce for others.
    pub reduced_max: u32,
    /// Whether looks, windows and tiles reduced for others are counted.
    pub counting: bool,
    /// Every how many tiles one publishes nothing, for tests; 0 for none.
    pub stall_every: u32,
}

/// What is scanned and what comes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Payload {
    /// The operator's accumulators; one output an item.
    Items,
    /// How many items are kept; those.
    Select,
    /// The same; their numbers.
    SelectIndices,
    /// The same; those, and the others to a second output.
    Partition,
    /// How many items are of the first two kinds; all three kinds.
    PartitionThree,
    /// How many runs there are; the first item of each.
    Unique,
    /// The same; the values that go with them too.
    UniqueByKey,
    /// How many runs there are and where the last begins; first items and lengths.
    Runs,
    /// The same of runs of two items or more; where they begin and lengths.
    LongRuns,
    /// The operator's accumulators since the last item that began a segment; one output an item.
    ScanSegments,
    /// The same; the first key of each run, and what its values combine to.
    ReduceSegments,
}

/// Flags that select items, one for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flags {
    /// None.
    None,
    /// A word each, 0 or not.
    Words,
    /// A bit each, the lowest of a word first.
    Bits,
}

/// How the pass that writes within segments reads keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Keys {
    /// 4 bytes at a time; flags too.
    Words,
    /// 16 bytes at a time.
    Quads,
}

/// What a storage binding holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Src,
    Dst,
    Partials,
    Count,
    State,
    Descriptors,
    SecondSrc,
    SecondDst,
    ThirdDst,
    Tally,
    Shares,
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
            Root::Decode => "decode",
            Root::Clear => "clear",
            Root::MarkHeads => "mark",
            Root::ShortSegments => "short_segments",
            Root::LongSegments(_) => "long_segments",
        }
    }

    /// Whether lanes work by themselves: no section, and no scratch of emulated subgroups.
    pub(super) fn is_by_lanes(self) -> bool {
        use Root::{Arguments, Clear, Decode, MarkHeads, Propagate};
        matches!(self, Arguments | Propagate | Decode | Clear | MarkHeads)
    }

    /// Where a pass of a segmented reduction finds its segments.
    pub(super) fn queue(self) -> Queue {
        match self {
            Root::LongSegments(queue) => queue,
            _ => Queue::Listed,
        }
    }

    /// Whether it is a pass of a segmented reduction.
    pub(crate) fn is_segmented_reduce(self) -> bool {
        matches!(self, Root::ShortSegments | Root::LongSegments(_))
    }

    pub(super) fn file(self) -> &'static str {
        match self {
            Root::Reduce => "reduce",
            Root::Downsweep => "scan_downsweep",
            Root::Arguments => "dispatch_arguments",
            Root::SinglePass => "scan_single_pass",
            Root::Chunks => "scan_chunks",
            Root::Propagate => "scan_propagate",
            Root::Decode => "run_length_decode",
            Root::Clear => "clear",
            Root::MarkHeads => "heads_mark",
            Root::ShortSegments => "segmented_reduce_short",
            Root::LongSegments(_) => "segmented_reduce_long",
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

impl Payload {
    /// Whether some of the items are written, not one output for each.
    pub(crate) fn compacts(self) -> bool {
        !matches!(self, Payload::Items | Payload::ScanSegments)
    }

    /// Whether an item is held against the one before it.
    pub(crate) fn has_heads(self) -> bool {
        use Payload::{LongRuns, Runs, Unique, UniqueByKey};
        matches!(self, Unique | UniqueByKey | Runs | LongRuns)
    }

    /// Whether accumulators are the operator's within segments, which the second input tells.
    pub(crate) fn is_segmented(self) -> bool {
        matches!(self, Payload::ScanSegments | Payload::ReduceSegments)
    }

    /// Whether items are of a few kinds, of which ballots tell how many stand before each.
    pub(crate) fn votes(self) -> bool {
        self.compacts() && !self.is_segmented()
    }

    /// Outputs, of which a call gets a slice each.
    pub(crate) fn outputs(self) -> usize {
        match self {
            Payload::Items | Payload::ScanSegments => 1,
            Payload::Select | Payload::SelectIndices | Payload::Unique => 1,
            Payload::PartitionThree => 3,
            _ => 2,
        }
    }

    /// Counts that a call writes.
    pub(crate) fn counts(self) -> u64 {
        match self {
            Payload::Items | Payload::ScanSegments => 0,
            Payload::Partition => 2,
            Payload::PartitionThree => 3,
            _ => 1,
        }
    }

    pub(super) fn file(self) -> &'static str {
        match self {
            Payload::Items => "payload/items",
            Payload::Select => "payload/select",
            Payload::SelectIndices => "payload/select_indices",
            Payload::Partition => "payload/partition",
            Payload::PartitionThree => "payload/partition_three",
            Payload::Unique => "payload/unique",
            Payload::UniqueByKey => "payload/unique_by_key",
            Payload::Runs => "payload/runs",
            Payload::LongRuns => "payload/long_runs",
            Payload::ScanSegments => "payload/scan_segments",
            Payload::ReduceSegments => "payload/reduce_segments",
        }
    }
}

impl SinglePass {
    /// The files that stand for folders.
    pub(super) fn choices(&self) -> link::Choices {
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
