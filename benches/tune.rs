//! Tries shapes (lanes of a workgroup x words of a lane), of single passes unless told otherwise,
//! and prints the best for each n as rows of `src/tuning.rs`:
//! `cargo bench --bench tune [-- OPTIONS] [N…]`. Results are verified first.

mod harness;
mod rows;
mod timing;

use std::collections::BTreeSet;
use std::rc::Rc;

use clap::Parser;
use harness::arrays::Workload;
use harness::cases::{self, Case};
use harness::contender::{Contender, may_be_left_out};
use harness::machine;
use harness::options::{Common, Pair, Primitive};
use harness::session::Session;
use lookback::{Algorithm, Builtins, Descriptor, Shape, Tuning};
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
    /// 32-bit words that a lane loads side by side; by default as the device's tuning says.
    #[arg(long, value_delimiter = ',')]
    words_per_group: Vec<u32>,
    /// Workgroups of a pass; by default as the device's tuning says.
    #[arg(long, value_delimiter = ',')]
    workgroups: Vec<u32>,
    /// Whether the last tile takes a pass of its own; by default as the device's tuning says.
    #[arg(long, value_delimiter = ',', action = clap::ArgAction::Append)]
    whole_tiles: Vec<bool>,
    /// Which kernels use subgroup instructions; by default as the device's tuning says.
    #[arg(long, value_enum, value_delimiter = ',')]
    builtins: Vec<Instructions>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Form {
    Packed64,
    Split32,
    Fenced,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Instructions {
    None,
    Reductions,
    All,
}

impl Instructions {
    fn builtins(self) -> Builtins {
        match self {
            Instructions::None => Builtins::None,
            Instructions::Reductions => Builtins::Reductions,
            Instructions::All => Builtins::All,
        }
    }
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

/// The tries of a case: those of an algorithm side by side.
fn run(session: &mut Session, options: &Options, case: &dyn Case, sizes: &[u64]) {
    let sizes = session.fitting(case, sizes);
    let Some(&most) = sizes.last() else { return };
    let Some(arrays) = session.arrays(case, most, 0) else { return };
    for primitive in session.options.primitives(&[Primitive::Inclusive]) {
        let algorithms = match primitive {
            Primitive::Reduce => vec![Algorithm::Auto],
            _ => session.options.algorithms(&[Algorithm::Fallback, Algorithm::LookBack]),
        };
        for algorithm in algorithms {
            let mut contenders = Vec::new();
            for (label, tuning) in variants(session, options) {
                for pair in pairs(session, options) {
                    let own = (label.as_str(), &tuning);
                    contenders.extend(contender(session, &arrays, primitive, algorithm, own, pair));
                }
            }
            let contenders = session.verify(case, contenders, &sizes);
            timing::heading();
            let measured: Vec<(u64, Vec<Timed>)> = sizes
                .iter()
                .map(|&n| (n, session.measure(case, &*arrays, &contenders, n)))
                .collect();
            let machine = &session.machine;
            println!("// {}, {}, {},", machine.adapter, machine.driver, machine.date);
            println!("// `{}`,", machine.command);
            let labels: BTreeSet<&str> =
                contenders.iter().map(|contender| contender.label.as_str()).collect();
            for label in labels {
                let of = |index: &usize| contenders[*index].label == label;
                let of: Vec<usize> = (0..contenders.len()).filter(of).collect();
                let what = match primitive {
                    Primitive::Reduce => format!("{} {primitive}{label}", case.name()),
                    _ => format!("{} {primitive}, {algorithm}{label}", case.name()),
                };
                print_rows(&what, &contenders, &of, &measured);
            }
        }
    }
}

/// The device's tuning with all that the command line asks for, and what sets each apart.
fn variants(session: &Session, options: &Options) -> Vec<(String, Tuning)> {
    let own = Tuning::for_device(session.context.capabilities());
    let variants = vec![(String::new(), own)];
    let variants = with_each(variants, &options.words_per_group, |&words_per_group, own| {
        (format!(", {words_per_group} words a group"), Tuning { words_per_group, ..own })
    });
    let variants = with_each(variants, &options.workgroups, |&workgroups, own| {
        (format!(", {workgroups} workgroups"), Tuning { workgroups, ..own })
    });
    let variants = with_each(variants, &options.whole_tiles, |&whole_tiles, own| {
        (format!(", whole tiles: {whole_tiles}"), Tuning { whole_tiles, ..own })
    });
    let variants = with_each(variants, &options.builtins, |instructions, own| {
        let builtins = instructions.builtins();
        (format!(", builtins: {builtins:?}"), Tuning { builtins, ..own })
    });
    with_each(variants, &options.descriptor, |form, own| {
        let descriptor = form.descriptor();
        (format!(", {descriptor:?}"), Tuning { descriptor: Some(descriptor), ..own })
    })
}

/// Each variant with each value; the same variants without values.
fn with_each<V>(
    variants: Vec<(String, Tuning)>,
    values: &[V],
    with: impl Fn(&V, Tuning) -> (String, Tuning),
) -> Vec<(String, Tuning)> {
    if values.is_empty() {
        return variants;
    }
    let all = |(before, own): &(String, Tuning)| -> Vec<(String, Tuning)> {
        let one = |value| {
            let (label, tuning) = with(value, *own);
            (format!("{before}{label}"), tuning)
        };
        values.iter().map(one).collect()
    };
    variants.iter().flat_map(all).collect()
}

fn pairs(session: &Session, options: &Options) -> Vec<Pair> {
    let mut pairs = options.shapes.clone();
    if pairs.is_empty() {
        pairs = LANES.iter().flat_map(|&lanes| WORDS.map(|words| Pair(lanes, words))).collect();
    }
    let most = session.context.capabilities().workgroup_lanes;
    pairs.retain(|pair| pair.0 <= most);
    pairs
}

/// A primitive in a shape; `None` if the device or the operator does not have it.
fn contender(
    session: &mut Session,
    arrays: &Rc<dyn Workload>,
    primitive: Primitive,
    algorithm: Algorithm,
    (label, own): (&str, &Tuning),
    Pair(workgroup_size, words_per_lane): Pair,
) -> Option<Contender> {
    let (shape, tuning) = Pair(workgroup_size, words_per_lane).tuning(own);
    let name = format!("{primitive}, {algorithm}{label}, {workgroup_size}x{words_per_lane}");
    match arrays.clone().contender(primitive, algorithm, &tuning) {
        Ok(contender) => {
            let label = label.to_owned();
            return Some(Contender { label, shape: Some(shape), ..contender });
        }
        Err(error) if may_be_left_out(&error) => println!("{name} left out: {error}"),
        Err(error) => session.fail(format!("{name}: {error}")),
    }
    None
}

/// Prints the best shape for each n, as rows of the table. A shape that is best by less than
/// [`GAIN`] gives way to the one before.
fn print_rows(what: &str, contenders: &[Contender], of: &[usize], measured: &[(u64, Vec<Timed>)]) {
    let mut rows: Vec<(u64, usize)> = Vec::new();
    let mut times = Vec::new();
    for (n, timed) in measured {
        let median = |index: usize| timed[index].own.median;
        let best = of.iter().copied().min_by(|&a, &b| median(a).total_cmp(&median(b)));
        let Some(mut best) = best else { return };
        match rows.last() {
            Some(&(_, before)) if median(before) < median(best) * GAIN => best = before,
            // What is best for the fewest is for fewer, too.
            before => rows.push((if before.is_none() { 0 } else { *n }, best)),
        }
        let [us, copy] = [median(best), timed[best].copy.median].map(|seconds| seconds * 1e6);
        times.push(format!("{us:.1} us at {} (copy {copy:.1})", rows::short(*n)));
    }
    println!("// {what}: {}.", times.join(", "));
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
