// Scan in a single pass: each workgroup takes a tile, publishes what it combines to, looks back
// for what stands before it, and writes its outputs. Each item is read and written once.
//
// Sources: Merrill & Garland 2016; Smith, Levien & Owens 2025.

import package::descriptor::{STATE_AGGREGATE, STATE_PREFIX, STATE_FAILED, descriptor_publish};
import package::look_back::{look_back};
import package::params::{params};
import package::single_pass::state::{state, STATE_STATUS, take_ticket, clean, state_carry};
import package::single_pass::walk::{Walk};
import package::stalled::{on_stall};
import package::subgroup::{Group, Lane};
import package::tile::{tile_load, tile_store};
import package::tile::layout::{tile_count};
import package::tile_scan::{tile_scan, tile_finish};
import package::workgroup::{WORKGROUP_SIZE};

@compute @workgroup_size(WORKGROUP_SIZE)
fn single_pass(group: Group, lane: Lane) {
    let n_tiles = tile_count();
    // More workgroups than tiles leave before they take one, so the last taker has the last tile.
    if (group.workgroup.y * params.workgroups + group.workgroup.x >= n_tiles) {
        return;
    }
    let taken = take_ticket(group, lane, n_tiles);
    clean(lane, taken, n_tiles);

    var items: array<T, ITEMS>;
    var row_prefix: array<T, ROWS>;
    tile_load(group, lane, taken.tile, &items);
    let totals = tile_scan(group, lane, &items, &row_prefix);
    if (lane.index == 0u && !is_stalled(taken.tile)) {
        descriptor_publish(taken.parity, taken.tile, STATE_AGGREGATE, totals.total);
    }
    var walk = Walk(taken.tile, 0u, 0u, false, false);
    var prefix = identity();
    while (!walk.done) {
        look_back(group, lane, taken.parity, &walk, &prefix);
        if (!walk.done) {
            on_stall(group, lane, taken, &walk, &prefix);
        }
    }
    if (walk.failed) {
        // No later tile waits for this one, and the host is told.
        if (lane.index == 0u) {
            descriptor_publish(taken.parity, taken.tile, STATE_FAILED, identity());
            atomicAdd(&state[STATE_STATUS], 1u);
        }
        return;
    }
    let inclusive = combine(prefix, totals.total);
    if (lane.index == 0u) {
        if (!is_stalled(taken.tile)) {
            descriptor_publish(taken.parity, taken.tile, STATE_PREFIX, inclusive);
        }
        if (taken.tile == n_tiles - 1u) {
            // What the next piece begins with.
            let words = acc_encode(leave(inclusive));
            for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
                atomicStore(&state[state_carry(true) + w], words[w]);
            }
        }
    }
    tile_finish(&items, &row_prefix, combine(prefix, totals.prefix));
    tile_store(group, lane, taken.tile, &items);
}

// Every n-th tile publishes nothing: for tests of what the others do then. 0 for none.
override STALL_EVERY: u32 = 0u;

fn is_stalled(tile: u32) -> bool {
    return STALL_EVERY != 0u && (tile + 1u) % max(STALL_EVERY, 1u) == 0u;
}
