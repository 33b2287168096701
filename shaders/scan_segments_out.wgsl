// The outputs of scans within segments.

import package::extent::{n_items};
import package::params::{params};
import package::payload::scan_segments::{start};
import package::segments::{begins};
import package::subgroup::{Group, Lane};
import package::tile::{tile_store};
import package::tile::layout::{lane_item, row_items};
import package::tile_scan::{EXCLUSIVE};

// Writes the outputs of a tile: the export of payload/items.wgsl. What stands before an item that
// begins a segment is another segment's. Any lanes, each for its own items; no scratch, no barrier.
fn tile_out(group: Group, lane: Lane, tile: u32, items: ptr<function, Items>) {
    if (EXCLUSIVE) {
        let first = lane_item(group, lane, tile);
        let stride = row_items(group);
        let n = n_items();
        for (var row = 0u; row < ROWS; row += 1u) { // unroll
            for (var i = 0u; i < GROUP; i += 1u) { // unroll
                let index = first + row * stride + i;
                if (index < n) {
                    let head = begins(params.first_item + index);
                    (*items)[row * GROUP + i] = either(head, start(), (*items)[row * GROUP + i]);
                }
            }
        }
    }
    tile_store(group, lane, tile, items);
}
