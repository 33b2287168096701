//! Scans by key and within segments, reductions by key and of segments: the property set, cases, and what
//! they refuse.

mod cases;
#[path = "../common/mod.rs"]
mod common;
mod drivers;
#[path = "../common/pairwise.rs"]
mod pairwise;
mod property;
mod refuses;
mod segmented;
#[path = "../common/slices.rs"]
mod slices;
mod starts;
#[path = "../common/ways.rs"]
mod ways;
