// The scan of one value a lane over the workgroup: what CUB's BlockScan is with one item.

import package::subgroup::{Group, Lane, subgroup_width};
import package::subgroup::shuffle::{shuffle};
import package::subgroup_scan::{subgroup_inclusive_scan, subgroup_exclusive};
import package::workgroup_totals::{Totals, workgroup_totals};

// What stands before this lane in item order, and the combination of all lanes. The inclusive
// scan is combine(prefix, value). Called by all lanes of the workgroup, in flow that is uniform
// over it; all get their result; lanes without an item bring the identity. Scratch: one entry
// of the section a subgroup. Barriers: those of workgroup_totals and the shuffles. Source: Merrill & Garland 2016.
fn workgroup_lanes_scan(group: Group, lane: Lane, value: T) -> Totals {
    let inclusive = subgroup_inclusive_scan(group, lane, value);
    let exclusive = subgroup_exclusive(group, lane, inclusive);
    let subgroup_total = shuffle(group, lane, inclusive, subgroup_width(group) - 1u);
    var result = workgroup_totals(group, lane, subgroup_total);
    result.prefix = combine(result.prefix, exclusive);
    return result;
}
