// What a walk does that got nowhere: it reduces the tile it waits for by itself, offers the result
// to all, and goes on. So every workgroup can finish, whatever others do. The input must survive:
// a tile's own workgroup may overwrite it in place.
//
// Source: decoupled fallback, Smith, Levien & Owens 2025.

import package::descriptor::{descriptor_offer};
import package::single_pass::state::{Ticket, state, STATE_REDUCED};
import package::single_pass::walk::{Walk};
import package::subgroup::{Group, Lane};
import package::tile::{tile_load};
import package::tile_scan::{tile_scan};

// Tiles that a walk may reduce for others: past these something else is wrong.
const REDUCED_MAX = 512u;

// Combines tile `end - 1` and steps over it. Called by all lanes of the workgroup, in flow that is
// uniform over it. Barriers: those of tile_scan, which the tile's own workgroup calls too, so that
// both find the same bits.
fn on_stall(
    group: Group,
    lane: Lane,
    taken: Ticket,
    walk: ptr<function, Walk>,
    prefix: ptr<function, T>,
) {
    if ((*walk).reduced == REDUCED_MAX) {
        (*walk).failed = true;
        (*walk).done = true;
        return;
    }
    (*walk).reduced += 1u;
    let tile = (*walk).end - 1u;
    var items: array<T, ITEMS>;
    var row_prefix: array<T, ROWS>;
    tile_load(group, lane, tile, &items);
    let total = tile_scan(group, lane, &items, &row_prefix).total;
    if (lane.index == 0u) {
        descriptor_offer(taken.parity, tile, total);
        atomicAdd(&state[STATE_REDUCED], 1u);
    }
    *prefix = combine(total, *prefix);
    (*walk).end = tile;
}
