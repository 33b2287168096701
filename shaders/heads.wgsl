// Heads of runs: a run is neighbouring items that are the same as the one before them.

import package::compact::{compact_item};
import package::params::{params};
import package::selection::{is_same};

// Whether an item is the first of its run. Any lane, any flow.
fn is_head(words: array<u32, IN_WORDS>, index: u32) -> bool {
    if (params.first_item + index == 0u) {
        return true;
    }
    return !is_same(in_decode(compact_item(index - 1u)), in_decode(words));
}
