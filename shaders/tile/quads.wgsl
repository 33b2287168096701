// Whole tiles by quads of words: what tile/vector.wgsl and tile/whole.wgsl share.
//
// quads_tile_load, quads_row_load (one row of it), quads_tile_store: called by any lanes, each for
// its own items, of a tile whose items all exist; no scratch, no barrier.

import package::groups::{in_group, out_group};
import package::memory::{src_quad, dst_set_quad};
import package::subgroup::{Group, Lane};
import package::tile::layout::{lane_item, row_items};

fn quads_tile_load(
    group: Group,
    lane: Lane,
    tile: u32,
    items: ptr<function, Items>,
) {
    let first = lane_item(group, lane, tile);
    let stride = row_items(group);
    for (var row = 0u; row < ROWS; row += 1u) { // unroll
        let loaded = quads_load(first + row * stride);
        for (var i = 0u; i < GROUP; i += 1u) { // unroll
            (*items)[row * GROUP + i] = loaded[i];
        }
    }
}

fn quads_row_load(group: Group, lane: Lane, tile: u32, row: u32) -> array<T, GROUP> {
    return quads_load(lane_item(group, lane, tile) + row * row_items(group));
}

// The items of a group.
fn quads_load(first: u32) -> array<T, GROUP> {
    let quad = first / GROUP * IN_QUADS;
    var quads: array<vec4<u32>, IN_QUADS>;
    for (var q = 0u; q < IN_QUADS; q += 1u) { // unroll
        quads[q] = src_quad(quad + q);
    }
    return in_group(quads, first);
}

fn quads_tile_store(
    group: Group,
    lane: Lane,
    tile: u32,
    items: ptr<function, Items>,
) {
    let first = lane_item(group, lane, tile);
    let stride = row_items(group);
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
}
