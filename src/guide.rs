//! How the look-back of a single pass works, why forward progress matters, what each form of
//! descriptors promises, and what WGSL's memory model does and does not give.
//!
//! In code: [`Algorithm`](crate::Algorithm), [`Descriptor`](crate::Descriptor),
//! [`Dispatched::check`](crate::Dispatched::check), [`Scan::status`](crate::Scan::status),
//! [`Scan::choice`](crate::Scan::choice), [`Context::self_test`](crate::Context::self_test).
//!
#![doc = include_str!("../docs/look_back.svg")]
//!
// The page shows the picture by its file, which the documentation does not have beside it. The first
// definition of a link counts: here the page's own picture is a transparent dot.
//! [picture]: data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==
//!
#![doc = include_str!("../docs/look_back.md")]
