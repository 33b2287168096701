// Reduction of chunks of tiles: each workgroup reduces its chunk to one item of the output.
// It is the whole of a small reduction, both passes of a large one, and the upsweep of
// reduce-then-scan, with other types and files for each.

import package::params::{params};
import package::extent::{n_items};
import package::subgroup::{Group, Lane};
import package::tile::layout::{chunk_tiles, item_store};
import package::accumulate::{accumulate_tile, accumulated};
import package::carry::{carry_in};
import package::workgroup::{WORKGROUP_SIZE};

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(group: Group, lane: Lane) {
    let chunk = group.workgroup.x;
    let tiles = chunk_tiles(chunk);
    var accumulator = identity();
    for (var tile = tiles.x; tile < tiles.y; tile += 1u) {
        accumulate_tile(group, lane, tile, &accumulator);
    }
    var total = accumulated(group, lane, accumulator);
    if (params.has_carry == 1u) {
        total = combine(carry_in(chunk), total);
    } else if (params.of_nothing != 0u && n_items() == 0u) {
        total = of_nothing();
    }
    if (lane.index == 0u) {
        item_store(chunk, total);
    }
}
