// The number of items, in a buffer of the device; the host knows the most there can be.
//
// n_items, tiles_per_workgroup: any lane, any flow; the same in all lanes.

import package::params::{params};

@group(0) @binding(6) var<storage, read> counts: array<u32>;

// Items of the call: no item at or past it is read, combined or written. A count past the
// capacity is taken for the capacity.
fn n_items() -> u32 {
    return min(counts[params.count_word], params.n_items);
}

// Consecutive tiles of one workgroup: all workgroups share what items there are.
fn tiles_per_workgroup(items_per_tile: u32) -> u32 {
    let n = n_items();
    let tiles = n / items_per_tile + select(0u, 1u, n % items_per_tile != 0u);
    return tiles / params.workgroups + select(0u, 1u, tiles % params.workgroups != 0u);
}
