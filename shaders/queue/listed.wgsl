// The segments that wait for the pass after the first, in lists that the first has made, in no order:
// the combination of a segment does not depend on it.
//
// All files export: queue_counts, how many places there are for long segments and for huge ones; queue_long
// and queue_huge, the segment in a place; is_long, whether the segment with these items is one
// workgroup's; huge_slots, of HUGE_SLOTS places, first, first + stride and so on, those that hold a huge
// segment, as bits. Any lane, any flow, in a later pass than the one that fills it; huge_slots by all
// lanes of the workgroup, in flow that is uniform over it.
//
// queue_close, by one lane of the last pass, ends the lists. Here queue_open, by one lane of the first pass,
// begins them, and queue_add adds a segment, if there is room. Source: queues by size as in Merrill,
// Garland & Grimshaw 2012, "Scalable GPU graph traversal".

import package::segment_shares::{HUGE_MAX, shares};
import package::segmented_reduce::{HUGE_ITEMS, segment_param};
import package::subgroup::{Group, Lane};

@group(0) @binding(5) var<storage, read_write> queued: array<u32>;

// Words of `shares`, of which the long segments have one and the huge the next: how many have been listed
// since the beginning, of all calls, modulo 2^32, and how many had been before this one. Nothing orders a
// read and a write by workgroups of one pass, so each pass reads the latter where only the other writes it.
const LISTED = 0u;
const BEFORE_FIRST_PASS = 2u;
const BEFORE_LAST_PASS = 4u;

// Segments that wait for a workgroup of their own: of segments without common items there are no more.
const LONG_MAX = 262144u;

fn queue_open() {
    for (var list = 0u; list < 2u; list += 1u) { // unroll
        atomicStore(&shares[BEFORE_LAST_PASS + list], atomicLoad(&shares[BEFORE_FIRST_PASS + list]));
    }
}

fn queue_close() {
    for (var list = 0u; list < 2u; list += 1u) { // unroll
        atomicStore(&shares[BEFORE_FIRST_PASS + list], atomicLoad(&shares[LISTED + list]));
    }
}

// The next place of a list.
fn queue_place(list: u32) -> u32 {
    return atomicAdd(&shares[LISTED + list], 1u) - atomicLoad(&shares[BEFORE_FIRST_PASS + list]);
}

// How many places of a list are asked for.
fn queue_length(list: u32) -> u32 {
    return atomicLoad(&shares[LISTED + list]) - atomicLoad(&shares[BEFORE_LAST_PASS + list]);
}

fn queue_add(segment: u32, length: u32) -> bool {
    if (length > segment_param(HUGE_ITEMS)) {
        let huge = queue_place(1u);
        if (huge < HUGE_MAX) {
            queued[huge] = segment;
            return true;
        }
    }
    let long = queue_place(0u);
    if (long < LONG_MAX) {
        queued[HUGE_MAX + long] = segment;
        return true;
    }
    return false;
}

fn queue_counts() -> vec2<u32> {
    return min(vec2<u32>(queue_length(0u), queue_length(1u)), vec2<u32>(LONG_MAX, HUGE_MAX));
}

fn queue_long(place: u32) -> u32 {
    return queued[HUGE_MAX + place];
}

fn queue_huge(place: u32) -> u32 {
    return queued[place];
}

fn is_long(items: vec2<u32>) -> bool {
    return true;
}

fn huge_slots(group: Group, lane: Lane, first: u32, stride: u32) -> u32 {
    return 0xffffffffu;
}
