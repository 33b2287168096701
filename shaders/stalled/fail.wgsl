// What a walk does that got nowhere: it gives up, and the call ends without a result.

import package::single_pass::state::{Ticket};
import package::single_pass::walk::{Walk, WALK_FAILED};
import package::subgroup::{Group, Lane};

// Ends the walk. Any lanes, in flow that is uniform over the workgroup. No barrier.
fn on_stall(
    group: Group,
    lane: Lane,
    taken: Ticket,
    walk: ptr<function, Walk>,
    prefix: ptr<function, T>,
) {
    (*walk).outcome = WALK_FAILED;
}
