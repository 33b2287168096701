// The reduction of one value a lane, with sequential addressing: the entries left always lie
// side by side. The third rung: no bank of workgroup memory is hit twice. For several items a
// lane, and for the addition while loading, combine before the call.
//
// workgroup_reduce: called by all lanes of the workgroup, in flow that is uniform over it, each
// with one value; lanes without an item bring the identity. All lanes get the values combined
// in item order. Scratch: WORKGROUP_SIZE entries of the section. Barriers: 2 + log2 of the lanes.
//
// Source: Harris, "Optimizing Parallel Reduction in CUDA", 3.

import package::section::{section_get, section_set};
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE, workgroup_lane};
import package::section_halving::{halve, halving_entry};

fn workgroup_reduce(group: Group, lane: Lane, value: T) -> T {
    section_set(halving_entry(workgroup_lane(group, lane), WORKGROUP_SIZE), value);
    for (var stride = WORKGROUP_SIZE / 2u; stride > 0u; stride >>= 1u) {
        halve(group, lane, stride);
    }
    workgroupBarrier();
    let total = section_get(0u);
    workgroupBarrier();
    return total;
}
