// The parameters as a uniform: a fresh buffer for each recorded call. Every device has it.

import package::params::layout::{Params};

@group(0) @binding(0) var<uniform> params: Params;
