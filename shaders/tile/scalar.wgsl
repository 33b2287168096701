// Tiles word by word: slices may start at any word, and only the word bindings are used,
// so reduce and scan fit devices with 4 storage bindings.
//
// tile_load, tile_store: as in tile/vector.wgsl.

import package::extent::{n_items};
import package::memory::{src_word, dst_set_word};
import package::subgroup::{Group, Lane};
import package::tile::layout::{lane_item, row_items, item_load, item_store};

fn tile_load(group: Group, lane: Lane, tile: u32, items: ptr<function, array<T, ITEMS>>) {
    let first = lane_item(group, lane, tile);
    let stride = row_items(group);
    let n = n_items();
    for (var row = 0u; row < ROWS; row += 1u) { // unroll
        for (var i = 0u; i < GROUP; i += 1u) { // unroll
            let index = first + row * stride + i;
            var item = identity();
            if (index < n) {
                item = item_load(index);
            }
            (*items)[row * GROUP + i] = item;
        }
    }
}

fn tile_store(group: Group, lane: Lane, tile: u32, items: ptr<function, array<T, ITEMS>>) {
    let first = lane_item(group, lane, tile);
    let stride = row_items(group);
    let n = n_items();
    for (var row = 0u; row < ROWS; row += 1u) { // unroll
        for (var i = 0u; i < GROUP; i += 1u) { // unroll
            let index = first + row * stride + i;
            if (index < n) {
                item_store(index, (*items)[row * GROUP + i]);
            }
        }
    }
}
