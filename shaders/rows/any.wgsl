// The rows of a tile of any place and size. rows_load: as rows_load_clamped of rows/clamped.wgsl.

import package::held::{Held};
import package::rows::clamped::{rows_load_clamped};
import package::subgroup::{Group, Lane};

fn rows_load(group: Group, lane: Lane, tile: u32, held: ptr<function, Held>) {
    rows_load_clamped(group, lane, tile, held);
}
