// The items of a group as far as they lie within bounds, word by word.
//
// All files export bounded_load: the items of the group from item `first` on, and the identity for those
// outside of [bounds.x, bounds.y), which exist. Any lane, any flow; no scratch, no barrier.

import package::bounded::items::{bounded_items_load};

fn bounded_load(first: u32, bounds: vec2<u32>, items: ptr<function, array<T, GROUP>>) {
    bounded_items_load(first, bounds, items);
}
