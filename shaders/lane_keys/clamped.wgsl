// The keys of a lane's items, which are neighbours, word by word; past the last item the last one's stands
// once more. Any lanes, any flow; some item exists.

import package::extent::{n_items};
import package::params::{params};
import package::second_input::{second_word};
import package::subgroup::{Group, Lane};
import package::tile::layout::{lane_item};

const KEYS_WORDS = ITEMS * KEY_WORDS;

alias Keys = array<u32, KEYS_WORDS>;

fn clamped_keys(group: Group, lane: Lane, tile: u32) -> Keys {
    let first = lane_item(group, lane, tile);
    let last = n_items() - 1u;
    var keys: Keys;
    for (var i = 0u; i < ITEMS; i += 1u) { // unroll
        let number = params.first_item + min(first + i, last);
        for (var w = 0u; w < KEY_WORDS; w += 1u) { // unroll
            keys[i * KEY_WORDS + w] = second_word(number * KEY_WORDS + w);
        }
    }
    return keys;
}
