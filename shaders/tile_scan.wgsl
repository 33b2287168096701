// The scan of one tile within a workgroup, but for what stands before the tile, which
// tile_finish.wgsl adds when it is known.

import package::subgroup::{Group, Lane, subgroup_width};
import package::subgroup::shuffle::{shuffle};
import package::subgroup_scan::{subgroup_inclusive_scan, subgroup_exclusive};
import package::workgroup_totals::{Totals, workgroup_totals};

// Each output holds the items before its own only.
override EXCLUSIVE: bool = false;

// Scans the items of each subgroup in place. Gives what stands before the subgroup within the
// tile, and the tile's combination. Called by all lanes of the workgroup, in flow that is uniform
// over it. No lane keeps more than its items: at 1,024 lanes the H200 has 64 registers for each.
// Source: raking over rows of subgroups, as in Merrill & Garland 2016.
fn tile_scan(group: Group, lane: Lane, items: ptr<function, Items>) -> Totals {
    var rows = identity();
    for (var row = 0u; row < ROWS; row += 1u) { // unroll
        for (var i = 0u; i < GROUP - 1u; i += 1u) { // unroll
            (*items)[row * GROUP + i + 1u] = combine((*items)[row * GROUP + i], (*items)[row * GROUP + i + 1u]);
        }
        let inclusive = subgroup_inclusive_scan(group, lane, (*items)[row * GROUP + GROUP - 1u]);
        let before = combine(rows, subgroup_exclusive(group, lane, inclusive));
        var previous = before;
        for (var i = 0u; i < GROUP - 1u; i += 1u) { // unroll
            let running = combine(before, (*items)[row * GROUP + i]);
            (*items)[row * GROUP + i] = select_output(previous, running);
            previous = running;
        }
        // The last one is known already, so no lane keeps its item and the combination both. With
        // the row's total any earlier a lane of 56 words on the H200 would take 8 registers more.
        (*items)[row * GROUP + GROUP - 1u] = select_output(previous, combine(rows, inclusive));
        rows = combine(rows, shuffle(group, lane, inclusive, subgroup_width(group) - 1u));
    }
    return workgroup_totals(group, lane, rows);
}

// The output of one item: `exclusive` covers the items before it, `inclusive` the item too.
fn select_output(exclusive: T, inclusive: T) -> T {
    if (EXCLUSIVE) {
        return exclusive;
    }
    return inclusive;
}
