//! What the benches of primitives share: cases as data, their verification, and rows of results.
#![allow(dead_code, reason = "not every bench uses all of it")]

pub mod arrays;
pub mod cases;
pub mod compare;
pub mod contender;
pub mod host;
pub mod irregular;
pub mod machine;
pub mod options;
pub mod session;
