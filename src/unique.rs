//! Unique: the first item of each run.

use std::fmt;

use crate::algorithm::Algorithm;
use crate::compaction::{Call, Compaction};
use crate::context::Context;
use crate::element::Element;
use crate::error::Error;
use crate::operator::Operator;
use crate::selection::Equality;
use crate::shader::kernel::Payload;
use crate::slice::GpuSlice;
use crate::tuning::Tuning;

/// The first item of each run: of neighbours that are the same.
///
/// The input must be one segment that fits one binding. Everything else is as with
/// [`Select`](crate::Select).
#[derive(Clone)]
pub struct Unique<T: Element> {
    compaction: Compaction<T, u32, T>,
}

impl<T: Element> Unique<T> {
    /// Plans it with the device's own tuning. Compiles a kernel.
    ///
    /// Errors: [`Error::Limit`] on a device too small, [`Error::OutOfMemory`].
    pub fn new(context: &Context, equality: &Equality<T>) -> Result<Self, Error> {
        let tuning = Tuning::for_device(context.capabilities());
        Self::with_algorithm(context, equality, Algorithm::Auto, &tuning)
    }

    /// [`Unique::new`] by a chosen algorithm and sizes of the caller's choice.
    ///
    /// Errors: as [`Scan::with_algorithm`](crate::Scan::with_algorithm).
    pub fn with_algorithm(
        context: &Context,
        equality: &Equality<T>,
        algorithm: Algorithm,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        let (counts, parts) = (Operator::sum(), (Payload::Unique, 1));
        let compaction = Compaction::of_runs(context, &counts, parts, equality, algorithm, tuning)?;
        Ok(Unique { compaction })
    }

    /// The first items of runs of the host's: uploads, submits, waits and downloads.
    ///
    /// Errors: as [`Select::run`](crate::Select::run).
    ///
    /// ```
    /// use lookback::{Context, Equality, Unique};
    /// let unique = Unique::new(&Context::new()?, &Equality::by_value())?;
    /// assert_eq!(unique.run(&[0.0f32, -0.0, 2.0, 2.0, 0.0])?, [0.0, 2.0, 0.0]);
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn run(&self, input: &[T]) -> Result<Vec<T>, Error> {
        let context = self.compaction.context();
        let input = context.upload(input)?;
        let (output, count) = (context.allocate(input.len())?, context.allocate(1)?);
        let counted = self.compaction.run(&self.call(&input, &output, &count)?, &count)?;
        self.compaction.first_of(&output, counted[0])
    }

    /// A call on slices of the device.
    ///
    /// Errors: as [`Select::call`](crate::Select::call), and [`Error::Length`] for an input of
    /// several segments or past the largest binding.
    pub fn call(
        &self,
        input: &GpuSlice<T>,
        output: &GpuSlice<T>,
        count: &GpuSlice<u32>,
    ) -> Result<Call<'_>, Error> {
        let outputs = [self.compaction.other("output", output)?];
        self.compaction.call(input, None, &outputs, count)
    }
}

impl<T: Element> fmt::Debug for Unique<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unique(on {:?})", self.compaction.context())
    }
}

/// The first key of each run of keys, and the value that goes with it.
///
/// Everything else is as with [`Unique`].
#[derive(Clone)]
pub struct UniqueByKey<K: Element, V: Element> {
    compaction: Compaction<K, u32, K>,
    values: std::marker::PhantomData<V>,
}

impl<K: Element, V: Element> UniqueByKey<K, V> {
    /// Plans it with the device's own tuning. Compiles a kernel.
    ///
    /// Errors: [`Error::Limit`] on a device too small, [`Error::OutOfMemory`].
    pub fn new(context: &Context, equality: &Equality<K>) -> Result<Self, Error> {
        let tuning = Tuning::for_device(context.capabilities());
        Self::with_algorithm(context, equality, Algorithm::Auto, &tuning)
    }

    /// [`UniqueByKey::new`] by a chosen algorithm and sizes of the caller's choice.
    ///
    /// Errors: as [`Scan::with_algorithm`](crate::Scan::with_algorithm).
    pub fn with_algorithm(
        context: &Context,
        equality: &Equality<K>,
        algorithm: Algorithm,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        crate::element::check_size::<V>()?;
        let (counts, parts) = (Operator::sum(), (Payload::UniqueByKey, V::LAYOUT.words()));
        let compaction = Compaction::of_runs(context, &counts, parts, equality, algorithm, tuning)?;
        Ok(UniqueByKey { compaction, values: std::marker::PhantomData })
    }

    /// The first keys of runs of the host's, and their values: uploads, submits, waits and downloads.
    ///
    /// Errors: as [`Select::run`](crate::Select::run), and [`Error::Length`] unless there are as many values
    /// as keys.
    ///
    /// ```
    /// use lookback::{Context, Equality, UniqueByKey};
    /// let unique = UniqueByKey::new(&Context::new()?, &Equality::by_value())?;
    /// let (keys, values) = unique.run(&[7u32, 7, 9], &[0.5f32, 1.5, 2.5])?;
    /// assert_eq!((keys, values), (vec![7, 9], vec![0.5, 2.5]));
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn run(&self, keys: &[K], values: &[V]) -> Result<(Vec<K>, Vec<V>), Error> {
        let context = self.compaction.context();
        let (keys, values) = (context.upload(keys)?, context.upload(values)?);
        let (out_keys, out_values) = (context.allocate(keys.len())?, context.allocate(keys.len())?);
        let count = context.allocate(1)?;
        let call = self.call(&keys, &values, &out_keys, &out_values, &count)?;
        self.compaction.run_for_two(&call, &count, &out_keys, &out_values)
    }

    /// A call on slices of the device.
    ///
    /// Errors: as [`Unique::call`], and [`Error::Length`] unless there are as many values as keys.
    pub fn call(
        &self,
        keys: &GpuSlice<K>,
        values: &GpuSlice<V>,
        out_keys: &GpuSlice<K>,
        out_values: &GpuSlice<V>,
        count: &GpuSlice<u32>,
    ) -> Result<Call<'_>, Error> {
        if values.len() != keys.len() {
            let (what, wanted, got) = ("the values", keys.len(), values.len());
            return Err(Error::Length { what, wanted, got });
        }
        let values = Some(self.compaction.other("values", values)?);
        let outputs = [
            self.compaction.other("output of keys", out_keys)?,
            self.compaction.other("output of values", out_values)?,
        ];
        self.compaction.call(keys, values, &outputs, count)
    }
}

impl<K: Element, V: Element> fmt::Debug for UniqueByKey<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UniqueByKey(on {:?})", self.compaction.context())
    }
}
