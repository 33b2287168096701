// Where segments begin: at items with a flag, which are the second input. The export of
// segments/keys.wgsl.

import package::selection::{is_flagged};

fn begins(number: u32) -> bool {
    return (number == 0u) | is_flagged(number);
}
