// The reduction of one value a lane, with all steps written out: workgroup_reduce/subgroup_tail
// without a loop, for workgroups of up to 1,024 lanes.
//
// workgroup_reduce: called by all lanes of the workgroup, in flow that is uniform over it, each
// with one value; lanes without an item bring the identity. All lanes get the values combined
// in item order. Scratch: WORKGROUP_SIZE entries of the section. Barriers: 2 + log2 of the subgroups, and the
// shuffles' own.
//
// Source: Harris, "Optimizing Parallel Reduction in CUDA", 6.

import package::section::{section_get, section_set};
import package::subgroup::{Group, Lane, subgroup_width, subgroup_lane};
import package::subgroup::shuffle::{shuffle, shuffle_down};
import package::workgroup::{WORKGROUP_SIZE, workgroup_lane};
import package::section_halving::{halve, halving_entry};

fn workgroup_reduce(group: Group, lane: Lane, value: T) -> T {
    let width = subgroup_width(group);
    section_set(halving_entry(workgroup_lane(group, lane), WORKGROUP_SIZE), value);
    for (var step = 0u; step < 10u; step += 1u) { // unroll
        if ((512u >> step) < WORKGROUP_SIZE && (512u >> step) >= width) {
            halve(group, lane, 512u >> step);
        }
    }
    workgroupBarrier();
    var running = section_get(halving_entry(subgroup_lane(lane), width));
    for (var step = 0u; step < 7u; step += 1u) { // unroll
        if ((1u << step) < width) {
            let right = shuffle_down(group, lane, running, 1u << step);
            if (subgroup_lane(lane) + (1u << step) < width) {
                running = combine(running, right);
            }
        }
    }
    let total = shuffle(group, lane, running, 0u);
    workgroupBarrier();
    return total;
}
