//! What calls cost the host, for sums of u32: by the host's clock.

use std::time::Instant;

use lookback::{Context, Error, GpuSlice, Kind, Operator, Reduce, Scan};

use super::options::Primitive;
use super::session::Session;
use crate::rows::Row;
use crate::timing::Summary;

/// Items of the calls whose latency is measured.
const SIZES: [u64; 2] = [1, 1 << 16];

/// The two primitives as one type.
enum Plan {
    Reduce(Reduce<u32>),
    Scan(Scan<u32>),
}

impl Plan {
    fn new(context: &Context, primitive: Primitive) -> Result<Self, Error> {
        let sum = Operator::sum();
        Ok(match primitive {
            Primitive::Reduce => Plan::Reduce(Reduce::new(context, &sum)?),
            Primitive::Inclusive => Plan::Scan(Scan::new(context, &sum, Kind::Inclusive)?),
            Primitive::Exclusive => Plan::Scan(Scan::new(context, &sum, Kind::Exclusive)?),
            other => unreachable!("{other} is of another bench"),
        })
    }

    fn record(&self, pass: &mut wgpu::ComputePass<'_>, arrays: &Arrays) -> Result<(), Error> {
        match self {
            Plan::Reduce(reduce) => reduce.record_in_pass(pass, &arrays.input, &arrays.last),
            Plan::Scan(scan) => scan.record_in_pass(pass, &arrays.input, &arrays.output),
        }
    }

    fn warm_up(&self, n: u64) -> Result<(), Error> {
        match self {
            Plan::Reduce(reduce) => reduce.warm_up(&[n]),
            Plan::Scan(scan) => scan.warm_up(&[n]),
        }
    }

    /// Items of the host in, results out.
    fn run(&self, items: &[u32]) -> Result<u32, Error> {
        match self {
            Plan::Reduce(reduce) => reduce.run(items),
            Plan::Scan(scan) => Ok(*scan.run(items)?.last().unwrap_or(&0)),
        }
    }
}

/// An input of ones, an output, and the item that is brought back.
struct Arrays {
    input: GpuSlice<u32>,
    output: GpuSlice<u32>,
    last: GpuSlice<u32>,
}

impl Arrays {
    fn new(context: &Context, primitive: Primitive, n: u64) -> Result<Self, Error> {
        let input = context.upload(&vec![1; n as usize])?;
        let output = context.allocate(n)?;
        let last = match primitive {
            Primitive::Reduce => context.allocate(1)?,
            _ => GpuSlice::new(output.buffer(), n - 1..n)?,
        };
        Ok(Arrays { input, output, last })
    }
}

pub fn run(session: &mut Session) {
    println!("host | what | n | median us | spread");
    for primitive in session.options.primitives(&[Primitive::Reduce, Primitive::Inclusive]) {
        if let Err(error) = measure(session, primitive) {
            session.fail(format!("host, {primitive}: {error}"));
        }
    }
}

fn measure(session: &mut Session, primitive: Primitive) -> Result<(), Error> {
    let repeat = if session.options.quick { 50 } else { 500 };
    // Drivers may keep compiled kernels on disk, and then compile at the first start only.
    let (mut first_plans, mut first_calls) = (Vec::new(), Vec::new());
    let (mut warm_ups, mut warm_calls) = (Vec::new(), Vec::new());
    for round in 0..if session.options.quick { 4 } else { 10 } {
        let context = Context::new()?;
        let arrays = Arrays::new(&context, primitive, 1 << 16)?;
        context.download(&arrays.input)?;
        let (seconds, plan) = timed(|| Plan::new(&context, primitive));
        let plan = plan?;
        first_plans.push(seconds);
        let is_warm = round % 2 == 1;
        if is_warm {
            let (seconds, warm) = timed(|| plan.warm_up(1 << 16));
            warm?;
            warm_ups.push(seconds);
        }
        let calls = if is_warm { &mut warm_calls } else { &mut first_calls };
        calls.push(timed(|| call(&context, &plan, &arrays)).0);
    }
    report(session, primitive, "first plan of a context", 0, first_plans);
    report(session, primitive, "its first call", 1 << 16, first_calls);
    report(session, primitive, "its warm-up", 1 << 16, warm_ups);
    report(session, primitive, "its first call, warmed up", 1 << 16, warm_calls);

    let context = session.context.clone();
    let plan = Plan::new(&context, primitive)?;
    let again = || timed(|| Plan::new(&context, primitive)).0;
    report(session, primitive, "another plan", 0, times(repeat, again));
    for n in SIZES {
        let arrays = Arrays::new(&context, primitive, n)?;
        let wanted = if primitive == Primitive::Exclusive { n - 1 } else { n };
        let got = call(&context, &plan, &arrays)?.3;
        if u64::from(got) != wanted {
            session.fail(format!("host, {primitive}, n = {n}: {got} and not {wanted}"));
        }
        let mut calls = Vec::new();
        for _ in 0..repeat {
            calls.push(call(&context, &plan, &arrays)?);
        }
        let part = |part: fn(&(f64, f64, f64, u32)) -> f64| calls.iter().map(part).collect();
        report(session, primitive, "record", n, part(|call| call.0));
        report(session, primitive, "finish", n, part(|call| call.1));
        report(session, primitive, "submit to result", n, part(|call| call.2));
        let items = vec![1; n as usize];
        let run = || timed(|| plan.run(&items)).0;
        report(session, primitive, "run, from host to host", n, times(repeat, run));
    }
    Ok(())
}

/// One call: the seconds of recording, of finishing the encoder, and from its submission to the
/// last result on the host, which comes with them.
fn call(context: &Context, plan: &Plan, arrays: &Arrays) -> Result<(f64, f64, f64, u32), Error> {
    let mut encoder = context.device().create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    let (record, recorded) = timed(|| plan.record(&mut pass, arrays));
    recorded?;
    drop(pass);
    let (finish, commands) = timed(|| encoder.finish());
    let (latency, result) = timed(|| {
        context.queue().submit([commands]);
        context.download(&arrays.last)
    });
    Ok((record, finish, latency, result?[0]))
}

/// The seconds that something takes, and what it gives.
fn timed<R>(work: impl FnOnce() -> R) -> (f64, R) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64(), result)
}

fn times(repeat: usize, time: impl Fn() -> f64) -> Vec<f64> {
    // The first pays for what the others find warm.
    time();
    (0..repeat).map(|_| time()).collect()
}

fn report(session: &mut Session, primitive: Primitive, what: &str, n: u64, times: Vec<f64>) {
    let rounds = times.len();
    let summary = Summary::of(times);
    let Summary { median, spread } = summary;
    println!("{primitive} | {what} | {n} | {:.1} | {:.0} %", median * 1e6, spread * 100.0);
    let (name, kind) = primitive.names();
    let row = Row {
        primitive: name.to_owned(),
        kind: kind.map(str::to_owned),
        operator: "sum".to_owned(),
        element: "u32".to_owned(),
        label: what.to_owned(),
        calls: 1,
        rounds,
        ..session.row("host", n, summary)
    };
    session.rows.write(&row);
}
