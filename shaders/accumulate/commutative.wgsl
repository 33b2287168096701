// The reduction of a chunk of tiles for a commutative operator: each lane combines whatever
// items it loads, and the lanes meet once, at the end.
//
// Source: several items a lane before the first exchange, as in Harris, "Optimizing Parallel
// Reduction in CUDA".

import package::subgroup::{Group, Lane};
import package::tile::{tile_load};
import package::workgroup_reduce::{workgroup_reduce};

// Combines one tile into the lane's accumulator. Any lanes; no scratch, no barrier. The lane's
// items are combined as a tree, level by level: each is rounded log2 ITEMS times, and the
// combines of a level do not wait for one another.
fn accumulate_tile(group: Group, lane: Lane, tile: u32, accumulator: ptr<function, T>) {
    var items: Items;
    tile_load(group, lane, tile, &items);
    // Leaves first, then each node after the two that it combines.
    var tree: array<T, 2u * ITEMS>;
    for (var i = 0u; i < ITEMS; i += 1u) { // unroll
        tree[i] = items[i];
    }
    for (var i = 0u; i < ITEMS - 1u; i += 1u) { // unroll
        tree[ITEMS + i] = combine(tree[2u * i], tree[2u * i + 1u]);
    }
    *accumulator = combine(*accumulator, tree[2u * ITEMS - 2u]);
}

// The chunk's reduction, in all lanes. Called by all lanes of the workgroup, in uniform flow.
fn accumulated(group: Group, lane: Lane, accumulator: T) -> T {
    return workgroup_reduce(group, lane, accumulator);
}
