// Partition in three: items of the first kind, of the second, and the others, each in order. The
// payload is how many of the first two kinds stand before.
//
// Source: as payload/select.wgsl, whose exports it has.

import package::compact::{
    compact_item, compact_first, compact_second, compact_third, compact_tally,
};
import package::extent::{n_items};
import package::params::{params};
import package::selection::{is_kept, is_second};

fn item_in(words: array<u32, IN_WORDS>, index: u32) -> T {
    let x = in_decode(words);
    let first = is_kept(x, params.first_item + index);
    let second = !first && is_second(x, params.first_item + index);
    return select(vec2<u32>(0u), vec2<u32>(1u), vec2<bool>(first, second));
}

fn emit(index: u32, before: T) {
    let words = compact_item(index);
    let kind = item_in(words, index);
    if (kind.x != 0u) {
        compact_first(before.x, words);
    } else if (kind.y != 0u) {
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
