// Partition: the items that are kept to one output, the others to another, both in order. The payload
// is how many of the first kind stand before; the rest are the others.
//
// Source: as payload/select.wgsl, whose exports it has.

import package::compact::{compact_first, compact_second, compact_tally};
import package::extent::{n_items};
import package::neighbours::{Item, item_at};
import package::params::{params};
import package::selection::{is_kept};

const KINDS = 1u;
const LOOKS_LEFT = false;

fn kind_of(item: Item) -> u32 {
    return select(2u, 1u, is_kept(in_decode(item.words), params.first_item + item.index));
}

fn item_in(words: array<u32, IN_WORDS>, index: u32) -> T {
    return kind_of(item_at(words, index)) & 1u;
}

fn of_counts(counts: vec2<u32>, end: u32) -> T {
    return counts.x;
}

fn emit(index: u32, words: array<u32, IN_WORDS>, kind: u32, before: T) {
    if (kind == 1u) {
        compact_first(before, words);
    } else {
        compact_second(params.first_item + index - before, words);
    }
}

fn end_out(total: T) {
    compact_tally(0u, total);
    compact_tally(1u, params.first_item + n_items() - total);
}
