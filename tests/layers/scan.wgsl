// The scan of sections, one after another, by one workgroup, with the carry between them; the
// second half of the output takes each lane's total of each round.

import package::section::{SECTION_SIZE, section_get, section_set};
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE};
import package::workgroup_scan::{workgroup_inclusive_scan, workgroup_exclusive_scan};

// x: items. y: items of a round. z: 1 for the exclusive scan. w: 1 to leave the carry out.
@group(0) @binding(0) var<uniform> arguments: vec4<u32>;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@group(0) @binding(2) var<storage, read_write> values: array<u32>;
@group(0) @binding(3) var<storage, read_write> totals: array<u32>;

fn load(index: u32) -> T {
    var words: array<u32, IN_WORDS>;
    for (var w = 0u; w < IN_WORDS; w += 1u) { // unroll
        words[w] = input[index * IN_WORDS + w];
    }
    return enter(lift(in_decode(words)));
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn layer(group: Group, lane: Lane) {
    var carry = identity();
    var round = 0u;
    for (var first = 0u; first < max(arguments.x, 1u); first += arguments.y) {
        let n = min(arguments.x - first, arguments.y);
        workgroupBarrier();
        // Past n stands an item that must not be combined. Entries are set by other lanes than
        // those that read them or work on them.
        for (var j = lane.index; j < SECTION_SIZE; j += WORKGROUP_SIZE) {
            let i = SECTION_SIZE - 1u - j;
            section_set(i, load(select(arguments.x, first + i, i < n)));
        }
        var total: T;
        if (arguments.z == 1u) {
            total = workgroup_exclusive_scan(group, lane, n);
        } else {
            total = workgroup_inclusive_scan(group, lane, n);
        }
        for (var j = lane.index; j < SECTION_SIZE; j += WORKGROUP_SIZE) {
            let i = j ^ 1u;
            // The last round shows the whole section, slack included.
            if (i < n || first + arguments.y >= arguments.x) {
                var value = section_get(i);
                if (i < n) {
                    value = combine(carry, value);
                }
                let words = out_encode(lower(leave(value)));
                for (var w = 0u; w < OUT_WORDS; w += 1u) { // unroll
                    values[(first + i) * OUT_WORDS + w] = words[w];
                }
            }
        }
        carry = combine(carry, total);
        let words = out_encode(lower(leave(carry)));
        for (var w = 0u; w < OUT_WORDS; w += 1u) { // unroll
            totals[(round * WORKGROUP_SIZE + lane.index) * OUT_WORDS + w] = words[w];
        }
        round += 1u;
    }
}
