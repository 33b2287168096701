// The accumulator to the left of a chunk when one workgroup handles all tiles: the call's
// initial value, or the identity.

import package::params::{params};

// Any lane, any flow; uniform.
fn carry_in(chunk: u32) -> T {
    if (params.has_carry == 0u) {
        return identity();
    }
    return params_carry();
}
