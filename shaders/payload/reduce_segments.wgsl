// Reduce by key: the first key of each run of keys, and what its values combine to. The payload is how
// many runs begin before an item, and the values since the last that did: a run ends where the next
// begins. Outputs are written by held/reduce_segments.wgsl.
//
// Source: as payload/scan_segments.wgsl.

import package::compact::{compact_first, compact_tally};
import package::params::{params};
import package::segment_start::{segment_item};

fn item_in(words: array<u32, IN_WORDS>, index: u32) -> T {
    return segment_item(words, params.first_item + index);
}

// Writes the combination of the last run.
fn close(total: T) {
    if (total.heads != 0u) {
        compact_first(total.heads - 1u, to_output(total));
    }
}

// Of an earlier piece the last run may go on: a later one writes its combination once more.
fn end_out(total: T) {
    close(total);
    compact_tally(0u, total.heads);
}
