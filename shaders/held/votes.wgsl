// What a lane holds of a tile whose items are of few kinds, of which the payload counts some: the
// items' words, and two bits each. An item of each row stands in each lane, so that a ballot tells all
// lanes what stands before each item of a row, and what a row keeps is written side by side. The
// exports of held/items.wgsl.
//
// Sources: stream compaction by ballots, Billeter, Olsson & Assarsson 2009.

import package::compact::{compact_item};
import package::extent::{n_items};
import package::neighbours::{Item, item_at};
import package::params::{params};
import package::payload::{KINDS, kind_of, of_counts, emit};
import package::rows::{rows_load, row_left};
import package::subgroup::{Group, Lane, subgroup_lane};
import package::subgroup_reduce::{subgroup_reduce};
import package::tile::layout::{lane_item, row_items};
import package::vote::{ballot};
import package::vote::lanes::{first_lanes, count_lanes, lanes_end};
import package::workgroup_totals::{Totals, workgroup_totals};

const HELD_WORDS = ITEMS * IN_WORDS;
// Rows of a word of kinds.
const KIND_ROWS = 16u;

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

// What lanes of a row bring, whose first item has this number.
fn of_row(found: Votes, first: u32) -> T {
    let end = lanes_end(found.first);
    let counts = vec2<u32>(count_lanes(found.first), count_lanes(found.second));
    return of_counts(counts, select(0u, first + end, end != 0u));
}

// What a lane's items of up to 16 rows bring, from their kinds; the first has this number.
fn of_kinds(kinds: u32, first: u32, stride: u32) -> T {
    let low = kinds & 0x55555555u;
    let high = (kinds >> 1u) & 0x55555555u;
    let ones = low & ~high;
    let row = (31u - countLeadingZeros(ones)) / 2u;
    let end = select(0u, first + row * stride + 1u, ones != 0u);
    return of_counts(vec2<u32>(countOneBits(ones), countOneBits(high & ~low)), end);
}

// The kinds of those of 16 rows that exist.
fn existing(kinds: u32, rows: u32) -> u32 {
    return select(kinds & ((1u << (2u * min(rows, 15u))) - 1u), kinds, rows >= KIND_ROWS);
}

// A lane's rows that exist.
fn rows_of(mine: u32, stride: u32) -> u32 {
    let n = n_items();
    return select(0u, (n - 1u - mine) / stride + 1u, mine < n);
}

fn held_item(held: ptr<function, Held>, row: u32) -> array<u32, IN_WORDS> {
    var words: array<u32, IN_WORDS>;
    for (var w = 0u; w < IN_WORDS; w += 1u) { // unroll
        words[w] = (*held).words[row * IN_WORDS + w];
    }
    return words;
}

fn tile_begin(group: Group, lane: Lane, tile: u32, held: ptr<function, Held>) -> Totals {
    let mine = lane_item(group, lane, tile);
    let stride = row_items(group);
    let last = n_items() - 1u;
    // All loads are under way before the first is waited for.
    rows_load(group, lane, tile, held);
    for (var row = 0u; row < ITEMS; row += 1u) { // unroll
        let index = min(mine + row * stride, last);
        let left = row_left(group, lane, tile, row, index);
        let is_first = row == 0u && params.first_item + index == 0u;
        let kind = kind_of(Item(held_item(held, row), left, index, is_first));
        (*held).kinds[row / KIND_ROWS] |= kind << (row % KIND_ROWS * 2u);
    }
    let rows = rows_of(mine, stride);
    var own = identity();
    for (var k = 0u; k < KIND_WORDS; k += 1u) { // unroll
        let first = k * KIND_ROWS;
        (*held).kinds[k] = existing((*held).kinds[k], max(rows, first) - first);
        own = combine(own, of_kinds((*held).kinds[k], params.first_item + mine + first * stride, stride));
    }
    return workgroup_totals(group, lane, subgroup_reduce(group, lane, own));
}

fn tile_stage(lane: Lane, held: ptr<function, Held>) {
}

fn tile_end(group: Group, lane: Lane, tile: u32, held: ptr<function, Held>, before: T) {
    let mine = lane_item(group, lane, tile);
    let stride = row_items(group);
    let left = first_lanes(subgroup_lane(lane));
    let numbers = params.first_item + mine - subgroup_lane(lane);
    var rows = before;
    for (var row = 0u; row < ITEMS; row += 1u) { // unroll
        let index = mine + row * stride;
        let kind = ((*held).kinds[row / KIND_ROWS] >> (row % KIND_ROWS * 2u)) & 3u;
        let found = row_votes(group, lane, kind);
        let first = numbers + row * stride;
        if (kind != 0u) {
            let mine_before = of_row(Votes(found.first & left, found.second & left), first);
            emit(index, held_item(held, row), kind, combine(rows, mine_before));
        }
        rows = combine(rows, of_row(found, first));
    }
}

fn tile_reduce(group: Group, lane: Lane, tile: u32) -> T {
    let mine = lane_item(group, lane, tile);
    let stride = row_items(group);
    let n = n_items();
    var own = identity();
    for (var row = 0u; row < ITEMS; row += 1u) {
        let index = mine + row * stride;
        if (index < n) {
            let kind = kind_of(item_at(compact_item(index), index));
            own = combine(own, of_kinds(kind, params.first_item + index, stride));
        }
    }
    return workgroup_totals(group, lane, subgroup_reduce(group, lane, own)).total;
}
