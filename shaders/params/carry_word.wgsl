// The words of the parameters' `carry` by number.

import package::params::{params};

// Word `which` of 20. Any lane, any flow. Compilers know `which`, so one quad of the five is read.
fn carry_word(which: u32) -> u32 {
    var quad = params.carry_0;
    quad = select(quad, params.carry_1, which >= 4u);
    quad = select(quad, params.carry_2, which >= 8u);
    quad = select(quad, params.carry_3, which >= 12u);
    quad = select(quad, params.carry_4, which >= 16u);
    return quad[which % 4u];
}
