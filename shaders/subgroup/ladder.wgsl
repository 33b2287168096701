// Scan and reduction over a subgroup by shuffle ladders, for any operator.
//
// All are called by all lanes of the subgroup, in flow as the shuffles ask for it (uniform
// over the subgroup with subgroup/native.wgsl, over the workgroup with subgroup/emulated.wgsl).
// Lanes without an item bring the identity. No scratch or barrier but the shuffles' own.
// Sources: Hillis & Steele 1986, Kogge & Stone 1973; the shuffle-down reduction of Harris.

import package::subgroup::{Group, Lane, subgroup_width, subgroup_lane, shuffle_up, shuffle_down};

// Each lane: its own value and those of all lanes to the left, combined in lane order.
fn subgroup_inclusive_scan(group: Group, lane: Lane, value: T) -> T {
    var running = value;
    for (var offset = 1u; offset < subgroup_width(group); offset <<= 1u) {
        let left = shuffle_up(group, lane, running, offset);
        if (subgroup_lane(lane) >= offset) {
            running = combine(left, running);
        }
    }
    return running;
}

// An inclusive scan moved one lane to the right: the exclusive scan, with the identity in lane 0.
fn subgroup_exclusive(group: Group, lane: Lane, inclusive: T) -> T {
    var left = shuffle_up(group, lane, inclusive, 1u);
    if (subgroup_lane(lane) == 0u) {
        left = identity();
    }
    return left;
}

// Lane 0: the values of all lanes, combined in lane order. Other lanes: unspecified.
fn subgroup_reduce(group: Group, lane: Lane, value: T) -> T {
    var running = value;
    for (var offset = 1u; offset < subgroup_width(group); offset <<= 1u) {
        let right = shuffle_down(group, lane, running, offset);
        if (subgroup_lane(lane) + offset < subgroup_width(group)) {
            running = combine(running, right);
        }
    }
    return running;
}
