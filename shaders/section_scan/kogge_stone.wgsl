// Kogge-Stone over the section: each entry takes the one `offset` to its left, and the offset
// doubles. log2 N steps and N log2 N - (N - 1) combines for N entries.
//
// Sources: Kogge & Stone 1973; Hillis & Steele 1986.

import package::section::{section_get, section_set, run_end, run_count};
import package::subgroup::{Group, Lane};

// Scans the last entries of runs of `run_items` entries, inclusively and in place; runs of one
// entry are the whole section. Called by all lanes of the workgroup, in flow that is uniform
// over it, with n and run_items the same in all; at most one run a lane. Entries at and past n
// are neither read nor written. Barriers: one before, two a step, the last one after all writes.
fn section_scan(group: Group, lane: Lane, n: u32, run_items: u32) {
    let runs = run_count(run_items, n);
    let exists = lane.index < runs;
    workgroupBarrier();
    var running = identity();
    if (exists) {
        running = section_get(run_end(lane.index, run_items, n));
    }
    for (var offset = 1u; offset < runs; offset <<= 1u) {
        let takes = exists && lane.index >= offset;
        var left = identity();
        if (takes) {
            left = section_get(run_end(lane.index - offset, run_items, n));
        }
        workgroupBarrier();
        if (takes) {
            running = combine(left, running);
            section_set(run_end(lane.index, run_items, n), running);
        }
        workgroupBarrier();
    }
}
