// The reduction over a subgroup by the device's own instruction, for the operators that have one.

import package::builtin::{builtin_reduce};
import package::subgroup::{Group, Lane};

// The values of all lanes, combined; promised to lane 0 only, as in subgroup_reduce/ladder.wgsl.
// Called by all lanes of the subgroup, in flow that is uniform over it. No scratch, no barrier.
fn subgroup_reduce(group: Group, lane: Lane, value: T) -> T {
    return builtin_reduce(value);
}
