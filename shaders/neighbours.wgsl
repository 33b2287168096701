// Items with the one to their left, for payloads whose items are of a few kinds.

import package::compact::{compact_item};
import package::params::{params};
import package::payload::{LOOKS_LEFT};

// An item of the piece, and the one to its left, which stands for nothing where it is the first of all.
struct Item {
    words: array<u32, IN_WORDS>,
    left: array<u32, IN_WORDS>,
    index: u32,
    is_first: bool,
}

fn item_at(words: array<u32, IN_WORDS>, index: u32) -> Item {
    let is_first = params.first_item + index == 0u;
    return Item(words, item_left(index), index, is_first);
}

// The words of the item to the left; of the item itself where nothing stands there, or nothing is
// asked of it.
fn item_left(index: u32) -> array<u32, IN_WORDS> {
    let looks = LOOKS_LEFT && params.first_item + index != 0u;
    return compact_item(select(index, index - 1u, looks));
}
