// The walk over a tile's items of a payload that writes some of them.

import package::extent::{n_items};
import package::payload::{emit};
import package::subgroup::{Group, Lane};
import package::tile::layout::{lane_item, row_items};

// Calls `emit` with each item of a tile, and what stands before it: the export of payload/items.wgsl.
// Any lanes, each for its own items; no scratch, no barrier.
fn tile_out(group: Group, lane: Lane, tile: u32, items: ptr<function, Items>) {
    let first = lane_item(group, lane, tile);
    let stride = row_items(group);
    let n = n_items();
    for (var row = 0u; row < ROWS; row += 1u) { // unroll
        for (var i = 0u; i < GROUP; i += 1u) { // unroll
            let index = first + row * stride + i;
            if (index < n) {
                emit(index, (*items)[row * GROUP + i]);
            }
        }
    }
}
