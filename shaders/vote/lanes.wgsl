// Votes and sets of lanes: bit i of four words stands for the subgroup's lane i.
//
// The functions with a `group` are called as the ballot is: by all lanes, in uniform flow; all
// get the result. `width` cuts the subgroup into partitions, a power of two up to its own width.

import package::subgroup::{Group, Lane, subgroup_lane, subgroup_width};
import package::vote::{ballot};

// The first `count` lanes, up to 128. Any lane, any flow.
fn first_lanes(count: u32) -> vec4<u32> {
    let bits = vec4<u32>(count) - min(vec4<u32>(count), vec4<u32>(0u, 32u, 64u, 96u));
    // A shift by 32 is none, so full words are told apart.
    return select((vec4<u32>(1u) << bits) - vec4<u32>(1u), vec4<u32>(0xffffffffu), bits >= vec4<u32>(32u));
}

// The lanes of this lane's partition. Any flow.
fn partition_lanes(lane: Lane, width: u32) -> vec4<u32> {
    let first = subgroup_lane(lane) & ~(width - 1u);
    return first_lanes(first + width) & ~first_lanes(first);
}

// How many lanes a set has. Any lane, any flow.
fn count_lanes(lanes: vec4<u32>) -> u32 {
    let counts = countOneBits(lanes);
    return counts.x + counts.y + counts.z + counts.w;
}

// One more than the last lane of a set; 0 of an empty one. Any lane, any flow.
fn lanes_end(lanes: vec4<u32>) -> u32 {
    let ends = vec4<u32>(32u, 64u, 96u, 128u) - countLeadingZeros(lanes);
    let found = select(vec4<u32>(), ends, lanes != vec4<u32>());
    return max(max(found.x, found.y), max(found.z, found.w));
}

// How many lanes of a set stand to the left of this one: its rank, if it is one of them.
fn count_lanes_before(lane: Lane, lanes: vec4<u32>) -> u32 {
    return count_lanes(lanes & first_lanes(subgroup_lane(lane)));
}

// The lanes of the partition whose predicate is true.
fn ballot_within(group: Group, lane: Lane, predicate: bool, width: u32) -> vec4<u32> {
    return ballot(group, lane, predicate) & partition_lanes(lane, width);
}

// Whether the predicate of any lane of the partition is true.
fn any_within(group: Group, lane: Lane, predicate: bool, width: u32) -> bool {
    return any(ballot_within(group, lane, predicate, width) != vec4<u32>());
}

// Whether the predicates of all lanes of the partition are true.
fn all_within(group: Group, lane: Lane, predicate: bool, width: u32) -> bool {
    return all(ballot_within(group, lane, predicate, width) == partition_lanes(lane, width));
}

// Whether the predicate of any lane is true.
fn any_lane(group: Group, lane: Lane, predicate: bool) -> bool {
    return any_within(group, lane, predicate, subgroup_width(group));
}

// Whether the predicates of all lanes are true.
fn all_lanes(group: Group, lane: Lane, predicate: bool) -> bool {
    return all_within(group, lane, predicate, subgroup_width(group));
}
