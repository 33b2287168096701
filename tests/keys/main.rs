//! Scans by key and within segments, and reductions by key: the property set, cases, and what they
//! refuse.

mod cases;
#[path = "../common/mod.rs"]
mod common;
mod drivers;
#[path = "../common/pairwise.rs"]
mod pairwise;
mod property;
mod refuses;
#[path = "../common/slices.rs"]
mod slices;
mod starts;
#[path = "../common/ways.rs"]
mod ways;
