//! Device-wide parallel primitives.
