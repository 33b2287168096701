// What all payloads share that write some of the items, to places that a scan of counts says: the
// slices that items are read from and written to.

import package::memory::{src_word, dst_set_word};
import package::params::carry_word::{carry_word};

@group(0) @binding(10) var<storage, read_write> second_dst: array<u32>;
@group(0) @binding(11) var<storage, read_write> third_dst: array<u32>;
@group(0) @binding(12) var<storage, read_write> tally: array<u32>;

// The words of `carry`, which these calls have no other use for: items that the three outputs have
// room for, and the first word of each other slice in its binding.
const ROOM = 0u;
const SECOND_DST_WORD = 3u;
const THIRD_DST_WORD = 4u;
const TALLY_WORD = 5u;

fn compact_param(which: u32) -> u32 {
    return carry_word(which);
}

// The words of an item of the piece; -1 is the one before the first, of a later piece in the same
// binding. Any lane, any flow.
fn compact_item(index: u32) -> array<u32, IN_WORDS> {
    var words: array<u32, IN_WORDS>;
    for (var w = 0u; w < IN_WORDS; w += 1u) { // unroll
        words[w] = src_word(index * IN_WORDS + w);
    }
    return words;
}

// Each writes one item to an output, or nothing where it has no room. Any lane, any flow; no two lanes
// to one place.
fn compact_first(place: u32, words: array<u32, FIRST_WORDS>) {
    if (place < compact_param(ROOM)) {
        for (var w = 0u; w < FIRST_WORDS; w += 1u) { // unroll
            dst_set_word(place * FIRST_WORDS + w, words[w]);
        }
    }
}

fn compact_second(place: u32, words: array<u32, SECOND_WORDS>) {
    if (place < compact_param(ROOM + 1u)) {
        for (var w = 0u; w < SECOND_WORDS; w += 1u) { // unroll
            second_dst[compact_param(SECOND_DST_WORD) + place * SECOND_WORDS + w] = words[w];
        }
    }
}

fn compact_third(place: u32, words: array<u32, IN_WORDS>) {
    if (place < compact_param(ROOM + 2u)) {
        for (var w = 0u; w < IN_WORDS; w += 1u) { // unroll
            third_dst[compact_param(THIRD_DST_WORD) + place * IN_WORDS + w] = words[w];
        }
    }
}

// Writes one of the counts.
fn compact_tally(which: u32, count: u32) {
    tally[compact_param(TALLY_WORD) + which] = count;
}
