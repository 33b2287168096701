//! The steps that all measurements of primitives take: verify, time by turns, report.

use std::rc::Rc;
use std::time::Duration;

use lookback::Context;

use super::arrays::{Copies, Workload};
use super::cases::{Case, Subject};
use super::contender::{Contender, Verdict, shape_name};
use super::options::Common;
use crate::rows::{Machine, Rate, Row, Rows};
use crate::timing::{Clock, Line, Summary, Timed, Turns};

pub struct Session {
    pub context: Context,
    pub options: Common,
    pub bench: &'static str,
    pub machine: Machine,
    pub clock: Clock,
    pub rows: Rows,
    /// What was wrong.
    pub failures: Vec<String>,
    /// Whose primitives these are, if not this library's, and their version.
    pub peer: Option<(String, String)>,
}

impl Session {
    pub fn new(context: &Context, options: &Common, bench: &'static str, machine: Machine) -> Self {
        Session {
            context: context.clone(),
            options: options.clone(),
            bench,
            machine,
            clock: Clock::new(context),
            rows: Rows::append(options.json.as_deref()),
            failures: Vec::new(),
            peer: None,
        }
    }

    /// The sizes whose arrays fit one buffer each; says which do not.
    pub fn fitting(&self, case: &dyn Subject, sizes: &[u64]) -> Vec<u64> {
        let most = self.context.capabilities().buffer_bytes / case.bytes();
        let (fitting, others): (Vec<u64>, Vec<u64>) = sizes.iter().partition(|&&n| n + 2 <= most);
        for n in others {
            println!("skipped: {n} items of {} do not fit one buffer", case.element());
        }
        fitting
    }

    /// The arrays of a case; a failure without.
    pub fn arrays(&mut self, case: &dyn Case, n: u64, first: u64) -> Option<Rc<dyn Workload>> {
        let arrays = case.arrays(&self.context, n, first);
        arrays.map_err(|error| self.fail(format!("{}: {error}", case.name()))).ok()
    }

    /// Those contenders that are right for every n.
    pub fn verify(
        &mut self,
        case: &dyn Subject,
        contenders: Vec<Contender>,
        sizes: &[u64],
    ) -> Vec<Contender> {
        let verify = |contender: &Contender| {
            let name = format!("{} {}", case.name(), contender.name());
            for &n in sizes {
                match contender.verify(n) {
                    Verdict::Right => {}
                    Verdict::LeftOut(error) => {
                        println!("{name} left out, n = {n}: {error}");
                        return false;
                    }
                    Verdict::Wrong(what) => {
                        self.fail(format!("{name}, n = {n}: {what}"));
                        return false;
                    }
                }
            }
            true
        };
        let mut contenders = contenders;
        contenders.retain(verify);
        contenders
    }

    /// Times contenders and the copy by turns.
    pub fn time(&self, arrays: &dyn Copies, contenders: &[Contender], n: u64) -> Vec<Timed> {
        let calls = self.options.calls(n);
        let copy = arrays.copy(n);
        let time_copy = || self.clock.time_calls(calls, &|pass| copy.record(pass));
        let timer = |contender| move || Contender::time(contender, &self.clock, calls, n);
        let timers: Vec<_> = contenders.iter().map(timer).collect();
        let timers: Vec<&dyn Fn() -> f64> = timers.iter().map(|timer| timer as _).collect();
        let turns = Turns { warm_up: Duration::from_millis(300), rounds: self.options.rounds() };
        turns.time(&time_copy, &timers)
    }

    /// Times contenders, prints and writes a row for each.
    pub fn measure(
        &mut self,
        case: &dyn Subject,
        arrays: &dyn Copies,
        contenders: &[Contender],
        n: u64,
    ) -> Vec<Timed> {
        // The number is the context's, the same for all contenders that have one.
        let given_up = || {
            let numbers = contenders.iter().map(|contender| contender.run.given_up().unwrap());
            numbers.max().unwrap_or(0)
        };
        let before = given_up();
        let all = self.time(arrays, contenders, n);
        let gave_up = given_up() - before;
        if gave_up > 0 {
            println!("while these were timed, {gave_up} tiles gave up:");
        }
        for (contender, &timed) in contenders.iter().zip(&all) {
            let (primitive, kind) = contender.primitive.names();
            let line = Line {
                name: &format!("{} {}", case.name(), contender.name()),
                n,
                bytes: contender.run.bytes(n),
                copy_bytes: 2 * n * case.bytes(),
                timed,
            };
            line.print();
            let row = Row {
                primitive: primitive.to_owned(),
                kind: kind.map(str::to_owned),
                operator: case.operator().to_owned(),
                element: case.element().to_owned(),
                algorithm: contender.algorithm.map(|(asked, _)| asked.to_string()),
                chosen: contender
                    .algorithm
                    .and_then(|(_, chosen)| chosen)
                    .map(|own| own.to_string()),
                shape: contender.shape.as_ref().map(shape_name),
                label: contender.label.clone(),
                rate: Some(Rate {
                    gitems_per_s: line.gitems_per_s(),
                    gbytes_per_s: line.gbytes_per_s(),
                    of_copy: line.of_copy(),
                    copy_us: timed.copy.median * 1e6,
                }),
                calls: self.options.calls(n),
                rounds: self.options.rounds(),
                gave_up,
                ..self.row(self.bench, n, timed.own)
            };
            self.rows.write(&row);
        }
        all
    }

    /// A row of this session that says no more than a time.
    pub fn row(&self, bench: &str, n: u64, summary: Summary) -> Row {
        Row {
            bench: bench.to_owned(),
            n,
            median_us: summary.median * 1e6,
            spread: summary.spread,
            peer: self.peer.as_ref().map(|peer| peer.0.clone()),
            peer_version: self.peer.as_ref().map(|peer| peer.1.clone()),
            machine: self.machine.clone(),
            ..Row::default()
        }
    }

    pub fn fail(&mut self, what: String) {
        eprintln!("WRONG: {what}");
        self.failures.push(what);
    }

    /// Ends the program; a wrong result is a failure.
    pub fn finish(self) {
        if !self.failures.is_empty() {
            eprintln!("{} wrong results:\n{}", self.failures.len(), self.failures.join("\n"));
            std::process::exit(1);
        }
    }
}
