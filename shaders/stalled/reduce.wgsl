// What a walk does that got nowhere: it reduces the tile it waits for by itself, offers the result
// to all, and goes on. So every workgroup can finish, whatever others do. The input must survive:
// a tile's own workgroup may overwrite it in place.
//
// Source: decoupled fallback, Smith, Levien & Owens 2025.

import package::descriptor::{descriptor_offer};
import package::held::{tile_reduce};
import package::single_pass::state::{Ticket};
import package::single_pass::walk::{Walk, WALK_FAILED, COUNT_REDUCED, walk_count};
import package::subgroup::{Group, Lane};

// Tiles that a walk may reduce for others; the host keeps their loops below a driver's budget.
override REDUCED_MAX: u32 = 256u;

// Combines tile `end - 1` and steps over it. Called by all lanes of the workgroup, in flow that is
// uniform over it. Barriers: those of tile_reduce and the descriptor's.
fn on_stall(
    group: Group,
    lane: Lane,
    taken: Ticket,
    walk: ptr<function, Walk>,
    prefix: ptr<function, T>,
) {
    // No walk stalls at the first tile; but no index may depend on that.
    if ((*walk).reduced >= REDUCED_MAX || (*walk).end == 0u) {
        (*walk).outcome = WALK_FAILED;
        return;
    }
    (*walk).reduced += 1u;
    (*walk).end -= 1u;
    walk_count(lane.index == 0u, COUNT_REDUCED);
    let total = tile_reduce(group, lane, (*walk).end);
    descriptor_offer(lane.index == 0u, taken.parity, (*walk).end, total);
    *prefix = combine(total, *prefix);
}
