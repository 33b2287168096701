// Select: the items that are kept, in order. The payload is how many stand before.
//
// A payload of held/votes.wgsl exports besides item_in and end_out: kind_of, the kind of an item, up to
// 3; KINDS, how many kinds from 1 on are counted; of_lanes, what the lanes of a row bring whose items
// are of the first and the second kind, where the row's first item has this index; emit, which
// writes what an item writes, if anything, when what stands before it is known.
//
// Source: stream compaction by a scan of flags, Blelloch 1990; in a single pass, Merrill & Garland
// 2016.

import package::compact::{compact_first, compact_tally};
import package::params::{params};
import package::selection::{is_kept};
import package::vote::lanes::{count_lanes};

const KINDS = 1u;

fn kind_of(words: array<u32, IN_WORDS>, index: u32) -> u32 {
    return select(0u, 1u, is_kept(in_decode(words), params.first_item + index));
}

fn item_in(words: array<u32, IN_WORDS>, index: u32) -> T {
    return kind_of(words, index);
}

fn of_lanes(first: vec4<u32>, second: vec4<u32>, index: u32) -> T {
    return count_lanes(first);
}

fn emit(index: u32, words: array<u32, IN_WORDS>, kind: u32, before: T) {
    if (kind == 1u) {
        compact_first(before, words);
    }
}

fn end_out(total: T) {
    compact_tally(0u, total);
}
