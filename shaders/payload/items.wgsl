// The payload of scans and reductions: the operator's own accumulators, one output an item.
//
// All payloads export: item_in, what an item brings; end_out, what is left to write when all tiles are
// combined. `first_item` numbers the items of later pieces.

import package::params::{params};

// The accumulator of an item that has these words and this number within its piece. Any lane, any flow.
fn item_in(words: array<u32, IN_WORDS>, index: u32) -> T {
    return from_input(words, params.first_item + index);
}

// Called by one lane, with the combination of all items. Any flow.
fn end_out(total: T) {
}
