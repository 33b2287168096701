// The outputs of reductions by key: at each item that begins a segment its key, and what the segment
// before it combines to. They are gathered in workgroup memory, a word of each at a time, and written
// side by side. The exports of segments_out/scan.wgsl, but that all lanes of the workgroup call
// segments_out, in uniform flow. Scratch: a word an item of the tile.
//
// Source: the scatter of Merrill & Garland 2016's reduce by key, as CUB has it.

import package::compact::{compact_first_word, compact_second_word};
import package::held::{Held};
import package::payload::{key_word};
import package::subgroup::{Group, Lane};
import package::tile::layout::{lane_item, row_items};
import package::workgroup::{WORKGROUP_SIZE, workgroup_lane};

const COUNTS = true;

override GATHERED_WORDS: u32 = 256u;

var<workgroup> gathered: array<u32, GATHERED_WORDS>;
// The segments that begin before the tile, and before its end.
var<workgroup> gathered_range: vec2<u32>;

fn segments_out(group: Group, lane: Lane, tile: u32, held: ptr<function, Held>, before: u32) {
    let first = lane_item(group, lane, tile);
    let stride = row_items(group);
    let place = workgroup_lane(group, lane);
    if (place == 0u) {
        gathered_range.x = before;
    }
    if (place == WORKGROUP_SIZE - 1u) {
        let last = (*held).rows[ROWS - 1u];
        gathered_range.y = before + (last >> GROUP) + countOneBits(last & ((1u << GROUP) - 1u));
    }
    let range = workgroupUniformLoad(&gathered_range);
    let own = before - range.x;
    for (var w = 0u; w < SECOND_WORDS; w += 1u) { // unroll
        for (var row = 0u; row < ROWS; row += 1u) { // unroll
            for (var i = 0u; i < GROUP; i += 1u) { // unroll
                let word = (*held).rows[row];
                if ((word >> i & 1u) != 0u) {
                    let rank = own + (word >> GROUP) + countOneBits(word & ((1u << i) - 1u));
                    gathered[rank] = key_word(first + row * stride + i, w);
                }
            }
        }
        workgroupBarrier();
        for (var rank = lane.index; rank < range.y - range.x; rank += WORKGROUP_SIZE) {
            compact_second_word(range.x + rank, w, gathered[rank]);
        }
        workgroupBarrier();
    }
    for (var w = 0u; w < FIRST_WORDS; w += 1u) { // unroll
        for (var row = 0u; row < ROWS; row += 1u) { // unroll
            for (var i = 0u; i < GROUP; i += 1u) { // unroll
                let word = (*held).rows[row];
                if ((word >> i & 1u) != 0u) {
                    let rank = own + (word >> GROUP) + countOneBits(word & ((1u << i) - 1u));
                    var words = to_output((*held).items[row * GROUP + i]);
                    gathered[rank] = words[w];
                }
            }
        }
        workgroupBarrier();
        for (var rank = lane.index; rank < range.y - range.x; rank += WORKGROUP_SIZE) {
            // A segment ends where the next begins. Before the first there is none: it wraps to where
            // there is no room.
            compact_first_word(range.x + rank - 1u, w, gathered[rank]);
        }
        workgroupBarrier();
    }
}
