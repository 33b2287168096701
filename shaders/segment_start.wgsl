// Items within segments, and what each segment starts with.

import package::params::{params};
import package::params::carry_word::{carry_word};
import package::segments::{begins};

// What each segment starts with, where STARTS is 1. The same in all lanes; any lane, any flow.
fn start() -> T {
    var words: array<u32, ACC_WORDS>;
    for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
        words[w] = carry_word(w);
    }
    return from_words(words);
}

// The accumulator of an item of the call. Whether it begins a segment is the affair of held/scan_segments.wgsl,
// but where no such file is: HEADS is 1 there. Any lane, any flow.
fn segment_item(words: array<u32, IN_WORDS>, number: u32) -> T {
    var item = from_input(words, number);
    if (HEADS != 0u) {
        let head = begins(number);
        if (STARTS != 0u) {
            item = either(head, combine(start(), item), item);
        }
        item.heads = select(0u, 1u, head);
    }
    return item;
}
