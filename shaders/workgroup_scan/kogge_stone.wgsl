// The scan of a section by Kogge-Stone: the fewest steps, one entry a lane.
//
// workgroup_inclusive_scan, workgroup_exclusive_scan: called by all lanes of the workgroup, in
// flow that is uniform over it, after section_set, with the same n in all. Entries 0 to n - 1
// are scanned in place; all lanes get the combination of all. What stands at n and past it is
// neither read nor written. n is at most WORKGROUP_SIZE. Barriers: 2 + 2 log2 n, 1 more for the
// exclusive scan, log2 rounded up; the first one before all accesses, the last one after.

import package::section::{section_get, section_set, section_last};
import package::section_scan::kogge_stone::{section_scan};
import package::subgroup::{Group, Lane};

fn workgroup_inclusive_scan(group: Group, lane: Lane, n: u32) -> T {
    section_scan(group, lane, n, 1u);
    let total = section_last(n);
    workgroupBarrier();
    return total;
}

fn workgroup_exclusive_scan(group: Group, lane: Lane, n: u32) -> T {
    section_scan(group, lane, n, 1u);
    let total = section_last(n);
    var left = identity();
    if (lane.index > 0u && lane.index < n) {
        left = section_get(lane.index - 1u);
    }
    workgroupBarrier();
    if (lane.index < n) {
        section_set(lane.index, left);
    }
    workgroupBarrier();
    return total;
}
