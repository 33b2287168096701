//! Kernels: all that decides a module's text and overrides, and how it is put together.

use std::fmt;

use super::{FILES, link, prelude, selectors};

pub use super::choices::*;
use crate::definition::Definition;
use crate::wgsl::{Layers, Subgroup, WorkgroupReduce};

/// Words of workgroup memory a lane for the runs of a reduction by key.
const STAGE_LANE_WORDS: u32 = 10;

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
    /// The file for `params`.
    pub params: ParamsSpace,
    /// The file for `tile`.
    pub tile: Tile,
    /// The file for `memory`.
    pub memory: Memory,
    /// The file for `carry`.
    pub carry: Carry,
    /// The file for `extent`.
    pub extent: Extent,
    /// The file for `payload`.
    pub payload: Payload,
    /// The flags that it reads.
    pub flags: Flags,
    /// The file for `row_heads` and `lane_keys`.
    pub keys: Keys,
    /// Whether each segment starts with a value of the call's.
    pub starts: bool,
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
        let (read, held, written) =
            (operator.in_words(), operator.acc_words(), operator.out_words());
        match self.part {
            Part::Whole => (read, written),
            Part::ToAccumulators => (read, held),
            Part::OnAccumulators => (held, held),
            Part::FromAccumulators => (held, written),
        }
    }

    /// The module's text.
    pub(crate) fn link(&self, operator: &Definition) -> Result<String, String> {
        let definition = self.definition(operator);
        let walks = self.single_pass.map(|single_pass| single_pass.look_back);
        if walks == Some(LookBack::Subgroup) && definition.branches {
            return Err("branches of the operator would part a subgroup that walks alone".into());
        }
        let block_lanes = if let Tile::Block(lanes) = self.tile { lanes } else { 1 };
        let tile_constants =
            prelude::tile_constants(&definition, self.group, self.rows, block_lanes);
        let mut constants = prelude::constants(&definition);
        constants.extend(tile_constants);
        // A reduction combines items as they are loaded.
        constants.insert("HEADS", u32::from(self.root == Root::Reduce));
        constants.insert("STARTS", u32::from(self.starts));
        constants.insert("STAGE_RUNS", self.stage_runs(operator));
        let (accumulate, share) = match definition.commutative {
            true => ("accumulate/commutative", "share/commutative"),
            false => ("accumulate/ordered", "share/ordered"),
        };
        let mut choices = self.layers.choices(&definition);
        choices.extend([
            (
                "params",
                match self.params {
                    ParamsSpace::Uniform => "params/uniform",
                    ParamsSpace::Immediate => "params/immediate",
                },
            ),
            ("accumulate", accumulate),
            ("share", share),
            ("queue", if self.root.queue() == Queue::All { "queue/all" } else { "queue/listed" }),
            ("bounded", if self.tile == Tile::Scalar { "bounded/words" } else { "bounded/quads" }),
            ("payload", self.payload.file()),
            (
                "held",
                match self.payload {
                    Payload::Items => "held/items",
                    Payload::ScanSegments => "held/scan_segments",
                    Payload::ReduceSegments => "held/reduce_segments",
                    _ => "held/votes",
                },
            ),
            (
                "segments",
                match self.flags {
                    Flags::None => "segments/keys",
                    Flags::Words | Flags::Bits => "segments/flags",
                },
            ),
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
                "row_heads",
                match self.keys {
                    Keys::Words => "row_heads/words",
                    Keys::Quads => "row_heads/quads",
                },
            ),
            (
                "lane_keys",
                match self.keys {
                    Keys::Words => "lane_keys/words",
                    Keys::Quads => "lane_keys/quads",
                },
            ),
            ("rows", if matches!(self.tile, Tile::Block(_)) { "rows/block" } else { "rows/any" }),
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
        generated.insert("selection", selectors::selection(&definition, self.flags));
        // By one name: naga tells an array that has one from the same without.
        let items = "alias Items = array<T, ITEMS>;\n";
        generated.insert("prelude", prelude::prelude(&definition, &constants) + items);
        link::link(FILES, self.root.file(), &choices, &generated, &constants)
    }

    /// The values of the overrides that the module declares.
    pub fn overrides(&self) -> Vec<(&'static str, f64)> {
        let mut overrides = vec![("WORKGROUP_SIZE", f64::from(self.workgroup_size))];
        if !self.root.is_by_lanes() && self.root != Root::ShortSegments {
            overrides.push(("SECTION_SIZE", f64::from(self.section_size())));
        }
        if let Subgroup::Emulated(width) = self.layers.subgroup {
            overrides.push(("EMULATED_WIDTH", f64::from(width)));
        }
        let scans = matches!(self.root, Root::Downsweep | Root::SinglePass | Root::Chunks);
        if scans && !self.payload.compacts() {
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
                overrides.push(("REDUCED_MAX", f64::from(single_pass.reduced_max)));
            }
            if single_pass.look_back == LookBack::Workgroup {
                overrides.push(("WINDOW", f64::from(self.workgroup_size.min(WINDOW))));
            }
        }
        overrides
    }

    /// Items of one tile.
    pub fn tile_items(&self) -> u32 {
        self.workgroup_size * self.rows * self.group
    }

    /// Runs that a reduction by key stages at a time: as many as a tile of runs of 4 has at most, where they
    /// take no more than `STAGE_LANE_WORDS` a lane. One at least, however few the lanes.
    fn stage_runs(&self, operator: &Definition) -> u32 {
        let run_words = run_words(operator);
        let lane_words = (5 * self.rows * self.group * run_words).div_ceil(16);
        (self.workgroup_size * lane_words.min(STAGE_LANE_WORDS) / run_words).max(1)
    }

    /// Bytes of workgroup memory, each variable rounded up to 16.
    pub(crate) fn workgroup_bytes(&self, operator: &Definition) -> u32 {
        // Neither does a lane need another, nor emulated subgroups a scratch.
        if self.root.is_by_lanes() {
            return 0;
        }
        let item = operator.held_bytes();
        // A commutative reduction by a tree does without shuffles, and so do segments of a workgroup.
        let shuffles = match self.root {
            Root::Reduce => !operator.commutative || !self.halves(),
            Root::LongSegments(_) => !self.halves(),
            _ => true,
        };
        let votes = self.root != Root::Reduce
            && !matches!(self.payload, Payload::Items | Payload::ReduceSegments);
        let each = |bytes: u32| (bytes * self.workgroup_size).next_multiple_of(16);
        let scratch = match self.layers.subgroup {
            // A word a lane for ballots.
            Subgroup::Emulated(_) if votes => each(item) + each(4),
            Subgroup::Emulated(_) if shuffles => each(item),
            _ => 0,
        };
        // Keys and outputs of runs, and how many there are.
        let stage = match self.payload {
            Payload::ReduceSegments if self.root != Root::Reduce => {
                (4 * self.stage_runs(operator) * run_words(operator)).next_multiple_of(16) + 16
            }
            _ => 0,
        };
        // The ticket, and what a look finds.
        let single_pass = match self.single_pass.map(|single_pass| single_pass.look_back) {
            Some(LookBack::Workgroup) => 5 * 16,
            Some(LookBack::Subgroup) => 2 * 16 + item.next_multiple_of(16),
            Some(LookBack::Chained) => 2 * 16 + item.next_multiple_of(16),
            None => 0,
        };
        // The segments that wait for a subgroup, and how many there are; or the queue's lengths and
        // slots, and whether a share is the last.
        let queues = match self.root {
            Root::ShortSegments => return scratch + each(4) + 2 * 16,
            Root::LongSegments(Queue::Listed) => 2 * 16,
            Root::LongSegments(Queue::All) => 4 * 16,
            _ => 0,
        };
        scratch + (item * self.section_size()).next_multiple_of(16) + single_pass + queues + stage
    }

    /// Storage bindings of the kernel.
    pub fn storage_bindings(&self) -> u32 {
        self.bindings().len() as u32
    }

    /// The storage bindings, by the numbers that the shaders declare.
    pub(crate) fn bindings(&self) -> Vec<(u32, Slot)> {
        match self.root {
            Root::Clear => return vec![(4, Slot::Dst)],
            Root::MarkHeads => return vec![(2, Slot::Src), (4, Slot::Dst)],
            _ => {}
        }
        let segments = self.root.is_segmented_reduce();
        let lists = segments && self.root.queue() == Queue::Listed;
        // Of a compaction: its walk over the items writes.
        let writes = self.payload.compacts() && self.root != Root::Reduce;
        let quads = self.tile != Tile::Scalar;
        let partly = self.tile != Tile::Whole;
        // All but a reduction by key read an item once more.
        let rereads = writes && !self.payload.is_segmented() || self.payload.has_heads();
        let (src_words, words) = (partly || rereads, partly || writes || self.payload.has_heads());
        // A reduction writes single items.
        let reads_only = self.root == Root::Reduce || writes || segments;
        let separate = self.memory == Memory::Separate;
        let outputs = if writes { self.payload.outputs() } else { 1 };
        let decodes = self.root == Root::Decode;
        let by_key = self.payload == Payload::UniqueByKey && writes || self.payload.is_segmented();
        let uses_partials = self.carry == Carry::Partials || self.root == Root::Chunks;
        let descriptor = self.single_pass.map(|single_pass| single_pass.descriptor);
        let is_packed = descriptor == Some(Descriptor::Packed64);
        let is_fenced = descriptor == Some(Descriptor::Fenced);
        // It reads nothing but the count.
        let walks = self.root != Root::Arguments;
        let all = [
            (1, Slot::Src, walks && separate && quads),
            (2, Slot::Src, walks && separate && src_words),
            (3, Slot::Dst, walks && quads && !(separate && reads_only)),
            (4, Slot::Dst, !walks || words || reads_only),
            (5, Slot::Partials, uses_partials || lists),
            (6, Slot::Count, self.extent == Extent::Buffer),
            (7, Slot::State, self.single_pass.is_some()),
            (8, Slot::Descriptors, is_packed),
            (8, Slot::State, is_fenced),
            (
                9,
                Slot::SecondSrc,
                walks && (self.flags != Flags::None || by_key || decodes || segments),
            ),
            (10, Slot::SecondDst, walks && outputs > 1),
            (11, Slot::ThirdDst, walks && outputs > 2),
            (12, Slot::Tally, walks && writes),
            (14, Slot::SecondSrc, self.keys == Keys::Quads),
            (13, Slot::Shares, segments),
        ];
        let used = all.into_iter().filter(|(_, _, is_used)| *is_used);
        used.map(|(number, slot, _)| (number, slot)).collect()
    }

    /// Entries of the section: one a lane, or one a subgroup. Subgroups can be as narrow as 4
    /// lanes, whatever the adapter reports.
    fn section_size(&self) -> u32 {
        let looks = self.single_pass.map(|single_pass| single_pass.look_back);
        let reduces = self.root == Root::Reduce
            || self.root.is_segmented_reduce()
            || looks == Some(LookBack::Workgroup);
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

/// Words of a run on the stage: its key, and what the run before it comes to.
fn run_words(operator: &Definition) -> u32 {
    operator.keys().words() + operator.out_words()
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lookback.{}", self.root.entry_point())
    }
}
