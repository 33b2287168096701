// Unique by key: the first key of each run and the value that goes with it.
//
// Source: as payload/select.wgsl, whose exports it has.

import package::compact::{compact_first, compact_second, compact_tally};
import package::heads::{is_head};
import package::neighbours::{Item, item_at};
import package::params::{params};
import package::second_input::{second_word};

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
        var value: array<u32, SECOND_WORDS>;
        for (var w = 0u; w < SECOND_WORDS; w += 1u) { // unroll
            value[w] = second_word((params.first_item + index) * SECOND_WORDS + w);
        }
        compact_second(before, value);
    }
}

fn end_out(total: T) {
    compact_tally(0u, total);
}
