// What a lane holds of a tile of scans within segments: an operator's value an item, and a word a group:
// which of its items begin a segment, and whether one begins before it. The exports of held/items.wgsl.
//
// A value covers its segment as far as it lies in the subgroup's rows; whether it lacks what stands before
// the subgroup is told by those words, so that no lane keeps a count for each item.
//
// Source: the monoid of (head, value) of Schwartz 1980, as in Blelloch 1990; heads by ballots as in
// Sengupta, Harris & Garland 2008, "Efficient Parallel Scan Algorithms for GPUs".

import package::segment_start::{start};
import package::row_heads::{row_heads, row_look};
import package::subgroup::{Group, Lane, shuffle_value_up, subgroup_lane, subgroup_width};
import package::subgroup::shuffle::{shuffle};
import package::tile::{tile_load, tile_store, row_load};
import package::tile_scan::{EXCLUSIVE, select_output};
import package::vote::{ballot};
import package::vote::lanes::{first_lanes, lanes_end};
import package::workgroup_totals::{Totals, workgroup_totals};

struct Held {
    items: Items,
    rows: array<u32, ROWS>,
}

// What a subgroup makes of one row.
struct Row {
    // What stands before a lane's group in the row.
    before: T,
    // The same of the whole row. Nobody counts its heads: 1 stands for any number.
    total: T,
}

// Scans the groups of a row, each of which has brought its last value. A lane combines what comes from the
// left as far as its segment reaches, which ballots tell: no head goes along. All lanes of the workgroup,
// in uniform flow. Scratch and barriers: the ballots' and shuffles'.
fn row_scan(group: Group, lane: Lane, heads: u32, last: T) -> Row {
    let place = subgroup_lane(lane);
    let left = first_lanes(place);
    let lanes = ballot(group, lane, heads != 0u);
    let own_end = lanes_end(lanes & first_lanes(place + 1u));
    let reach = place - (max(own_end, 1u) - 1u);
    var inclusive = last;
    let width = subgroup_width(group);
    for (var offset = 1u; offset < width; offset <<= 1u) {
        let other = shuffle_value_up(group, lane, inclusive, offset);
        inclusive = either(offset <= reach, combine(other, inclusive), inclusive);
    }
    let left_value = shuffle_value_up(group, lane, inclusive, 1u);
    var row = Row(either(place == 0u, identity(), left_value), shuffle(group, lane, inclusive, width - 1u));
    row.before.heads = select(0u, 1u, any((lanes & left) != vec4<u32>()));
    row.total.heads = select(0u, 1u, any(lanes != vec4<u32>()));
    return row;
}

// Without the segments that begin in it.
fn value_of(item: T) -> T {
    var value = item;
    value.heads = 0u;
    return value;
}

// Combines the items of a group, each with those of its segment before it. Gives the last one's.
fn group_combine(heads: u32, items: ptr<function, array<T, GROUP>>) -> T {
    if (STARTS != 0u) {
        for (var i = 0u; i < GROUP; i += 1u) { // unroll
            let begun = combine(start(), (*items)[i]);
            (*items)[i] = either(((heads >> i) & 1u) != 0u, begun, (*items)[i]);
        }
    }
    for (var i = 0u; i < GROUP - 1u; i += 1u) { // unroll
        let both = combine((*items)[i], (*items)[i + 1u]);
        (*items)[i + 1u] = either(((heads >> (i + 1u)) & 1u) != 0u, (*items)[i + 1u], both);
    }
    return (*items)[GROUP - 1u];
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
        let scanned = row_scan(group, lane, heads, group_combine(heads, &items));
        let before = combine(rows, scanned.before);
        (*held).rows[row] = before.heads << GROUP | heads;
        var previous = value_of(before);
        for (var i = 0u; i < GROUP; i += 1u) { // unroll
            let is_open = (heads & ((2u << i) - 1u)) == 0u;
            let running = either(is_open, combine(value_of(before), items[i]), items[i]);
            (*held).items[row * GROUP + i] = select_output(previous, running);
            previous = running;
        }
        rows = combine(rows, scanned.total);
    }
    return workgroup_totals(group, lane, rows);
}

fn tile_stage(lane: Lane, held: ptr<function, Held>) {
}

fn tile_end(group: Group, lane: Lane, tile: u32, held: ptr<function, Held>, before: T) {
    for (var row = 0u; row < ROWS; row += 1u) { // unroll
        for (var i = 0u; i < GROUP; i += 1u) { // unroll
            // Of what an item's own head is of no account to what stands before it.
            let counted = select((2u << i) - 1u, (1u << i) - 1u, EXCLUSIVE);
            let is_open = ((*held).rows[row] & (counted | ~((1u << GROUP) - 1u))) == 0u;
            let item = (*held).items[row * GROUP + i];
            (*held).items[row * GROUP + i] = either(is_open, combine(value_of(before), item), item);
        }
    }
    var items = (*held).items;
    if (EXCLUSIVE) {
        // What stands before an item that begins a segment is another segment's.
        for (var row = 0u; row < ROWS; row += 1u) { // unroll
            for (var i = 0u; i < GROUP; i += 1u) { // unroll
                let head = (((*held).rows[row] >> i) & 1u) != 0u;
                items[row * GROUP + i] = either(head, start(), items[row * GROUP + i]);
            }
        }
    }
    tile_store(group, lane, tile, &items);
}

// As held/items.wgsl does it.
fn tile_reduce(group: Group, lane: Lane, tile: u32) -> T {
    var rows = identity();
    for (var row = 0u; row < ROWS; row += 1u) {
        var items: array<T, GROUP>;
        row_load(group, lane, tile, row, &items);
        let heads = row_heads(group, lane, row_look(group, lane, tile, row));
        rows = combine(rows, row_scan(group, lane, heads, group_combine(heads, &items)).total);
    }
    return workgroup_totals(group, lane, rows).total;
}
