//! The layers below the primitives: every function that a user's shader may import, over elements,
//! operators, choices and widths, each lane's result by name.

#[path = "../common/mod.rs"]
mod common;
mod elements;
mod harness;
#[path = "../common/pairwise.rs"]
mod pairwise;
mod races;
mod subgroup;
mod workgroup;
