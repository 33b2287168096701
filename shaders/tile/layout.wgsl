// Where an item of a tile lives. A tile is ordered (subgroup, row, lane, item of the group):
// each lane holds ROWS groups of GROUP neighbouring items, and in one row the lanes of a
// subgroup hold neighbouring groups, so that each row is one coalesced access.

import package::workgroup::{WORKGROUP_SIZE};
import package::extent::{n_items, tiles_per_workgroup};
import package::memory::{src_word, dst_set_word};
import package::payload::{item_in};
import package::subgroup::{Group, Lane, subgroup_width, subgroup_lane, subgroup_rank};

// Items of a tile.
fn tile_items() -> u32 {
    return WORKGROUP_SIZE * (ROWS * GROUP);
}

// Tiles that cover the items. Uniform over the workgroup.
fn tile_count() -> u32 {
    let n = n_items();
    return n / tile_items() + select(0u, 1u, n % tile_items() != 0u);
}

// Tiles [x, y) of a workgroup's chunk. Uniform over the workgroup.
fn chunk_tiles(workgroup: u32) -> vec2<u32> {
    let tiles = tile_count();
    let per_workgroup = tiles_per_workgroup(tile_items());
    let first = min(workgroup * per_workgroup, tiles);
    return vec2<u32>(first, min(first + per_workgroup, tiles));
}

// Whether all items of a tile exist. Uniform over the workgroup.
fn tile_is_whole(tile: u32) -> bool {
    return (n_items() - tile * tile_items()) >= tile_items();
}

// Index of the first item of this lane's row 0.
fn lane_item(group: Group, lane: Lane, tile: u32) -> u32 {
    let subgroup_base = subgroup_rank(lane) * (subgroup_width(group) * ROWS);
    return tile * tile_items() + (subgroup_base + subgroup_lane(lane)) * GROUP;
}

// Items between a lane's rows.
fn row_items(group: Group) -> u32 {
    return subgroup_width(group) * GROUP;
}

// One item as an accumulator. The index must be below n.
fn item_load(index: u32) -> T {
    var words: array<u32, IN_WORDS>;
    for (var w = 0u; w < IN_WORDS; w += 1u) { // unroll
        words[w] = src_word(index * IN_WORDS + w);
    }
    return item_in(words, index);
}

// Writes one item.
fn item_store(index: u32, value: T) {
    let words = to_output(value);
    for (var w = 0u; w < OUT_WORDS; w += 1u) { // unroll
        dst_set_word(index * OUT_WORDS + w, words[w]);
    }
}

// The items of one group, one by one: the identity for those at or past n.
fn group_load(first: u32, items: ptr<function, array<T, GROUP>>) {
    let n = n_items();
    for (var i = 0u; i < GROUP; i += 1u) { // unroll
        var item = identity();
        if (first + i < n) {
            item = item_load(first + i);
        }
        (*items)[i] = item;
    }
}

// A lane's items one by one.
fn items_load(group: Group, lane: Lane, tile: u32, items: ptr<function, Items>) {
    let first = lane_item(group, lane, tile);
    let stride = row_items(group);
    for (var row = 0u; row < ROWS; row += 1u) { // unroll
        var loaded: array<T, GROUP>;
        group_load(first + row * stride, &loaded);
        for (var i = 0u; i < GROUP; i += 1u) { // unroll
            (*items)[row * GROUP + i] = loaded[i];
        }
    }
}

// Writes a lane's items one by one, but for those at or past n.
fn items_store(group: Group, lane: Lane, tile: u32, items: ptr<function, Items>) {
    let first = lane_item(group, lane, tile);
    let stride = row_items(group);
    let n = n_items();
    for (var row = 0u; row < ROWS; row += 1u) { // unroll
        for (var i = 0u; i < GROUP; i += 1u) { // unroll
            let index = first + row * stride + i;
            if (index < n) {
                item_store(index, (*items)[row * GROUP + i]);
            }
        }
    }
}
