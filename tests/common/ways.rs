//! The ways in which primitives with a payload are computed.
#![allow(dead_code, reason = "not every test binary uses all of it")]

use lookback::{Algorithm, Call, Context, Descriptor, Error, Tuning};

use crate::common;

/// An algorithm, with a form of descriptors if it is a single pass.
pub type Way = (Algorithm, Option<Descriptor>);

/// Algorithms and forms; `tests/single_pass` has every pair of them.
pub const WAYS: [Way; 5] = [
    (Algorithm::ReduceThenScan, None),
    (Algorithm::Chained, Some(Descriptor::Split32)),
    (Algorithm::LookBack, Some(Descriptor::Fenced)),
    (Algorithm::Fallback, Some(Descriptor::Packed64)),
    (Algorithm::Fallback, Some(Descriptor::Split32)),
];

/// A primitive by a way; `None`, with the reason printed, for what the device does not have.
pub fn by_way<P>(
    (algorithm, descriptor): Way,
    tuning: &Tuning,
    make: impl FnOnce(Algorithm, &Tuning) -> Result<P, Error>,
) -> Option<P> {
    match make(algorithm, &Tuning { descriptor, ..*tuning }) {
        Ok(primitive) => Some(primitive),
        Err(Error::Feature { what, wanted }) => {
            println!("skipped: {what} needs {wanted:?}");
            None
        }
        Err(Error::Length { what, wanted, got }) if descriptor.is_some() => {
            println!("skipped: {what}: {wanted}, got {got}");
            None
        }
        Err(error) => panic!("{algorithm} {descriptor:?}: {error}"),
    }
}

/// Whether a call has a result; one by an algorithm that may give up is asked again.
pub fn done((algorithm, _): Way, call: &Call<'_>) -> bool {
    let may_give_up = matches!(algorithm, Algorithm::Chained | Algorithm::LookBack);
    for _ in 0..if may_give_up { 5 } else { 1 } {
        match call.dispatch().unwrap().check() {
            Ok(()) => return true,
            Err(Error::Stalled) if may_give_up => {}
            Err(error) => panic!("{algorithm}: {error}"),
        }
    }
    false
}

/// A context with a state of its own.
pub fn own() -> Option<Context> {
    common::context().map(|context| common::pretend(context, |_| {}))
}
