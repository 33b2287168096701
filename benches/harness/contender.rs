//! What is verified and timed: a primitive, made for one case.

use std::rc::Rc;

use lookback::{Algorithm, Context, Element, Error, GpuSlice, Kind, Reduce, Scan, Shape, Tuning};

use super::arrays::Arrays;
use super::options::Primitive;
use crate::timing::Clock;

/// A call of a primitive on the first n items.
pub trait Run {
    /// Seconds of a call, of so many in one encoder.
    fn time(&self, clock: &Clock, calls: u32, n: u64) -> f64;
    /// Runs it once and says what is wrong with the result.
    fn verify(&self, n: u64) -> Result<Option<String>, Error>;
    /// Bytes that a call must move. What an algorithm moves besides does not count.
    fn bytes(&self, n: u64) -> u64;
    /// How many tiles have given up since the context was made.
    fn given_up(&self) -> Result<u32, Error>;
}

pub struct Contender {
    pub primitive: Primitive,
    /// What was asked for, and what it comes to for many items, if the primitive says so; `None`
    /// for reductions.
    pub algorithm: Option<(Algorithm, Option<Algorithm>)>,
    /// The shape of its single passes, if it is not the device's own.
    pub shape: Option<Shape>,
    /// What else sets it apart, or nothing.
    pub label: String,
    pub run: Box<dyn Run>,
}

/// How a verification came out.
pub enum Verdict {
    Right,
    /// The device or the operator does not have it, or it gave up, as some may.
    LeftOut(Error),
    Wrong(String),
}

impl Contender {
    pub fn name(&self) -> String {
        let Contender { primitive, algorithm, shape, label, .. } = self;
        let shape = shape.map_or(String::new(), |shape| format!(", {}", shape_name(&shape)));
        let algorithm = match algorithm {
            Some((asked, Some(chosen))) if asked != chosen => format!(", {asked} ({chosen})"),
            Some((asked, _)) => format!(", {asked}"),
            None => String::new(),
        };
        format!("{primitive}{algorithm}{label}{shape}")
    }

    pub fn time(&self, clock: &Clock, calls: u32, n: u64) -> f64 {
        self.run.time(clock, calls, n)
    }

    pub fn verify(&self, n: u64) -> Verdict {
        match self.run.verify(n) {
            Ok(None) => Verdict::Right,
            Ok(Some(what)) => Verdict::Wrong(what),
            Err(error) if may_be_left_out(&error) => Verdict::LeftOut(error),
            Err(error) => Verdict::Wrong(error.to_string()),
        }
    }
}

/// What a status says: how many tiles have given up.
pub fn given_up(context: &Context, status: Option<GpuSlice<u32>>) -> Result<u32, Error> {
    match status {
        Some(status) => Ok(context.download(&status)?[0]),
        None => Ok(0),
    }
}

/// Lanes of a workgroup x words of a lane.
pub fn shape_name(shape: &Shape) -> String {
    format!("{}x{}", shape.workgroup_size, shape.words_per_lane)
}

/// Whether an error says that a device or an operator is too small for something, and not that
/// something is wrong.
pub fn may_be_left_out(error: &Error) -> bool {
    let small = matches!(error, Error::Feature { .. } | Error::Limit { .. } | Error::Length { .. });
    small || matches!(error, Error::Stalled)
}

pub struct ReduceRun<T: Element> {
    arrays: Rc<Arrays<T>>,
    reduce: Reduce<T>,
}

impl<T: Element> ReduceRun<T> {
    pub fn contender(arrays: Rc<Arrays<T>>, tuning: &Tuning) -> Result<Contender, Error> {
        let reduce = Reduce::with_tuning(&arrays.context, &arrays.operator, tuning)?;
        let run = Box::new(ReduceRun { arrays, reduce });
        let (primitive, label) = (Primitive::Reduce, String::new());
        Ok(Contender { primitive, algorithm: None, shape: None, label, run })
    }
}

impl<T: Element> Run for ReduceRun<T> {
    fn time(&self, clock: &Clock, calls: u32, n: u64) -> f64 {
        let input = self.arrays.input(n).unwrap();
        clock.time_calls(calls, &|pass| {
            self.reduce.record_in_pass(pass, &input, &self.arrays.total).unwrap();
        })
    }

    fn verify(&self, n: u64) -> Result<Option<String>, Error> {
        self.arrays.clear();
        self.reduce.dispatch(&self.arrays.input(n)?, &self.arrays.total)?;
        self.arrays.check_total(n)
    }

    fn bytes(&self, n: u64) -> u64 {
        n * T::LAYOUT.size_bytes()
    }

    fn given_up(&self) -> Result<u32, Error> {
        Ok(0)
    }
}

pub struct ScanRun<T: Element> {
    arrays: Rc<Arrays<T>>,
    scan: Scan<T>,
    kind: Kind,
}

impl<T: Element> ScanRun<T> {
    pub fn contender(
        arrays: Rc<Arrays<T>>,
        kind: Kind,
        algorithm: Algorithm,
        tuning: &Tuning,
    ) -> Result<Contender, Error> {
        let (context, operator) = (&arrays.context, &arrays.operator);
        let scan = Scan::with_algorithm(context, operator, kind, algorithm, tuning)?;
        let chosen = match algorithm {
            Algorithm::Auto => scan.choice(false).algorithm,
            named => named,
        };
        let primitive = match kind {
            Kind::Inclusive => Primitive::Inclusive,
            Kind::Exclusive => Primitive::Exclusive,
        };
        let run = Box::new(ScanRun { arrays, scan, kind });
        let algorithm = Some((algorithm, Some(chosen)));
        let label = String::new();
        Ok(Contender { primitive, algorithm, shape: None, label, run })
    }
}

impl<T: Element> Run for ScanRun<T> {
    fn time(&self, clock: &Clock, calls: u32, n: u64) -> f64 {
        let [input, output] = [self.arrays.input(n), self.arrays.output(n)].map(Result::unwrap);
        clock.time_calls(calls, &|pass| self.scan.record_in_pass(pass, &input, &output).unwrap())
    }

    fn verify(&self, n: u64) -> Result<Option<String>, Error> {
        self.arrays.clear();
        self.scan.dispatch(&self.arrays.input(n)?, &self.arrays.output(n)?)?.check()?;
        self.arrays.check_output(n, self.kind)
    }

    fn bytes(&self, n: u64) -> u64 {
        2 * n * T::LAYOUT.size_bytes()
    }

    fn given_up(&self) -> Result<u32, Error> {
        given_up(&self.arrays.context, self.scan.status()?)
    }
}
