// Tiles through 16-byte accesses. Both slices must start at a multiple of 4 words of their
// binding. Whole tiles go as quads, the last, partly filled one item by item.
//
// tile_load, row_load (one row of it), tile_store: called by any lanes, each for its own items; no
// scratch, no barrier. Items past n load as the identity and are not stored. Source: the striped
// arrangement of Merrill & Garland 2016.

import package::subgroup::{Group, Lane};
import package::tile::layout::{
    tile_is_whole, lane_item, row_items, group_load, items_load, items_store,
};
import package::tile::quads::{quads_tile_load, quads_row_load, quads_tile_store};

fn tile_load(group: Group, lane: Lane, tile: u32, items: ptr<function, Items>) {
    if (tile_is_whole(tile)) {
        quads_tile_load(group, lane, tile, items);
    } else {
        items_load(group, lane, tile, items);
    }
}

fn row_load(group: Group, lane: Lane, tile: u32, row: u32, items: ptr<function, array<T, GROUP>>) {
    if (tile_is_whole(tile)) {
        *items = quads_row_load(group, lane, tile, row);
    } else {
        group_load(lane_item(group, lane, tile) + row * row_items(group), items);
    }
}

fn tile_store(group: Group, lane: Lane, tile: u32, items: ptr<function, Items>) {
    if (tile_is_whole(tile)) {
        quads_tile_store(group, lane, tile, items);
    } else {
        items_store(group, lane, tile, items);
    }
}
