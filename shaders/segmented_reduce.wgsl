// What all passes of a segmented reduction share: a segment's items, by any number of lanes.

import package::bounded::{bounded_load};
import package::carry::{carry_in};
import package::extent::{n_items};
import package::params::{params};
import package::params::carry_word::{carry_word};
import package::second_input::{second_word};
import package::share::{share_of};
import package::tile::layout::{item_store};

// The words of `carry` after those of the longest accumulator: how many segments there are; the words
// from a segment's two bounds to the next one's; in the first pass over many segments the most items of
// one for a subgroup, in the last the most workgroups that share one; the most items for a workgroup.
const SEGMENTS = 0u;
const BOUNDS_STRIDE = 1u;
const MIDDLE_ITEMS = 2u;
const SHARES_MAX = 2u;
const HUGE_ITEMS = 3u;

fn segment_param(which: u32) -> u32 {
    return carry_word(16u + which);
}

// Items [x, y) of a segment, of those that exist; none where it ends before it begins. Any lane, any
// flow; the segment must exist.
fn segment_items(segment: u32) -> vec2<u32> {
    let word = segment * segment_param(BOUNDS_STRIDE);
    let first = min(second_word(word), n_items());
    return vec2<u32>(first, max(min(second_word(word + 1u), n_items()), first));
}

// What the lane in a place among so many makes of items; those of all places, combined in their order,
// are the segment's combination. Any lanes; no scratch, no barrier.
fn segment_share(items: vec2<u32>, place: u32, lanes: u32) -> T {
    let first = items.x / GROUP;
    let end = select(first, (items.y - 1u) / GROUP + 1u, items.y > items.x);
    let mine = share_of(first, end, place, lanes);
    var total = identity();
    for (var number = mine.first; number < mine.end; number += mine.step) {
        var loaded: array<T, GROUP>;
        bounded_load(number * GROUP, items, &loaded);
        for (var i = 0u; i < GROUP - 1u; i += 1u) { // unroll
            loaded[i + 1u] = combine(loaded[i], loaded[i + 1u]);
        }
        total = combine(total, loaded[GROUP - 1u]);
    }
    return total;
}

// Writes a segment's output. One lane; any flow.
fn segment_store(segment: u32, items: vec2<u32>, total: T) {
    var value = total;
    if (params.has_carry == 1u) {
        value = combine(carry_in(0u), total);
    } else if (items.x == items.y) {
        value = of_nothing();
    }
    item_store(segment, value);
}
