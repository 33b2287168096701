//! Segmented scan: the running combination of the items of each segment.

use std::fmt;

use crate::algorithm::Algorithm;
use crate::compaction::{Call, Primitive};
use crate::context::Context;
use crate::dispatched::Dispatched;
use crate::element::Element;
use crate::error::Error;
use crate::geometry::Purpose;
use crate::operator::Operator;
use crate::pieces;
use crate::pieces::compact::Other;
use crate::plan::Placement;
use crate::prepared::Prepared;
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
    /// One u32 a segment: the number of its first item, which for an empty segment is the next one's. They
    /// ascend; one more, the number of items, may stand at the end. Items before the first offset are a
    /// segment of their own.
    Offsets,
}

/// A scan that starts anew at the first item of each segment.
///
/// What says where segments begin is a slice of u32 that each call gets, one segment in a buffer that
/// is not the output's. Of offsets two small passes make flags, a bit an item; [`call`](Self::call)
/// allocates them. On the device offsets past the items are left out, and none is held against
/// another. Everything else is as with [`ScanByKey`](crate::ScanByKey).
#[derive(Clone)]
pub struct SegmentedScan<I: Element, A: Element = I, O: Element = A> {
    within: WithinSegments<I, A, O>,
    starts: SegmentStarts,
    /// What makes flags of offsets.
    marks: Option<Prepared<u32, u32, u32>>,
}

/// A call that makes its flags first.
struct MarkedCall<'a, I: Element, A: Element, O: Element> {
    within: &'a WithinSegments<I, A, O>,
    marks: &'a Prepared<u32, u32, u32>,
    flags: pieces::Call,
    n_words: u32,
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
            SegmentStarts::PackedFlags | SegmentStarts::Offsets => Flags::Bits,
        };
        let marks = (starts == SegmentStarts::Offsets)
            .then(|| Prepared::new(context, &Operator::<u32>::sum(), tuning, Purpose::Chunks))
            .transpose()?;
        if let Some(Prepared { operator, geometry, .. }) = &marks {
            let plan = geometry.mark_heads(&operator.definition, Placement::ALIGNED, 1)?;
            marks.iter().try_for_each(|marks| marks.compile(&plan))?;
        }
        let segments = Segments::of_flags(Payload::ScanSegments, flags);
        let within = WithinSegments::new(context, (operator, kind), segments, algorithm, tuning)?;
        Ok(SegmentedScan { within, starts, marks })
    }

    /// The same with a value to the left of the first item of each segment. Kernels are shared as by
    /// [`ScanByKey::with_init`](crate::ScanByKey::with_init).
    pub fn with_init(&self, init: A) -> Self {
        SegmentedScan { within: self.within.with_init(init), ..self.clone() }
    }

    /// Scans items of the host: uploads, submits, waits and downloads.
    ///
    /// Errors: as [`Scan::run`](crate::Scan::run), and [`Error::Length`] for another number of words
    /// of flags than the items take, for offsets that do not ascend and for one past the items.
    ///
    /// ```
    /// use lookback::{Context, Kind, Operator, SegmentStarts, SegmentedScan};
    /// let (context, sum) = (Context::new()?, Operator::sum());
    /// let by_flags = SegmentedScan::new(&context, SegmentStarts::Flags, &sum, Kind::Inclusive)?;
    /// assert_eq!(by_flags.run(&[0, 0, 1, 0], &[1u32, 2, 3, 4])?, [1, 3, 3, 7]);
    /// let packed = SegmentedScan::new(&context, SegmentStarts::PackedFlags, &sum, Kind::Exclusive)?;
    /// assert_eq!(packed.run(&[0b0100], &[1u32, 2, 3, 4])?, [0, 1, 0, 3]);
    /// let ends = SegmentedScan::new(&context, SegmentStarts::Offsets, &sum, Kind::Inclusive)?;
    /// assert_eq!(ends.run(&[0, 1, 1, 4], &[1u32, 2, 3, 4])?, [1, 2, 5, 9]);
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn run(&self, starts: &[u32], input: &[I]) -> Result<Vec<O>, Error> {
        let (n_items, got) = (input.len() as u64, starts.len() as u64);
        match self.words(n_items) {
            Some(wanted) if wanted != got => {
                return Err(Error::Length { what: "the words of flags", wanted, got });
            }
            Some(_) => {}
            None => check_offsets(starts, n_items)?,
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
        let (within, context) = (&self.within, self.within.context());
        if let Some(wanted) = self.words(input.len()).filter(|&wanted| starts.len() < wanted) {
            return Err(Error::Length { what: "the words of flags", wanted, got: starts.len() });
        }
        let Some(marks) = &self.marks else {
            return within.call(input, ("flags", starts), output);
        };
        let offsets = Other::new(context.capabilities(), "offsets", starts)?;
        offsets.check_apart_from_all(output)?;
        let flags = context.allocate::<u32>(input.len().div_ceil(32).max(1))?;
        let call = within.pieces(input, ("flags", &flags), output)?;
        // No more than those of 2^32 items.
        let n_words = flags.len() as u32;
        let flags = pieces::of_reduce(context.capabilities(), starts, &flags)?;
        Ok(Call { primitive: Box::new(MarkedCall { within, marks, flags, n_words }), call })
    }

    /// Words of flags for so many items, if there are flags.
    fn words(&self, n_items: u64) -> Option<u64> {
        match self.starts {
            SegmentStarts::Flags => Some(n_items),
            SegmentStarts::PackedFlags => Some(n_items.div_ceil(32)),
            SegmentStarts::Offsets => None,
        }
    }
}

/// Errors: [`Error::Length`] unless they ascend, up to the number of items at most.
pub(crate) fn check_offsets(offsets: &[u32], n_items: u64) -> Result<(), Error> {
    let mut least = 0;
    for &offset in offsets {
        let (what, wanted, got) = match u64::from(offset) {
            got if got < least => ("an offset (at least the one before it)", least, got),
            got if got > n_items => ("an offset (at most the items)", n_items, got),
            got => {
                least = got;
                continue;
            }
        };
        return Err(Error::Length { what, wanted, got });
    }
    Ok(())
}

impl<I: Element, A: Element, O: Element> Primitive for MarkedCall<'_, I, A, O> {
    fn record(&self, pass: &mut wgpu::ComputePass<'_>, call: &pieces::Call) -> Result<bool, Error> {
        let MarkedCall { within, marks, flags, n_words } = self;
        marks.record(pass, flags, |pieces, _| {
            marks.geometry.mark_heads(&marks.operator.definition, pieces[0], *n_words)
        })?;
        within.scan.record_pieces(pass, call)
    }

    fn status(&self) -> Result<Option<GpuSlice<u32>>, Error> {
        self.within.scan.status()
    }

    fn submit(&self, call: &pieces::Call) -> Result<Dispatched, Error> {
        self.within.scan.submit(|pass| self.record(pass, call))
    }
}

impl<I: Element, A: Element, O: Element> fmt::Debug for SegmentedScan<I, A, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SegmentedScan(by {:?}, {:?})", self.starts, self.within.scan)
    }
}
