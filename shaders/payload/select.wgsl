// Select: the items that are kept, in order. The payload is how many stand before.
//
// A payload of held/votes.wgsl exports besides item_in and end_out: kind_of, the kind of an item, from 0
// for one that writes nothing to 3; KINDS, how many kinds from 1 on are counted; LOOKS_LEFT, whether
// kinds depend on the item to the left (before a later piece there may be nothing to read); of_counts,
// what so many items of the first two kinds bring, the last of the first kind before number `end`, 0
// for none; emit, which writes what an item writes when what stands before it is known.
//
// Source: stream compaction by a scan of flags, Blelloch 1990; in a single pass, Merrill & Garland
// 2016.

import package::compact::{compact_first, compact_tally};
import package::neighbours::{Item, item_at};
import package::params::{params};
import package::selection::{is_kept};

const KINDS = 1u;
const LOOKS_LEFT = false;

fn kind_of(item: Item) -> u32 {
    return select(0u, 1u, is_kept(in_decode(item.words), params.first_item + item.index));
}

fn item_in(words: array<u32, IN_WORDS>, index: u32) -> T {
    return kind_of(item_at(words, index));
}

fn of_counts(counts: vec2<u32>, end: u32) -> T {
    return counts.x;
}

fn emit(index: u32, words: array<u32, IN_WORDS>, kind: u32, before: T) {
    if (kind == 1u) {
        compact_first(before, words);
    }
}

fn end_out(total: T) {
    compact_tally(0u, total);
}
