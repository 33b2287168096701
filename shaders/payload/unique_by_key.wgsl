// Unique by key: the first key of each run and the value that goes with it.
//
// Source: as payload/select.wgsl, whose exports it has.

import package::compact::{compact_item, compact_first, compact_second, compact_tally};
import package::heads::{is_head};
import package::params::{params};
import package::second_input::{second_word};

fn item_in(words: array<u32, IN_WORDS>, index: u32) -> T {
    return select(0u, 1u, is_head(words, index));
}

fn emit(index: u32, before: T) {
    let words = compact_item(index);
    if (is_head(words, index)) {
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
