// The reduction of one value a lane, with interleaved lanes: every second lane works, then every
// fourth. The first rung of the ladder: the working lanes are spread over all subgroups.
//
// workgroup_reduce: called by all lanes of the workgroup, in flow that is uniform over it, each
// with one value; lanes without an item bring the identity. All lanes get the values combined
// in item order. Scratch: WORKGROUP_SIZE entries of the section. Barriers: 2 + log2 of the lanes.
//
// Source: Harris, "Optimizing Parallel Reduction in CUDA", 1.

import package::section::{section_get, section_set};
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE, workgroup_lane};

fn workgroup_reduce(group: Group, lane: Lane, value: T) -> T {
    let at = workgroup_lane(group, lane);
    section_set(at, value);
    for (var stride = 1u; stride < WORKGROUP_SIZE; stride <<= 1u) {
        workgroupBarrier();
        if (at % (2u * stride) == 0u) {
            section_set(at, combine(section_get(at), section_get(at + stride)));
        }
    }
    workgroupBarrier();
    let total = section_get(0u);
    workgroupBarrier();
    return total;
}
