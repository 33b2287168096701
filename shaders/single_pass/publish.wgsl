// What a tile's own workgroup tells the others.

import package::descriptor::{descriptor_publish};
import package::single_pass::state::{Ticket};
import package::subgroup::{Group, Lane};
import package::workgroup::{workgroup_lane};

// Every n-th tile publishes nothing: for tests of what the others do then. 0 for none.
override STALL_EVERY: u32 = 0u;

// Publishes a descriptor of this workgroup's tile; the value is that of the workgroup's first lane
// in item order. Called as the descriptor's form asks for it.
fn publish(group: Group, lane: Lane, taken: Ticket, state: u32, value: T) {
    let stalled = STALL_EVERY != 0u && (taken.tile + 1u) % max(STALL_EVERY, 1u) == 0u;
    let first = workgroup_lane(group, lane) == 0u;
    descriptor_publish(first && !stalled, taken.parity, taken.tile, state, value);
}
