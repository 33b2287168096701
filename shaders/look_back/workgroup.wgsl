// The walk back over the descriptors of earlier tiles, a window of lanes at a time: aggregates
// are combined until an inclusive prefix is met. The whole workgroup walks together, so it needs
// no subgroup operation of its own and no two lanes ever decide differently.
//
// Source: decoupled look-back, Merrill & Garland 2016.

import package::carry::{carry_in};
import package::descriptor::{descriptor_read};
import package::descriptor::state::{Descriptor, STATE_NOTHING, STATE_PREFIX, STATE_FAILED};
import package::single_pass::publish::{publish};
import package::single_pass::state::{Ticket};
import package::single_pass::walk::{
    Walk, WALK_GOES_ON, WALK_DONE, WALK_FAILED, WINDOW_LOOKS, COUNT_IN_VAIN, COUNT_WINDOWS,
    walk_patience, walk_count,
};
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE, workgroup_lane};
import package::workgroup_reduce::{workgroup_reduce};

// Descriptors that are looked at together: at most the lanes of a workgroup.
override WINDOW: u32 = 32u;

// The nearest place with a prefix, and the nearest with nothing or a failure, plus one.
var<workgroup> window_prefix: atomic<u32>;
var<workgroup> window_nothing: atomic<u32>;
var<workgroup> window_failed: atomic<u32>;
var<workgroup> window_found: vec3<u32>;

// Walks until a prefix is met, or until the walk has lost its patience with tile `end - 1`. Called
// by all lanes of the workgroup, in flow that is uniform over it; the walk is uniform over it, the
// prefix the same in all lanes. Barriers: 4 a look, those of workgroup_reduce and the descriptor's.
fn look_back(
    group: Group,
    lane: Lane,
    taken: Ticket,
    total: T,
    walk: ptr<function, Walk>,
    prefix: ptr<function, T>,
) {
    let place = workgroup_lane(group, lane);
    // 1 for the nearest tile. Lanes outside the window look at nothing.
    let behind = WORKGROUP_SIZE - place;
    var patience = walk_patience(*walk);
    // At the first tile one look more always meets the carry: no one is waited for.
    while ((*walk).outcome == WALK_GOES_ON && (patience != 0u || (*walk).end == 0u)) {
        if (lane.index == 0u) {
            atomicStore(&window_prefix, 0u);
            atomicStore(&window_nothing, 0u);
            atomicStore(&window_failed, 0u);
        }
        workgroupBarrier();
        let looks = behind <= WINDOW && behind <= (*walk).end;
        var seen = descriptor_read(taken.parity, (*walk).end - min(behind, (*walk).end), looks);
        if (behind <= WINDOW) {
            if (behind > (*walk).end) {
                // Before the first tile stands the carry; further left nothing is ever needed.
                seen = Descriptor(STATE_PREFIX, identity());
                if (behind == (*walk).end + 1u) {
                    seen.value = carry_in(0u);
                }
            }
            if (seen.state == STATE_PREFIX) {
                atomicMax(&window_prefix, place + 1u);
            } else if (seen.state == STATE_NOTHING) {
                atomicMax(&window_nothing, place + 1u);
            } else if (seen.state == STATE_FAILED) {
                atomicMax(&window_failed, place + 1u);
            }
        }
        workgroupBarrier();
        if (lane.index == 0u) {
            window_found = vec3<u32>(
                atomicLoad(&window_prefix),
                max(atomicLoad(&window_nothing), WORKGROUP_SIZE - min(WINDOW, WORKGROUP_SIZE)),
                atomicLoad(&window_failed),
            );
        }
        let found = workgroupUniformLoad(&window_found);
        let met = found.x > max(found.y, found.z);
        let first = select(max(found.y, found.z), found.x - 1u, met);
        if (first < WORKGROUP_SIZE) {
            var value = identity();
            if (place >= first) {
                value = seen.value;
            }
            *prefix = combine(workgroup_reduce(group, lane, value), *prefix);
            (*walk).end -= min(WORKGROUP_SIZE - first, (*walk).end);
            (*walk).outcome = select(WALK_GOES_ON, WALK_DONE, met);
            patience -= min(patience, WINDOW_LOOKS);
        } else {
            (*walk).outcome = select(WALK_GOES_ON, WALK_FAILED, found.z == WORKGROUP_SIZE);
            patience -= min(patience, 1u);
        }
        walk_count(lane.index == 0u, select(COUNT_IN_VAIN, COUNT_WINDOWS, first < WORKGROUP_SIZE));
    }
    if ((*walk).outcome == WALK_DONE) {
        publish(group, lane, taken, STATE_PREFIX, combine(*prefix, total));
    }
}
