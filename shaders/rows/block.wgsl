// The rows of a tile as a block: what a subgroup of BLOCK_LANES lanes holds is one entry of an array, so
// that the places of a lane's rows differ by constants. The slice must start at a whole block of its
// binding. Where subgroups are of another width after all, and in the last, partly filled tile, rows
// are loaded as rows/any.wgsl does it, whose export it has.

import package::held::{Held};
import package::memory::{src_row_word};
import package::rows::clamped::{rows_load_clamped};
import package::subgroup::{
    Group, Lane, subgroup_width, subgroup_count, subgroup_rank, subgroup_lane,
};
import package::tile::layout::{tile_is_whole};

fn rows_load(group: Group, lane: Lane, tile: u32, held: ptr<function, Held>) {
    if (tile_is_whole(tile) && subgroup_width(group) == BLOCK_LANES) {
        let block = tile * subgroup_count(group) + subgroup_rank(lane);
        for (var row = 0u; row < ROWS; row += 1u) { // unroll
            for (var w = 0u; w < IN_WORDS; w += 1u) { // unroll
                (*held).words[row * IN_WORDS + w] = src_row_word(block, row, subgroup_lane(lane), w);
            }
        }
    } else {
        rows_load_clamped(group, lane, tile, held);
    }
}
