// Select: the items that are kept, in order. The payload is how many stand before.
//
// Source: stream compaction by a scan of flags, Blelloch 1990; in a single pass, Merrill & Garland
// 2016. The exports of payload/items.wgsl, and emit.

import package::compact::{compact_item, compact_first, compact_tally};
import package::params::{params};
import package::selection::{is_kept};

fn item_in(words: array<u32, IN_WORDS>, index: u32) -> T {
    return select(0u, 1u, is_kept(in_decode(words), params.first_item + index));
}

fn emit(index: u32, before: T) {
    let words = compact_item(index);
    if (is_kept(in_decode(words), params.first_item + index)) {
        compact_first(before, words);
    }
}

fn end_out(total: T) {
    compact_tally(0u, total);
}
