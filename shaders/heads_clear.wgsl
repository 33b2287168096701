// No head anywhere: what comes before heads_mark.wgsl.

import package::params::{params};
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE};

@group(0) @binding(4) var<storage, read_write> no_heads: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn clear(group: Group, lane: Lane) {
    let first = group.workgroup.x * WORKGROUP_SIZE + lane.index;
    for (var w = first; w < arrayLength(&no_heads); w += params.workgroups * WORKGROUP_SIZE) {
        no_heads[w] = 0u;
    }
}
