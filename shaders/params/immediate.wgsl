// The parameters as immediates: in the commands of the pass, with no buffer.

import package::params::layout::{Params};

var<immediate> params: Params;
