// The reduction of one value a lane, round after round, by one workgroup, with the carry between
// them; every lane writes what it got in each round.

import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE, workgroup_lane};
import package::workgroup_reduce::{workgroup_reduce};

// x: items.
@group(0) @binding(0) var<uniform> arguments: vec4<u32>;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@group(0) @binding(2) var<storage, read_write> values: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn layer(group: Group, lane: Lane) {
    var carry = identity();
    for (var first = 0u; first < arguments.x; first += WORKGROUP_SIZE) {
        var value = identity();
        let index = first + workgroup_lane(group, lane);
        if (index < arguments.x) {
            var words: array<u32, IN_WORDS>;
            for (var w = 0u; w < IN_WORDS; w += 1u) { // unroll
                words[w] = input[index * IN_WORDS + w];
            }
            value = enter(lift(in_decode(words)));
        }
        carry = combine(carry, workgroup_reduce(group, lane, value));
        let words = out_encode(lower(leave(carry)));
        for (var w = 0u; w < OUT_WORDS; w += 1u) { // unroll
            values[(first + lane.index) * OUT_WORDS + w] = words[w];
        }
    }
}
