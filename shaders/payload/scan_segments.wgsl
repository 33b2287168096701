// The payload of scans within segments: the operator's accumulators since the last item that began a
// segment, and how many did; one output an item.
//
// Source: the monoid of (head, value) of Schwartz 1980, as in Blelloch 1990. The exports of
// payload/items.wgsl; outputs are written by scan_segments_out.wgsl.

import package::params::{params};
import package::segments::{begins};

fn item_in(words: array<u32, IN_WORDS>, index: u32) -> T {
    let number = params.first_item + index;
    let head = begins(number);
    var item = from_input(words, number);
    if (params.has_carry == 2u) {
        item = either(head, combine(start(), item), item);
    }
    item.heads = select(0u, 1u, head);
    return item;
}

// What each segment starts with. The same in all lanes.
fn start() -> T {
    var words: array<u32, ACC_WORDS>;
    for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
        words[w] = params.carry[w / 4u][w % 4u];
    }
    return from_words(words);
}

fn end_out(total: T) {
}
