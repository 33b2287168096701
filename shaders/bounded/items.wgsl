// The items of a group as far as they lie within bounds, one by one: what bounded/words.wgsl and
// bounded/quads.wgsl share. Called as theirs.

import package::tile::layout::{item_load};

fn bounded_items_load(first: u32, bounds: vec2<u32>, items: ptr<function, array<T, GROUP>>) {
    for (var i = 0u; i < GROUP; i += 1u) { // unroll
        var item = identity();
        if (first + i >= bounds.x && first + i < bounds.y) {
            item = item_load(first + i);
        }
        (*items)[i] = item;
    }
}
