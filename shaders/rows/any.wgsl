// The rows of a tile of any place and size. rows_load: as rows_load_clamped of rows/clamped.wgsl.
// row_left: what stands to the left of the lane's item of a row, which has this index; the item
// itself where it is the first of all. Any lane, any flow.

import package::held::{Held};
import package::neighbours::{item_left};
import package::rows::clamped::{rows_load_clamped};
import package::subgroup::{Group, Lane};

fn rows_load(group: Group, lane: Lane, tile: u32, held: ptr<function, Held>) {
    rows_load_clamped(group, lane, tile, held);
}

fn row_left(group: Group, lane: Lane, tile: u32, row: u32, index: u32) -> array<u32, IN_WORDS> {
    return item_left(index);
}
