// What stands before a chunk, combined to the left of each of its outputs, in place: the last pass
// of scan-then-propagate.
//
// Source: scan-then-propagate as in Merrill & Garland 2016.

import package::carry::{carry_in};
import package::subgroup::{Group, Lane};
import package::tile::{tile_load, tile_store};
import package::tile::layout::{chunk_tiles};
import package::tile_finish::{tile_finish};
import package::workgroup::{WORKGROUP_SIZE};

@compute @workgroup_size(WORKGROUP_SIZE)
fn propagate(group: Group, lane: Lane) {
    let tiles = chunk_tiles(group.workgroup.x);
    let before = carry_in(group.workgroup.x);
    for (var tile = tiles.x; tile < tiles.y; tile += 1u) {
        var items: Items;
        tile_load(group, lane, tile, &items);
        tile_finish(&items, before);
        tile_store(group, lane, tile, &items);
    }
}
