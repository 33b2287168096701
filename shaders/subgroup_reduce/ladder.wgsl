// The reduction over a subgroup by a shuffle ladder, for any operator.

import package::subgroup::{Group, Lane, subgroup_width};
import package::subgroup::partition::{reduce_within};

// Lane 0: the values of all lanes, combined in lane order. Other lanes: unspecified. Called as
// the ladders of subgroup/partition.wgsl are: by all lanes, in uniform flow.
fn subgroup_reduce(group: Group, lane: Lane, value: T) -> T {
    return reduce_within(group, lane, value, subgroup_width(group));
}
