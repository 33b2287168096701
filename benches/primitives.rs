//! Every primitive against a copy shader on the same buffers, timed by turns by the device's own
//! clock: `cargo bench --bench primitives [-- OPTIONS] [N…]`; `--help` lists the options, and
//! README.md beside this file says what the columns mean. Results are verified first; a wrong one
//! is not timed and makes the run fail.

mod harness;
mod rows;
mod timing;

use std::rc::Rc;

use clap::Parser;
use harness::arrays::Workload;
use harness::cases::{self, Case};
use harness::contender::{Contender, may_be_left_out};
use harness::host;
use harness::machine;
use harness::options::{Common, Primitive};
use harness::session::Session;
use lookback::{Algorithm, Tuning};

/// Reduce and scan against a copy.
#[derive(Parser)]
struct Options {
    #[command(flatten)]
    common: Common,
    /// Only these parts.
    #[arg(long, value_enum, value_delimiter = ',')]
    part: Vec<Part>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Every primitive, operator and n.
    Sizes,
    /// Slices that start one item past an aligned place, against aligned ones.
    Placement,
    /// What calls cost the host.
    Host,
}

const LOCK: &str = include_str!("../Cargo.lock");

const SIZES: [u64; 13] = [
    1 << 10,
    1 << 12,
    1 << 14,
    1 << 16,
    1 << 18,
    1_000_003,
    1 << 20,
    1 << 22,
    1 << 24,
    (1 << 24) + 3,
    33_000_001,
    1 << 26,
    1 << 28,
];

const QUICK: [u64; 4] = [1 << 10, 1 << 16, 1_000_003, 1 << 20];

fn main() {
    let options = Options::parse();
    let Some(context) = timing::context() else { return };
    let wants = |part| options.part.is_empty() || options.part.contains(&part);
    let machine = machine::machine(&context, "cargo bench --bench primitives --", LOCK);
    let mut session = Session::new(&context, &options.common, "primitives", machine);
    if wants(Part::Sizes) {
        let sizes = options.common.sizes(&SIZES, &QUICK);
        timing::heading();
        for case in cases::all() {
            if options.common.wants_operator(&case.name()) {
                run(&mut session, &*case, &sizes);
            }
        }
    }
    if wants(Part::Placement) {
        session.bench = "placement";
        timing::heading();
        let n = if options.common.quick { 1 << 20 } else { 1 << 26 };
        for case in cases::all() {
            if case.name() == "sum-u32" {
                for first in [0, 1] {
                    place(&mut session, &*case, n, first);
                }
            }
        }
    }
    if wants(Part::Host) {
        session.bench = "host";
        host::run(&mut session);
    }
    session.finish();
}

/// The primitives over a case, made with the device's own tuning.
fn contenders(session: &mut Session, arrays: &Rc<dyn Workload>) -> Vec<Contender> {
    let tuning = Tuning::for_device(session.context.capabilities());
    let mut contenders = Vec::new();
    for primitive in session.options.primitives(&Primitive::REGULAR) {
        let algorithms = match primitive {
            Primitive::Reduce => vec![Algorithm::Auto],
            _ => session.options.algorithms(&[Algorithm::Auto]),
        };
        for algorithm in algorithms {
            match arrays.clone().contender(primitive, algorithm, &tuning) {
                Ok(contender) => contenders.push(contender),
                Err(error) if may_be_left_out(&error) => {
                    println!("{primitive}, {algorithm} left out: {error}");
                }
                Err(error) => session.fail(format!("{primitive}, {algorithm}: {error}")),
            }
        }
    }
    contenders
}

/// A case at all sizes.
fn run(session: &mut Session, case: &dyn Case, sizes: &[u64]) {
    let sizes = session.fitting(case, sizes);
    let Some(&most) = sizes.last() else { return };
    let Some(arrays) = session.arrays(case, most, 0) else { return };
    let contenders = contenders(session, &arrays);
    let contenders = session.verify(case, contenders, &sizes);
    for n in sizes {
        session.measure(case, &*arrays, &contenders, n);
    }
}

/// A case at one size, in slices that start `first` items past an aligned place.
fn place(session: &mut Session, case: &dyn Case, n: u64, first: u64) {
    let Some(&n) = session.fitting(case, &[n]).first() else { return };
    let Some(arrays) = session.arrays(case, n, first) else { return };
    let mut contenders = contenders(session, &arrays);
    for contender in &mut contenders {
        contender.label = format!(", offset by {first}");
    }
    let contenders = session.verify(case, contenders, &[n]);
    session.measure(case, &*arrays, &contenders, n);
}
