// The outputs of scans within segments: one an item.
//
// All files export: COUNTS, whether the number of segments matters; segments_out, which writes what a tile
// comes to when what stands before it is known, in which so many segments begin. Any lanes, each for its own items; no scratch, no barrier.

import package::held::{Held};
import package::segment_start::{start};
import package::subgroup::{Group, Lane};
import package::tile::{tile_store};
import package::tile_scan::{EXCLUSIVE};

const COUNTS = false;

fn segments_out(group: Group, lane: Lane, tile: u32, held: ptr<function, Held>, before: u32) {
    var items = (*held).items;
    if (EXCLUSIVE) {
        // What stands before an item that begins a segment is another segment's.
        for (var row = 0u; row < ROWS; row += 1u) { // unroll
            for (var i = 0u; i < GROUP; i += 1u) { // unroll
                let head = ((*held).rows[row] >> i & 1u) != 0u;
                items[row * GROUP + i] = either(head, start(), items[row * GROUP + i]);
            }
        }
    }
    tile_store(group, lane, tile, &items);
}
