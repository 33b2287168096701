// Tiles through 16-byte accesses. Both slices must start at a multiple of 4 words of their
// binding. Whole tiles go as quads, the last, partly filled one item by item.
//
// tile_load, row_load (one row of it), tile_store: called by any lanes, each for its own items; no
// scratch, no barrier. Items past n load as the identity and are not stored. Source: the striped
// arrangement of Merrill & Garland 2016.

import package::groups::{in_group, out_group};
import package::memory::{src_quad, dst_set_quad};
import package::subgroup::{Group, Lane};
import package::tile::layout::{
    tile_is_whole, lane_item, row_items, group_load, items_load, items_store,
};

fn tile_load(group: Group, lane: Lane, tile: u32, items: ptr<function, array<T, ITEMS>>) {
    let first = lane_item(group, lane, tile);
    let stride = row_items(group);
    if (tile_is_whole(tile)) {
        for (var row = 0u; row < ROWS; row += 1u) { // unroll
            let loaded = quads_load(first + row * stride);
            for (var i = 0u; i < GROUP; i += 1u) { // unroll
                (*items)[row * GROUP + i] = loaded[i];
            }
        }
    } else {
        items_load(group, lane, tile, items);
    }
}

fn row_load(group: Group, lane: Lane, tile: u32, row: u32, items: ptr<function, array<T, GROUP>>) {
    let first = lane_item(group, lane, tile) + row * row_items(group);
    if (tile_is_whole(tile)) {
        *items = quads_load(first);
    } else {
        group_load(first, items);
    }
}

// The items of a group that exists as a whole.
fn quads_load(first: u32) -> array<T, GROUP> {
    let quad = first / GROUP * IN_QUADS;
    var quads: array<vec4<u32>, IN_QUADS>;
    for (var q = 0u; q < IN_QUADS; q += 1u) { // unroll
        quads[q] = src_quad(quad + q);
    }
    return in_group(quads);
}

fn tile_store(group: Group, lane: Lane, tile: u32, items: ptr<function, array<T, ITEMS>>) {
    let first = lane_item(group, lane, tile);
    let stride = row_items(group);
    if (tile_is_whole(tile)) {
        for (var row = 0u; row < ROWS; row += 1u) { // unroll
            let quad = (first + row * stride) / GROUP * OUT_QUADS;
            var stored: array<T, GROUP>;
            for (var i = 0u; i < GROUP; i += 1u) { // unroll
                stored[i] = (*items)[row * GROUP + i];
            }
            let quads = out_group(stored);
            for (var q = 0u; q < OUT_QUADS; q += 1u) { // unroll
                dst_set_quad(quad + q, quads[q]);
            }
        }
    } else {
        items_store(group, lane, tile, items);
    }
}
