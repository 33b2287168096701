// The accumulator to the left of a piece: the call's initial value, or what the piece before has
// left on the device.

import package::params::{params};
import package::params::carry_word::{carry_word};
import package::single_pass::state::{state, state_carry};

// Any lane, any flow; the same in all lanes. `first_chunk` numbers the pieces of a single pass.
fn carry_in(chunk: u32) -> T {
    var words: array<u32, ACC_WORDS>;
    for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
        words[w] = carry_word(w);
        if (params.first_chunk != 0u) {
            words[w] = atomicLoad(&state[state_carry(false) + w]);
        }
    }
    if (params.first_chunk == 0u && params.has_carry != 1u) {
        return identity();
    }
    return from_words(words);
}
