//! Select: the items that a predicate keeps, in order.

use std::fmt;

use crate::algorithm::Algorithm;
use crate::compaction::{Call, Compaction, Parts};
use crate::context::Context;
use crate::element::Element;
use crate::error::Error;
use crate::operator::Operator;
use crate::selection::{Predicate, Selection};
use crate::shader::kernel::Payload;
use crate::slice::GpuSlice;
use crate::tuning::Tuning;

/// A selection (stream compaction), ready to run any number of times on any number of items.
///
/// Kept items stand in the output in the order of the input, and their number, a u32, is written to a
/// slice of its own, where a later call may read it ([`GpuSlice::counted_by`]). An output
/// too small is filled to its end and never past it; the number is that of all kept items. Nothing
/// past the kept items is written. The input may be several segments; output, flags and count are one each, and
/// the output may not overlap the input, but lie in one buffer with it.
///
/// Data moved: n items read and the kept ones written, by [`Algorithm::Auto`] in a single pass on GPUs;
/// on CPUs the items are read twice. Results are the same from run to run. A predicate of floats is
/// asked once for each item by a single pass, twice by reduce-then-scan.
///
/// [`new`](Self::new) waits for the compiler, and allocates as [`Scan`](crate::Scan) does;
/// [`run`](Self::run) submits, waits and allocates; [`call`](Self::call) does none of the three.
///
/// Sources: Blelloch 1990; Merrill & Garland 2016 (a single pass).
#[derive(Clone)]
pub struct Select<T: Element, O: Element = T> {
    compaction: Compaction<T, u32, O>,
    predicate: Predicate<T>,
}

impl<T: Element> Select<T> {
    /// Plans a selection with the device's own tuning. Compiles a kernel.
    ///
    /// Errors: [`Error::Limit`] on a device too small, [`Error::OutOfMemory`].
    pub fn new(context: &Context, predicate: &Predicate<T>) -> Result<Self, Error> {
        let tuning = Tuning::for_device(context.capabilities());
        Self::with_algorithm(context, predicate, Algorithm::Auto, &tuning)
    }

    /// [`Select::new`] by a chosen algorithm and sizes of the caller's choice.
    ///
    /// Errors: as [`Scan::with_algorithm`](crate::Scan::with_algorithm).
    pub fn with_algorithm(
        context: &Context,
        predicate: &Predicate<T>,
        algorithm: Algorithm,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        Self::of(context, predicate, Payload::Select, algorithm, tuning)
    }
}

impl<T: Element> Select<T, u32> {
    /// The same, but the numbers of the kept items are written, modulo 2^32, not the items.
    ///
    /// Errors: as [`Select::new`].
    ///
    /// ```
    /// use lookback::{Context, Predicate, Select};
    /// let large = Predicate::<f32>::from_wgsl("x > 2.5")?;
    /// let places = Select::indices(&Context::new()?, &large)?;
    /// assert_eq!(places.run(&[3.0, 1.0, 4.0], &[])?, [0, 2]);
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn indices(context: &Context, predicate: &Predicate<T>) -> Result<Self, Error> {
        let tuning = Tuning::for_device(context.capabilities());
        Self::indices_with_algorithm(context, predicate, Algorithm::Auto, &tuning)
    }

    /// [`Select::indices`] by a chosen algorithm and sizes of the caller's choice.
    ///
    /// Errors: as [`Scan::with_algorithm`](crate::Scan::with_algorithm).
    pub fn indices_with_algorithm(
        context: &Context,
        predicate: &Predicate<T>,
        algorithm: Algorithm,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        Self::of(context, predicate, Payload::SelectIndices, algorithm, tuning)
    }
}

impl<T: Element, O: Element> Select<T, O> {
    fn of(
        context: &Context,
        predicate: &Predicate<T>,
        payload: Payload,
        algorithm: Algorithm,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        let selection = Selection { kept: predicate.kept.clone(), ..Selection::default() };
        let parts = Parts { payload, flags: predicate.flags, selection, second_words: 1 };
        let counts = Operator::sum();
        let compaction = Compaction::new(context, &counts, parts, algorithm, tuning)?;
        Ok(Select { compaction, predicate: predicate.clone() })
    }

    /// Selects items of the host: uploads, submits, waits and downloads what is kept. `flags` is empty for a
    /// predicate without flags.
    ///
    /// Errors: [`Error::Length`] for a wrong number of flags, [`Error::Limit`] beyond the largest
    /// binding, [`Error::OutOfMemory`], [`Error::DeviceLost`].
    ///
    /// ```
    /// use lookback::{Context, Predicate, Select};
    /// let context = Context::new()?;
    /// let large = Predicate::<u32>::from_wgsl("x > 3u")?;
    /// assert_eq!(Select::new(&context, &large)?.run(&[3, 1, 4, 1, 5], &[])?, [4, 5]);
    /// let flagged = Select::new(&context, &Predicate::flags())?;
    /// assert_eq!(flagged.run(&[7u32, 8, 9], &[1, 0, 1])?, [7, 9]);
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn run(&self, input: &[T], flags: &[u32]) -> Result<Vec<O>, Error> {
        let context = self.compaction.context();
        let n_items = input.len() as u64;
        let flags = self.compaction.upload_flags(&self.predicate, n_items, flags)?;
        let input = context.upload(input)?;
        let (output, count) = (context.allocate(input.len())?, context.allocate(1)?);
        let counts =
            self.compaction.run(&self.call(&input, flags.as_ref(), &output, &count)?, &count)?;
        self.compaction.first_of(&output, counts[0])
    }

    /// A call on slices of the device. `flags` is for predicates that have them, and for those only.
    ///
    /// Errors: [`Error::Length`] for flags that are fewer than the items, a count of another length
    /// than 1, or several segments but for the input's; [`Error::Usage`] without `STORAGE`,
    /// [`Error::Aliased`], [`Error::Limit`] beyond the largest binding.
    pub fn call(
        &self,
        input: &GpuSlice<T>,
        flags: Option<&GpuSlice<u32>>,
        output: &GpuSlice<O>,
        count: &GpuSlice<u32>,
    ) -> Result<Call<'_>, Error> {
        let flags = self.compaction.flags(&self.predicate, input, flags)?;
        let outputs = [self.compaction.other("output", output)?];
        self.compaction.call(input, flags, &outputs, count)
    }
}

impl<T: Element, O: Element> fmt::Debug for Select<T, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Select({:?} on {:?})", self.predicate, self.compaction.context())
    }
}
