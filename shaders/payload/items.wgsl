// The payload of scans and reductions: the operator's own accumulators, one output an item.
//
// All payloads export: item_in, what an item brings; end_out, what is left to write when all tiles are
// combined. Those that hold accumulators write a tile's outputs by `tile_out` of the file for
// `outputs`: here, scan_segments_out.wgsl, compact_items.wgsl. `first_item` numbers the items of later
// pieces.

import package::params::{params};
import package::subgroup::{Group, Lane};
import package::tile::{tile_store};

// The accumulator of an item that has these words and this number within its piece. Any lane, any flow.
fn item_in(words: array<u32, IN_WORDS>, index: u32) -> T {
    return from_input(words, params.first_item + index);
}

// Writes the outputs of a tile. Any lanes, each for its own items; no scratch, no barrier.
fn tile_out(group: Group, lane: Lane, tile: u32, items: ptr<function, Items>) {
    tile_store(group, lane, tile, items);
}

// Called by one lane, with the combination of all items. Any flow.
fn end_out(total: T) {
}
