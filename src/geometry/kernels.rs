//! The kernels of an operator: what a lane holds, and how it reads and writes.

use super::{CPU_REDUCED_TRIPS, Geometry};
use crate::definition::Definition;
use crate::plan::Placement;
use crate::shader::kernel::{
    Carry, Descriptor, Extent, Flags, Kernel, Keys, LookBack, Memory, Part, Payload, Root,
    SinglePass, Stalled, Tile,
};
use crate::tuning::Builtins;
use crate::wgsl::{Layers, Subgroup};

/// Words that a lane of a long segment loads at a time, at least.
const LONG_SEGMENT_WORDS: u32 = 8;

impl Geometry {
    pub(super) fn kernel(&self, operator: &Definition, root: Root) -> Kernel {
        let (in_group, out_group) =
            (group_items(operator.in_words()), group_items(operator.out_words()));
        let group = match root {
            // An item of a row in each lane.
            _ if operator.payload.votes() => 1,
            // These write single items, so their groups need not suit the output.
            Root::Reduce | Root::Arguments | Root::LongSegments(_) => in_group,
            // Segments begin and end anywhere.
            Root::ShortSegments => 1,
            _ if operator.payload.compacts() => in_group,
            _ => in_group.max(out_group),
        };
        // Within segments a lane holds the operator's values, and a word for each of its groups.
        let held = match operator.payload.is_segmented() {
            true => operator.accumulator.words(),
            false => operator.acc_words(),
        };
        let words = operator.in_words().max(held);
        // As many of the fewest that fill quads as the tuning asks for. A lane of a long segment has nothing
        // else to do while it waits for its items: on an H200 2^24 u32 in segments of 10,000 took 41.0 us by
        // 4 words at a time, 38.3 by 8.
        let least = if matches!(root, Root::LongSegments(_)) { LONG_SEGMENT_WORDS } else { 1 };
        let words_per_group = self.words_per_group.max(least);
        let most = words_per_group.min(self.words_per_lane) / (group * words);
        let most = match operator.payload {
            // Lanes of short segments read single items.
            Payload::Items if root == Root::ShortSegments => 1,
            // A lane's least part of a segment is a group, which costs a looping text a call an item.
            Payload::Items if root.is_segmented_reduce() && operator.loops => 1,
            Payload::Items => most,
            _ => 1,
        };
        let group = if most > 1 { group << most.ilog2() } else { group };
        let (group, rows) = match operator.payload {
            Payload::ReduceSegments => (self.neighbours(operator, words, in_group), 1),
            _ => (group, (self.words_per_lane / (group * words)).max(1)),
        };
        // The layers have the builtins on unless the tuning has none.
        let layers = match (root, self.builtins) {
            (Root::Reduce | Root::Arguments, _) | (_, Builtins::None | Builtins::All) => {
                self.layers
            }
            _ if root.is_segmented_reduce() => self.layers,
            (_, Builtins::Reductions) => Layers { builtins: false, ..self.layers },
        };
        let single_pass = SinglePass {
            look_back: match (self.layers.subgroup, self.descriptor) {
                (_, Descriptor::Fenced) | (Subgroup::Emulated(_), _) => LookBack::Workgroup,
                // Its flow must not part while one subgroup walks.
                (Subgroup::Native, _) if operator.branches => LookBack::Workgroup,
                (Subgroup::Native, _) => LookBack::Subgroup,
            },
            stalled: Stalled::Reduce,
            descriptor: self.descriptor,
            // On a CPU a tile takes 64 looks, 8 trips a row, and at most 200 for the totals.
            reduced_max: match self.tiles_max {
                u32::MAX => 512,
                _ => CPU_REDUCED_TRIPS / (8 * rows + 264),
            },
            counting: false,
            stall_every: 0,
        };
        Kernel {
            root,
            part: Part::Whole,
            layers,
            params: self.params,
            tile: Tile::Vector,
            memory: Memory::Separate,
            carry: Carry::Params,
            extent: Extent::Params,
            payload: operator.payload,
            flags: operator.flags,
            keys: Keys::Words,
            starts: false,
            single_pass: (root == Root::SinglePass).then_some(single_pass),
            checked: self.checked || operator.loops || operator.indexes,
            exclusive: false,
            workgroup_size: self.workgroup_size,
            group,
            rows,
        }
    }

    /// Items of a lane that all stand side by side: whole groups of the fewest that fill quads, or where
    /// its keys leave no room for one, single ones. Their heads are the bits of a word.
    fn neighbours(&self, operator: &Definition, words: u32, group: u32) -> u32 {
        let items = (self.words_per_lane / words.max(operator.keys().words())).clamp(1, 32);
        if items < group { items } else { items / group * group }
    }

    /// The widest accesses that a pass may use: quads and blocks must be whole in every binding that
    /// is used by them.
    pub(super) fn tile(&self, operator: &Definition, kernel: Kernel, placement: Placement) -> Tile {
        let single_items =
            matches!(kernel.root, Root::Reduce | Root::Arguments | Root::LongSegments(_));
        let reads_only = single_items || kernel.payload.compacts();
        let (input, output) = kernel.words(operator);
        let whole =
            |of: u32, words: u64, first: u32| words >= u64::from(of) && first.is_multiple_of(of);
        let fits = |in_words: u32, out_words: u32| {
            whole(in_words, placement.src_words, placement.src_word)
                && (reads_only || whole(out_words, placement.dst_words, placement.dst_word))
        };
        use Root::{Clear, Decode, MarkHeads, ShortSegments};
        if matches!(kernel.root, Decode | Clear | MarkHeads | ShortSegments) {
            return Tile::Scalar;
        }
        if kernel.payload.votes() {
            return self.rows(kernel, input, placement);
        }
        let quads = Kernel { tile: Tile::Vector, ..kernel };
        let fills_quads = (kernel.group * input).is_multiple_of(4);
        if !fills_quads || !fits(4, 4) || quads.storage_bindings() > self.storage_bindings {
            return Tile::Scalar;
        }
        if matches!(kernel.root, Root::LongSegments(_)) {
            // Where both sides of a branch are run for all lanes, ends take no branch. What stands for an
            // empty input may be shorter than a quad.
            let by_words = self.whole_tiles || placement.n_items == 0;
            return if by_words { Tile::Scalar } else { Tile::Vector };
        }
        if self.whole_tiles {
            let known = kernel.extent == Extent::Params && placement.n_items > 0;
            let whole = known && placement.n_items.is_multiple_of(kernel.tile_items());
            return if whole { Tile::Whole } else { Tile::Scalar };
        }
        let of_one_size = reads_only || kernel.memory == Memory::Separate || input == output;
        match self.block_lanes {
            Some(lanes) if of_one_size => {
                let block = lanes * kernel.rows * kernel.group;
                if fits(block * input, block * output) {
                    return Tile::Block(lanes);
                }
            }
            _ => {}
        }
        Tile::Vector
    }

    /// Keys are read by quads where values are, if groups of keys fill whole quads of their binding.
    pub(super) fn keys(&self, operator: &Definition, kernel: Kernel, placement: Placement) -> Keys {
        let words = operator.keys().words();
        let quads = Kernel { keys: Keys::Quads, ..kernel };
        let fits = kernel.payload.is_segmented()
            && kernel.flags == Flags::None
            && kernel.root != Root::Reduce
            && matches!(kernel.tile, Tile::Block(_) | Tile::Vector)
            && placement.second_quads
            && (kernel.group * words).is_multiple_of(4)
            && (placement.first_item % 4 * words).is_multiple_of(4)
            && quads.storage_bindings() <= self.storage_bindings;
        if fits { Keys::Quads } else { Keys::Words }
    }

    /// Compactions read their items one by one, side by side, from blocks where they can.
    fn rows(&self, kernel: Kernel, input: u32, placement: Placement) -> Tile {
        let Some(lanes) = self.block_lanes else { return Tile::Scalar };
        let words = lanes * kernel.rows * input;
        let blocks = Kernel { tile: Tile::Block(lanes), ..kernel };
        let fits = kernel.root != Root::Reduce
            && placement.src_word.is_multiple_of(words)
            && placement.src_words >= u64::from(words)
            && blocks.storage_bindings() <= self.storage_bindings;
        if fits { Tile::Block(lanes) } else { Tile::Scalar }
    }
}

/// Items of so many words of the smallest group that fills whole quads of words: 1, 2 or 4.
fn group_items(words: u32) -> u32 {
    match words % 4 {
        0 => 1,
        2 => 2,
        _ => 4,
    }
}
