// The ballot of the hardware's subgroups.
//
// What CUDA's participation mask is for is done in two steps here: flow stays uniform, so that
// all lanes take part, and a predicate is balloted before the branch that it decides.

import package::subgroup::{Group, Lane};

// Bit i is set if lane i's predicate is true: 32 lanes a word, 4 words for up to 128 lanes.
// Called by all lanes of the subgroup, in flow that is uniform over it; all get the result.
// No scratch, no barrier.
fn ballot(group: Group, lane: Lane, predicate: bool) -> vec4<u32> {
    return subgroupBallot(predicate);
}
