//! Run-length encoding: what is the same as its neighbour, told once.

use std::fmt;

use crate::algorithm::Algorithm;
use crate::compaction::{Call, Compaction, Parts, Primitive, counts_and_greatest};
use crate::context::Context;
use crate::dispatched::Dispatched;
use crate::element::Element;
use crate::error::Error;
use crate::operator::Operator;
use crate::pieces;
use crate::scan::{Kind, Scan};
use crate::selection::{Equality, Selection};
use crate::shader::kernel::{Flags, Payload};
use crate::slice::GpuSlice;
use crate::tuning::Tuning;

/// Run-length encoding: the first item of each run, and how many items the run has.
///
/// Lengths are u32. The input must be one segment that fits one binding. Everything else is as with
/// [`Unique`](crate::Unique).
#[derive(Clone)]
pub struct RunLengths<T: Element> {
    compaction: Compaction<T, [u32; 2], T>,
}

impl<T: Element> RunLengths<T> {
    /// Plans it with the device's own tuning. Compiles a kernel.
    ///
    /// Errors: [`Error::Limit`] on a device too small, [`Error::OutOfMemory`].
    pub fn new(context: &Context, equality: &Equality<T>) -> Result<Self, Error> {
        let tuning = Tuning::for_device(context.capabilities());
        Self::with_algorithm(context, equality, Algorithm::Auto, &tuning)
    }

    /// [`RunLengths::new`] by a chosen algorithm and sizes of the caller's choice.
    ///
    /// Errors: as [`Scan::with_algorithm`](crate::Scan::with_algorithm).
    pub fn with_algorithm(
        context: &Context,
        equality: &Equality<T>,
        algorithm: Algorithm,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        let (counts, parts) = (counts_and_greatest()?, (Payload::Runs, 1));
        let compaction = Compaction::of_runs(context, &counts, parts, equality, algorithm, tuning)?;
        Ok(RunLengths { compaction })
    }

    /// Encodes items of the host: uploads, submits, waits and downloads.
    ///
    /// Errors: as [`Select::run`](crate::Select::run).
    ///
    /// ```
    /// use lookback::{Context, Equality, RunLengths};
    /// let runs = RunLengths::new(&Context::new()?, &Equality::by_value())?;
    /// let (values, lengths) = runs.run(&[7u32, 7, 7, 9, 7])?;
    /// assert_eq!((values, lengths), (vec![7, 9, 7], vec![3, 1, 1]));
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn run(&self, input: &[T]) -> Result<(Vec<T>, Vec<u32>), Error> {
        let context = self.compaction.context();
        let input = context.upload(input)?;
        let (values, lengths) = (context.allocate(input.len())?, context.allocate(input.len())?);
        let count = context.allocate(1)?;
        let call = self.call(&input, &values, &lengths, &count)?;
        self.compaction.run_for_two(&call, &count, &values, &lengths)
    }

    /// A call on slices of the device.
    ///
    /// Errors: as [`Unique::call`](crate::Unique::call).
    pub fn call(
        &self,
        input: &GpuSlice<T>,
        values: &GpuSlice<T>,
        lengths: &GpuSlice<u32>,
        count: &GpuSlice<u32>,
    ) -> Result<Call<'_>, Error> {
        let outputs = [
            self.compaction.other("output of values", values)?,
            self.compaction.other("output of lengths", lengths)?,
        ];
        self.compaction.call(input, None, &outputs, count)
    }
}

impl<T: Element> fmt::Debug for RunLengths<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RunLengths(on {:?})", self.compaction.context())
    }
}

/// Runs of two items or more: where each begins, and how many items it has.
///
/// Offsets and lengths are u32. Everything else is as with [`RunLengths`].
#[derive(Clone)]
pub struct LongRuns<T: Element> {
    compaction: Compaction<T, [u32; 2], u32>,
}

impl<T: Element> LongRuns<T> {
    /// Plans it with the device's own tuning. Compiles a kernel.
    ///
    /// Errors: [`Error::Limit`] on a device too small, [`Error::OutOfMemory`].
    pub fn new(context: &Context, equality: &Equality<T>) -> Result<Self, Error> {
        let tuning = Tuning::for_device(context.capabilities());
        Self::with_algorithm(context, equality, Algorithm::Auto, &tuning)
    }

    /// [`LongRuns::new`] by a chosen algorithm and sizes of the caller's choice.
    ///
    /// Errors: as [`Scan::with_algorithm`](crate::Scan::with_algorithm).
    pub fn with_algorithm(
        context: &Context,
        equality: &Equality<T>,
        algorithm: Algorithm,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        let (counts, parts) = (counts_and_greatest()?, (Payload::LongRuns, 1));
        let compaction = Compaction::of_runs(context, &counts, parts, equality, algorithm, tuning)?;
        Ok(LongRuns { compaction })
    }

    /// Finds the runs of items of the host: uploads, submits, waits and downloads offsets and lengths.
    ///
    /// Errors: as [`Select::run`](crate::Select::run).
    ///
    /// ```
    /// use lookback::{Context, Equality, LongRuns};
    /// let runs = LongRuns::new(&Context::new()?, &Equality::by_value())?;
    /// assert_eq!(runs.run(&[5u32, 7, 7, 7, 9, 4, 4])?, (vec![1, 5], vec![3, 2]));
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn run(&self, input: &[T]) -> Result<(Vec<u32>, Vec<u32>), Error> {
        let context = self.compaction.context();
        let input = context.upload(input)?;
        // A run has two items at least.
        let most = input.len() / 2;
        let (offsets, lengths) = (context.allocate(most)?, context.allocate(most)?);
        let count = context.allocate(1)?;
        let call = self.call(&input, &offsets, &lengths, &count)?;
        self.compaction.run_for_two(&call, &count, &offsets, &lengths)
    }

    /// A call on slices of the device.
    ///
    /// Errors: as [`Unique::call`](crate::Unique::call).
    pub fn call(
        &self,
        input: &GpuSlice<T>,
        offsets: &GpuSlice<u32>,
        lengths: &GpuSlice<u32>,
        count: &GpuSlice<u32>,
    ) -> Result<Call<'_>, Error> {
        let outputs = [
            self.compaction.other("output of offsets", offsets)?,
            self.compaction.other("output of lengths", lengths)?,
        ];
        self.compaction.call(input, None, &outputs, count)
    }
}

impl<T: Element> fmt::Debug for LongRuns<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LongRuns(on {:?})", self.compaction.context())
    }
}

/// Run-length decoding: each value as often as its length says.
///
/// Lengths are u32, of any size; one of 0 leaves its value out. The number of items, `u32::MAX` for
/// that many or more, goes to a count of its own, and an output too small is filled to its end. Data moved:
/// lengths read and scanned, and for each output one search over the scanned lengths.
///
/// [`new`](Self::new) waits for the compiler; [`run`](Self::run) submits, waits and allocates;
/// [`call`](Self::call) allocates as much as the lengths take, for their scan.
#[derive(Clone)]
pub struct RunLengthDecode<T: Element> {
    compaction: Compaction<T, u32, T>,
    ends: Scan<u32>,
}

/// A call with the slices of its scan.
struct DecodeCall<'a, T: Element> {
    decode: &'a RunLengthDecode<T>,
    lengths: GpuSlice<u32>,
    ends: GpuSlice<u32>,
}

impl<T: Element> RunLengthDecode<T> {
    /// Plans it with the device's own tuning. Compiles a kernel.
    ///
    /// Errors: [`Error::Limit`] on a device too small, [`Error::OutOfMemory`].
    pub fn new(context: &Context) -> Result<Self, Error> {
        let tuning = Tuning::for_device(context.capabilities());
        Self::with_algorithm(context, Algorithm::Auto, &tuning)
    }

    /// [`RunLengthDecode::new`] by a chosen algorithm for the scan, and sizes of the caller's choice.
    ///
    /// Errors: as [`Scan::with_algorithm`](crate::Scan::with_algorithm).
    pub fn with_algorithm(
        context: &Context,
        algorithm: Algorithm,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        let (payload, selection) = (Payload::Select, Selection::default());
        let parts = Parts { payload, flags: Flags::None, selection, second_words: 1 };
        let sum = Operator::sum();
        // Past 2^32 items it stays at the most there can be.
        let saturating = "select(a + b, 0xffffffffu, a + b < a)";
        let saturating = Operator::from_wgsl(0u32, saturating)?.commutative();
        // Of the first only the last pass's sizes are of use.
        let chunks = Algorithm::ReduceThenScan;
        let compaction = Compaction::new(context, &sum, parts, chunks, tuning)?;
        let ends = Scan::with_algorithm(context, &saturating, Kind::Inclusive, algorithm, tuning)?;
        Ok(RunLengthDecode { compaction, ends })
    }

    /// Decodes runs of the host's: uploads, submits, waits and downloads.
    ///
    /// Errors: as [`Select::run`](crate::Select::run), and [`Error::Length`] unless there are as many
    /// lengths as values.
    ///
    /// ```
    /// use lookback::{Context, RunLengthDecode};
    /// let decode = RunLengthDecode::new(&Context::new()?)?;
    /// assert_eq!(decode.run(&[7u32, 8, 9], &[3, 0, 2])?, [7, 7, 7, 9, 9]);
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn run(&self, values: &[T], lengths: &[u32]) -> Result<Vec<T>, Error> {
        let context = self.compaction.context();
        let n_items = lengths.iter().map(|&length| u64::from(length)).sum();
        let (values, lengths) = (context.upload(values)?, context.upload(lengths)?);
        let (output, count) = (context.allocate(n_items)?, context.allocate(1)?);
        let call = self.call(&values, &lengths, &output, &count)?;
        match call.dispatch()?.check() {
            Err(Error::Stalled) => {
                let safe = RunLengthDecode { ends: self.ends.safe(), ..self.clone() };
                safe.call(&values, &lengths, &output, &count)?.dispatch()?.check()?;
            }
            checked => checked?,
        }
        context.download(&output)
    }

    /// A call on slices of the device.
    ///
    /// Errors: as [`Unique::call`](crate::Unique::call), and [`Error::Length`] unless there are as many
    /// lengths as values.
    pub fn call(
        &self,
        values: &GpuSlice<T>,
        lengths: &GpuSlice<u32>,
        output: &GpuSlice<T>,
        count: &GpuSlice<u32>,
    ) -> Result<Call<'_>, Error> {
        if lengths.len() != values.len() {
            let (what, wanted, got) = ("the lengths", values.len(), lengths.len());
            return Err(Error::Length { what, wanted, got });
        }
        let ends: GpuSlice<u32> = self.compaction.context().allocate(lengths.len())?;
        let second = Some(self.compaction.other("lengths", &ends)?);
        let read = self.compaction.other("lengths", lengths)?;
        let outputs = [self.compaction.other("output", output)?];
        read.check_apart_from(&outputs[0])?;
        read.check_apart_from(&self.compaction.other("counts", count)?)?;
        let Call { call, .. } = self.compaction.call(values, second, &outputs, count)?;
        if call.pieces.len() > 1 {
            let what = "the segments of the values, cut to bindings";
            return Err(Error::Length { what, wanted: 1, got: call.pieces.len() as u64 });
        }
        // The values' count holds for the lengths.
        let lengths = lengths.clone().with_count_of(values);
        Ok(Call { primitive: Box::new(DecodeCall { decode: self, lengths, ends }), call })
    }
}

impl<T: Element> Primitive for DecodeCall<'_, T> {
    fn record(&self, pass: &mut wgpu::ComputePass<'_>, call: &pieces::Call) -> Result<bool, Error> {
        let DecodeCall { decode, lengths, ends } = self;
        let prepared = &decode.compaction.scan.prepared;
        let single_pass = decode.ends.record_call(pass, lengths, ends)?;
        prepared.record(pass, call, |pieces, counted| {
            let definition = &prepared.operator.definition;
            prepared.geometry.decode(definition, pieces[0], counted, call.places[0])
        })?;
        Ok(single_pass)
    }

    fn status(&self) -> Result<Option<GpuSlice<u32>>, Error> {
        self.decode.ends.status()
    }

    fn submit(&self, call: &pieces::Call) -> Result<Dispatched, Error> {
        self.decode.ends.submit(|pass| self.record(pass, call))
    }
}

impl<T: Element> fmt::Debug for RunLengthDecode<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RunLengthDecode(on {:?})", self.compaction.context())
    }
}
