// The scan over the totals of a workgroup's subgroups by shuffles: Kogge-Stone ladders over rows
// of one subgroup's width each, the carry between rows serial. Every subgroup does it for
// itself, which saves a barrier. It works for any number of subgroups: 64 subgroups of 4 lanes
// take 16 rows, 32 of 32 lanes take one.

import package::section::{section_get, section_set};
import package::subgroup::{Group, Lane, subgroup_width, subgroup_count, subgroup_rank, subgroup_lane};
import package::subgroup::shuffle::{shuffle};
import package::subgroup_scan::{subgroup_inclusive_scan, subgroup_exclusive};

struct Totals {
    // The totals of all subgroups before this lane's, combined in order.
    prefix: T,
    // The totals of all subgroups, combined in order.
    total: T,
}

// Called by all lanes of the workgroup, in flow that is uniform over it; lane 0 of each
// subgroup brings the subgroup's total. All lanes get the result. Scratch: one entry of the
// section a subgroup; two barriers of its own. Sources: Kogge & Stone 1973; Merrill & Garland
// 2016.
fn workgroup_totals(group: Group, lane: Lane, subgroup_total: T) -> Totals {
    let rank = subgroup_rank(lane);
    let width = subgroup_width(group);
    let count = subgroup_count(group);
    if (subgroup_lane(lane) == 0u) {
        section_set(rank, subgroup_total);
    }
    workgroupBarrier();
    var result = Totals(identity(), identity());
    for (var row = 0u; row < count; row += width) {
        let index = row + subgroup_lane(lane);
        var value = identity();
        if (index < count) {
            value = section_get(index);
        }
        let inclusive = subgroup_inclusive_scan(group, lane, value);
        let exclusive = subgroup_exclusive(group, lane, inclusive);
        let before = shuffle(group, lane, exclusive, rank % width);
        if (rank - row < width) {
            result.prefix = combine(result.total, before);
        }
        result.total = combine(result.total, shuffle(group, lane, inclusive, width - 1u));
    }
    // The totals must be read by all before the next call writes them.
    workgroupBarrier();
    return result;
}
