// The wait for the inclusive prefix of the tile before: one descriptor, no aggregates. The exports
// of look_back/workgroup.wgsl.
//
// Source: chained scan, as in StreamScan (Yan, Long & Zhang 2013).

import package::carry::{carry_in};
import package::descriptor::{descriptor_read};
import package::descriptor::state::{STATE_PREFIX, STATE_FAILED};
import package::single_pass::publish::{publish};
import package::single_pass::state::{Ticket};
import package::single_pass::walk::{
    Walk, WALK_GOES_ON, WALK_DONE, WALK_FAILED, COUNT_IN_VAIN, COUNT_WINDOWS,
    walk_patience, walk_count,
};
import package::subgroup::{Group, Lane};

var<workgroup> chained_state: u32;
var<workgroup> chained_value: T;

// Waits until the prefix of tile `end - 1` is met, or for as many looks as the walk's patience
// lasts. Called by all lanes of the workgroup, in flow that is uniform over it; the walk is uniform
// over it, the prefix the same in all lanes. Barriers: 2 a look, and the descriptor's.
fn look_back(
    group: Group,
    lane: Lane,
    taken: Ticket,
    total: T,
    walk: ptr<function, Walk>,
    prefix: ptr<function, T>,
) {
    if ((*walk).end == 0u) {
        *prefix = combine(carry_in(0u), *prefix);
        (*walk).outcome = WALK_DONE;
    }
    var patience = walk_patience(*walk);
    while (patience != 0u && (*walk).outcome == WALK_GOES_ON) {
        patience -= 1u;
        let seen = descriptor_read(taken.parity, max((*walk).end, 1u) - 1u, lane.index == 0u);
        if (lane.index == 0u) {
            chained_state = seen.state;
            chained_value = seen.value;
        }
        let state = workgroupUniformLoad(&chained_state);
        if (state == STATE_FAILED) {
            (*walk).outcome = WALK_FAILED;
        } else if (state == STATE_PREFIX) {
            *prefix = combine(chained_value, *prefix);
            (*walk).outcome = WALK_DONE;
        }
        walk_count(lane.index == 0u, select(COUNT_IN_VAIN, COUNT_WINDOWS, state == STATE_PREFIX));
    }
    if ((*walk).outcome == WALK_DONE) {
        publish(group, lane, taken, STATE_PREFIX, combine(*prefix, total));
    }
}
