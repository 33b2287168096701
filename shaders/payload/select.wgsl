// Select: the items that are kept, in order. The payload is how many stand before.
//
// Source: stream compaction by a scan of flags, Blelloch 1990; in a single pass, Merrill & Garland
// 2016. The exports of payload/items.wgsl, and emit.

import package::compact::{compact_tile, compact_item, compact_first, compact_tally};
import package::params::{params};
import package::selection::{is_kept};
import package::subgroup::{Group, Lane};

fn item_in(words: array<u32, IN_WORDS>, index: u32) -> T {
    return select(0u, 1u, is_kept(in_decode(words), params.first_item + index));
}

fn emit(index: u32, before: T) {
    let words = compact_item(index);
    if (is_kept(in_decode(words), params.first_item + index)) {
        compact_first(before, words);
    }
}

fn tile_out(group: Group, lane: Lane, tile: u32, items: ptr<function, array<T, ITEMS>>) {
    compact_tile(group, lane, tile, items);
}

fn end_out(total: T) {
    compact_tally(0u, total);
}
