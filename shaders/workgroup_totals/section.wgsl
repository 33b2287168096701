// The scan over the totals of a workgroup's subgroups by one of the workgroup scans: fewer
// barriers than the ladders where each shuffle takes two.

import package::section::{section_get, section_set};
import package::subgroup::{Group, Lane, subgroup_count, subgroup_rank, subgroup_lane};
import package::workgroup_scan::{workgroup_exclusive_scan};

struct Totals {
    // The totals of all subgroups before this lane's, combined in order.
    prefix: T,
    // The totals of all subgroups, combined in order.
    total: T,
}

// Called by all lanes of the workgroup, in flow that is uniform over it; lane 0 of each
// subgroup brings the subgroup's total. All lanes get the result. Scratch: one entry of the
// section a subgroup, filled up to a power of two. Barriers: the scan's and one after it.
fn workgroup_totals(group: Group, lane: Lane, subgroup_total: T) -> Totals {
    if (subgroup_lane(lane) == 0u) {
        section_set(subgroup_rank(lane), subgroup_total);
    }
    let total = workgroup_exclusive_scan(group, lane, subgroup_count(group));
    let result = Totals(section_get(subgroup_rank(lane)), total);
    // The totals must be read by all before the next call writes them.
    workgroupBarrier();
    return result;
}
