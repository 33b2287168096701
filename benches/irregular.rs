//! Compactions, and what else is divided by what the items are, against a copy shader, as
//! `primitives` measures reductions and scans: `cargo bench --bench irregular [-- OPTIONS] [N…]`.
//! Results are verified first; a wrong one is not timed and makes the run fail.

mod harness;
mod rows;
mod timing;

use std::rc::Rc;

use clap::Parser;
use harness::cases::Subject;
use harness::contender::{Contender, may_be_left_out};
use harness::irregular::arrays::{Arrays, Plan, PlanRun};
use harness::irregular::cases::{self, Irregular};
use harness::irregular::chain::{self, Chain, Chained};
use harness::machine;
use harness::options::{Common, Pair, Primitive};
use harness::session::Session;
use lookback::{Algorithm, Error, Shape, Tuning};

/// Compactions against a copy.
#[derive(Parser)]
struct Options {
    #[command(flatten)]
    common: Common,
    /// Only these parts.
    #[arg(long, value_enum, value_delimiter = ',')]
    part: Vec<Part>,
    /// Shapes of single passes to try: LANESxWORDS; by default as the device's tuning says.
    #[arg(long, value_delimiter = ',')]
    shapes: Vec<Pair>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Every primitive, case and n.
    Sizes,
    /// Five primitives in one encoder, against each of them alone.
    Chain,
}

const LOCK: &str = include_str!("../Cargo.lock");

const SIZES: [u64; 5] = [1 << 16, 1 << 20, 1 << 24, 1 << 26, 1 << 28];

const QUICK: [u64; 3] = [1 << 16, 1_000_003, 1 << 20];

fn main() {
    let options = Options::parse();
    let Some(context) = timing::context() else { return };
    let wants = |part| options.part.is_empty() || options.part.contains(&part);
    let machine = machine::machine(&context, "cargo bench --bench irregular --", LOCK);
    let mut session = Session::new(&context, &options.common, "irregular", machine);
    let sizes = options.common.sizes(&SIZES, &QUICK);
    timing::heading();
    if wants(Part::Sizes) {
        for case in cases::all() {
            let common = &options.common;
            if common.wants_operator(&case.name()) && common.wants_primitive(case.primitive) {
                run(&mut session, &case, &options.shapes, &sizes);
            }
        }
    }
    if wants(Part::Chain) && options.common.wants_primitive(Primitive::Chain) {
        session.bench = "chain";
        for n in session.fitting(&Chained, &sizes) {
            run_chain(&mut session, n);
        }
    }
    session.finish();
}

/// A case at all sizes.
fn run(session: &mut Session, case: &Irregular, shapes: &[Pair], sizes: &[u64]) {
    let mut plans: Vec<(Algorithm, Option<Shape>, Rc<dyn Plan>)> = Vec::new();
    let own = Tuning::for_device(session.context.capabilities());
    let mut tunings = vec![(None, own)];
    if !shapes.is_empty() {
        let tuning = |pair: &Pair| pair.tuning(&own);
        tunings = shapes.iter().map(tuning).map(|(shape, tuning)| (Some(shape), tuning)).collect();
    }
    for algorithm in session.options.algorithms(&[Algorithm::Auto]) {
        for (shape, tuning) in &tunings {
            let plan = (case.plan)(&session.context, algorithm, tuning);
            let name = || format!("{} {}, {algorithm}", case.name(), case.primitive);
            plans.extend(made(session, name, plan).map(|plan| (algorithm, *shape, plan)));
        }
    }
    for n in session.fitting(case, sizes) {
        let arrays = Arrays::new(&session.context, case, n);
        let name = || format!("{} {}, n = {n}", case.name(), case.primitive);
        let Some(arrays) = made(session, name, arrays).map(Rc::new) else { continue };
        let contender = |(algorithm, shape, plan): &(Algorithm, Option<Shape>, Rc<dyn Plan>)| {
            let contender = PlanRun::contender(case, *algorithm, plan.clone(), arrays.clone());
            Contender { shape: *shape, ..contender }
        };
        let contenders = plans.iter().map(contender).collect();
        let contenders = session.verify(case, contenders, &[n]);
        session.measure(case, &*arrays, &contenders, n);
    }
}

/// The chain and its parts, by turns.
fn run_chain(session: &mut Session, n: u64) {
    for algorithm in session.options.algorithms(&[Algorithm::Auto]) {
        let chain = Chain::new(&session.context, algorithm, n);
        let name = || format!("chain, {algorithm}, n = {n}");
        let Some(chain) = made(session, name, chain).map(Rc::new) else { continue };
        let all = chain::contenders(&chain, algorithm);
        let count = all.len();
        let contenders = session.verify(&Chained, all, &[n]);
        if contenders.len() == count {
            let timed = session.measure(&Chained, &*chain, &contenders, n);
            let parts: f64 = timed[1..].iter().map(|timed| timed.own.median).sum();
            println!(
                "{} | the chain / the sum of its parts: {:.2}",
                n,
                timed[0].own.median / parts
            );
        }
    }
}

/// What was made; a failure, or a line of what is left out, without.
fn made<T>(session: &mut Session, name: impl Fn() -> String, made: Result<T, Error>) -> Option<T> {
    match made {
        Ok(made) => return Some(made),
        Err(error) if may_be_left_out(&error) => println!("{} left out: {error}", name()),
        Err(error) => session.fail(format!("{}: {error}", name())),
    }
    None
}
