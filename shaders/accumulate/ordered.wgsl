// The reduction of a chunk of tiles in item order, for operators that do not commute: row by
// row within a subgroup, subgroup by subgroup within a tile, tile by tile.

import package::subgroup::{Group, Lane};
import package::subgroup_reduce::{subgroup_reduce};
import package::tile::{tile_load};
import package::workgroup_totals::{workgroup_totals};

// Combines one tile to the right of the accumulator, which is the same in all lanes. Called by
// all lanes of the workgroup, in flow that is uniform over it.
fn accumulate_tile(group: Group, lane: Lane, tile: u32, accumulator: ptr<function, T>) {
    var items: Items;
    tile_load(group, lane, tile, &items);
    var rows = identity();
    for (var row = 0u; row < ROWS; row += 1u) { // unroll
        var mine = items[row * GROUP];
        for (var i = 0u; i < GROUP - 1u; i += 1u) { // unroll
            mine = combine(mine, items[row * GROUP + i + 1u]);
        }
        rows = combine(rows, subgroup_reduce(group, lane, mine));
    }
    *accumulator = combine(*accumulator, workgroup_totals(group, lane, rows).total);
}

// The chunk's reduction, in all lanes.
fn accumulated(group: Group, lane: Lane, accumulator: T) -> T {
    return accumulator;
}
