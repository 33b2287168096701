// Tiles through 16-byte accesses, all of whose items exist: the last, partly filled tile takes a
// pass of its own. For drivers that run both sides of a branch for all lanes, as those on CPUs do:
// there is none. Both slices must start at a multiple of 4 words of their binding.
//
// tile_load, row_load, tile_store: as in tile/vector.wgsl.

import package::subgroup::{Group, Lane};
import package::tile::quads::{quads_tile_load, quads_row_load, quads_tile_store};

fn tile_load(group: Group, lane: Lane, tile: u32, items: ptr<function, Items>) {
    quads_tile_load(group, lane, tile, items);
}

fn row_load(group: Group, lane: Lane, tile: u32, row: u32, items: ptr<function, array<T, GROUP>>) {
    *items = quads_row_load(group, lane, tile, row);
}

fn tile_store(group: Group, lane: Lane, tile: u32, items: ptr<function, Items>) {
    quads_tile_store(group, lane, tile, items);
}
