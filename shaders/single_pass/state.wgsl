// The state of a single pass, which lives on the device from call to call and advances in
// execution order: no clear, no host counter. All of it is zero before the first call.
//
// There are two arrays of descriptors. A call publishes in one, which is all zero, and zeroes what
// the call before it published in the other. The last tile taken turns the two round.

import package::descriptor::{DESCRIPTOR_WORDS};
import package::params::{params};
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE};

@group(0) @binding(7) var<storage, read_write> state: array<atomic<u32>>;

// Word 0: tiles taken so far, and which array is published in, as the highest bit.
// Word 1: how many tiles have given up since the beginning.
// Words 2 and 3: words published in each array.
// Words 4 to 6: looks in vain, windows combined, tiles reduced for others, of calls that count.
// Words 8 to 39: what stands before a piece, and room for what stands before the next.
// The descriptors begin where a binding of their own may begin.
const STATE_CONTROL = 0u;
const STATE_STATUS = 1u;
const STATE_PUBLISHED = 2u;
const STATE_COUNTERS = 4u;
const STATE_CARRY = 8u;
const STATE_DESCRIPTORS = 64u;

// Words of each array.
const ARRAY_WORDS = 524288u;

const PARITY_BIT = 0x80000000u;

var<workgroup> ticket: u32;

// A tile of a workgroup's own, and the array that its call publishes in.
struct Ticket {
    tile: u32,
    parity: u32,
}

// Takes the next tile. Called by all lanes of the workgroup, in flow that is uniform over it, by
// as many workgroups as there are tiles. All lanes get the ticket, uniform over the workgroup.
// Barriers: those of one workgroupUniformLoad. Source: Merrill & Garland 2016; the dynamic ids of
// Yan, Long & Zhang 2013: a tile is taken only after all before it, whichever way the device
// numbers workgroups.
fn take_ticket(group: Group, lane: Lane, n_tiles: u32) -> Ticket {
    if (lane.index == 0u) {
        let control = atomicAdd(&state[STATE_CONTROL], 1u);
        if ((control & ~PARITY_BIT) == n_tiles - 1u) {
            // No one takes another one in this call.
            let parity = control >> 31u;
            atomicStore(&state[STATE_PUBLISHED + parity], n_tiles * DESCRIPTOR_WORDS);
            atomicStore(&state[STATE_CONTROL], (control & PARITY_BIT) ^ PARITY_BIT);
        }
        ticket = control;
    }
    let control = workgroupUniformLoad(&ticket);
    return Ticket(control & ~PARITY_BIT, control >> 31u);
}

// Zeroes this tile's share of what the call before published. Any lanes, each its own words.
fn clean(lane: Lane, taken: Ticket, n_tiles: u32) {
    let other = taken.parity ^ 1u;
    // Never past the array, whatever stands there.
    let n_words = min(atomicLoad(&state[STATE_PUBLISHED + other]), ARRAY_WORDS);
    let first = STATE_DESCRIPTORS + other * ARRAY_WORDS;
    let stride = n_tiles * WORKGROUP_SIZE;
    for (var w = taken.tile * WORKGROUP_SIZE + lane.index; w < n_words; w += stride) {
        atomicStore(&state[first + w], 0u);
    }
}

// What stands before the piece, or, of `next`, before the one after it. Any lane, any flow.
fn state_carry(next: bool) -> u32 {
    return STATE_CARRY + ((params.first_chunk + select(0u, 1u, next)) & 1u) * 16u;
}
