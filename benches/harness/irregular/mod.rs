//! Primitives whose outputs or inputs are divided by what the items are: compactions and their
//! kin, on u32.

pub mod arrays;
pub mod cases;
pub mod chain;
pub mod parts;
