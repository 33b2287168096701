// Tiles word by word: slices may start at any word, and only the word bindings are used,
// so reduce and scan fit devices with 4 storage bindings.
//
// tile_load, row_load, tile_store: as in tile/vector.wgsl.

import package::subgroup::{Group, Lane};
import package::tile::layout::{lane_item, row_items, group_load, items_load, items_store};

fn tile_load(group: Group, lane: Lane, tile: u32, items: ptr<function, Items>) {
    items_load(group, lane, tile, items);
}

fn row_load(group: Group, lane: Lane, tile: u32, row: u32, items: ptr<function, array<T, GROUP>>) {
    group_load(lane_item(group, lane, tile) + row * row_items(group), items);
}

fn tile_store(group: Group, lane: Lane, tile: u32, items: ptr<function, Items>) {
    items_store(group, lane, tile, items);
}
