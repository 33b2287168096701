// Which items of a row begin a segment: looked at by all lanes side by side, word by word, and told to the
// lane that holds them by ballots.
//
// All files export: row_look, what a lane sees of a row, without a wait for another; row_heads, which of
// the items of the lane's group begin a segment, of what the lanes have seen.

import package::extent::{n_items};
import package::params::{params};
import package::segments::{begins};
import package::subgroup::{Group, Lane, subgroup_lane, subgroup_width};
import package::tile::layout::{lane_item, row_items};
import package::vote::{ballot};

// Of every so many items as a subgroup has lanes. None past the last item. Any lanes, any flow; some item
// exists.
fn row_look(group: Group, lane: Lane, tile: u32, row: u32) -> u32 {
    let width = subgroup_width(group);
    let mine = lane_item(group, lane, tile) - subgroup_lane(lane) * (GROUP - 1u) + row * row_items(group);
    let n = n_items();
    var seen = 0u;
    for (var k = 0u; k < GROUP; k += 1u) { // unroll
        let index = mine + k * width;
        let is_head = begins(params.first_item + min(index, n - 1u));
        seen |= select(0u, 1u << k, is_head & (index < n));
    }
    return seen;
}

// A bit an item, the lowest first. A group is at most 4 items, so no longer than a subgroup. Called by all lanes of the workgroup, in flow that is uniform over it. Scratch and
// barriers: the ballots'.
fn row_heads(group: Group, lane: Lane, seen: u32) -> u32 {
    let width = subgroup_width(group);
    let place = subgroup_lane(lane) * GROUP;
    var heads = 0u;
    for (var k = 0u; k < GROUP; k += 1u) { // unroll
        let found = ballot(group, lane, ((seen >> k) & 1u) != 0u);
        // Where the group is not of this ballot, it wraps to far past the subgroup.
        let at = place - k * width;
        let word = found[at / 32u % 4u] >> (at % 32u);
        heads |= select(0u, word & ((1u << GROUP) - 1u), at < width);
    }
    return heads;
}
