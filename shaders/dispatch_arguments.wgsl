// The arguments of an indirect dispatch over the chunks of a call whose number of items lives on
// the device: as many workgroups as have a tile, and one at least, which writes what nothing is.

import package::params::{params};
import package::subgroup::{Group, Lane};
import package::memory::{dst_set_word};
import package::extent::{n_items, tiles_per_workgroup};
import package::tile::layout::{tile_items};
import package::workgroup::{WORKGROUP_SIZE};

@compute @workgroup_size(WORKGROUP_SIZE)
fn dispatch_arguments(group: Group, lane: Lane) {
    let per_workgroup = max(tiles_per_workgroup(tile_items()), 1u);
    let items = per_workgroup * tile_items();
    let n = n_items();
    if (lane.index == 0u) {
        dst_set_word(0u, max(n / items + select(0u, 1u, n % items != 0u), 1u));
        dst_set_word(1u, 1u);
        dst_set_word(2u, 1u);
    }
}
