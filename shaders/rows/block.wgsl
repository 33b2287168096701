// The rows of a tile as a block: what a subgroup of BLOCK_LANES lanes holds is one entry of an array, so
// that the places of a lane's rows differ by constants. The slice must start at a whole block of its
// binding. Where subgroups are of another width after all, and in the last, partly filled tile, rows
// are loaded as rows/any.wgsl does it, whose exports it has.

import package::held::{Held};
import package::memory::{src_block_word};
import package::neighbours::{item_left};
import package::rows::clamped::{rows_load_clamped};
import package::subgroup::{
    Group, Lane, subgroup_width, subgroup_count, subgroup_rank, subgroup_lane,
};
import package::tile::layout::{tile_is_whole};

fn is_block(group: Group, tile: u32) -> bool {
    return tile_is_whole(tile) && subgroup_width(group) == BLOCK_LANES;
}

fn rows_load(group: Group, lane: Lane, tile: u32, held: ptr<function, Held>) {
    if (is_block(group, tile)) {
        let block = tile * subgroup_count(group) + subgroup_rank(lane);
        let place = subgroup_lane(lane) * IN_WORDS;
        for (var row = 0u; row < ROWS; row += 1u) { // unroll
            for (var w = 0u; w < IN_WORDS; w += 1u) { // unroll
                let word = place + row * (BLOCK_LANES * IN_WORDS) + w;
                (*held).words[row * IN_WORDS + w] = src_block_word(block, word);
            }
        }
    } else {
        rows_load_clamped(group, lane, tile, held);
    }
}

fn row_left(group: Group, lane: Lane, tile: u32, row: u32, index: u32) -> array<u32, IN_WORDS> {
    // To the left of a block's first row stands another block.
    if (row == 0u || !is_block(group, tile)) {
        return item_left(index);
    }
    let block = tile * subgroup_count(group) + subgroup_rank(lane);
    let place = subgroup_lane(lane) * IN_WORDS;
    var words: array<u32, IN_WORDS>;
    for (var w = 0u; w < IN_WORDS; w += 1u) { // unroll
        words[w] = src_block_word(block, place + (row * BLOCK_LANES - 1u) * IN_WORDS + w);
    }
    return words;
}
