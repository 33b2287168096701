// Unique: the first item of each run. The payload is how many stand before.
//
// Source: as payload/select.wgsl, whose exports it has.

import package::compact::{compact_item, compact_first, compact_tally};
import package::heads::{is_head};

fn item_in(words: array<u32, IN_WORDS>, index: u32) -> T {
    return select(0u, 1u, is_head(words, index));
}

fn emit(index: u32, before: T) {
    let words = compact_item(index);
    if (is_head(words, index)) {
        compact_first(before, words);
    }
}

fn end_out(total: T) {
    compact_tally(0u, total);
}
