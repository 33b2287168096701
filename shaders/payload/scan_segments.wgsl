// The payload of scans within segments: the operator's accumulators since the last item that began a
// segment, and how many did; one output an item.
//
// Source: the monoid of (head, value) of Schwartz 1980, as in Blelloch 1990. Outputs are written by
// held/scan_segments.wgsl.

import package::params::{params};
import package::segment_start::{segment_item};

fn item_in(words: array<u32, IN_WORDS>, index: u32) -> T {
    return segment_item(words, params.first_item + index);
}

fn end_out(total: T) {
}
