// The lanes of a workgroup and their exchange, by the hardware's subgroups.
//
// The width is read at run time: it can differ between pipelines and from what the adapter
// reports. Item order in a workgroup is (subgroup_id, subgroup_invocation_id).
//
// shuffle_within, shuffle_up_within, shuffle_down_within: called by all lanes of the subgroup,
// in flow that is uniform over it. The subgroup is cut into partitions of `width` lanes, a power
// of two up to its own width; a source outside the partition leaves the lane's own value. Delta
// and width are the same in all lanes. No scratch, no barrier. Source: CUDA's warp shuffles.

import package::exchange::{exchange, exchange_up, exchange_down, exchange_value_up};

// What is the same for all lanes of the workgroup.
struct Group {
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(subgroup_size) subgroup_size: u32,
    @builtin(num_subgroups) num_subgroups: u32,
}

// What differs from lane to lane.
struct Lane {
    @builtin(local_invocation_index) index: u32,
    @builtin(subgroup_id) subgroup_id: u32,
    @builtin(subgroup_invocation_id) subgroup_lane: u32,
}

// Lanes of a subgroup.
fn subgroup_width(group: Group) -> u32 {
    return group.subgroup_size;
}

// Subgroups of the workgroup; more than lanes of a subgroup is normal.
fn subgroup_count(group: Group) -> u32 {
    return group.num_subgroups;
}

// The subgroup that holds this lane.
fn subgroup_rank(lane: Lane) -> u32 {
    return lane.subgroup_id;
}

// This lane's place in its subgroup.
fn subgroup_lane(lane: Lane) -> u32 {
    return lane.subgroup_lane;
}

// The value of the partition's lane `source`.
fn shuffle_within(group: Group, lane: Lane, value: T, source: u32, width: u32) -> T {
    let place = lane.subgroup_lane & (width - 1u);
    return exchange(value, lane.subgroup_lane - place + select(place, source, source < width));
}

// The value of the lane `delta` places to the left.
fn shuffle_up_within(group: Group, lane: Lane, value: T, delta: u32, width: u32) -> T {
    return either((lane.subgroup_lane & (width - 1u)) < delta, value, exchange_up(value, delta));
}

// The value of the lane `delta` places to the right.
fn shuffle_down_within(group: Group, lane: Lane, value: T, delta: u32, width: u32) -> T {
    let place = lane.subgroup_lane & (width - 1u);
    return either(delta >= width - place, value, exchange_down(value, delta));
}

// The same without the segments that begin in it, where accumulators have them. Lanes without a source get
// anything.
fn shuffle_value_up(group: Group, lane: Lane, value: T, delta: u32) -> T {
    return exchange_value_up(value, delta);
}
