// The scan of a section by Brent-Kung, two entries a lane: twice the steps of Kogge-Stone, and
// work in proportion to the entries. The exclusive scan is Blelloch's: the same reduction tree,
// then a down-sweep that hands each node what stands before it.
//
// workgroup_inclusive_scan, workgroup_exclusive_scan: called by all lanes of the workgroup, in
// flow that is uniform over it, after section_set, with the same n in all. Entries 0 to n - 1
// are scanned in place; all lanes get the combination of all. n is at most twice
// WORKGROUP_SIZE. What stands at n and past it is not read; the exclusive scan overwrites it up
// to the next power of two, which SECTION_SIZE must reach. Barriers: 1 + 2 log2 n, 3 more for
// the exclusive scan, log2 rounded up; the first one before all accesses, the last one after.
//
// Sources: Brent & Kung 1982; Blelloch 1990.

import package::section::{section_get, section_set, section_last};
import package::section_scan::brent_kung::{section_scan, reduction_tree};
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE};

fn workgroup_inclusive_scan(group: Group, lane: Lane, n: u32) -> T {
    section_scan(group, lane, n, 1u);
    let total = section_last(n);
    workgroupBarrier();
    return total;
}

fn workgroup_exclusive_scan(group: Group, lane: Lane, n: u32) -> T {
    // The tree is whole: identities fill it up.
    let size = 1u << (32u - countLeadingZeros(max(n, 1u) - 1u));
    workgroupBarrier();
    for (var i = lane.index; i < size; i += WORKGROUP_SIZE) {
        if (i >= n) {
            section_set(i, identity());
        }
    }
    reduction_tree(group, lane, size, 1u);
    let total = section_get(size - 1u);
    workgroupBarrier();
    if (lane.index == 0u) {
        section_set(size - 1u, identity());
    }
    // A section of one entry takes no step, so the barrier cannot be left to them.
    workgroupBarrier();
    for (var stride = size >> 1u; stride > 0u; stride >>= 1u) {
        let right = (lane.index + 1u) * 2u * stride - 1u;
        if (right < size) {
            let before = section_get(right);
            let left = section_get(right - stride);
            section_set(right - stride, before);
            section_set(right, combine(before, left));
        }
        workgroupBarrier();
    }
    return total;
}
