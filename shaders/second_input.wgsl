// The second input: flags, keys, or the values that go with keys.

import package::params::{params};

@group(0) @binding(9) var<storage, read> second_src: array<u32>;
@group(0) @binding(14) var<storage, read> second_src_quads: array<vec4<u32>>;

// A word of it. Any lane, any flow.
fn second_word(index: u32) -> u32 {
    return second_src[params.second_word + index];
}

// Four words, where it starts at a multiple of them. Any lane, any flow.
fn second_quad(index: u32) -> vec4<u32> {
    return second_src_quads[(params.second_word >> 2u) + index];
}
