#![allow(missing_docs)] // A test binary has no interface.

//! The tool as its users meet it: a process with arguments, files, two streams and an exit code.

mod compacts;
mod computes;
mod harness;
mod keys;
mod refuses;
