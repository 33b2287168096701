// Scan in a single pass: each workgroup takes a tile, publishes what it combines to, looks back
// for what stands before it, and writes its outputs. Each item is read and written once.
//
// Sources: Merrill & Garland 2016; Smith, Levien & Owens 2025.

import package::carry::{carry_in};
import package::descriptor::state::{STATE_AGGREGATE, STATE_FAILED};
import package::held::{Held, tile_begin, tile_stage, tile_end};
import package::look_back::{look_back};
import package::params::{params};
import package::payload::{end_out};
import package::single_pass::publish::{publish};
import package::single_pass::state::{state, STATE_STATUS, take_ticket, clean, state_carry};
import package::single_pass::walk::{Walk, WALK_GOES_ON, WALK_FAILED};
import package::stalled::{on_stall};
import package::subgroup::{Group, Lane};
import package::tile::layout::{tile_count};
import package::workgroup::{WORKGROUP_SIZE};

@compute @workgroup_size(WORKGROUP_SIZE)
fn single_pass(group: Group, lane: Lane) {
    let n_tiles = tile_count();
    // More workgroups than tiles leave before they take one, so the last taker has the last tile.
    let number = group.workgroup.y * params.workgroups + group.workgroup.x;
    if (number >= n_tiles) {
        if (n_tiles == 0u && number == 0u && lane.index == 0u) {
            end_out(carry_in(0u));
        }
        return;
    }
    let taken = take_ticket(group, lane, n_tiles);
    var held: Held;
    let totals = tile_begin(group, lane, taken.tile, &held);
    publish(group, lane, taken, STATE_AGGREGATE, totals.total);
    // What waits for no other tile, while they may still be at work. No load of an item waits for it either.
    clean(lane, taken, n_tiles);
    tile_stage(lane, &held);
    var walk = Walk(taken.tile, 0u, WALK_GOES_ON);
    var prefix = identity();
    while (walk.outcome == WALK_GOES_ON) {
        look_back(group, lane, taken, totals.total, &walk, &prefix);
        if (walk.outcome == WALK_GOES_ON) {
            on_stall(group, lane, taken, &walk, &prefix);
        }
    }
    if (walk.outcome == WALK_FAILED) {
        // No later tile waits for this one, and the host is told.
        publish(group, lane, taken, STATE_FAILED, identity());
        if (lane.index == 0u) {
            atomicAdd(&state[STATE_STATUS], 1u);
        }
        return;
    }
    if (lane.index == 0u && taken.tile == n_tiles - 1u) {
        // What the next piece begins with.
        let total = combine(prefix, totals.total);
        let words = to_words(total);
        for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
            atomicStore(&state[state_carry(true) + w], words[w]);
        }
        end_out(total);
    }
    tile_end(group, lane, taken.tile, &held, combine(prefix, totals.prefix));
}
