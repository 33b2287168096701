// What a lane holds of a tile within segments: an operator's value an item, and a word a group: which of
// its items begin a segment, and how many segments begin before it. The exports of held/items.wgsl.
//
// A value covers its segment as far as it lies in the subgroup's rows; whether it lacks what stands before
// the subgroup is told by those words, so that no lane keeps a count for each item.
//
// Source: the monoid of (head, value) of Schwartz 1980, as in Blelloch 1990; heads by ballots as in
// Sengupta, Harris & Garland 2008, "Efficient Parallel Scan Algorithms for GPUs".

import package::params::{params};
import package::segment_start::{start};
import package::row_heads::{GROUP_BITS, row_heads, row_look};
import package::segments_out::{segments_out};
import package::subgroup::{Group, Lane, subgroup_width};
import package::subgroup::shuffle::{shuffle};
import package::subgroup_scan::{subgroup_inclusive_scan, subgroup_exclusive};
import package::tile::{tile_load, row_load};
import package::tile_scan::{EXCLUSIVE, select_output};
import package::workgroup_totals::{Totals, workgroup_totals};

struct Held {
    items: Items,
    rows: array<u32, ROWS>,
}

// Without the segments that begin in it.
fn value_of(item: T) -> T {
    var value = item;
    value.heads = 0u;
    return value;
}

// Combines the items of a group, each with those of its segment before it. Gives the last one's, and how
// many segments begin in the group.
fn group_combine(heads: u32, items: ptr<function, array<T, GROUP>>) -> T {
    if (params.has_carry == 2u) {
        for (var i = 0u; i < GROUP; i += 1u) { // unroll
            let begun = combine(start(), (*items)[i]);
            (*items)[i] = either((heads >> i & 1u) != 0u, begun, (*items)[i]);
        }
    }
    for (var i = 0u; i < GROUP - 1u; i += 1u) { // unroll
        let both = combine((*items)[i], (*items)[i + 1u]);
        (*items)[i + 1u] = either((heads >> (i + 1u) & 1u) != 0u, (*items)[i + 1u], both);
    }
    var total = (*items)[GROUP - 1u];
    total.heads = countOneBits(heads);
    return total;
}

fn tile_begin(group: Group, lane: Lane, tile: u32, held: ptr<function, Held>) -> Totals {
    var loaded: Items;
    tile_load(group, lane, tile, &loaded);
    // All loads are under way before the first is waited for.
    for (var row = 0u; row < ROWS; row += 1u) { // unroll
        (*held).rows[row] = row_look(group, lane, tile, row);
    }
    var rows = identity();
    for (var row = 0u; row < ROWS; row += 1u) { // unroll
        let heads = row_heads(group, lane, (*held).rows[row]);
        var items: array<T, GROUP>;
        for (var i = 0u; i < GROUP; i += 1u) { // unroll
            items[i] = loaded[row * GROUP + i];
        }
        let total = group_combine(heads, &items);
        let inclusive = subgroup_inclusive_scan(group, lane, total);
        let before = combine(rows, subgroup_exclusive(group, lane, inclusive));
        (*held).rows[row] = before.heads << GROUP | heads;
        var previous = value_of(before);
        for (var i = 0u; i < GROUP; i += 1u) { // unroll
            let is_open = (heads & ((2u << i) - 1u)) == 0u;
            let running = either(is_open, combine(value_of(before), items[i]), items[i]);
            (*held).items[row * GROUP + i] = select_output(previous, running);
            previous = running;
        }
        rows = combine(rows, shuffle(group, lane, inclusive, subgroup_width(group) - 1u));
    }
    return workgroup_totals(group, lane, rows);
}

fn tile_end(group: Group, lane: Lane, tile: u32, held: ptr<function, Held>, before: T) {
    for (var row = 0u; row < ROWS; row += 1u) { // unroll
        for (var i = 0u; i < GROUP; i += 1u) { // unroll
            // Of what an item's own head is of no account to what stands before it.
            let counted = select((2u << i) - 1u, (1u << i) - 1u, EXCLUSIVE);
            let is_open = ((*held).rows[row] & (counted | ~GROUP_BITS)) == 0u;
            let item = (*held).items[row * GROUP + i];
            (*held).items[row * GROUP + i] = either(is_open, combine(value_of(before), item), item);
        }
    }
    segments_out(group, lane, tile, held, before.heads);
}

// As held/items.wgsl does it.
fn tile_reduce(group: Group, lane: Lane, tile: u32) -> T {
    var rows = identity();
    for (var row = 0u; row < ROWS; row += 1u) {
        var items: array<T, GROUP>;
        row_load(group, lane, tile, row, &items);
        let heads = row_heads(group, lane, row_look(group, lane, tile, row));
        let total = group_combine(heads, &items);
        let inclusive = subgroup_inclusive_scan(group, lane, total);
        rows = combine(rows, shuffle(group, lane, inclusive, subgroup_width(group) - 1u));
    }
    return workgroup_totals(group, lane, rows).total;
}
