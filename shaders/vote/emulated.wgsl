// The ballot through workgroup memory: the exports of vote/native.wgsl.

import package::subgroup::{Group, Lane, EMULATED_WIDTH, subgroup_lane};
import package::workgroup::{WORKGROUP_SIZE};

var<workgroup> vote_scratch: array<u32, WORKGROUP_SIZE>;

// Bit i is set if lane i's predicate is true: 32 lanes a word, 4 words for up to 128 lanes.
// Called by all lanes of the workgroup, in flow that is uniform over it; all get the result.
// Scratch: one word a lane. Two barriers.
fn ballot(group: Group, lane: Lane, predicate: bool) -> vec4<u32> {
    vote_scratch[lane.index] = select(0u, 1u, predicate);
    workgroupBarrier();
    let first = lane.index - subgroup_lane(lane);
    var words = vec4<u32>();
    for (var i = 0u; i < EMULATED_WIDTH; i += 1u) {
        words[i / 32u] |= vote_scratch[first + i] << (i % 32u);
    }
    workgroupBarrier();
    return words;
}
