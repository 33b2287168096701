// Scan and reduction over partitions of a subgroup by shuffle ladders, for any operator.
//
// A partition is `width` neighbouring lanes, a power of two up to the subgroup's width and the
// same in all lanes: CUDA's `width`. All are called by all lanes of the subgroup, in flow as the
// shuffles ask for it (uniform over the subgroup with subgroup/native.wgsl, over the workgroup
// with subgroup/emulated.wgsl). Lanes without an item bring the identity. No scratch or barrier
// but the shuffles' own: one shuffle for each doubling of the width.
// Sources: Hillis & Steele 1986, Kogge & Stone 1973; the shuffle-down reduction of Harris.

import package::subgroup::{Group, Lane, subgroup_lane, shuffle_up_within, shuffle_down_within};

// Each lane: its own value and those of the partition's lanes to the left, in lane order.
fn inclusive_scan_within(group: Group, lane: Lane, value: T, width: u32) -> T {
    let place = subgroup_lane(lane) & (width - 1u);
    var running = value;
    for (var offset = 1u; offset < width; offset <<= 1u) {
        let left = shuffle_up_within(group, lane, running, offset, width);
        if (place >= offset) {
            running = combine(left, running);
        }
    }
    return running;
}

// An inclusive scan moved one lane to the right: the exclusive scan, with the identity in the
// partition's lane 0.
fn exclusive_within(group: Group, lane: Lane, inclusive: T, width: u32) -> T {
    var left = shuffle_up_within(group, lane, inclusive, 1u, width);
    if ((subgroup_lane(lane) & (width - 1u)) == 0u) {
        left = identity();
    }
    return left;
}

// The partition's lane 0: the values of its lanes, combined in lane order. Others: unspecified. No
// lane takes a way of its own: what those near the end combine twice never comes to lane 0.
fn reduce_within(group: Group, lane: Lane, value: T, width: u32) -> T {
    var running = value;
    for (var offset = 1u; offset < width; offset <<= 1u) {
        running = combine(running, shuffle_down_within(group, lane, running, offset, width));
    }
    return running;
}
