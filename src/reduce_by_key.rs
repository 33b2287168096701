//! Reduce by key: what the values of each run of keys combine to.

use std::fmt;
use std::marker::PhantomData;

use crate::algorithm::Algorithm;
use crate::compaction::{Call, Compaction};
use crate::context::Context;
use crate::element::Element;
use crate::error::Error;
use crate::operator::Operator;
use crate::segments::Segments;
use crate::selection::Equality;
use crate::shader::kernel::Payload;
use crate::slice::GpuSlice;
use crate::tuning::Tuning;

/// The first key of each run of keys, and the combination of the values that go with the run.
///
/// Values are combined in order, and nothing of one run gets into another. Of keys that are sorted, runs
/// are groups. The number of runs, a u32, is written to a slice of its own, where a later call may
/// read it ([`GpuSlice::counted_by`]). Outputs too small are filled to their ends and never past them;
/// the number is that of all runs, 0 for no value. Values may be several segments; keys, outputs and
/// count are one each. Nothing is done in place: outputs may not overlap anything, nor lie in a buffer
/// with the keys, nor that of keys in one with the values. A number of values on the device
/// holds for the keys.
///
/// Data moved: n values and keys read, one key of each lane's items once more, and a key and a value written
/// for each run; where more than some 5 of 16 items begin a run, values and keys are read twice, from a
/// cache; by reduce-then-scan, as on CPUs, always. In shaders a value stands with one
/// word more, so by [`Algorithm::Auto`] accumulators of more than 3 words go by reduce-then-scan.
/// Keys and counts are the same from run to run; combinations as [`Scan`](crate::Scan)'s are.
///
/// [`new`](Self::new) waits for the compiler, and allocates as [`Scan`](crate::Scan) does;
/// [`run`](Self::run) submits, waits and allocates; [`call`](Self::call) does none of the three.
///
/// Sources: as [`ScanByKey`](crate::ScanByKey); Merrill & Garland 2016 (a single pass).
#[derive(Clone)]
pub struct ReduceByKey<K: Element, I: Element, A: Element = I, O: Element = A> {
    compaction: Compaction<I, A, O>,
    keys: PhantomData<K>,
}

impl<K: Element, I: Element, A: Element, O: Element> ReduceByKey<K, I, A, O> {
    /// Plans it with the device's own tuning. Compiles a kernel.
    ///
    /// Errors: [`Error::InvalidWgsl`] if texts of the equality and the operator declare one name,
    /// [`Error::Limit`] on a device too small, [`Error::OutOfMemory`].
    pub fn new(
        context: &Context,
        equality: &Equality<K>,
        operator: &Operator<I, A, O>,
    ) -> Result<Self, Error> {
        let tuning = Tuning::for_device(context.capabilities());
        Self::with_algorithm(context, equality, operator, Algorithm::Auto, &tuning)
    }

    /// [`ReduceByKey::new`] by a chosen algorithm and sizes of the caller's choice.
    ///
    /// Errors: as [`ReduceByKey::new`] and [`Scan::with_algorithm`](crate::Scan::with_algorithm).
    pub fn with_algorithm(
        context: &Context,
        equality: &Equality<K>,
        operator: &Operator<I, A, O>,
        algorithm: Algorithm,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        let segments = Segments::of_keys(Payload::ReduceSegments, equality)?;
        let operator = operator.segmented(segments)?;
        let tuning = Tuning { compactions: tuning.reductions_by_key, ..*tuning };
        let compaction = Compaction::of(context, &operator, algorithm, &tuning)?;
        Ok(ReduceByKey { compaction, keys: PhantomData })
    }

    /// The same as [`Scan::with_stalls`](crate::Scan::with_stalls).
    #[doc(hidden)]
    pub fn with_stalls(&self, every: u32) -> Self {
        ReduceByKey { compaction: self.compaction.with_stalls(every), keys: PhantomData }
    }

    /// Reduces values of the host's: uploads, submits, waits and downloads keys and combinations.
    ///
    /// Errors: as [`Select::run`](crate::Select::run), and [`Error::Length`] unless there are as many keys as
    /// values.
    ///
    /// ```
    /// use lookback::{Context, Equality, Operator, ReduceByKey};
    /// let (context, equality) = (Context::new()?, Equality::by_value());
    /// let sums = ReduceByKey::new(&context, &equality, &Operator::sum())?;
    /// let (keys, totals) = sums.run(&[7u32, 7, 9, 7], &[0.5f32, 1.5, 2.5, 3.5])?;
    /// assert_eq!((keys, totals), (vec![7, 9, 7], vec![2.0, 2.5, 3.5]));
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn run(&self, keys: &[K], values: &[I]) -> Result<(Vec<K>, Vec<O>), Error> {
        let context = self.compaction.context();
        let (keys, values) = (context.upload(keys)?, context.upload(values)?);
        let (out_keys, out_values) = (context.allocate(keys.len())?, context.allocate(keys.len())?);
        let count = context.allocate(1)?;
        let call = self.call(&keys, &values, &out_keys, &out_values, &count)?;
        self.compaction.run_for_two(&call, &count, &out_keys, &out_values)
    }

    /// A call on slices of the device.
    ///
    /// Errors: [`Error::Length`] unless there are as many keys as values, for a count of another length
    /// than 1, or for several segments but of the values; [`Error::Usage`] without `STORAGE`,
    /// [`Error::Aliased`], [`Error::Limit`] beyond the largest binding.
    pub fn call(
        &self,
        keys: &GpuSlice<K>,
        values: &GpuSlice<I>,
        out_keys: &GpuSlice<K>,
        out_values: &GpuSlice<O>,
        count: &GpuSlice<u32>,
    ) -> Result<Call<'_>, Error> {
        if keys.len() != values.len() {
            let (what, wanted, got) = ("the keys", values.len(), keys.len());
            return Err(Error::Length { what, wanted, got });
        }
        let keys = Some(self.compaction.other("keys", keys)?);
        let outputs = [
            self.compaction.other("output of values", out_values)?,
            self.compaction.other("output of keys", out_keys)?,
        ];
        self.compaction.call(values, keys, &outputs, count)
    }
}

impl<K: Element, I: Element, A: Element, O: Element> fmt::Debug for ReduceByKey<K, I, A, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReduceByKey({:?})", self.compaction.scan)
    }
}
