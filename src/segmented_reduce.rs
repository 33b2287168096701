//! Segmented reduce: what the items of each segment combine to.

use std::fmt;

use crate::compaction::{Call, Primitive};
use crate::context::Context;
use crate::dispatched::Dispatched;
use crate::element::Element;
use crate::error::Error;
use crate::geometry::Purpose;
use crate::geometry::segments::Bounds;
use crate::operator::Operator;
use crate::pieces;
use crate::pieces::compact::{Other, of_segmented_reduce};
use crate::plan::{Counted, Placement, Plan};
use crate::prepared::Prepared;
use crate::record;
use crate::segmented_scan::check_offsets;
use crate::slice::GpuSlice;
use crate::tuning::Tuning;

/// What says where segments begin and end. Both are numbers of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SegmentBounds {
    /// One u32 a segment and one more: where it begins, which is where the one before it ends. They
    /// ascend. Items before the first and after the last are of no segment.
    Offsets,
    /// Two u32 a segment: where it begins, and where it ends, past its last item. Segments may lie in
    /// any order, with gaps between them, and share items.
    Pairs,
}

/// A reduction of each of many segments of an array, of whatever lengths.
///
/// One output a segment; that of a segment of no item is the initial value, or the operator's value of
/// nothing. Bounds are a slice of u32 that each call gets, one segment in a buffer that is not the
/// output's; their number says how many outputs there are. On the device bounds past the items are
/// taken for the number of items, and a segment that ends before it begins has none; of offsets
/// that do not ascend each two neighbours are a segment. The input is one segment that fits one binding;
/// its number may lie on the device ([`GpuSlice::counted_by`]). Nothing is done in place. The device needs
/// 5 storage bindings, and 6 to read by quads. On a CPU driver that ends loops, as lavapipe does, bounds on
/// the device must not let segments share so many items that a lane has more than 65,535 trips for them.
///
/// Segments of up to 16 items are a lane's, of up to 4,096 a subgroup's, of up to 65,536 or a 256th of all
/// items a workgroup's, as all are where there are few; longer ones are shared by workgroups. So a call's time is that of its items
/// and bounds, however the lengths are mixed. Items are combined in order, unless the operator is
/// declared commutative. Float results are the same from run to run on one device for the same call
/// (but where segments that share items are too many for the queues: more than 256 of over 65,536 items, or
/// than 262,144 of over 4,096).
///
/// Data moved: items once, bounds once or twice, an output a segment. Up to 256 segments take a pass;
/// more take two, or one for up to 4,096 items.
///
/// | method | submits | waits | allocates |
/// |---|---|---|---|
/// | [`new`](Self::new) | no | for the compiler | a scratch of 1 MiB, and 128 bytes for each workgroup and word of an accumulator |
/// | [`run`](Self::run) | yes | yes | buffers for items, bounds and outputs |
/// | [`call`](Self::call) | no | no | no |
///
/// Sources: Harris, "Optimizing Parallel Reduction in CUDA"; queues by size as in Merrill, Garland &
/// Grimshaw 2012.
#[derive(Clone)]
pub struct SegmentedReduce<I: Element, A: Element = I, O: Element = A> {
    prepared: Prepared<I, A, O>,
    bounds: SegmentBounds,
}

/// A call with the number of its segments.
struct SegmentsCall<'a, I: Element, A: Element, O: Element> {
    reduce: &'a SegmentedReduce<I, A, O>,
    bounds: Bounds,
}

impl<I: Element, A: Element, O: Element> SegmentedReduce<I, A, O> {
    /// Plans it with the device's own tuning. Compiles its kernels.
    ///
    /// Errors: [`Error::Limit`] on a device too small, [`Error::OutOfMemory`].
    pub fn new(
        context: &Context,
        bounds: SegmentBounds,
        operator: &Operator<I, A, O>,
    ) -> Result<Self, Error> {
        let tuning = Tuning::for_device(context.capabilities());
        Self::with_tuning(context, bounds, operator, &tuning)
    }

    /// [`SegmentedReduce::new`] with sizes of the caller's choice.
    ///
    /// Errors: as [`SegmentedReduce::new`].
    pub fn with_tuning(
        context: &Context,
        bounds: SegmentBounds,
        operator: &Operator<I, A, O>,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        let prepared = Prepared::new(context, operator, tuning, Purpose::Segments)?;
        let reduce = SegmentedReduce { prepared, bounds };
        for n_segments in [1, 1 << 16] {
            reduce.prepared.compile(&reduce.plan(1 << 17, n_segments)?)?;
        }
        Ok(reduce)
    }

    /// The same with a value to the left of the first item of each segment; the kernels are shared.
    pub fn with_init(&self, init: A) -> Self {
        SegmentedReduce { prepared: self.prepared.with_init(init), ..self.clone() }
    }

    /// What a call on so many items and segments in aligned slices does.
    ///
    /// Errors: [`Error::Limit`] if the device has too few bindings or workgroups, [`Error::Length`] on a CPU for a
    /// text that loops and more than 786,432 items (49,152 for each lane of a workgroup).
    pub fn plan(&self, n_items: u32, n_segments: u32) -> Result<Plan, Error> {
        let placement = Placement::of_items(n_items, I::LAYOUT.words(), O::LAYOUT.words());
        self.plan_at(placement, Counted::Host, self.bounds_of(n_segments))
    }

    /// Reduces segments of the host's items: uploads, submits, waits and downloads.
    ///
    /// Errors: as [`Reduce::run`](crate::Reduce::run), and [`Error::Length`] for offsets that do not
    /// ascend, for pairs that end before they begin, for bounds past the items, for an odd number of
    /// words of pairs, and on a CPU for so many long segments that share items that a driver might end
    /// a lane's loops. No offsets at all are no segment.
    ///
    /// ```
    /// use lookback::{Context, Operator, SegmentBounds, SegmentedReduce};
    /// let (context, sum) = (Context::new()?, Operator::sum());
    /// let rows = SegmentedReduce::new(&context, SegmentBounds::Offsets, &sum)?;
    /// assert_eq!(rows.run(&[0, 2, 2, 4], &[1u32, 2, 3, 4])?, [3, 0, 7]);
    /// let windows = SegmentedReduce::new(&context, SegmentBounds::Pairs, &sum)?;
    /// assert_eq!(windows.run(&[3, 4, 0, 3], &[1u32, 2, 3, 4])?, [4, 6]);
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn run(&self, bounds: &[u32], input: &[I]) -> Result<Vec<O>, Error> {
        let n_segments = self.check_bounds(bounds, input.len() as u64)?;
        let context = &self.prepared.context;
        let (bounds, input) = (context.upload(bounds)?, context.upload(input)?);
        let output = context.allocate(n_segments)?;
        self.call(&bounds, &input, &output)?.dispatch()?;
        context.download(&output)
    }

    /// A call on slices of the device. Nothing is written past the output's last item.
    ///
    /// Errors: [`Error::Length`] unless there are as many bounds as the output's segments have, for
    /// bounds or output of several segments, for an input that does not fit one binding;
    /// [`Error::Usage`] without `STORAGE`; [`Error::Aliased`]; [`Error::Limit`] beyond the largest binding.
    pub fn call(
        &self,
        bounds: &GpuSlice<u32>,
        input: &GpuSlice<I>,
        output: &GpuSlice<O>,
    ) -> Result<Call<'_>, Error> {
        let wanted = match self.bounds {
            SegmentBounds::Offsets if output.is_empty() => bounds.len().min(1),
            SegmentBounds::Offsets => output.len() + 1,
            SegmentBounds::Pairs => 2 * output.len(),
        };
        if bounds.len() != wanted {
            return Err(Error::Length { what: "the bounds", wanted, got: bounds.len() });
        }
        let capabilities = self.prepared.context.capabilities();
        let bounds = Other::new(capabilities, "bounds", bounds)?;
        let written = Other::new(capabilities, "output", output)?;
        let call = of_segmented_reduce(capabilities, input, &bounds, &written)?;
        // Their bounds fit a binding, whose words 32 bits count.
        let bounds = self.bounds_of(output.len() as u32);
        Ok(Call { primitive: Box::new(SegmentsCall { reduce: self, bounds }), call })
    }

    fn bounds_of(&self, n_segments: u32) -> Bounds {
        let stride = match self.bounds {
            SegmentBounds::Offsets => 1,
            SegmentBounds::Pairs => 2,
        };
        Bounds { n_segments, stride }
    }

    fn plan_at(&self, piece: Placement, counted: Counted, bounds: Bounds) -> Result<Plan, Error> {
        let Prepared { geometry, operator, .. } = &self.prepared;
        let carry = self.prepared.carry();
        geometry.segmented_reduce(&operator.definition, piece, counted, bounds, carry.as_deref())
    }

    /// The number of segments.
    fn check_bounds(&self, bounds: &[u32], n_items: u64) -> Result<u64, Error> {
        let n_words = bounds.len() as u64;
        match self.bounds {
            SegmentBounds::Offsets => {
                check_offsets(bounds, n_items)?;
                Ok(n_words.saturating_sub(1))
            }
            SegmentBounds::Pairs if !n_words.is_multiple_of(2) => {
                let what = "the words of pairs (two a segment)";
                Err(Error::Length { what, wanted: n_words + 1, got: n_words })
            }
            SegmentBounds::Pairs => {
                bounds.chunks_exact(2).try_for_each(|pair| check_offsets(pair, n_items))?;
                let Prepared { geometry, operator, .. } = &self.prepared;
                let lengths = bounds.chunks_exact(2).map(|pair| u64::from(pair[1] - pair[0]));
                geometry.check_shared_items(&operator.definition, n_items, lengths)?;
                Ok(n_words / 2)
            }
        }
    }
}

impl<I: Element, A: Element, O: Element> Primitive for SegmentsCall<'_, I, A, O> {
    fn record(&self, pass: &mut wgpu::ComputePass<'_>, call: &pieces::Call) -> Result<bool, Error> {
        self.reduce.prepared.record(pass, call, |pieces, counted| match pieces {
            [piece] => self.reduce.plan_at(*piece, counted, self.bounds),
            // There is no segment.
            _ => Ok(Plan { passes: Vec::new() }),
        })
    }

    fn status(&self) -> Result<Option<GpuSlice<u32>>, Error> {
        Ok(None)
    }

    fn submit(&self, call: &pieces::Call) -> Result<Dispatched, Error> {
        let context = self.reduce.prepared.context.clone();
        record::dispatch(&context, |pass| self.record(pass, call).map(drop))?;
        Ok(Dispatched { context, status: None, before: 0 })
    }
}

impl<I: Element, A: Element, O: Element> fmt::Debug for SegmentedReduce<I, A, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Prepared { operator, context, .. } = &self.prepared;
        write!(f, "SegmentedReduce(by {:?}, {:?} on {context:?})", self.bounds, operator.name())
    }
}
