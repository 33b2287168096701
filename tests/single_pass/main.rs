//! Scans by every algorithm, most of all in a single pass: the property set, repetitions, stalls,
//! the state between calls, lesser devices, the choice of an algorithm.
//!
//! With `LOOKBACK_FULL=1` the property set is the whole product, which is resumable: rows that a
//! driver has passed are kept in `target/tmp/full-DRIVER.txt` and not run again; and
//! `LOOKBACK_ALGORITHM=NAME` takes one algorithm only. Repetitions are then 500 of 2^20 items and
//! 50 of 2^24.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/pairwise.rs"]
mod pairwise;

use std::sync::{Mutex, MutexGuard, PoisonError};

mod cases;
mod choice;
mod devices;
mod elements;
mod parameters;
mod property;
mod repeat;
mod stalls;
mod state;

use common::operators;
use lookback::{
    Algorithm, Context, Descriptor, Element, Error, GpuSlice, Kind, Operator, Scan, Tuning,
    reference,
};

/// An algorithm, with a form of descriptors if it is a single pass.
pub type Way = (Algorithm, Option<Descriptor>);

const FORMS: [Descriptor; 3] = [Descriptor::Packed64, Descriptor::Split32, Descriptor::Fenced];

/// Every algorithm in every form.
fn ways() -> Vec<Way> {
    let whole = [Algorithm::ScanThenPropagate, Algorithm::ReduceThenScan].map(|way| (way, None));
    whole.into_iter().chain(single_passes()).collect()
}

/// Every single pass in every form.
fn single_passes() -> Vec<Way> {
    let single = [Algorithm::Chained, Algorithm::LookBack, Algorithm::Fallback];
    single.iter().flat_map(|way| FORMS.map(|form| (*way, Some(form)))).collect()
}

/// Whether this run is the full one.
fn is_full() -> bool {
    std::env::var("LOOKBACK_FULL").is_ok_and(|value| value == "1")
}

/// A context with a state of its own, and the device for itself: tests that wait for its queue behind
/// one another would measure that.
struct Own {
    context: Context,
    _turn: MutexGuard<'static, ()>,
}

impl std::ops::Deref for Own {
    type Target = Context;
    fn deref(&self) -> &Context {
        &self.context
    }
}

fn own() -> Option<Own> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    common::context().map(|context| Own { context: common::pretend(context, |_| {}), _turn: turn })
}

/// A scan by a way; `None`, with the reason printed, for a form that the device does not have.
fn scan_by<I: Element, A: Element, O: Element>(
    context: &Context,
    operator: &Operator<I, A, O>,
    kind: Kind,
    (algorithm, descriptor): Way,
    tuning: &Tuning,
) -> Option<Scan<I, A, O>> {
    let tuning = Tuning { descriptor, ..*tuning };
    match Scan::with_algorithm(context, operator, kind, algorithm, &tuning) {
        Ok(scan) => Some(scan),
        Err(Error::Feature { what, wanted }) => {
            let capabilities = context.capabilities();
            let has = match descriptor {
                Some(Descriptor::Packed64) => capabilities.atomics_64,
                Some(Descriptor::Fenced) => capabilities.coherent_memory,
                _ => true,
            };
            assert!(!has, "{what} was refused on a device that has {wanted:?}");
            println!("skipped: {what} needs {wanted:?}");
            None
        }
        Err(error) => panic!("{operator:?} {algorithm} {descriptor:?}: {error}"),
    }
}

/// The output of a call on slices; `None` for a single pass that gave up, which fallback never
/// does.
fn checked<I: Element, A: Element, O: Element>(
    context: &Context,
    scan: &Scan<I, A, O>,
    (algorithm, _): Way,
    input: &GpuSlice<I>,
    output: &GpuSlice<O>,
) -> Option<Vec<O>> {
    match scan.dispatch(input, output).unwrap().check() {
        Ok(()) => Some(context.download(output).unwrap()),
        Err(Error::Stalled) if may_give_up(algorithm) => None,
        Err(error) => panic!("{algorithm}: {error}"),
    }
}

/// [`checked`], asked again where it gives up: of a few tiles no driver makes it give up each time.
fn insisted<I: Element, A: Element, O: Element>(
    context: &Context,
    scan: &Scan<I, A, O>,
    way: Way,
    input: &GpuSlice<I>,
    output: &GpuSlice<O>,
) -> Vec<O> {
    let got = (0..10).find_map(|_| checked(context, scan, way, input, output));
    got.unwrap_or_else(|| panic!("{way:?} gave up 10 times of {} items", input.len()))
}

fn may_give_up(algorithm: Algorithm) -> bool {
    matches!(algorithm, Algorithm::Chained | Algorithm::LookBack)
}
