// Input and output in bindings of their own. Each is bound twice: as quads of words for
// whole tiles and as words for the last one, since an `array<vec4<u32>>` over a buffer of
// any size hides its last 1 to 3 words. No word is touched through both bindings of `dst`.
//
// Exports: src_quad, src_word, dst_set_quad, dst_set_word. Any lane may call them, in any flow.

import package::params::{params};

@group(0) @binding(1) var<storage, read> src_quads: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> src_words: array<u32>;
@group(0) @binding(3) var<storage, read_write> dst_quads: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> dst_words: array<u32>;

fn src_quad(index: u32) -> vec4<u32> {
    return src_quads[(params.src_word >> 2u) + index];
}

fn src_word(index: u32) -> u32 {
    return src_words[params.src_word + index];
}

fn dst_set_quad(index: u32, quad: vec4<u32>) {
    dst_quads[(params.dst_word >> 2u) + index] = quad;
}

fn dst_set_word(index: u32, word: u32) {
    dst_words[params.dst_word + index] = word;
}
