// The scan of one tile within a workgroup, in two halves: what the tile combines to is known
// after the first, and what stands before the tile is needed by the second.

import package::subgroup::{Group, Lane, subgroup_width};
import package::subgroup::shuffle::{shuffle};
import package::subgroup_scan::{subgroup_inclusive_scan, subgroup_exclusive};
import package::workgroup_totals::{Totals, workgroup_totals};

// Each output holds the items before its own only.
override EXCLUSIVE: bool = false;

// Scans each lane's groups in place, and leaves what stands before each of them within the
// subgroup. Gives what stands before the subgroup within the tile, and the tile's combination.
// Called by all lanes of the workgroup, in flow that is uniform over it. Source: raking over
// rows of subgroups, as in Merrill & Garland 2016.
fn tile_scan(
    group: Group,
    lane: Lane,
    items: ptr<function, array<T, ITEMS>>,
    row_prefix: ptr<function, array<T, ROWS>>,
) -> Totals {
    var rows = identity();
    for (var row = 0u; row < ROWS; row += 1u) { // unroll
        for (var i = 0u; i < GROUP - 1u; i += 1u) { // unroll
            (*items)[row * GROUP + i + 1u] = combine((*items)[row * GROUP + i], (*items)[row * GROUP + i + 1u]);
        }
        let inclusive = subgroup_inclusive_scan(group, lane, (*items)[row * GROUP + GROUP - 1u]);
        (*row_prefix)[row] = combine(rows, subgroup_exclusive(group, lane, inclusive));
        rows = combine(rows, shuffle(group, lane, inclusive, subgroup_width(group) - 1u));
    }
    return workgroup_totals(group, lane, rows);
}

// Makes the outputs of a scanned lane: `before` is all that stands before the subgroup. Any flow.
fn tile_finish(
    items: ptr<function, array<T, ITEMS>>,
    row_prefix: ptr<function, array<T, ROWS>>,
    before: T,
) {
    for (var row = 0u; row < ROWS; row += 1u) { // unroll
        let prefix = combine(before, (*row_prefix)[row]);
        var previous = prefix;
        for (var i = 0u; i < GROUP; i += 1u) { // unroll
            let inclusive = combine(prefix, (*items)[row * GROUP + i]);
            (*items)[row * GROUP + i] = select_output(previous, inclusive);
            previous = inclusive;
        }
    }
}

// The output of one item: `exclusive` covers the items before it, `inclusive` the item too.
fn select_output(exclusive: T, inclusive: T) -> T {
    if (EXCLUSIVE) {
        return exclusive;
    }
    return inclusive;
}
