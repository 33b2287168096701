//! Tries shapes of single passes (lanes of a workgroup x words of a lane) and prints the best for
//! each n as rows of `src/tuning.rs`: `cargo bench --bench tune [-- OPTIONS] [N…]`. Results are
//! verified first.

mod harness;
mod rows;
mod timing;

use std::rc::Rc;
use std::str::FromStr;

use clap::Parser;
use harness::arrays::Workload;
use harness::cases::{self, Case};
use harness::contender::{Contender, may_be_left_out};
use harness::machine;
use harness::options::{Common, Primitive};
use harness::session::Session;
use lookback::{Algorithm, Descriptor, Shape, Tuning};
use timing::Timed;

/// Shapes of single passes.
#[derive(Parser)]
struct Options {
    #[command(flatten)]
    common: Common,
    /// The shapes to try: LANESxWORDS.
    #[arg(long, value_delimiter = ',')]
    shapes: Vec<Pair>,
    /// How descriptors are published; by default as the device's tuning says.
    #[arg(long, value_enum, value_delimiter = ',')]
    descriptor: Vec<Form>,
}

/// Lanes of a workgroup and words of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pair(u32, u32);

impl FromStr for Pair {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('x').map(|(lanes, words)| (lanes.parse(), words.parse()));
        match numbers {
            Some((Ok(lanes), Ok(words))) => Ok(Pair(lanes, words)),
            _ => Err(format!("{text:?} is not LANESxWORDS")),
        }
    }
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Form {
    Packed64,
    Split32,
    Fenced,
}

impl Form {
    fn descriptor(self) -> Descriptor {
        match self {
            Form::Packed64 => Descriptor::Packed64,
            Form::Split32 => Descriptor::Split32,
            Form::Fenced => Descriptor::Fenced,
        }
    }
}

const LOCK: &str = include_str!("../Cargo.lock");

const SIZES: [u64; 7] = [1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28];
const QUICK: [u64; 2] = [1 << 16, 1 << 20];
const LANES: [u32; 3] = [256, 512, 1024];
const WORDS: [u32; 8] = [8, 16, 24, 32, 40, 44, 48, 56];

/// A new row must be better than the one before by this much.
const GAIN: f64 = 1.01;

fn main() {
    let options = Options::parse();
    let Some(context) = timing::context() else { return };
    let mut common = options.common.clone();
    common.rounds = Some(common.rounds.unwrap_or(if common.quick { 5 } else { 20 }));
    let machine = machine::machine(&context, "cargo bench --bench tune --", LOCK);
    let mut session = Session::new(&context, &common, "tune", machine);
    let sizes = common.sizes(&SIZES, &QUICK);
    if common.operator.is_empty() {
        session.options.operator = vec!["sum-u32".to_owned()];
    }
    for case in cases::all() {
        if session.options.wants_operator(&case.name()) {
            run(&mut session, &options, &*case, &sizes);
        }
    }
    session.finish();
}

/// The tries of a case: those of an algorithm and a form of descriptors side by side.
fn run(session: &mut Session, options: &Options, case: &dyn Case, sizes: &[u64]) {
    let sizes = session.fitting(case, sizes);
    let Some(&most) = sizes.last() else { return };
    let Some(arrays) = session.arrays(case, most, 0) else { return };
    let own = Tuning::for_device(session.context.capabilities());
    let forms: Vec<Option<Descriptor>> = match options.descriptor.is_empty() {
        true => vec![own.descriptor],
        false => options.descriptor.iter().map(|form| Some(form.descriptor())).collect(),
    };
    let mut primitives = session.options.primitives(&[Primitive::Inclusive]);
    // Reductions make no single pass.
    primitives.retain(|&primitive| primitive != Primitive::Reduce);
    for primitive in primitives {
        for algorithm in session.options.algorithms(&[Algorithm::Fallback, Algorithm::LookBack]) {
            for &descriptor in &forms {
                let tuning = Tuning { descriptor, ..own };
                let contenders =
                    contenders(session, options, &arrays, primitive, algorithm, &tuning);
                let contenders = session.verify(contenders, &sizes);
                let Some(first) = contenders.first() else { continue };
                let what = format!("{} {primitive}, {algorithm}{}", case.name(), first.label);
                timing::heading();
                let measured: Vec<(u64, Vec<Timed>)> = sizes
                    .iter()
                    .map(|&n| (n, session.measure(case, &*arrays, &contenders, n)))
                    .collect();
                print_rows(session, &what, &contenders, &measured);
            }
        }
    }
}

/// A contender for each shape that the device and the operator have.
fn contenders(
    session: &mut Session,
    options: &Options,
    arrays: &Rc<dyn Workload>,
    primitive: Primitive,
    algorithm: Algorithm,
    own: &Tuning,
) -> Vec<Contender> {
    let most = session.context.capabilities().workgroup_lanes;
    let mut pairs = options.shapes.clone();
    if pairs.is_empty() {
        pairs = LANES.iter().flat_map(|&lanes| WORDS.map(|words| Pair(lanes, words))).collect();
    }
    pairs.retain(|pair| pair.0 <= most);
    let label = own.descriptor.map_or(String::new(), |descriptor| format!(", {descriptor:?}"));
    let mut contenders = Vec::new();
    for Pair(workgroup_size, words_per_lane) in pairs {
        let shape = Shape { from_items: 0, workgroup_size, words_per_lane };
        let tuning = Tuning { single_pass: vec![shape].leak(), ..*own };
        let name = format!("{algorithm}{label}, {workgroup_size}x{words_per_lane}");
        match arrays.clone().contender(primitive, algorithm, &tuning) {
            Ok(contender) => {
                let label = label.clone();
                contenders.push(Contender { label, shape: Some(shape), ..contender });
            }
            Err(error) if may_be_left_out(&error) => println!("{name} left out: {error}"),
            Err(error) => session.fail(format!("{name}: {error}")),
        }
    }
    contenders
}

/// Prints the best shape for each n, as rows of the table. A shape that is best by less than
/// [`GAIN`] gives way to the one before.
fn print_rows(
    session: &Session,
    what: &str,
    contenders: &[Contender],
    measured: &[(u64, Vec<Timed>)],
) {
    let mut rows: Vec<(u64, usize)> = Vec::new();
    let mut of_copy = Vec::new();
    for (n, timed) in measured {
        let median = |index: usize| timed[index].own.median;
        let Some(mut best) = (0..contenders.len()).min_by(|&a, &b| median(a).total_cmp(&median(b)))
        else {
            return;
        };
        match rows.last() {
            Some(&(_, before)) if median(before) < median(best) * GAIN => best = before,
            // What is best for the fewest is for fewer, too.
            before => rows.push((if before.is_none() { 0 } else { *n }, best)),
        }
        let part = timed[best].copy.median / median(best);
        of_copy.push(format!("{part:.2} at {}", rows::short(*n)));
    }
    let machine = &session.machine;
    println!("// {}, {}, {},", machine.adapter, machine.driver, machine.date);
    println!("// `{}`,", machine.command);
    println!("// {what}, of copy: {}.", of_copy.join(", "));
    for (n, index) in rows {
        let Some(Shape { workgroup_size, words_per_lane, .. }) = contenders[index].shape else {
            continue;
        };
        let from = match n.is_power_of_two() {
            true => format!("1 << {}", n.ilog2()),
            false => n.to_string(),
        };
        println!("    shape({from}, {workgroup_size}, {words_per_lane}),");
    }
}
