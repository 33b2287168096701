// The accumulator to the left of a chunk when one workgroup handles all tiles: the call's
// initial value, or the identity.

import package::params::{params};
import package::params::carry_word::{carry_word};

// Any lane, any flow; uniform.
fn carry_in(chunk: u32) -> T {
    if (params.has_carry != 1u) {
        return identity();
    }
    var words: array<u32, ACC_WORDS>;
    for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
        words[w] = carry_word(w);
    }
    return from_words(words);
}
