// Unique: the first item of each run. The payload is how many stand before.
//
// Source: as payload/select.wgsl, whose exports it has.

import package::compact::{compact_first, compact_tally};
import package::heads::{is_head};
import package::neighbours::{Item, item_at};

const KINDS = 1u;
const LOOKS_LEFT = true;

fn kind_of(item: Item) -> u32 {
    return select(0u, 1u, is_head(item));
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
