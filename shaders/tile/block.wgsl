// Tiles through 16-byte accesses, as blocks: what a subgroup of BLOCK_LANES lanes holds is one entry
// of an array. So the places of a lane's rows differ by constants, and one address serves them all:
// on the H200 a lane of 56 words needs 10 registers less than in tile/vector. Both slices must
// start at a whole block of their binding. Where subgroups are of another width after all, and in
// the last, partly filled tile, items go one by one.
//
// tile_load, row_load, tile_store: as in tile/vector.wgsl.

import package::groups::{in_group, out_group};
import package::memory::{src_block_quad, dst_set_block_quad};
import package::subgroup::{
    Group, Lane, subgroup_width, subgroup_count, subgroup_rank, subgroup_lane,
};
import package::tile::layout::{
    tile_is_whole, lane_item, row_items, group_load, items_load, items_store,
};

fn is_blocks(group: Group, tile: u32) -> bool {
    return tile_is_whole(tile) && subgroup_width(group) == BLOCK_LANES;
}

fn lane_block(group: Group, lane: Lane, tile: u32) -> u32 {
    return tile * subgroup_count(group) + subgroup_rank(lane);
}

fn tile_load(group: Group, lane: Lane, tile: u32, items: ptr<function, Items>) {
    if (is_blocks(group, tile)) {
        let block = lane_block(group, lane, tile);
        for (var row = 0u; row < ROWS; row += 1u) { // unroll
            let index = lane_item(group, lane, tile) + row * row_items(group);
            let loaded = block_load(block, row, subgroup_lane(lane), index);
            for (var i = 0u; i < GROUP; i += 1u) { // unroll
                (*items)[row * GROUP + i] = loaded[i];
            }
        }
    } else {
        items_load(group, lane, tile, items);
    }
}

fn row_load(group: Group, lane: Lane, tile: u32, row: u32, items: ptr<function, array<T, GROUP>>) {
    if (is_blocks(group, tile)) {
        let index = lane_item(group, lane, tile) + row * row_items(group);
        *items = block_load(lane_block(group, lane, tile), row, subgroup_lane(lane), index);
    } else {
        group_load(lane_item(group, lane, tile) + row * row_items(group), items);
    }
}

// The items of one lane in one row of a block; the first has this index.
fn block_load(block: u32, row: u32, place: u32, index: u32) -> array<T, GROUP> {
    var quads: array<vec4<u32>, IN_QUADS>;
    for (var q = 0u; q < IN_QUADS; q += 1u) { // unroll
        quads[q] = src_block_quad(block, row, place, q);
    }
    return in_group(quads, index);
}

fn tile_store(group: Group, lane: Lane, tile: u32, items: ptr<function, Items>) {
    if (is_blocks(group, tile)) {
        let block = lane_block(group, lane, tile);
        for (var row = 0u; row < ROWS; row += 1u) { // unroll
            var stored: array<T, GROUP>;
            for (var i = 0u; i < GROUP; i += 1u) { // unroll
                stored[i] = (*items)[row * GROUP + i];
            }
            let quads = out_group(stored);
            for (var q = 0u; q < OUT_QUADS; q += 1u) { // unroll
                dst_set_block_quad(block, row, subgroup_lane(lane), q, quads[q]);
            }
        }
    } else {
        items_store(group, lane, tile, items);
    }
}
