// Runs of two items or more: where each begins, and how many items it has. The payload is how many
// such runs have a second item before an item, and one more than the number of the last second item.
//
// Source: as payload/select.wgsl, whose exports it has.

import package::compact::{compact_item, compact_first, compact_second, compact_tally};
import package::extent::{n_items};
import package::heads::{is_head};
import package::neighbours::{Item, item_at};
import package::params::{params};

const KINDS = 1u;
const LOOKS_LEFT = true;

// 1 for the second item of a run, 2 for the first.
fn kind_of(item: Item) -> u32 {
    if (is_head(item)) {
        return 2u;
    }
    // A lane's rows past the last item stand for it; of one item, nothing lies to the left.
    let first = params.first_item + item.index == 0u;
    return select(0u, 1u, is_head(item_at(item.left, select(item.index - 1u, 0u, first))));
}

fn item_in(words: array<u32, IN_WORDS>, index: u32) -> T {
    let number = params.first_item + index;
    return select(vec2<u32>(0u), vec2<u32>(1u, number + 1u), kind_of(item_at(words, index)) == 1u);
}

fn of_counts(counts: vec2<u32>, end: u32) -> T {
    return vec2<u32>(counts.x, end);
}

fn emit(index: u32, words: array<u32, IN_WORDS>, kind: u32, before: T) {
    let number = params.first_item + index;
    if (kind == 1u) {
        compact_first(before.x, array<u32, FIRST_WORDS>(number - 1u));
    } else if (kind == 2u && number != 0u) {
        close(index, before);
    }
}

// Writes the length of the run before an item, or of the last one, if it is long.
fn close(end: u32, before: T) {
    if (!is_head(item_at(compact_item(end - 1u), end - 1u))) {
        let length = params.first_item + end + 2u - before.y;
        compact_second(before.x - 1u, array<u32, SECOND_WORDS>(length));
    }
}

// Of an earlier piece the last run may go on: a later one writes its length once more.
fn end_out(total: T) {
    if (params.first_item + n_items() != 0u) {
        close(n_items(), total);
    }
    compact_tally(0u, total.x);
}
