// Tiles through 16-byte accesses, all of whose items exist: the last, partly filled tile takes a
// pass of its own. For drivers that run both sides of a branch for all lanes, as those on CPUs do:
// there is none. Both slices must start at a multiple of 4 words of their binding.
//
// tile_load, row_load, tile_store: as in tile/vector.wgsl.

import package::groups::{in_group, out_group};
import package::memory::{src_quad, dst_set_quad};
import package::subgroup::{Group, Lane};
import package::tile::layout::{lane_item, row_items};

fn tile_load(group: Group, lane: Lane, tile: u32, items: ptr<function, array<T, ITEMS>>) {
    let first = lane_item(group, lane, tile);
    let stride = row_items(group);
    for (var row = 0u; row < ROWS; row += 1u) { // unroll
        let loaded = quads_load(first + row * stride);
        for (var i = 0u; i < GROUP; i += 1u) { // unroll
            (*items)[row * GROUP + i] = loaded[i];
        }
    }
}

fn row_load(group: Group, lane: Lane, tile: u32, row: u32, items: ptr<function, array<T, GROUP>>) {
    *items = quads_load(lane_item(group, lane, tile) + row * row_items(group));
}

// The items of a group.
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
