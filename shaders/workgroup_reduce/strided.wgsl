// The reduction of one value a lane, with strided entries: the first lanes work, each on a pair
// of entries further and further apart. The second rung: whole subgroups fall idle, but entries
// that lie a power of two apart share banks of workgroup memory.
//
// workgroup_reduce: called by all lanes of the workgroup, in flow that is uniform over it, each
// with one value; lanes without an item bring the identity. All lanes get the values combined
// in item order. Scratch: WORKGROUP_SIZE entries of the section. Barriers: 2 + log2 of the lanes.
//
// Source: Harris, "Optimizing Parallel Reduction in CUDA", 2.

import package::section::{section_get, section_set};
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE, workgroup_lane};

fn workgroup_reduce(group: Group, lane: Lane, value: T) -> T {
    let place = workgroup_lane(group, lane);
    section_set(place, value);
    for (var stride = 1u; stride < WORKGROUP_SIZE; stride <<= 1u) {
        workgroupBarrier();
        let at = place * 2u * stride;
        if (at < WORKGROUP_SIZE) {
            section_set(at, combine(section_get(at), section_get(at + stride)));
        }
    }
    workgroupBarrier();
    let total = section_get(0u);
    workgroupBarrier();
    return total;
}
