// A lane's items row by row, through words; past the last item stands the last once more.
//
// Called by any lanes, each for its own items; the tile is not empty. No scratch, no barrier.

import package::compact::{compact_item};
import package::extent::{n_items};
import package::held::{Held};
import package::subgroup::{Group, Lane};
import package::tile::layout::{lane_item, row_items};

fn rows_load_clamped(group: Group, lane: Lane, tile: u32, held: ptr<function, Held>) {
    let mine = lane_item(group, lane, tile);
    let stride = row_items(group);
    let last = n_items() - 1u;
    for (var row = 0u; row < ITEMS; row += 1u) { // unroll
        let words = compact_item(min(mine + row * stride, last));
        for (var w = 0u; w < IN_WORDS; w += 1u) { // unroll
            (*held).words[row * IN_WORDS + w] = words[w];
        }
    }
}
