// Scan of chunks of tiles, each by itself: the first pass of scan-then-propagate. A chunk's
// combination is left in its partial.
//
// Source: scan-then-propagate as in Merrill & Garland 2016.

import package::held::{Held, tile_begin, tile_stage, tile_end};
import package::params::{params};
import package::subgroup::{Group, Lane};
import package::tile::layout::{chunk_tiles};
import package::workgroup::{WORKGROUP_SIZE};

@group(0) @binding(5) var<storage, read_write> chunk_totals: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn chunks(group: Group, lane: Lane) {
    let chunk = group.workgroup.x;
    let tiles = chunk_tiles(chunk);
    var carry = identity();
    for (var tile = tiles.x; tile < tiles.y; tile += 1u) {
        var held: Held;
        let totals = tile_begin(group, lane, tile, &held);
        tile_stage(lane, &held);
        tile_end(group, lane, tile, &held, combine(carry, totals.prefix));
        carry = combine(carry, totals.total);
    }
    if (lane.index == 0u) {
        let words = to_words(carry);
        for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
            chunk_totals[(params.first_chunk + chunk) * ACC_WORDS + w] = words[w];
        }
    }
}
