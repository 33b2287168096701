// Scan of chunks of tiles, each by itself: the first pass of scan-then-propagate. A chunk's
// combination is left in its partial.
//
// Source: scan-then-propagate as in Merrill & Garland 2016.

import package::params::{params};
import package::subgroup::{Group, Lane};
import package::tile::{tile_load, tile_store};
import package::tile::layout::{chunk_tiles};
import package::tile_finish::{tile_finish};
import package::tile_scan::{tile_scan};
import package::workgroup::{WORKGROUP_SIZE};

@group(0) @binding(5) var<storage, read_write> chunk_totals: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn chunks(group: Group, lane: Lane) {
    let chunk = group.workgroup.x;
    let tiles = chunk_tiles(chunk);
    var carry = identity();
    for (var tile = tiles.x; tile < tiles.y; tile += 1u) {
        var items: array<T, ITEMS>;
        tile_load(group, lane, tile, &items);
        let totals = tile_scan(group, lane, &items);
        tile_finish(&items, combine(carry, totals.prefix));
        carry = combine(carry, totals.total);
        tile_store(group, lane, tile, &items);
    }
    if (lane.index == 0u) {
        let words = to_words(carry);
        for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
            chunk_totals[(params.first_chunk + chunk) * ACC_WORDS + w] = words[w];
        }
    }
}
