// Partition in three: items of the first kind, of the second, and the others, each in order. The
// payload is how many of the first two kinds stand before.
//
// Source: as payload/select.wgsl, whose exports it has.

import package::compact::{compact_first, compact_second, compact_third, compact_tally};
import package::extent::{n_items};
import package::neighbours::{Item, item_at};
import package::params::{params};
import package::selection::{is_kept, is_second};

const KINDS = 2u;
const LOOKS_LEFT = false;

fn kind_of(item: Item) -> u32 {
    let x = in_decode(item.words);
    let number = params.first_item + item.index;
    return select(select(3u, 2u, is_second(x, number)), 1u, is_kept(x, number));
}

fn item_in(words: array<u32, IN_WORDS>, index: u32) -> T {
    let kind = kind_of(item_at(words, index));
    return select(vec2<u32>(0u), vec2<u32>(1u), vec2<u32>(1u, 2u) == vec2<u32>(kind));
}

fn of_counts(counts: vec2<u32>, end: u32) -> T {
    return counts;
}

fn emit(index: u32, words: array<u32, IN_WORDS>, kind: u32, before: T) {
    if (kind == 1u) {
        compact_first(before.x, words);
    } else if (kind == 2u) {
        compact_second(before.y, words);
    } else {
        compact_third(params.first_item + index - before.x - before.y, words);
    }
}

fn end_out(total: T) {
    compact_tally(0u, total.x);
    compact_tally(1u, total.y);
    compact_tally(2u, params.first_item + n_items() - total.x - total.y);
}
