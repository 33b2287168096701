// Input and output in one binding: in place, or two ranges of one buffer, which wgpu allows
// in no other way. A workgroup reads a tile before it writes that tile, and no other
// workgroup touches it, so input and output may be the same range; they may not overlap
// in any other way. No word is touched through both bindings. Blocks of both have the same size.
//
// The exports of memory/separate.wgsl.

import package::params::{params};

@group(0) @binding(3) var<storage, read_write> data_quads: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> data_blocks: array<DataBlock>;
@group(0) @binding(3) var<storage, read_write> data_rows: array<DataRows>;
@group(0) @binding(4) var<storage, read_write> data_words: array<u32>;

alias DataBlock = array<array<array<vec4<u32>, IN_QUADS>, BLOCK_LANES>, ROWS>;
alias DataRows = array<u32, IN_BLOCK_WORDS>;

fn src_block_word(block: u32, word: u32) -> u32 {
    return data_rows[params.src_word / IN_BLOCK_WORDS + block][word];
}

fn src_block_quad(block: u32, row: u32, place: u32, quad: u32) -> vec4<u32> {
    return data_blocks[params.src_word / IN_BLOCK_WORDS + block][row][place][quad];
}

fn dst_set_block_quad(block: u32, row: u32, place: u32, quad: u32, value: vec4<u32>) {
    data_blocks[params.dst_word / IN_BLOCK_WORDS + block][row][place][quad] = value;
}

fn src_quad(index: u32) -> vec4<u32> {
    return data_quads[(params.src_word >> 2u) + index];
}

fn src_word(index: u32) -> u32 {
    return data_words[params.src_word + index];
}

fn dst_set_quad(index: u32, quad: vec4<u32>) {
    data_quads[(params.dst_word >> 2u) + index] = quad;
}

fn dst_set_word(index: u32, word: u32) {
    data_words[params.dst_word + index] = word;
}
