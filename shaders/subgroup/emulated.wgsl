// The lanes of a workgroup and their exchange through workgroup memory, for devices without
// subgroups: the exports of subgroup/native.wgsl, at a width that the host chooses.
//
// shuffle_within, shuffle_up_within, shuffle_down_within: called by all lanes of the workgroup,
// in flow that is uniform over it. The subgroup is cut into partitions of `width` lanes, a power
// of two up to its own width; a source outside the partition leaves the lane's own value. Scratch:
// one accumulator a lane. Two barriers each: one before the read, one before the next write.

import package::workgroup::{WORKGROUP_SIZE};

// Lanes of an emulated subgroup: a power of two that divides the workgroup.
override EMULATED_WIDTH: u32 = 32u;

var<workgroup> subgroup_scratch: array<T, WORKGROUP_SIZE>;

// What is the same for all lanes of the workgroup.
struct Group {
    @builtin(workgroup_id) workgroup: vec3<u32>,
}

// What differs from lane to lane.
struct Lane {
    @builtin(local_invocation_index) index: u32,
}

// Lanes of a subgroup.
fn subgroup_width(group: Group) -> u32 {
    return EMULATED_WIDTH;
}

// Subgroups of the workgroup.
fn subgroup_count(group: Group) -> u32 {
    return WORKGROUP_SIZE / EMULATED_WIDTH;
}

// The subgroup that holds this lane.
fn subgroup_rank(lane: Lane) -> u32 {
    return lane.index / EMULATED_WIDTH;
}

// This lane's place in its subgroup.
fn subgroup_lane(lane: Lane) -> u32 {
    return lane.index % EMULATED_WIDTH;
}

// The value of the partition's lane `source`.
fn shuffle_within(group: Group, lane: Lane, value: T, source: u32, width: u32) -> T {
    subgroup_scratch[lane.index] = value;
    workgroupBarrier();
    let place = lane.index & (width - 1u);
    let other = subgroup_scratch[lane.index - place + select(place, source, source < width)];
    workgroupBarrier();
    return other;
}

// The value of the lane `delta` places to the left.
fn shuffle_up_within(group: Group, lane: Lane, value: T, delta: u32, width: u32) -> T {
    let place = lane.index & (width - 1u);
    return shuffle_within(group, lane, value, select(place, place - delta, delta <= place), width);
}

// The value of the lane `delta` places to the right.
fn shuffle_down_within(group: Group, lane: Lane, value: T, delta: u32, width: u32) -> T {
    let place = lane.index & (width - 1u);
    return shuffle_within(group, lane, value, select(place, place + delta, delta < width - place), width);
}

// The same; the segments that begin in it, where accumulators have them, may come along or not.
fn shuffle_value_up(group: Group, lane: Lane, value: T, delta: u32) -> T {
    return shuffle_up_within(group, lane, value, delta, EMULATED_WIDTH);
}
