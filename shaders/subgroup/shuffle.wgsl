// CUDA's four shuffles over the whole subgroup, and the butterfly over its partitions.
//
// All are called as the shuffles of subgroup/native.wgsl and subgroup/emulated.wgsl, which they
// are made of: by all lanes, in uniform flow. A source outside the subgroup leaves the lane's own
// value. CUDA's participation mask has no counterpart: flow is uniform, so all lanes take part,
// and what a branch would decide is balloted before it (vote/native.wgsl).

import package::subgroup::{Group, Lane, subgroup_width, subgroup_lane, shuffle_within, shuffle_up_within, shuffle_down_within};

// The value of lane `source`, which may differ from lane to lane.
fn shuffle(group: Group, lane: Lane, value: T, source: u32) -> T {
    return shuffle_within(group, lane, value, source, subgroup_width(group));
}

// The value of the lane `delta` places to the left; delta is the same in all lanes.
fn shuffle_up(group: Group, lane: Lane, value: T, delta: u32) -> T {
    return shuffle_up_within(group, lane, value, delta, subgroup_width(group));
}

// The value of the lane `delta` places to the right; delta is the same in all lanes.
fn shuffle_down(group: Group, lane: Lane, value: T, delta: u32) -> T {
    return shuffle_down_within(group, lane, value, delta, subgroup_width(group));
}

// The value of the lane whose number differs in the bits of `bits`.
fn shuffle_xor(group: Group, lane: Lane, value: T, bits: u32) -> T {
    return shuffle_xor_within(group, lane, value, bits, subgroup_width(group));
}

// The same within partitions of `width` lanes: bits that lead out of one leave the own value.
fn shuffle_xor_within(group: Group, lane: Lane, value: T, bits: u32, width: u32) -> T {
    return shuffle_within(group, lane, value, (subgroup_lane(lane) & (width - 1u)) ^ bits, width);
}
