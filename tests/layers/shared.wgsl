// Several workgroup functions one after another in the one section, with no barrier of the
// caller's where none is asked for: between a function's return and the next call or section_set.

import package::section::{section_set};
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE, workgroup_lane};
import package::workgroup_lanes::{workgroup_lanes_scan};
import package::workgroup_reduce::{workgroup_reduce};
import package::workgroup_scan::{workgroup_inclusive_scan, workgroup_exclusive_scan};

// x: entries of the first scan. y: of the second.
@group(0) @binding(0) var<uniform> arguments: vec4<u32>;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@group(0) @binding(2) var<storage, read_write> values: array<u32>;

// All entries, each set by the lane that stands opposite.
fn fill(lane: Lane, first: u32) {
    section_set(WORKGROUP_SIZE - 1u - lane.index, input[first + WORKGROUP_SIZE - 1u - lane.index]);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn layer(group: Group, lane: Lane) {
    let place = workgroup_lane(group, lane);
    for (var round = 0u; round < 8u; round += 1u) {
        let first = round * WORKGROUP_SIZE;
        fill(lane, first);
        let inclusive = workgroup_inclusive_scan(group, lane, arguments.x);
        let again = workgroup_exclusive_scan(group, lane, arguments.y);
        let reduced = workgroup_reduce(group, lane, input[first + place]);
        fill(lane, first);
        let exclusive = workgroup_exclusive_scan(group, lane, arguments.y);
        let lanes = workgroup_lanes_scan(group, lane, input[first + place]);
        fill(lane, first);
        let last = workgroup_inclusive_scan(group, lane, arguments.y);
        let at = (first + lane.index) * 6u;
        values[at] = inclusive;
        values[at + 1u] = again;
        values[at + 2u] = reduced;
        values[at + 3u] = exclusive;
        values[at + 4u] = lanes.total;
        values[at + 5u] = last;
    }
}
