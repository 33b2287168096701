// Heads of runs: a run is neighbouring items that are the same as the one before them.

import package::neighbours::{Item};
import package::selection::{is_same};

// Whether an item is the first of its run. Any lane, any flow.
fn is_head(item: Item) -> bool {
    return item.is_first | !is_same(in_decode(item.left), in_decode(item.words));
}
