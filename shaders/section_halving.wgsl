// The steps that sequential addressing, and what is built on it, share.

import package::section::{section_get, section_set};
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE};

// The entry for a place among `count`, a power of two: its bits, reversed. Halving combines
// entries half of what is left apart, which for places is neighbour with neighbour. So the
// order of the items is kept, and the operator need not commute. Any flow.
fn halving_entry(place: u32, count: u32) -> u32 {
    return select(reverseBits(place) >> countLeadingZeros(count - 1u), 0u, count == 1u);
}

// One step: the first half of the 2 * stride entries left takes the second. Called by all lanes
// of the workgroup, in flow that is uniform over it. One barrier, before.
fn halve(group: Group, lane: Lane, stride: u32) {
    workgroupBarrier();
    if (lane.index < stride) {
        section_set(lane.index, combine(section_get(lane.index), section_get(lane.index + stride)));
    }
}
