// The accumulator to the left of a chunk when one workgroup handles all tiles: the call's
// initial value, or the identity.

import package::params::{params};

// Any lane, any flow; uniform.
fn carry_in(chunk: u32) -> T {
    if (params.has_carry != 1u) {
        return identity();
    }
    var words: array<u32, ACC_WORDS>;
    for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
        words[w] = params.carry[w / 4u][w % 4u];
    }
    return from_words(words);
}
