// Scan of chunks of tiles: each workgroup walks its chunk from left to right and carries the
// prefix along. It is the whole of a small scan, the spine of reduce-then-scan (one workgroup
// over the partials) and its downsweep.
//
// Source: reduce-then-scan as in Merrill & Garland 2016.

import package::workgroup::{WORKGROUP_SIZE};
import package::subgroup::{Group, Lane};
import package::carry::{carry_in};
import package::held::{Held, tile_begin, tile_stage, tile_end};
import package::payload::{end_out};
import package::tile::layout::{chunk_tiles, tile_count};

@compute @workgroup_size(WORKGROUP_SIZE)
fn downsweep(group: Group, lane: Lane) {
    let tiles = chunk_tiles(group.workgroup.x);
    var carry = carry_in(group.workgroup.x);
    for (var tile = tiles.x; tile < tiles.y; tile += 1u) {
        var held: Held;
        let totals = tile_begin(group, lane, tile, &held);
        tile_stage(lane, &held);
        tile_end(group, lane, tile, &held, combine(carry, totals.prefix));
        carry = combine(carry, totals.total);
    }
    // The last chunk, or of no tile the first.
    let is_last = tiles.y == tile_count() && (tiles.x < tiles.y || group.workgroup.x == 0u);
    if (is_last && lane.index == 0u) {
        end_out(carry);
    }
}
