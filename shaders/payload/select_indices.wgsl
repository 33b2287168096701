// Select indices: the numbers of the items that are kept, in order; the items themselves are read for the
// predicate only. The payload is how many stand before.
//
// Source: as payload/select.wgsl, whose exports it has.

import package::compact::{compact_tile, compact_item, compact_first, compact_tally};
import package::params::{params};
import package::selection::{is_kept};
import package::subgroup::{Group, Lane};

fn item_in(words: array<u32, IN_WORDS>, index: u32) -> T {
    return select(0u, 1u, is_kept(in_decode(words), params.first_item + index));
}

fn emit(index: u32, before: T) {
    let number = params.first_item + index;
    if (is_kept(in_decode(compact_item(index)), number)) {
        compact_first(before, array<u32, FIRST_WORDS>(number));
    }
}

fn tile_out(group: Group, lane: Lane, tile: u32, items: ptr<function, array<T, ITEMS>>) {
    compact_tile(group, lane, tile, items);
}

fn end_out(total: T) {
    compact_tally(0u, total);
}
