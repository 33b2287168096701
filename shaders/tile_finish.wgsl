// The second half of a tile's scan: what stands before it.

// Combines what stands before a lane's subgroup to the left of each of its items. Any lane, any
// flow.
fn tile_finish(items: ptr<function, Items>, before: T) {
    for (var i = 0u; i < ITEMS; i += 1u) { // unroll
        (*items)[i] = combine(before, (*items)[i]);
    }
}
