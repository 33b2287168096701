// A tile's walk back, and what bounds it.

import package::single_pass::state::{state, STATE_COUNTERS};

// Few words: on the H200 each register beside a lane's items counts.
struct Walk {
    // What tiles `end` to the workgroup's own combine to is known.
    end: u32,
    // Tiles reduced for others.
    reduced: u32,
    outcome: u32,
}

const WALK_GOES_ON = 0u;
// A prefix was met.
const WALK_DONE = 1u;
// Another tile has given up, or this one does.
const WALK_FAILED = 2u;

// Looks until a walk counts as stalled, where a window that is combined counts for WINDOW_LOOKS:
// it loops some 8 times. After a stall a walk has less patience. lavapipe ends all loops after
// 65,535 trips of a lane; with these and the tiles that the host lets a walk reduce for others, and
// the cleaning of the state by 16 lanes or more, they stay below.
override PATIENCE: u32 = 8192u;
const WINDOW_LOOKS = 8u;
const PATIENCE_AFTER = 64u;

fn walk_patience(walk: Walk) -> u32 {
    return select(PATIENCE_AFTER, PATIENCE, walk.reduced == 0u);
}

// Whether walks are counted in the state.
override COUNTING: bool = false;

const COUNT_IN_VAIN = 0u;
const COUNT_WINDOWS = 1u;
const COUNT_REDUCED = 2u;

// Counts a look, a window or a tile, if asked for, in the one lane that `counts`. Called in any
// flow, which it does not part.
fn walk_count(counts: bool, what: u32) {
    if (COUNTING) {
        atomicAdd(&state[STATE_COUNTERS + what], select(0u, 1u, counts));
    }
}
