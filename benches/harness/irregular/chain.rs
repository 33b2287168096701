//! Five primitives in one encoder, whose numbers of items stay on the device: each reads how many
//! the one before has left.

use std::ops::Range;
use std::rc::Rc;

use lookback::{
    Algorithm, Context, Equality, Error, GpuSlice, Kind, Operator, Predicate, Reduce, RunLengths,
    Scan, Select, Tuning, Unique,
};

use super::arrays::Wanted;
use crate::harness::arrays::Copies;
use crate::harness::cases::{Subject, mixed};
use crate::harness::compare::{self, Comparison};
use crate::harness::contender::{Contender, Run, given_up};
use crate::harness::options::Primitive;
use crate::timing::{Clock, Copy};

/// What follows what. Small items are kept, half of all; a quarter of those is 0, so that their
/// sums have runs, of which the first items are kept; those that are the same but for 4 bits are
/// counted, and one of each added up.
const PARTS: [Primitive; 5] =
    [Primitive::Select, Primitive::Inclusive, Primitive::Unique, Primitive::Rle, Primitive::Reduce];

pub struct Chained;

impl Subject for Chained {
    fn operator(&self) -> &'static str {
        "five primitives"
    }

    fn element(&self) -> &'static str {
        "u32"
    }

    fn bytes(&self) -> u64 {
        4
    }

    fn name(&self) -> String {
        format!("{}:", self.operator())
    }
}

/// The primitives and what they work on.
pub struct Chain {
    context: Context,
    comparison: Comparison,
    select: Select<u32>,
    scan: Scan<u32>,
    unique: Unique<u32>,
    runs: RunLengths<u32>,
    reduce: Reduce<u32>,
    source: GpuSlice<u32>,
    /// Where copies go, which must not change what the parts read.
    copied: GpuSlice<u32>,
    kept: GpuSlice<u32>,
    sums: GpuSlice<u32>,
    heads: GpuSlice<u32>,
    values: GpuSlice<u32>,
    lengths: GpuSlice<u32>,
    /// Of the kept items, of the heads, of the runs.
    counts: [GpuSlice<u32>; 3],
    total: GpuSlice<u32>,
    wanted: Results,
}

/// What should come of it.
struct Results {
    values: Wanted,
    lengths: Wanted,
    counts: [u32; 3],
    total: u32,
}

impl Results {
    /// Makes the items and their results.
    fn new(context: &Context, n: u64, source: &mut Wanted) -> Result<Self, Error> {
        let (mut sum, mut counts) = (0u32, [0u32; 3]);
        let (mut values, mut lengths) = (Vec::<u32>::new(), Vec::<u32>::new());
        let mut last = None;
        let items: Vec<u32> = (0..n as u32).map(|i| mixed(i) & 7).collect();
        for item in items.iter().filter(|&&item| item < 4) {
            sum = sum.wrapping_add(*item);
            counts[0] += 1;
            if last == Some(sum) {
                continue;
            }
            counts[1] += 1;
            match lengths.last_mut() {
                Some(length) if last.is_some_and(|last| last >> 4 == sum >> 4) => *length += 1,
                _ => {
                    values.push(sum);
                    lengths.push(1);
                }
            }
            last = Some(sum);
        }
        counts[2] = values.len() as u32;
        let total = values.iter().fold(0, |total: u32, value| total.wrapping_add(*value));
        items.chunks(1 << 22).for_each(|items| source.push(context, items));
        let upload = |items: &[u32]| -> Result<Wanted, Error> {
            Ok(Wanted { slice: context.upload(items)?, len: items.len() as u64 })
        };
        Ok(Results { values: upload(&values)?, lengths: upload(&lengths)?, counts, total })
    }
}

impl Chain {
    pub fn new(context: &Context, algorithm: Algorithm, n: u64) -> Result<Self, Error> {
        let tuning = Tuning::for_device(context.capabilities());
        let sum = Operator::sum();
        let (small, same) = (Predicate::from_wgsl("x < 4u")?, Equality::by_value());
        let alike = Equality::from_wgsl("(a >> 4u) == (b >> 4u)")?;
        let mut source = Wanted::new(context, n)?;
        Ok(Chain {
            wanted: Results::new(context, n, &mut source)?,
            context: context.clone(),
            comparison: Comparison::new(context)?,
            select: Select::with_algorithm(context, &small, algorithm, &tuning)?,
            scan: Scan::with_algorithm(context, &sum, Kind::Inclusive, algorithm, &tuning)?,
            unique: Unique::with_algorithm(context, &same, algorithm, &tuning)?,
            runs: RunLengths::with_algorithm(context, &alike, algorithm, &tuning)?,
            reduce: Reduce::with_tuning(context, &sum, &tuning)?,
            source: source.slice,
            copied: context.allocate(n)?,
            kept: context.allocate(n)?,
            sums: context.allocate(n)?,
            heads: context.allocate(n)?,
            values: context.allocate(n)?,
            lengths: context.allocate(n)?,
            counts: [context.allocate(1)?, context.allocate(1)?, context.allocate(1)?],
            total: context.allocate(1)?,
        })
    }

    fn record(&self, part: Primitive, pass: &mut wgpu::ComputePass<'_>) -> Result<(), Error> {
        let [n_kept, n_heads, n_runs] = &self.counts;
        let of = |slice: &GpuSlice<u32>, count: &GpuSlice<u32>| slice.clone().counted_by(count);
        match part {
            Primitive::Select => {
                self.select.call(&self.source, None, &self.kept, n_kept)?.record_in_pass(pass)
            }
            Primitive::Unique => {
                let sums = of(&self.sums, n_kept)?;
                self.unique.call(&sums, &self.heads, n_heads)?.record_in_pass(pass)
            }
            Primitive::Rle => {
                let heads = of(&self.heads, n_heads)?;
                let call = self.runs.call(&heads, &self.values, &self.lengths, n_runs)?;
                call.record_in_pass(pass)
            }
            Primitive::Reduce => {
                self.reduce.record_in_pass(pass, &of(&self.values, n_runs)?, &self.total)
            }
            _ => self.scan.record_in_pass(pass, &of(&self.kept, n_kept)?, &self.sums),
        }
    }

    fn bytes(&self, part: Primitive) -> u64 {
        let [kept, heads, runs] = self.wanted.counts.map(u64::from);
        let words = match part {
            Primitive::Select => self.source.len() + kept + 1,
            Primitive::Unique => kept + heads + 1,
            Primitive::Rle => heads + 2 * runs + 1,
            Primitive::Reduce => runs,
            _ => 2 * kept,
        };
        words * 4
    }

    fn check(&self) -> Result<Option<String>, Error> {
        let [kept, heads, runs] = &self.counts;
        let Results { values, lengths, counts, total } = &self.wanted;
        let mut got = Vec::new();
        for number in [kept, heads, runs, &self.total] {
            got.extend(self.context.download(number)?);
        }
        let numbers = [counts[0], counts[1], counts[2], *total];
        if got != numbers {
            return Ok(Some(format!("counts and total are {got:?} and not {numbers:?}")));
        }
        let wrong = values.check(&self.comparison, "values", &self.values)?;
        Ok(wrong.or(lengths.check(&self.comparison, "lengths", &self.lengths)?))
    }
}

impl Copies for Chain {
    fn copy(&self, n: u64) -> Copy {
        Copy::new(&self.context, self.source.buffer(), self.copied.buffer(), n * 4)
    }
}

/// Some of the chain's parts.
struct ChainRun {
    chain: Rc<Chain>,
    parts: Range<usize>,
}

/// The whole chain, then each of its parts for itself.
pub fn contenders(chain: &Rc<Chain>, algorithm: Algorithm) -> Vec<Contender> {
    let of = |primitive, parts| Contender {
        primitive,
        algorithm: Some((algorithm, None)),
        shape: None,
        label: String::new(),
        run: Box::new(ChainRun { chain: chain.clone(), parts }),
    };
    let alone = PARTS.iter().enumerate().map(|(index, &part)| of(part, index..index + 1));
    [of(Primitive::Chain, 0..PARTS.len())].into_iter().chain(alone).collect()
}

impl ChainRun {
    fn record(&self, pass: &mut wgpu::ComputePass<'_>) -> Result<(), Error> {
        PARTS[self.parts.clone()].iter().try_for_each(|&part| self.chain.record(part, pass))
    }
}

impl Run for ChainRun {
    fn time(&self, clock: &Clock, calls: u32, _: u64) -> f64 {
        clock.time_calls(calls, &|pass| self.record(pass).unwrap())
    }

    /// A part is verified after the whole, whose results it finds and must leave as they are.
    fn verify(&self, _: u64) -> Result<Option<String>, Error> {
        let Chain { context, kept, sums, heads, values, lengths, total, .. } = &*self.chain;
        if self.parts == (0..PARTS.len()) {
            let slices = [kept, sums, heads, values, lengths, total];
            for slice in slices.into_iter().chain(&self.chain.counts) {
                compare::clear(context, slice);
            }
        }
        let before = self.given_up()?;
        let mut encoder = context.device().create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        self.record(&mut pass)?;
        drop(pass);
        context.queue().submit([encoder.finish()]);
        if self.given_up()? != before {
            return Err(Error::Stalled);
        }
        self.chain.check()
    }

    fn bytes(&self, _: u64) -> u64 {
        PARTS[self.parts.clone()].iter().map(|&part| self.chain.bytes(part)).sum()
    }

    fn given_up(&self) -> Result<u32, Error> {
        given_up(&self.chain.context, self.chain.scan.status()?)
    }
}
