// Scan of chunks of tiles: each workgroup walks its chunk from left to right and carries the
// prefix along. It is the whole of a small scan, the spine of reduce-then-scan (one workgroup
// over the partials) and its downsweep.
//
// Sources: reduce-then-scan as in Merrill & Garland 2016; raking over rows of subgroups.

import package::workgroup::{WORKGROUP_SIZE};
import package::subgroup::{Group, Lane, subgroup_width};
import package::subgroup::shuffle::{shuffle};
import package::subgroup_scan::{subgroup_inclusive_scan, subgroup_exclusive};
import package::workgroup_totals::{workgroup_totals};
import package::tile::{tile_load, tile_store};
import package::tile::layout::{chunk_tiles};
import package::carry::{carry_in};

// Each output holds the items before its own only.
override EXCLUSIVE: bool = false;

@compute @workgroup_size(WORKGROUP_SIZE)
fn downsweep(group: Group, lane: Lane) {
    let tiles = chunk_tiles(group.workgroup.x);
    var carry = carry_in(group.workgroup.x);
    for (var tile = tiles.x; tile < tiles.y; tile += 1u) {
        var items: array<T, ITEMS>;
        tile_load(group, lane, tile, &items);

        // Each lane scans its groups; the subgroup scans the groups' totals, row by row.
        var row_prefix: array<T, ROWS>;
        var rows = identity();
        for (var row = 0u; row < ROWS; row += 1u) { // unroll
            for (var i = 0u; i < GROUP - 1u; i += 1u) { // unroll
                items[row * GROUP + i + 1u] = combine(items[row * GROUP + i], items[row * GROUP + i + 1u]);
            }
            let inclusive = subgroup_inclusive_scan(group, lane, items[row * GROUP + GROUP - 1u]);
            row_prefix[row] = combine(rows, subgroup_exclusive(group, lane, inclusive));
            rows = combine(rows, shuffle(group, lane, inclusive, subgroup_width(group) - 1u));
        }

        // The workgroup scans the subgroups' totals.
        let totals = workgroup_totals(group, lane, rows);
        let before = combine(carry, totals.prefix);
        carry = combine(carry, totals.total);

        for (var row = 0u; row < ROWS; row += 1u) { // unroll
            let prefix = combine(before, row_prefix[row]);
            var previous = prefix;
            for (var i = 0u; i < GROUP; i += 1u) { // unroll
                let inclusive = combine(prefix, items[row * GROUP + i]);
                items[row * GROUP + i] = select_item(previous, inclusive);
                previous = inclusive;
            }
        }
        tile_store(group, lane, tile, &items);
    }
}

// The output of one item: `exclusive` covers the items before it, `inclusive` the item too.
fn select_item(exclusive: T, inclusive: T) -> T {
    if (EXCLUSIVE) {
        return exclusive;
    }
    return inclusive;
}
