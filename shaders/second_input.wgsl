// The second input: flags, keys, or the values that go with keys.

import package::params::{params};

@group(0) @binding(9) var<storage, read> second_src: array<u32>;

// A word of it. Any lane, any flow.
fn second_word(index: u32) -> u32 {
    return second_src[params.second_word + index];
}
