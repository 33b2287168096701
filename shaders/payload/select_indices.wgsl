// Select indices: the numbers of the items that are kept, in order; the items themselves are read for the
// predicate only. The payload is how many stand before.
//
// Source: as payload/select.wgsl, whose exports it has.

import package::compact::{compact_item, compact_first, compact_tally};
import package::params::{params};
import package::selection::{is_kept};

fn item_in(words: array<u32, IN_WORDS>, index: u32) -> T {
    return select(0u, 1u, is_kept(in_decode(words), params.first_item + index));
}

fn emit(index: u32, before: T) {
    let number = params.first_item + index;
    if (is_kept(in_decode(compact_item(index)), number)) {
        compact_first(before, array<u32, FIRST_WORDS>(number));
    }
}

fn end_out(total: T) {
    compact_tally(0u, total);
}
