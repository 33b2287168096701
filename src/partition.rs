//! Partition: items told apart, each kind in order.

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

/// A partition in two: items that a predicate keeps to one output, the others to another.
///
/// Stable on both sides. Two counts are written, of the kept and of the others. Everything else
/// is as with [`Select`](crate::Select); n items are read and n written.
#[derive(Clone)]
pub struct Partition<T: Element> {
    compaction: Compaction<T, u32, T>,
    predicate: Predicate<T>,
}

impl<T: Element> Partition<T> {
    /// Plans a partition with the device's own tuning. Compiles a kernel.
    ///
    /// Errors: [`Error::Limit`] on a device too small, [`Error::OutOfMemory`].
    pub fn new(context: &Context, predicate: &Predicate<T>) -> Result<Self, Error> {
        let tuning = Tuning::for_device(context.capabilities());
        Self::with_algorithm(context, predicate, Algorithm::Auto, &tuning)
    }

    /// [`Partition::new`] by a chosen algorithm and sizes of the caller's choice.
    ///
    /// Errors: as [`Scan::with_algorithm`](crate::Scan::with_algorithm).
    pub fn with_algorithm(
        context: &Context,
        predicate: &Predicate<T>,
        algorithm: Algorithm,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        let selection = Selection { kept: predicate.kept.clone(), ..Selection::default() };
        let (payload, flags) = (Payload::Partition, predicate.flags);
        let parts = Parts { payload, flags, selection, second_words: T::LAYOUT.words() };
        let counts = Operator::sum();
        let compaction = Compaction::new(context, &counts, parts, algorithm, tuning)?;
        Ok(Partition { compaction, predicate: predicate.clone() })
    }

    /// Tells items of the host apart: uploads, submits, waits and downloads. `flags` is empty for a
    /// predicate without flags.
    ///
    /// Errors: as [`Select::run`](crate::Select::run).
    ///
    /// ```
    /// use lookback::{Context, Partition, Predicate};
    /// let context = Context::new()?;
    /// let flagged = Partition::new(&context, &Predicate::flags())?;
    /// let items = [1u32, 2, 3, 4, 5, 6, 7, 8];
    /// let [kept, others] = flagged.run(&items, &[1, 0, 0, 1, 0, 1, 1, 0])?;
    /// assert_eq!((&kept[..], &others[..]), (&[1, 4, 6, 7][..], &[2, 3, 5, 8][..]));
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn run(&self, input: &[T], flags: &[u32]) -> Result<[Vec<T>; 2], Error> {
        let context = self.compaction.context();
        let n_items = input.len() as u64;
        let flags = self.compaction.upload_flags(&self.predicate, n_items, flags)?;
        let input = context.upload(input)?;
        let (kept, others) = (context.allocate(input.len())?, context.allocate(input.len())?);
        let counts = context.allocate(2)?;
        let call = self.call(&input, flags.as_ref(), [&kept, &others], &counts)?;
        let counted = self.compaction.run(&call, &counts)?;
        let kept = self.compaction.first_of(&kept, counted[0])?;
        Ok([kept, self.compaction.first_of(&others, counted[1])?])
    }

    /// A call on slices of the device: outputs for the kept items and for the others, and two counts.
    ///
    /// Errors: as [`Select::call`](crate::Select::call).
    pub fn call(
        &self,
        input: &GpuSlice<T>,
        flags: Option<&GpuSlice<u32>>,
        outputs: [&GpuSlice<T>; 2],
        counts: &GpuSlice<u32>,
    ) -> Result<Call<'_>, Error> {
        let flags = self.compaction.flags(&self.predicate, input, flags)?;
        let outputs = [
            self.compaction.other("output of kept items", outputs[0])?,
            self.compaction.other("output of other items", outputs[1])?,
        ];
        self.compaction.call(input, flags, &outputs, counts)
    }
}

impl<T: Element> fmt::Debug for Partition<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Partition({:?} on {:?})", self.predicate, self.compaction.context())
    }
}

/// A partition in three: items of a first predicate, those of the rest of a second, and the others.
///
/// Stable in all three. Three counts are written. Everything else is as with
/// [`Partition`].
#[derive(Clone)]
pub struct PartitionThree<T: Element> {
    compaction: Compaction<T, [u32; 2], T>,
    first: Predicate<T>,
}

impl<T: Element> PartitionThree<T> {
    /// Plans a partition with the device's own tuning. Compiles a kernel.
    ///
    /// Errors: [`Error::Limit`] on a device too small, [`Error::OutOfMemory`];
    /// [`Error::Length`] if the second predicate has flags: only the first may;
    /// [`Error::InvalidWgsl`] if both texts declare one name.
    pub fn new(
        context: &Context,
        first: &Predicate<T>,
        second: &Predicate<T>,
    ) -> Result<Self, Error> {
        let tuning = Tuning::for_device(context.capabilities());
        Self::with_algorithm(context, first, second, Algorithm::Auto, &tuning)
    }

    /// [`PartitionThree::new`] by a chosen algorithm and sizes of the caller's choice.
    ///
    /// Errors: as [`Scan::with_algorithm`](crate::Scan::with_algorithm).
    pub fn with_algorithm(
        context: &Context,
        first: &Predicate<T>,
        second: &Predicate<T>,
        algorithm: Algorithm,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        let kept = first.kept.clone();
        let second = Some(second.as_second(&kept)?);
        let selection = Selection { kept, second, ..Selection::default() };
        let (payload, flags) = (Payload::PartitionThree, first.flags);
        let parts = Parts { payload, flags, selection, second_words: T::LAYOUT.words() };
        let counts = Operator::sum();
        let compaction = Compaction::new(context, &counts, parts, algorithm, tuning)?;
        Ok(PartitionThree { compaction, first: first.clone() })
    }

    /// Tells items of the host apart: uploads, submits, waits and downloads. `flags` is empty for a
    /// first predicate without flags.
    ///
    /// Errors: as [`Select::run`](crate::Select::run).
    ///
    /// ```
    /// use lookback::{Context, PartitionThree, Predicate};
    /// let small = Predicate::<u32>::from_wgsl("x < 3u")?;
    /// let middle = Predicate::<u32>::from_wgsl("x < 6u")?;
    /// let three = PartitionThree::new(&Context::new()?, &small, &middle)?;
    /// assert_eq!(three.run(&[5, 1, 9, 4, 2], &[])?, [vec![1, 2], vec![5, 4], vec![9]]);
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn run(&self, input: &[T], flags: &[u32]) -> Result<[Vec<T>; 3], Error> {
        let context = self.compaction.context();
        let n_items = input.len() as u64;
        let flags = self.compaction.upload_flags(&self.first, n_items, flags)?;
        let input = context.upload(input)?;
        let n = input.len();
        let outputs = [context.allocate(n)?, context.allocate(n)?, context.allocate(n)?];
        let counts = context.allocate(3)?;
        let call = self.call(&input, flags.as_ref(), outputs.each_ref(), &counts)?;
        let counted = self.compaction.run(&call, &counts)?;
        let of = |kind: usize| self.compaction.first_of(&outputs[kind], counted[kind]);
        Ok([of(0)?, of(1)?, of(2)?])
    }

    /// A call on slices of the device: outputs for the three kinds, and three counts.
    ///
    /// Errors: as [`Select::call`](crate::Select::call).
    pub fn call(
        &self,
        input: &GpuSlice<T>,
        flags: Option<&GpuSlice<u32>>,
        outputs: [&GpuSlice<T>; 3],
        counts: &GpuSlice<u32>,
    ) -> Result<Call<'_>, Error> {
        let flags = self.compaction.flags(&self.first, input, flags)?;
        let outputs = [
            self.compaction.other("output of the first kind", outputs[0])?,
            self.compaction.other("output of the second kind", outputs[1])?,
            self.compaction.other("output of other items", outputs[2])?,
        ];
        self.compaction.call(input, flags, &outputs, counts)
    }
}

impl<T: Element> fmt::Debug for PartitionThree<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PartitionThree({:?} on {:?})", self.first, self.compaction.context())
    }
}
