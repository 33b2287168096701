// The reduction of one value a lane: sequential addressing until one subgroup's width is left,
// then shuffles, which need no barrier. Every subgroup does the last part for itself.
//
// workgroup_reduce: called by all lanes of the workgroup, in flow that is uniform over it, each
// with one value; lanes without an item bring the identity. All lanes get the values combined
// in item order. Scratch: WORKGROUP_SIZE entries of the section. Barriers: 2 + log2 of the subgroups, and the
// shuffles' own.
//
// Source: Harris, "Optimizing Parallel Reduction in CUDA", 5, with shuffles instead of its
// volatile memory, which took lockstep for granted.

import package::section::{section_get, section_set};
import package::subgroup::{Group, Lane, subgroup_width, subgroup_lane};
import package::subgroup::shuffle::{shuffle};
import package::subgroup_reduce::{subgroup_reduce};
import package::workgroup::{WORKGROUP_SIZE, workgroup_lane};
import package::section_halving::{halve, halving_entry};

fn workgroup_reduce(group: Group, lane: Lane, value: T) -> T {
    let width = subgroup_width(group);
    section_set(halving_entry(workgroup_lane(group, lane), WORKGROUP_SIZE), value);
    for (var stride = WORKGROUP_SIZE / 2u; stride >= width; stride >>= 1u) {
        halve(group, lane, stride);
    }
    workgroupBarrier();
    let mine = section_get(halving_entry(subgroup_lane(lane), width));
    let total = shuffle(group, lane, subgroup_reduce(group, lane, mine), 0u);
    workgroupBarrier();
    return total;
}
