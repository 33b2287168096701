// What a lane holds of a tile from the look at its items to its outputs: an accumulator an item.
//
// All files export: Held; tile_begin, which reads a tile and gives what stands before the lane's
// subgroup within it and what it combines to; tile_stage, always next, what can be done then of the
// outputs; tile_end, which writes them when what stands before the subgroup is known; tile_reduce, what a
// tile combines to, by itself and in the same bits.
// All are called by all lanes of the workgroup, in flow that is uniform over it. Barriers: those of
// workgroup_totals, and the subgroup layer's.

import package::subgroup::{Group, Lane, subgroup_width};
import package::subgroup::shuffle::{shuffle};
import package::subgroup_scan::{subgroup_inclusive_scan};
import package::tile::{tile_load, tile_store, row_load};
import package::tile_finish::{tile_finish};
import package::tile_scan::{tile_scan};
import package::workgroup_totals::{Totals, workgroup_totals};

alias Held = Items;

fn tile_begin(group: Group, lane: Lane, tile: u32, held: ptr<function, Held>) -> Totals {
    tile_load(group, lane, tile, held);
    return tile_scan(group, lane, held);
}

fn tile_stage(lane: Lane, held: ptr<function, Held>) {
}

fn tile_end(group: Group, lane: Lane, tile: u32, held: ptr<function, Held>, before: T) {
    tile_finish(held, before);
    tile_store(group, lane, tile, held);
}

// The very combines of tile_scan that lead to its total, but row by row, so that a lane that holds a
// tile's items can do it besides.
fn tile_reduce(group: Group, lane: Lane, tile: u32) -> T {
    var rows = identity();
    for (var row = 0u; row < ROWS; row += 1u) {
        var items: array<T, GROUP>;
        row_load(group, lane, tile, row, &items);
        for (var i = 0u; i < GROUP - 1u; i += 1u) { // unroll
            items[i + 1u] = combine(items[i], items[i + 1u]);
        }
        let inclusive = subgroup_inclusive_scan(group, lane, items[GROUP - 1u]);
        rows = combine(rows, shuffle(group, lane, inclusive, subgroup_width(group) - 1u));
    }
    return workgroup_totals(group, lane, rows).total;
}
