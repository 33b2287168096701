// The items of a group as far as they lie within bounds: whole groups through 16-byte accesses, those at
// the ends item by item. The slice must start at a multiple of 4 words of its binding. The export of
// bounded/words.wgsl.

import package::bounded::items::{bounded_items_load};
import package::tile::quads::{quads_load};

fn bounded_load(first: u32, bounds: vec2<u32>, items: ptr<function, array<T, GROUP>>) {
    if (first >= bounds.x && first + GROUP <= bounds.y) {
        *items = quads_load(first);
    } else {
        bounded_items_load(first, bounds, items);
    }
}
