// The scan over a subgroup by a shuffle ladder, for any operator.
//
// Called as the ladders of subgroup/partition.wgsl are: by all lanes, in uniform flow.

import package::subgroup::{Group, Lane, subgroup_width};
import package::subgroup::partition::{inclusive_scan_within, exclusive_within};

// Each lane: its own value and those of all lanes to the left, combined in lane order.
fn subgroup_inclusive_scan(group: Group, lane: Lane, value: T) -> T {
    return inclusive_scan_within(group, lane, value, subgroup_width(group));
}

// An inclusive scan moved one lane to the right: the exclusive scan, with the identity in lane 0.
fn subgroup_exclusive(group: Group, lane: Lane, inclusive: T) -> T {
    return exclusive_within(group, lane, inclusive, subgroup_width(group));
}
