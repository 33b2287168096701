// The outputs of reductions by key: at each item that begins a segment its key, and what the segment
// before it combines to. The exports of segments_out/scan.wgsl.

import package::compact::{compact_first, compact_second};
import package::held::{Held};
import package::payload::{key_at};
import package::subgroup::{Group, Lane};
import package::tile::layout::{lane_item, row_items};

const COUNTS = true;

fn segments_out(group: Group, lane: Lane, tile: u32, held: ptr<function, Held>, before: u32) {
    let first = lane_item(group, lane, tile);
    let stride = row_items(group);
    for (var row = 0u; row < ROWS; row += 1u) { // unroll
        let word = (*held).rows[row];
        for (var i = 0u; i < GROUP; i += 1u) { // unroll
            if ((word >> i & 1u) != 0u) {
                let place = before + (word >> GROUP) + countOneBits(word & ((1u << i) - 1u));
                compact_second(place, key_at(first + row * stride + i));
                // A segment ends where the next begins. Before the first there is none: it wraps to where
                // there is no room.
                compact_first(place - 1u, to_output((*held).items[row * GROUP + i]));
            }
        }
    }
}
