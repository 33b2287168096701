// Partition: the items that are kept to one output, the others to another, both in order. The payload
// is how many of the first kind stand before; the rest are the others.
//
// Source: as payload/select.wgsl, whose exports it has.

import package::compact::{compact_item, compact_first, compact_second, compact_tally};
import package::extent::{n_items};
import package::params::{params};
import package::selection::{is_kept};

fn item_in(words: array<u32, IN_WORDS>, index: u32) -> T {
    return select(0u, 1u, is_kept(in_decode(words), params.first_item + index));
}

fn emit(index: u32, before: T) {
    let words = compact_item(index);
    let number = params.first_item + index;
    if (is_kept(in_decode(words), number)) {
        compact_first(before, words);
    } else {
        compact_second(number - before, words);
    }
}

fn end_out(total: T) {
    compact_tally(0u, total);
    compact_tally(1u, params.first_item + n_items() - total);
}
