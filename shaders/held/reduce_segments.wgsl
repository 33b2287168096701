// What a tile holds of reductions by key from the look at its items to its outputs: the runs that begin in
// it, in workgroup memory, each with what the run before it combines to, and of the first of them in a
// register, since what stands before the tile belongs to it. A lane has neighbouring items, so that one
// ladder a lane tells what stands before them. The exports of held/items.wgsl.
//
// Sources: the monoid of (head, value) of Schwartz 1980, as in Blelloch 1990; outputs gathered before they
// are written, as in Merrill & Garland 2016.

import package::compact::{compact_first, compact_second};
import package::extent::{n_items};
import package::lane_keys::{lane_keys};
import package::lane_keys::clamped::{Keys};
import package::params::{params};
import package::segments::{key_words};
import package::selection::{is_same, key_decode};
import package::subgroup::{Group, Lane, subgroup_width};
import package::subgroup::shuffle::{shuffle};
import package::subgroup_scan::{subgroup_inclusive_scan, subgroup_exclusive};
import package::tile::{tile_load};
import package::tile::layout::{lane_item};
import package::workgroup::{WORKGROUP_SIZE};
import package::workgroup_totals::{Totals, workgroup_totals};

// The stage: keys and outputs of STAGE_RUNS runs. It is small, since the H200 gives all workgroups of a
// multiprocessor together 48 KiB through Vulkan, and lanes without room would not run.
const STAGE_WORDS = STAGE_RUNS * (KEY_WORDS + OUT_WORDS);

var<workgroup> stage: array<u32, STAGE_WORDS>;
// Runs that begin in the tile: all lanes know it already, but only so can they agree on a barrier by it.
var<workgroup> stage_runs: u32;

struct Held {
    // Of each item what the run before it comes to in the tile, if a run begins with it, and its key. Let go
    // of when the stage is filled.
    closed: Items,
    keys: Keys,
    // A bit for each item that begins a run, the lowest first.
    heads: u32,
    // What of the subgroup belongs to the run before the lane's first, and what of the tile.
    lead: T,
    opening: T,
    // Runs that begin before the lane's items, in the subgroups before, and in the tile.
    run: u32,
    runs_before: u32,
    runs: u32,
}

// What a lane's items combine to: those before the first that begins a run, and those from the last on, with
// how many begin.
struct Own {
    lead: T,
    total: T,
}

// A bit for each item of the lane that begins a run. Any lanes, any flow.
fn lane_heads(group: Group, lane: Lane, tile: u32, keys: ptr<function, Keys>) -> u32 {
    let first = lane_item(group, lane, tile);
    let n = n_items();
    let number = params.first_item + min(first, n - 1u);
    var left = key_words(max(number, 1u) - 1u);
    var heads = select(0u, 1u, number == 0u);
    for (var i = 0u; i < ITEMS; i += 1u) { // unroll
        var key: array<u32, KEY_WORDS>;
        for (var w = 0u; w < KEY_WORDS; w += 1u) { // unroll
            key[w] = (*keys)[i * KEY_WORDS + w];
        }
        heads |= select(1u << i, 0u, is_same(key_decode(left), key_decode(key)));
        left = key;
    }
    let existing = n - min(first, n);
    return select(heads & ((1u << (existing % 32u)) - 1u), heads, existing >= ITEMS);
}

// Reads a lane's items and keys, and combines each item with those of its run before it, as far as they are
// the lane's. Any lanes, any flow.
fn lane_read(group: Group, lane: Lane, tile: u32, held: ptr<function, Held>) -> Own {
    var items: Items;
    tile_load(group, lane, tile, &items);
    var keys = lane_keys(group, lane, tile);
    let heads = lane_heads(group, lane, tile, &keys);
    var own = Own(identity(), identity());
    var is_lead = true;
    for (var i = 0u; i < ITEMS; i += 1u) { // unroll
        let is_head = ((heads >> i) & 1u) != 0u;
        own.total = either(is_head, items[i], combine(own.total, items[i]));
        items[i] = own.total;
        is_lead &= !is_head;
        own.lead = either(is_lead, own.total, own.lead);
    }
    own.total.heads = countOneBits(heads);
    (*held).closed = items;
    (*held).keys = keys;
    (*held).heads = heads;
    return own;
}

// Moves what a lane's items come to to the next, which may close it. Any lanes, any flow.
fn lane_close(held: ptr<function, Held>) {
    var closed = (*held).opening;
    var is_lead = true;
    for (var i = 0u; i < ITEMS; i += 1u) { // unroll
        is_lead &= (((*held).heads >> i) & 1u) == 0u;
        let next = either(is_lead, closed, (*held).closed[i]);
        (*held).closed[i] = closed;
        closed = next;
    }
}

fn tile_begin(group: Group, lane: Lane, tile: u32, held: ptr<function, Held>) -> Totals {
    let own = lane_read(group, lane, tile, held);
    let inclusive = subgroup_inclusive_scan(group, lane, own.total);
    let before = subgroup_exclusive(group, lane, inclusive);
    let totals = workgroup_totals(group, lane, shuffle(group, lane, inclusive, subgroup_width(group) - 1u));
    (*held).lead = combine(before, own.lead);
    (*held).opening = combine(totals.prefix, (*held).lead);
    (*held).run = totals.prefix.heads + before.heads;
    (*held).runs_before = totals.prefix.heads;
    (*held).runs = totals.total.heads;
    lane_close(held);
    return totals;
}

// Puts those of a lane's runs on the stage that are its, where it begins with the tile's run of this
// number. Any lanes, any flow.
fn stage_fill(held: ptr<function, Held>, first: u32) {
    var place = (*held).run - first;
    for (var i = 0u; i < ITEMS; i += 1u) { // unroll
        let is_head = (((*held).heads >> i) & 1u) != 0u;
        if (is_head & (place < STAGE_RUNS)) {
            for (var w = 0u; w < KEY_WORDS; w += 1u) { // unroll
                stage[place * KEY_WORDS + w] = (*held).keys[i * KEY_WORDS + w];
            }
            let words = to_output((*held).closed[i]);
            for (var w = 0u; w < OUT_WORDS; w += 1u) { // unroll
                stage[STAGE_RUNS * KEY_WORDS + place * OUT_WORDS + w] = words[w];
            }
        }
        place += select(0u, 1u, is_head);
    }
}

// Writes the runs on the stage, of which so many begin before the tile. All lanes of the workgroup, each
// other runs.
fn stage_write(lane: Lane, held: ptr<function, Held>, first: u32, before: u32) {
    let n = min((*held).runs - first, STAGE_RUNS);
    for (var place = lane.index; place < n; place += WORKGROUP_SIZE) {
        var key: array<u32, KEY_WORDS>;
        for (var w = 0u; w < KEY_WORDS; w += 1u) { // unroll
            key[w] = stage[place * KEY_WORDS + w];
        }
        let run = before + first + place;
        compact_second(run, key);
        if (first + place != 0u) {
            var words: array<u32, OUT_WORDS>;
            for (var w = 0u; w < OUT_WORDS; w += 1u) { // unroll
                words[w] = stage[STAGE_RUNS * KEY_WORDS + place * OUT_WORDS + w];
            }
            compact_first(run - 1u, words);
        }
    }
}

fn tile_stage(lane: Lane, held: ptr<function, Held>) {
    if (lane.index == 0u) {
        stage_runs = (*held).runs;
    }
    stage_fill(held, 0u);
}

fn tile_end(group: Group, lane: Lane, tile: u32, held: ptr<function, Held>, before: T) {
    let runs = before.heads - (*held).runs_before;
    if ((*held).heads != 0u && (*held).run == 0u) {
        // Before the first of all there is none: it wraps to where there is no room.
        compact_first(runs - 1u, to_output(combine(before, (*held).lead)));
    }
    // With barriers, behind which the stage is filled.
    let n = workgroupUniformLoad(&stage_runs);
    stage_write(lane, held, 0u, runs);
    if (n > STAGE_RUNS) {
        var again = *held;
        lane_read(group, lane, tile, &again);
        lane_close(&again);
        for (var first = STAGE_RUNS; first < n; first += STAGE_RUNS) {
            workgroupBarrier();
            stage_fill(&again, first);
            workgroupBarrier();
            stage_write(lane, &again, first, runs);
        }
    }
}

// As held/items.wgsl does it.
fn tile_reduce(group: Group, lane: Lane, tile: u32) -> T {
    var held: Held;
    let own = lane_read(group, lane, tile, &held);
    let inclusive = subgroup_inclusive_scan(group, lane, own.total);
    return workgroup_totals(group, lane, shuffle(group, lane, inclusive, subgroup_width(group) - 1u)).total;
}
