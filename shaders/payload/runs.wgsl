// Run-length encoding: the first item of each run, and how many the run has. The payload is how many
// runs begin before an item, and one more than the number of the last item that began one: a run
// ends where the next begins, which knows both.
//
// Source: as payload/select.wgsl, whose exports it has.

import package::compact::{compact_first, compact_second, compact_tally};
import package::extent::{n_items};
import package::heads::{is_head};
import package::neighbours::{Item, item_at};
import package::params::{params};

const KINDS = 1u;
const LOOKS_LEFT = true;

fn kind_of(item: Item) -> u32 {
    return select(0u, 1u, is_head(item));
}

fn item_in(words: array<u32, IN_WORDS>, index: u32) -> T {
    let number = params.first_item + index;
    return select(vec2<u32>(0u), vec2<u32>(1u, number + 1u), is_head(item_at(words, index)));
}

fn of_counts(counts: vec2<u32>, end: u32) -> T {
    return vec2<u32>(counts.x, end);
}

fn emit(index: u32, words: array<u32, IN_WORDS>, kind: u32, before: T) {
    if (kind == 1u) {
        compact_first(before.x, words);
        close(params.first_item + index, before);
    }
}

// Writes the length of the run before an item, or of the last one.
fn close(end: u32, before: T) {
    if (before.x != 0u) {
        compact_second(before.x - 1u, array<u32, SECOND_WORDS>(end + 1u - before.y));
    }
}

// Of an earlier piece the last run may go on: a later one writes its length once more.
fn end_out(total: T) {
    close(params.first_item + n_items(), total);
    compact_tally(0u, total.x);
}
