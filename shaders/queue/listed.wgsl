// The segments that wait for the pass after the first, in lists that the first has made, in no order:
// the combination of a segment does not depend on it.
//
// All files export: queue_counts, how many places there are for long segments and for huge ones; queue_long
// and queue_huge, the segment in a place; is_long, whether the segment with these items is one
// workgroup's; huge_slots, of HUGE_SLOTS places, first, first + stride and so on, those that hold a huge
// segment, as bits. Any lane, any flow, in a later pass than the one that fills it; huge_slots by all
// lanes of the workgroup, in flow that is uniform over it.
//
// Here queue_add adds a segment, if there is room; the lengths are zero before. Source: queues by size as
// in Merrill, Garland & Grimshaw 2012, "Scalable GPU graph traversal".

import package::segment_shares::{HUGE_MAX};
import package::segmented_reduce::{HUGE_ITEMS, segment_param};
import package::subgroup::{Group, Lane};

@group(0) @binding(5) var<storage, read_write> queued: array<u32>;
@group(0) @binding(13) var<storage, read_write> queue_lengths: array<atomic<u32>>;

// Segments that wait for a workgroup of their own: of segments without common items there are no more.
const LONG_MAX = 262144u;

fn queue_add(segment: u32, length: u32) -> bool {
    if (length > segment_param(HUGE_ITEMS)) {
        let huge = atomicAdd(&queue_lengths[1], 1u);
        if (huge < HUGE_MAX) {
            queued[huge] = segment;
            return true;
        }
    }
    let long = atomicAdd(&queue_lengths[0], 1u);
    if (long < LONG_MAX) {
        queued[HUGE_MAX + long] = segment;
        return true;
    }
    return false;
}

fn queue_counts() -> vec2<u32> {
    let long = min(atomicLoad(&queue_lengths[0]), LONG_MAX);
    return vec2<u32>(long, min(atomicLoad(&queue_lengths[1]), HUGE_MAX));
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
