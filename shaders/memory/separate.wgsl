// Input and output in bindings of their own. Each is bound twice: as quads of words for
// whole tiles and as words for the last one, since an `array<vec4<u32>>` over a buffer of
// any size hides its last 1 to 3 words. No word is touched through both bindings of `dst`.
//
// A kernel uses quads, blocks of them (tile/block.wgsl) or blocks of words (rows/block.wgsl), never two.
//
// Exports: src_quad, src_block_quad, src_block_word, src_word, dst_set_quad, dst_set_block_quad, dst_set_word. Any
// lane may call them, in any flow.

import package::params::{params};

@group(0) @binding(1) var<storage, read> src_quads: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> src_blocks: array<InBlock>;
@group(0) @binding(1) var<storage, read> src_rows: array<InRows>;
@group(0) @binding(2) var<storage, read> src_words: array<u32>;
@group(0) @binding(3) var<storage, read_write> dst_quads: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> dst_blocks: array<OutBlock>;
@group(0) @binding(4) var<storage, read_write> dst_words: array<u32>;

// What a subgroup holds of a tile: rows, lanes of a row, quads of a lane.
alias InBlock = array<array<array<vec4<u32>, IN_QUADS>, BLOCK_LANES>, ROWS>;
alias OutBlock = array<array<array<vec4<u32>, OUT_QUADS>, BLOCK_LANES>, ROWS>;

// The same as words.
alias InRows = array<u32, IN_BLOCK_WORDS>;

fn src_block_word(block: u32, word: u32) -> u32 {
    return src_rows[params.src_word / IN_BLOCK_WORDS + block][word];
}

fn src_block_quad(block: u32, row: u32, place: u32, quad: u32) -> vec4<u32> {
    return src_blocks[params.src_word / IN_BLOCK_WORDS + block][row][place][quad];
}

fn dst_set_block_quad(block: u32, row: u32, place: u32, quad: u32, value: vec4<u32>) {
    dst_blocks[params.dst_word / OUT_BLOCK_WORDS + block][row][place][quad] = value;
}

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
