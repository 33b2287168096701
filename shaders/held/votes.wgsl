// What a lane holds of a tile whose items are of few kinds, of which the payload counts some: the
// items' words, and two bits each. An item of each row stands in each lane, so that a ballot tells all
// lanes what the row brings and what stands before each of its items, and what a row keeps is
// written side by side. The exports of held/items.wgsl.
//
// Sources: warp-aggregated stream compaction by ballots, Billeter, Olsson & Assarsson 2009.

import package::compact::{compact_item};
import package::extent::{n_items};
import package::payload::{KINDS, kind_of, of_lanes, emit};
import package::subgroup::{Group, Lane, subgroup_lane};
import package::tile::layout::{lane_item, row_items};
import package::vote::{ballot};
import package::vote::lanes::{first_lanes};
import package::workgroup_totals::{Totals, workgroup_totals};

const HELD_WORDS = ITEMS * IN_WORDS;
const KIND_WORDS = ITEMS / 16u + 1u;

struct Held {
    words: array<u32, HELD_WORDS>,
    kinds: array<u32, KIND_WORDS>,
}

// The lanes of a row whose items are of the first and the second kind.
struct Votes {
    first: vec4<u32>,
    second: vec4<u32>,
}

fn row_votes(group: Group, lane: Lane, kind: u32) -> Votes {
    var found = Votes(ballot(group, lane, kind == 1u), vec4<u32>());
    if (KINDS > 1u) {
        found.second = ballot(group, lane, kind == 2u);
    }
    return found;
}

// What a row brings, whose first item has this index.
fn of_row(found: Votes, first: u32) -> T {
    return of_lanes(found.first, found.second, first);
}

fn held_item(held: ptr<function, Held>, row: u32) -> array<u32, IN_WORDS> {
    var words: array<u32, IN_WORDS>;
    for (var w = 0u; w < IN_WORDS; w += 1u) { // unroll
        words[w] = (*held).words[row * IN_WORDS + w];
    }
    return words;
}

// The kind of an item; none past the last.
fn existing_kind(words: array<u32, IN_WORDS>, index: u32, last: u32) -> u32 {
    return select(kind_of(words, min(index, last)), 0u, index > last);
}

fn tile_begin(group: Group, lane: Lane, tile: u32, held: ptr<function, Held>) -> Totals {
    let mine = lane_item(group, lane, tile);
    let stride = row_items(group);
    // A tile is never empty. All loads are under way before the first is waited for.
    let last = n_items() - 1u;
    for (var row = 0u; row < ITEMS; row += 1u) { // unroll
        let words = compact_item(min(mine + row * stride, last));
        for (var w = 0u; w < IN_WORDS; w += 1u) { // unroll
            (*held).words[row * IN_WORDS + w] = words[w];
        }
    }
    var rows = identity();
    for (var row = 0u; row < ITEMS; row += 1u) { // unroll
        let index = mine + row * stride;
        let kind = existing_kind(held_item(held, row), index, last);
        (*held).kinds[row / 16u] |= kind << (row % 16u * 2u);
        rows = combine(rows, of_row(row_votes(group, lane, kind), index - subgroup_lane(lane)));
    }
    return workgroup_totals(group, lane, rows);
}

fn tile_end(group: Group, lane: Lane, tile: u32, held: ptr<function, Held>, before: T) {
    let mine = lane_item(group, lane, tile);
    let stride = row_items(group);
    let n = n_items();
    let left = first_lanes(subgroup_lane(lane));
    var rows = before;
    for (var row = 0u; row < ITEMS; row += 1u) { // unroll
        let index = mine + row * stride;
        let kind = ((*held).kinds[row / 16u] >> (row % 16u * 2u)) & 3u;
        let found = row_votes(group, lane, kind);
        let first = index - subgroup_lane(lane);
        if (index < n) {
            let mine_before = of_row(Votes(found.first & left, found.second & left), first);
            emit(index, held_item(held, row), kind, combine(rows, mine_before));
        }
        rows = combine(rows, of_row(found, first));
    }
}

fn tile_reduce(group: Group, lane: Lane, tile: u32) -> T {
    let mine = lane_item(group, lane, tile);
    let stride = row_items(group);
    let last = n_items() - 1u;
    var rows = identity();
    for (var row = 0u; row < ITEMS; row += 1u) {
        let index = mine + row * stride;
        let kind = existing_kind(compact_item(min(index, last)), index, last);
        rows = combine(rows, of_row(row_votes(group, lane, kind), index - subgroup_lane(lane)));
    }
    return workgroup_totals(group, lane, rows).total;
}
