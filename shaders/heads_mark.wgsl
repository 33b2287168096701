// Heads of segments, a bit an item, of the segments' offsets, in any order and as often as there are
// empty segments. Offsets past the bits are not marked: their segments have no item.

import package::params::{params};
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE};

@group(0) @binding(2) var<storage, read> offsets: array<u32>;
@group(0) @binding(4) var<storage, read_write> heads: array<atomic<u32>>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn mark(group: Group, lane: Lane) {
    let first = group.workgroup.x * WORKGROUP_SIZE + lane.index;
    for (var i = first; i < params.n_items; i += params.workgroups * WORKGROUP_SIZE) {
        let offset = offsets[params.src_word + i];
        if (offset >> 5u < arrayLength(&heads)) {
            atomicOr(&heads[offset >> 5u], 1u << (offset & 31u));
        }
    }
}
