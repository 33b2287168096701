//! Segmented scan: the running combination of the items of each segment.

use std::fmt;

use crate::algorithm::Algorithm;
use crate::compaction::Call;
use crate::context::Context;
use crate::element::Element;
use crate::error::Error;
use crate::operator::Operator;
use crate::scan::Kind;
use crate::segments::{Segments, WithinSegments};
use crate::shader::kernel::{Flags, Payload};
use crate::slice::GpuSlice;
use crate::tuning::Tuning;

/// What says where segments begin. Item 0 begins one in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SegmentStarts {
    /// One u32 an item, not 0 for the first of a segment.
    Flags,
    /// One u32 for 32 items, the lowest bit first, with bits set for the first of each segment.
    PackedFlags,
}

/// A scan that starts anew at the first item of each segment.
///
/// What says where segments begin is a slice of u32 that each call gets, one segment in a buffer that
/// is not the output's. Everything else is as with [`ScanByKey`](crate::ScanByKey).
#[derive(Clone)]
pub struct SegmentedScan<I: Element, A: Element = I, O: Element = A> {
    within: WithinSegments<I, A, O>,
    starts: SegmentStarts,
}

impl<I: Element, A: Element, O: Element> SegmentedScan<I, A, O> {
    /// Plans it with the device's own tuning. Compiles a kernel.
    ///
    /// Errors: [`Error::Limit`] on a device too small, [`Error::OutOfMemory`].
    pub fn new(
        context: &Context,
        starts: SegmentStarts,
        operator: &Operator<I, A, O>,
        kind: Kind,
    ) -> Result<Self, Error> {
        let tuning = Tuning::for_device(context.capabilities());
        Self::with_algorithm(context, starts, operator, kind, Algorithm::Auto, &tuning)
    }

    /// [`SegmentedScan::new`] by a chosen algorithm and sizes of the caller's choice.
    ///
    /// Errors: as [`Scan::with_algorithm`](crate::Scan::with_algorithm).
    pub fn with_algorithm(
        context: &Context,
        starts: SegmentStarts,
        operator: &Operator<I, A, O>,
        kind: Kind,
        algorithm: Algorithm,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        let flags = match starts {
            SegmentStarts::Flags => Flags::Words,
            SegmentStarts::PackedFlags => Flags::Bits,
        };
        let segments = Segments::of_flags(Payload::ScanSegments, flags);
        let within = WithinSegments::new(context, (operator, kind), segments, algorithm, tuning)?;
        Ok(SegmentedScan { within, starts })
    }

    /// The same with a value to the left of the first item of each segment; the kernels are shared.
    pub fn with_init(&self, init: A) -> Self {
        SegmentedScan { within: self.within.with_init(init), ..self.clone() }
    }

    /// Scans items of the host: uploads, submits, waits and downloads.
    ///
    /// Errors: as [`Scan::run`](crate::Scan::run), and [`Error::Length`] for another number of words
    /// of flags than the items take.
    ///
    /// ```
    /// use lookback::{Context, Kind, Operator, SegmentStarts, SegmentedScan};
    /// let (context, sum) = (Context::new()?, Operator::sum());
    /// let by_flags = SegmentedScan::new(&context, SegmentStarts::Flags, &sum, Kind::Inclusive)?;
    /// assert_eq!(by_flags.run(&[0, 0, 1, 0], &[1u32, 2, 3, 4])?, [1, 3, 3, 7]);
    /// let packed = SegmentedScan::new(&context, SegmentStarts::PackedFlags, &sum, Kind::Exclusive)?;
    /// assert_eq!(packed.run(&[0b0100], &[1u32, 2, 3, 4])?, [0, 1, 0, 3]);
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn run(&self, starts: &[u32], input: &[I]) -> Result<Vec<O>, Error> {
        let (wanted, got) = (self.words(input.len() as u64), starts.len() as u64);
        if wanted != got {
            return Err(Error::Length { what: "the words of flags", wanted, got });
        }
        let context = self.within.context();
        let (starts, input) = (context.upload(starts)?, context.upload(input)?);
        let output = context.allocate(input.len())?;
        match self.call(&starts, &input, &output)?.dispatch()?.check() {
            Err(Error::Stalled) => {
                let safe = SegmentedScan { within: self.within.safe(), ..self.clone() };
                safe.call(&starts, &input, &output)?.dispatch()?.check()?;
            }
            checked => checked?,
        }
        context.download(&output)
    }

    /// A call on slices of the device. Nothing is written past the output's last item.
    ///
    /// Errors: as [`ScanByKey::call`](crate::ScanByKey::call), and [`Error::Length`] for flags that are
    /// fewer than the items.
    pub fn call(
        &self,
        starts: &GpuSlice<u32>,
        input: &GpuSlice<I>,
        output: &GpuSlice<O>,
    ) -> Result<Call<'_>, Error> {
        let (wanted, got) = (self.words(input.len()), starts.len());
        if got < wanted {
            return Err(Error::Length { what: "the words of flags", wanted, got });
        }
        self.within.call(input, ("flags", starts), output)
    }

    /// Words of flags for so many items.
    fn words(&self, n_items: u64) -> u64 {
        match self.starts {
            SegmentStarts::Flags => n_items,
            SegmentStarts::PackedFlags => n_items.div_ceil(32),
        }
    }
}

impl<I: Element, A: Element, O: Element> fmt::Debug for SegmentedScan<I, A, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SegmentedScan(by {:?}, {:?})", self.starts, self.within.scan)
    }
}
