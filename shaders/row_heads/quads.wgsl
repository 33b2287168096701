// Which items of a row begin a segment, by keys: each lane looks at its own group's, through 16-byte
// accesses in whole tiles. The keys must start at a multiple of 4 words of their binding. The exports of
// row_heads/words.wgsl.

import package::extent::{n_items};
import package::params::{params};
import package::second_input::{second_quad, second_word};
import package::segments::{begins, key_words};
import package::selection::{is_same, key_decode};
import package::subgroup::{Group, Lane};
import package::tile::layout::{lane_item, row_items, tile_is_whole};

const KEYS_WORDS = GROUP * KEY_WORDS;

fn row_look(group: Group, lane: Lane, tile: u32, row: u32) -> u32 {
    let index = lane_item(group, lane, tile) + row * row_items(group);
    let number = params.first_item + index;
    var heads = select(0u, 1u, number == 0u);
    if (tile_is_whole(tile)) {
        var words: array<u32, KEYS_WORDS>;
        for (var q = 0u; q < KEY_QUADS; q += 1u) { // unroll
            let quad = second_quad(number * KEY_WORDS / 4u + q);
            words[q * 4u] = quad.x;
            words[q * 4u + 1u] = quad.y;
            words[q * 4u + 2u] = quad.z;
            words[q * 4u + 3u] = quad.w;
        }
        var left = key_words(max(number, 1u) - 1u);
        for (var i = 0u; i < GROUP; i += 1u) { // unroll
            var key: array<u32, KEY_WORDS>;
            for (var w = 0u; w < KEY_WORDS; w += 1u) { // unroll
                key[w] = words[i * KEY_WORDS + w];
            }
            heads |= select(1u << i, 0u, is_same(key_decode(left), key_decode(key)));
            left = key;
        }
    } else {
        let n = n_items();
        for (var i = 0u; i < GROUP; i += 1u) { // unroll
            let is_head = begins(params.first_item + min(index + i, n - 1u));
            heads |= select(0u, 1u << i, is_head & (index + i < n));
        }
    }
    return heads;
}

fn row_heads(group: Group, lane: Lane, seen: u32) -> u32 {
    return seen;
}
