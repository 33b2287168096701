// The number of items, known to the host.
//
// n_items, tiles_per_workgroup: any lane, any flow; uniform.

import package::params::{params};

// Items of the call: no item at or past it is read, combined or written.
fn n_items() -> u32 {
    return params.n_items;
}

// Consecutive tiles of one workgroup.
fn tiles_per_workgroup(items_per_tile: u32) -> u32 {
    return params.tiles_per_workgroup;
}
