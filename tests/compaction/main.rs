//! Primitives that write some of the items: select, partition, unique, runs. The property set, cases,
//! what they refuse, and chains of them with counts that never leave the device.

mod arguments;
mod cases;
#[path = "../common/mod.rs"]
mod common;
mod elements;
#[path = "../common/pairwise.rs"]
mod pairwise;
mod property;
mod refuses;
#[path = "../common/slices.rs"]
mod slices;
#[path = "../common/ways.rs"]
mod ways;

pub use ways::{WAYS, Way, by_way, done, own};
