//! What the report is made of.

pub mod joined;
pub mod pictures;
pub mod tables;
