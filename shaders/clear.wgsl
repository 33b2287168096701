// Zeros in all words of a slice: what comes before passes that add to it.

import package::params::{params};
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE};

@group(0) @binding(4) var<storage, read_write> zeros: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn clear(group: Group, lane: Lane) {
    let first = group.workgroup.x * WORKGROUP_SIZE + lane.index;
    for (var w = first; w < arrayLength(&zeros); w += params.workgroups * WORKGROUP_SIZE) {
        zeros[w] = 0u;
    }
}
