// The workgroup's lanes, in item order.

import package::subgroup::{Group, Lane, subgroup_width, subgroup_rank, subgroup_lane};

// Lanes of a workgroup: a power of two, and a multiple of the largest subgroup, so that no
// subgroup is cut.
override WORKGROUP_SIZE: u32 = 64u;

// This lane's place in item order, which is (subgroup, lane of the subgroup). Any flow.
fn workgroup_lane(group: Group, lane: Lane) -> u32 {
    return subgroup_rank(lane) * subgroup_width(group) + subgroup_lane(lane);
}
