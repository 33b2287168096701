// Keys word by word.
//
// All files export: lane_keys, the keys of a lane's items; past the last item anything. Any lanes, any flow;
// some item exists.

import package::lane_keys::clamped::{Keys, clamped_keys};
import package::subgroup::{Group, Lane};

fn lane_keys(group: Group, lane: Lane, tile: u32) -> Keys {
    return clamped_keys(group, lane, tile);
}
