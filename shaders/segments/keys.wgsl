// Where segments begin: at the first of equal keys, which are the second input.

import package::second_input::{second_word};
import package::selection::{key_decode, is_same};

// Whether the item of this number, counted from the call's first, begins a segment. Any lane, any
// flow; the item must exist.
fn begins(number: u32) -> bool {
    let before = max(number, 1u) - 1u;
    // Without a branch, so that all of a lane's loads are under way at once.
    return (number == 0u) | !is_same(key_decode(key_words(before)), key_decode(key_words(number)));
}

fn key_words(number: u32) -> array<u32, KEY_WORDS> {
    var words: array<u32, KEY_WORDS>;
    for (var w = 0u; w < KEY_WORDS; w += 1u) { // unroll
        words[w] = second_word(number * KEY_WORDS + w);
    }
    return words;
}
