// Brent-Kung over the section: a reduction tree and a reverse tree. 2 log2 N - 1 steps and
// 2 N - 2 - log2 N combines for N entries, a power of two. Neighbouring lanes take the work of
// each step, so that whole subgroups fall idle.
//
// Source: Brent & Kung 1982.

import package::section::{section_get, section_set, run_end, run_count};
import package::subgroup::{Group, Lane};

// Scans the last entries of runs of `run_items` entries, inclusively and in place; runs of one
// entry are the whole section. Called by all lanes of the workgroup, in flow that is uniform
// over it, with n and run_items the same in all; at most two runs a lane. Entries at and past n
// are neither read nor written. Barriers: one before, one a step, the last one after all writes.
fn section_scan(group: Group, lane: Lane, n: u32, run_items: u32) {
    let runs = run_count(run_items, n);
    reduction_tree(group, lane, n, run_items);
    // From the widest stride at which an entry has a right neighbour half a tree away.
    var stride = 1u;
    while (stride * 4u < runs) {
        stride <<= 1u;
    }
    for (; runs > 2u && stride > 0u; stride >>= 1u) {
        let left = (lane.index + 1u) * 2u * stride - 1u;
        let right = left + stride;
        if (right < runs) {
            let end = run_end(right, run_items, n);
            section_set(end, combine(section_get(run_end(left, run_items, n)), section_get(end)));
        }
        workgroupBarrier();
    }
}

// The tree's first half: entry (i + 1) * 2^k - 1 combines the 2^k runs up to it. Called as
// section_scan, with its limits. Barriers: one before, one a step.
fn reduction_tree(group: Group, lane: Lane, n: u32, run_items: u32) {
    let runs = run_count(run_items, n);
    workgroupBarrier();
    for (var stride = 1u; stride < runs; stride <<= 1u) {
        let right = (lane.index + 1u) * 2u * stride - 1u;
        if (right < runs) {
            let end = run_end(right, run_items, n);
            let left = run_end(right - stride, run_items, n);
            section_set(end, combine(section_get(left), section_get(end)));
        }
        workgroupBarrier();
    }
}
