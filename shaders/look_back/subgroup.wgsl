// The walk back over the descriptors of earlier tiles, a window of one subgroup's lanes at a time:
// aggregates are combined until an inclusive prefix is met. The workgroup's first subgroup walks,
// the others wait. The exports of look_back/workgroup.wgsl.
//
// Where only some of a workgroup's subgroups are, Vulkan does not promise that lanes which took
// different ways come together again before the next subgroup call. So until the walk is over no
// lane takes a way of its own, and operators whose text has branches are left to
// look_back/workgroup.wgsl. Nor is a window combined by a builtin: on an H200 (driver 580.159.04)
// subgroupMin and subgroupMax lost what lanes brought here, in kernels of 512 lanes with the code of
// the fallback, every time; the ladder never did.
//
// Source: decoupled look-back, Merrill & Garland 2016.

import package::carry::{carry_in};
import package::descriptor::{descriptor_read};
import package::descriptor::state::{STATE_NOTHING, STATE_PREFIX, STATE_FAILED};
import package::single_pass::publish::{publish};
import package::single_pass::state::{Ticket};
import package::single_pass::walk::{
    Walk, WALK_GOES_ON, WALK_DONE, WALK_FAILED, WINDOW_LOOKS, COUNT_IN_VAIN, COUNT_WINDOWS,
    walk_patience, walk_count,
};
import package::subgroup::{Group, Lane, subgroup_width, subgroup_lane, subgroup_rank};
import package::subgroup::partition::{reduce_within};
import package::vote::{ballot};
import package::vote::lanes::{lanes_end};

var<workgroup> walked: Walk;
var<workgroup> walked_prefix: T;

// Walks until a prefix is met, or until the walk has lost its patience with tile `end - 1`. Called
// by all lanes of the workgroup, in flow that is uniform over it; the walk is uniform over it, the
// prefix the same in all lanes; `total` need be the tile's in the first lane only. Barriers: those
// of one workgroupUniformLoad; one must stand before the next call.
fn look_back(
    group: Group,
    lane: Lane,
    taken: Ticket,
    total: T,
    walk: ptr<function, Walk>,
    prefix: ptr<function, T>,
) {
    if (subgroup_rank(lane) == 0u) {
        let place = subgroup_lane(lane);
        let width = subgroup_width(group);
        // 1 for the nearest tile.
        let behind = width - place;
        var now = *walk;
        var before = *prefix;
        var patience = walk_patience(now);
        // At the first tile one look more always meets the carry: no one is waited for.
        // It ends by what ballots found, which is the same in all lanes of the subgroup.
        while ((now.outcome == WALK_GOES_ON) & ((patience != 0u) | (now.end == 0u))) {
            // Before the first tile stands the carry; further left nothing is ever needed.
            let exists = behind <= now.end;
            let seen = descriptor_read(taken.parity, now.end - min(behind, now.end), true);
            let state = select(STATE_PREFIX, seen.state, exists);
            let failed = state == STATE_FAILED;
            let met_end = lanes_end(ballot(group, lane, state == STATE_PREFIX));
            let blocked_end = lanes_end(ballot(group, lane, failed | (state == STATE_NOTHING)));
            let next_failed = lanes_end(ballot(group, lane, failed & (behind == 1u)));
            let met = met_end > blocked_end;
            let first = select(blocked_end, met_end - 1u, met);
            if (first < width) {
                let left = either(behind == now.end + 1u, carry_in(0u), identity());
                let value = either(place >= first, either(exists, seen.value, left), identity());
                // The first lane has the window's combination, and is the only one that needs it.
                before = combine(reduce_within(group, lane, value, width), before);
                now.end -= min(width - first, now.end);
                now.outcome = select(WALK_GOES_ON, WALK_DONE, met);
                patience -= min(patience, WINDOW_LOOKS);
            } else {
                now.outcome = select(WALK_GOES_ON, WALK_FAILED, next_failed != 0u);
                patience -= min(patience, 1u);
            }
            walk_count(place == 0u, select(COUNT_IN_VAIN, COUNT_WINDOWS, first < width));
        }
        if (now.outcome == WALK_DONE) {
            // Before the others go on: later tiles wait for it.
            publish(group, lane, taken, STATE_PREFIX, combine(before, total));
        }
        if (place == 0u) {
            walked = now;
            walked_prefix = before;
        }
    }
    *walk = workgroupUniformLoad(&walked);
    *prefix = walked_prefix;
}
