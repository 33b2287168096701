// The scan over a subgroup by the device's own instruction, for the operators that have one.
//
// Called by all lanes of the subgroup, in flow that is uniform over it. Lanes without an item
// bring the identity. No scratch, no barrier.

import package::builtin::{builtin_inclusive_scan};
import package::subgroup::{Group, Lane, subgroup_width};
import package::subgroup::partition::{exclusive_within};

// Each lane: its own value and those of all lanes to the left, combined.
fn subgroup_inclusive_scan(group: Group, lane: Lane, value: T) -> T {
    return builtin_inclusive_scan(value);
}

// An inclusive scan moved one lane to the right: the exclusive scan, with the identity in lane 0.
fn subgroup_exclusive(group: Group, lane: Lane, inclusive: T) -> T {
    return exclusive_within(group, lane, inclusive, subgroup_width(group));
}
