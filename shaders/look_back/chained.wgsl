// The wait for the inclusive prefix of the tile before: one descriptor, no aggregates. The exports
// of look_back/window.wgsl.
//
// Source: chained scan, as in StreamScan (Yan, Long & Zhang 2013).

import package::carry::{carry_in};
import package::descriptor::{STATE_PREFIX, STATE_FAILED, descriptor_read};
import package::single_pass::walk::{Walk};
import package::subgroup::{Group, Lane};

// Looks in a row that may find nothing new. Far below the loop budget of any driver.
const LOOKS = 4096u;

var<workgroup> chained_state: u32;
var<workgroup> chained_value: T;

// Waits until the prefix of tile `end - 1` is met, or LOOKS looks found none. Called by all lanes
// of the workgroup, in flow that is uniform over it; the walk is uniform over it, the prefix the
// same in all lanes. Barriers: 2 a look.
fn look_back(
    group: Group,
    lane: Lane,
    parity: u32,
    walk: ptr<function, Walk>,
    prefix: ptr<function, T>,
) {
    if ((*walk).end == 0u) {
        *prefix = combine(carry_in(0u), *prefix);
        (*walk).done = true;
    }
    for (var looks = 0u; looks < LOOKS && !(*walk).done; looks += 1u) {
        if (lane.index == 0u) {
            let seen = descriptor_read(parity, (*walk).end - 1u);
            chained_state = seen.state;
            chained_value = seen.value;
        }
        let seen = workgroupUniformLoad(&chained_state);
        (*walk).failed = seen == STATE_FAILED;
        (*walk).done = seen == STATE_PREFIX || seen == STATE_FAILED;
        if (seen == STATE_PREFIX) {
            *prefix = combine(chained_value, *prefix);
        }
    }
}
