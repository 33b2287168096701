// The keys of a lane's items, in whole tiles through 16-byte accesses: each lane's must start at a multiple
// of 4 words of their binding. The exports of lane_keys/words.wgsl.

import package::lane_keys::clamped::{Keys, clamped_keys};
import package::params::{params};
import package::second_input::{second_quad};
import package::subgroup::{Group, Lane};
import package::tile::layout::{lane_item, tile_is_whole};

fn lane_keys(group: Group, lane: Lane, tile: u32) -> Keys {
    if (!tile_is_whole(tile)) {
        return clamped_keys(group, lane, tile);
    }
    let first = (params.first_item + lane_item(group, lane, tile)) * KEY_WORDS / 4u;
    var keys: Keys;
    for (var q = 0u; q < KEY_QUADS; q += 1u) { // unroll
        let quad = second_quad(first + q);
        keys[q * 4u] = quad.x;
        keys[q * 4u + 1u] = quad.y;
        keys[q * 4u + 2u] = quad.z;
        keys[q * 4u + 3u] = quad.w;
    }
    return keys;
}
