//! The scans and reductions of lampshade, measured by the harness that measures this library's, on
//! the same device: `cargo run --release -- [OPTIONS] [N…]`.

#[path = "../../../harness/mod.rs"]
mod harness;
#[path = "../../../rows/mod.rs"]
mod rows;
#[path = "../../../timing/mod.rs"]
mod timing;

use std::cell::RefCell;
use std::rc::Rc;

use clap::Parser;
use harness::arrays::Arrays;
use harness::cases;
use harness::contender::{Contender, Run};
use harness::machine::{locked_version, machine};
use harness::options::{Common, Primitive};
use harness::session::Session;
use lampshade::{Reducer, Scanner, U32Reduction};
use lookback::{Context, Error, Kind, Operator};
use timing::Clock;

const LOCK: &str = include_str!("../Cargo.lock");

const SIZES: [u64; 4] = [1 << 16, 1 << 20, 1 << 24, 1 << 26];
const QUICK: [u64; 2] = [1 << 16, 1 << 20];

/// lampshade's scan and reduce against a copy.
#[derive(Parser)]
struct Options {
    #[command(flatten)]
    common: Common,
}

/// lampshade's objects of one primitive; recording changes their scratch.
enum Plan {
    Reduce(Box<RefCell<Reducer>>),
    Scan(RefCell<Scanner>, Kind),
}

struct Peer {
    arrays: Rc<Arrays<u32>>,
    plan: Plan,
}

impl Peer {
    fn new(context: &Context, arrays: Rc<Arrays<u32>>, primitive: Primitive) -> Self {
        let (device, queue) = (context.device(), context.queue());
        let scan = |kind| {
            let scanner = Scanner::new_for_adapter(device, queue, &device.adapter_info());
            Plan::Scan(RefCell::new(scanner), kind)
        };
        let plan = match primitive {
            Primitive::Reduce => Plan::Reduce(Box::new(RefCell::new(Reducer::new(device, queue)))),
            Primitive::Inclusive => scan(Kind::Inclusive),
            Primitive::Exclusive => scan(Kind::Exclusive),
            other => unreachable!("{other} is of another bench"),
        };
        Peer { arrays, plan }
    }

    fn record(&self, encoder: &mut wgpu::CommandEncoder, n: u64) {
        let [input, output] = [self.arrays.input(n), self.arrays.output(n)].map(Result::unwrap);
        let (input, output, n) = (input.buffer(), output.buffer(), n as u32);
        let recorded = match &self.plan {
            Plan::Reduce(reducer) => {
                let (total, sum) = (self.arrays.total.buffer(), U32Reduction::Sum);
                reducer.borrow_mut().record_reduce(encoder, input, total, n, sum)
            }
            Plan::Scan(scanner, Kind::Inclusive) => {
                scanner.borrow_mut().record_scan(encoder, input, output, n)
            }
            Plan::Scan(scanner, Kind::Exclusive) => {
                scanner.borrow_mut().record_exclusive_scan(encoder, input, output, n)
            }
        };
        recorded.unwrap_or_else(|e| panic!("lampshade: {e}"));
    }
}

impl Run for Peer {
    fn time(&self, clock: &Clock, calls: u32, n: u64) -> f64 {
        clock.time_passes(calls, |encoder| self.record(encoder, n))
    }

    fn verify(&self, n: u64) -> Result<Option<String>, Error> {
        let context = &self.arrays.context;
        self.arrays.clear();
        let mut encoder = context.device().create_command_encoder(&Default::default());
        self.record(&mut encoder, n);
        context.queue().submit([encoder.finish()]);
        match &self.plan {
            Plan::Reduce(_) => self.arrays.check_total(n),
            Plan::Scan(_, kind) => self.arrays.check_output(n, *kind),
        }
    }

    fn bytes(&self, n: u64) -> u64 {
        match self.plan {
            Plan::Reduce(_) => n * 4,
            Plan::Scan(..) => n * 8,
        }
    }

    fn given_up(&self) -> Result<u32, Error> {
        Ok(0)
    }
}

fn main() {
    let Options { common } = Options::parse();
    let Some(context) = timing::context() else { return };
    let machine = machine(&context, "lampshade-peer", LOCK);
    let mut session = Session::new(&context, &common, "primitives", machine);
    session.peer = Some(("lampshade".to_owned(), locked_version(LOCK, "lampshade")));
    let sizes = common.sizes(&SIZES, &QUICK);
    // It has sums of u32 only, in common with the cases.
    let Some(case) = cases::all().into_iter().find(|case| case.name() == "sum-u32") else { return };
    let sizes = session.fitting(&*case, &sizes);
    let Some(&most) = sizes.last() else { return };
    let arrays = Arrays::new(&context, &Operator::<u32>::sum(), cases::sum_u32, most, 0);
    let arrays = Rc::new(arrays.unwrap_or_else(|e| panic!("{e}")));
    let contender = |primitive| {
        let run = Box::new(Peer::new(&context, arrays.clone(), primitive));
        let label = String::new();
        Contender { primitive, algorithm: None, shape: None, label, run }
    };
    let contenders = common.primitives(&Primitive::REGULAR).into_iter().map(contender).collect();
    let contenders = session.verify(&*case, contenders, &sizes);
    timing::heading();
    for n in sizes {
        session.measure(&*case, &*arrays, &contenders, n);
    }
    session.finish();
}
