//! Scan: the running combination of the items.

mod plans;

use std::fmt;
use std::sync::atomic::Ordering;

use crate::algorithm::{self, Algorithm, Choice};
use crate::context::Context;
use crate::dispatched::Dispatched;
use crate::element::Element;
use crate::error::Error;
use crate::geometry::Purpose;
use crate::operator::Operator;
use crate::pieces;
use crate::plan::{Counted, Placement, Plan};
use crate::prepared::Prepared;
use crate::record;
use crate::scratch::{COUNTERS_WORD, STATUS_WORD};
use crate::slice::GpuSlice;
use crate::tuning::Tuning;

/// Whether an output covers its own item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Output i combines items 0 to i.
    Inclusive,
    /// Output i combines items 0 to i - 1. Output 0 is the initial value, or the operator's
    /// value of nothing (0 for a sum, the least value for a maximum).
    Exclusive,
}

/// A scan (prefix sum), ready to run any number of times on any number of items.
///
/// By [`Algorithm::Auto`], unless another is asked for: a single pass where the device, the
/// operator and the call permit, which moves 2n data, else reduce-then-scan, 3n. Items are combined
/// in order. Integer results are the same on every device; float results may differ in the last
/// bits, from run to run by single passes, between devices by all: name
/// [`Algorithm::ReduceThenScan`] for the same bits from run to run. Input and output may be the
/// same slice, but for [`Algorithm::Fallback`] by name.
///
/// | method | submits | waits | allocates |
/// |---|---|---|---|
/// | [`new`](Self::new) | no | for the compiler | a small scratch; the context's first single pass 4 MiB |
/// | [`warm_up`](Self::warm_up) | yes | yes, and for the compiler | three buffers of a tile; without immediates small uniforms |
/// | [`run`](Self::run) | yes | yes | buffers for input and output |
/// | [`dispatch`](Self::dispatch) | yes | no | nothing; without immediates a small uniform |
/// | [`run_async`](Self::run_async) | yes | no thread | buffers as `run` |
/// | [`record`](Self::record), [`record_in_pass`](Self::record_in_pass) | no | no | nothing; without immediates a small uniform |
///
/// Sources: Merrill & Garland 2016 (reduce-then-scan); Kogge & Stone 1973; Blelloch 1990.
#[derive(Clone)]
pub struct Scan<I: Element, A: Element = I, O: Element = A> {
    pub(crate) prepared: Prepared<I, A, O>,
    kind: Kind,
    algorithm: Algorithm,
    /// Whether single passes count.
    counting: bool,
    /// Every how many tiles of a single pass one publishes nothing, for tests.
    stall_every: u32,
}

/// What single passes have counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counters {
    /// Looks that found nothing new.
    pub looks_in_vain: u32,
    /// Windows of descriptors that were combined.
    pub windows: u32,
    /// Tiles that were reduced for others.
    pub fallbacks: u32,
}

impl<I: Element, A: Element, O: Element> Scan<I, A, O> {
    /// Plans a scan with the device's own tuning. Compiles a kernel, so a fault in the
    /// operator's text shows here.
    ///
    /// Errors: [`Error::Limit`] on a device too small, [`Error::OutOfMemory`].
    pub fn new(context: &Context, operator: &Operator<I, A, O>, kind: Kind) -> Result<Self, Error> {
        Self::with_tuning(context, operator, kind, &Tuning::for_device(context.capabilities()))
    }

    /// [`Scan::new`] with sizes of the caller's choice.
    pub fn with_tuning(
        context: &Context,
        operator: &Operator<I, A, O>,
        kind: Kind,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        Self::with_algorithm(context, operator, kind, Algorithm::Auto, tuning)
    }

    /// [`Scan::with_tuning`] by a chosen algorithm. The first single pass of a context makes its
    /// state, 4 MiB on the device.
    ///
    /// Errors: as [`Scan::new`]; for a single pass [`Error::Length`] if the accumulator has more
    /// words than the descriptor's form takes, [`Error::Feature`] for a form that the device does
    /// not have.
    pub fn with_algorithm(
        context: &Context,
        operator: &Operator<I, A, O>,
        kind: Kind,
        algorithm: Algorithm,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        let mut prepared = Prepared::new(context, operator, tuning, Purpose::Chunks)?;
        let capabilities = context.capabilities();
        let may_be = |in_place| {
            let chosen = algorithm::choose(capabilities, &operator.definition, in_place, |_| false);
            chosen.algorithm.is_single_pass()
        };
        if algorithm.is_single_pass() {
            prepared.add_single_passes(tuning)?;
        } else if algorithm == Algorithm::Auto && (may_be(false) || may_be(true)) {
            match prepared.add_single_passes(tuning) {
                // It does without.
                Err(Error::Limit { .. } | Error::Length { .. }) => {}
                added => added?,
            }
        }
        let scan = Scan { prepared, kind, algorithm, counting: false, stall_every: 0 };
        scan.prepared.compile(&scan.plan(1)?)?;
        Ok(scan)
    }

    /// What [`Algorithm::Auto`] comes to for calls of this operator on this device, with more items
    /// than a tile has.
    pub fn choice(&self, in_place: bool) -> Choice {
        let Prepared { context, operator, single_passes, .. } = &self.prepared;
        let is_demoted = |algorithm| context.is_demoted(algorithm);
        let choice =
            algorithm::choose(context.capabilities(), &operator.definition, in_place, is_demoted);
        match choice.algorithm.is_single_pass() && single_passes.is_empty() {
            true => Choice {
                algorithm: Algorithm::ReduceThenScan,
                reason: "the device's limits are too small for a single pass",
            },
            false => choice,
        }
    }

    /// The same scan, whose single passes count what they do; [`Scan::counters`] reads it.
    pub fn with_counters(&self) -> Self {
        Scan { counting: true, ..self.clone() }
    }

    /// What single passes with counters have counted since the context was made, of all plans,
    /// modulo 2^32. Submits a copy and waits for it and for all work before. `None` if this scan
    /// makes no single pass.
    ///
    /// Errors: [`Error::DeviceLost`].
    pub fn counters(&self) -> Result<Option<Counters>, Error> {
        let Some(words) = self.prepared.state_words(COUNTERS_WORD, 3)? else { return Ok(None) };
        let counted = self.prepared.context.download(&words)?;
        let [looks_in_vain, windows, fallbacks] = counted[..] else { return Ok(None) };
        Ok(Some(Counters { looks_in_vain, windows, fallbacks }))
    }

    /// The same scan in which every k-th tile of a single pass publishes nothing, as if its
    /// workgroup were never run again: for tests of what the others do then.
    #[doc(hidden)]
    pub fn with_stalls(&self, every: u32) -> Self {
        Scan { stall_every: every, ..self.clone() }
    }

    /// The word on the device that counts the tiles of single passes that have given up, of all
    /// plans of the context: what a recorded call adds to it, it has failed by. `None` if this scan
    /// makes no single pass.
    pub fn status(&self) -> Result<Option<GpuSlice<u32>>, Error> {
        self.prepared.state_words(STATUS_WORD, 1)
    }

    /// The same scan with a value to the left of item 0; the kernels are shared.
    pub fn with_init(&self, init: A) -> Self {
        Scan { prepared: self.prepared.with_init(init), ..self.clone() }
    }

    /// Bytes of scratch that calls need, for any number of items. The context holds one scratch for
    /// all its plans, as large as the largest of them needs; calls allocate none. Single passes have
    /// their state, 4 MiB a context, besides.
    pub fn scratch_bytes(&self) -> u64 {
        self.prepared.scratch_bytes()
    }

    /// What a call on `n_items` items in one aligned segment does.
    ///
    /// Errors: [`Error::Length`] for more items than [`Operator::from_wgsl`] says a looping text
    /// takes on a CPU.
    pub fn plan(&self, n_items: u32) -> Result<Plan, Error> {
        let placement = Placement::of_items(n_items, I::LAYOUT.words(), O::LAYOUT.words());
        self.plan_at(&[placement], Counted::Host, false)
    }

    /// Scans items of the host: uploads, submits, waits and downloads.
    ///
    /// Errors: [`Error::Limit`] beyond the largest binding, [`Error::OutOfMemory`],
    /// [`Error::DeviceLost`].
    ///
    /// ```
    /// use lookback::{Context, Kind, Operator, Scan};
    /// let context = Context::new()?;
    /// let offsets = Scan::new(&context, &Operator::<u32>::sum(), Kind::Exclusive)?;
    /// assert_eq!(offsets.run(&[3, 1, 4])?, [0, 3, 4]);
    /// assert_eq!(offsets.with_init(100).run(&[3, 1, 4])?, [100, 103, 104]);
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn run(&self, input: &[I]) -> Result<Vec<O>, Error> {
        let n = input.len() as u64;
        let mut call = None;
        let output = self.prepared.run(input, n, |input, output| {
            call = Some(self.dispatch(input, output)?);
            Ok(())
        })?;
        match call.map_or(Ok(()), |call| call.check()) {
            Err(Error::Stalled) => self.safe().run(input),
            checked => checked.map(|()| output),
        }
    }

    /// [`Scan::run`] without blocking the thread: uploads and submits when first polled.
    ///
    /// Errors: as [`Scan::run`].
    pub async fn run_async(&self, input: &[I]) -> Result<Vec<O>, Error> {
        let mut call = None;
        let dispatch = |input: &_, output: &_| {
            call = Some(self.dispatch(input, output)?);
            Ok(())
        };
        let output = self.prepared.run_async(input, input.len() as u64, dispatch).await?;
        let checked = match call {
            Some(call) => call.check_async().await,
            None => Ok(()),
        };
        match checked {
            Err(Error::Stalled) => Box::pin(self.safe().run_async(input)).await,
            checked => checked.map(|()| output),
        }
    }

    /// Scans a slice of the device into a slice of as many items: submits and does not wait.
    /// Nothing is written past the output's last item.
    ///
    /// The two may be the same slice (but for [`Algorithm::Fallback`] by name), or lie in one
    /// buffer and share no byte.
    ///
    /// Errors: [`Error::Length`] unless both have as many items, [`Error::Usage`] without
    /// `STORAGE`, [`Error::Aliased`], [`Error::Limit`] beyond the largest binding.
    pub fn dispatch(&self, input: &GpuSlice<I>, output: &GpuSlice<O>) -> Result<Dispatched, Error> {
        self.dispatch_all(std::slice::from_ref(input), std::slice::from_ref(output))
    }

    /// Several calls in one submission.
    pub(crate) fn dispatch_all(
        &self,
        inputs: &[GpuSlice<I>],
        outputs: &[GpuSlice<O>],
    ) -> Result<Dispatched, Error> {
        self.submit(|pass| {
            let mut single_passes = false;
            for (input, output) in inputs.iter().zip(outputs) {
                single_passes |= self.record_call(pass, input, output)?;
            }
            Ok(single_passes)
        })
    }

    /// Submits what `record` records, which says whether it has a single pass.
    pub(crate) fn submit(
        &self,
        record: impl FnOnce(&mut wgpu::ComputePass<'_>) -> Result<bool, Error>,
    ) -> Result<Dispatched, Error> {
        let context = self.prepared.context.clone();
        // A number that was read before the call: what others add meanwhile is taken for its own.
        let before = context.given_up().load(Ordering::SeqCst);
        let mut single_passes = false;
        record::dispatch(&context, |pass| {
            single_passes = record(pass)?;
            Ok(())
        })?;
        let status = if single_passes { self.status()? } else { None };
        Ok(Dispatched { context, status, before })
    }

    /// The same by reduce-then-scan, for a call that has given up.
    pub(crate) fn safe(&self) -> Self {
        log::warn!("a single pass gave up, and is done by reduce-then-scan");
        Scan { algorithm: Algorithm::ReduceThenScan, ..self.clone() }
    }

    /// Records the scan into an encoder of the caller's, in a compute pass of its own; otherwise as
    /// [`Scan::record_in_pass`].
    pub fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        input: &GpuSlice<I>,
        output: &GpuSlice<O>,
    ) -> Result<(), Error> {
        record::in_encoder(encoder, |pass| self.record_in_pass(pass, input, output))
    }

    /// Records the scan into a compute pass of the caller's, who submits it. Kernels that no
    /// call has used yet are compiled first. Buffers must stay undestroyed until it has run.
    /// Afterwards the pass has another pipeline, another bind group 0 and other immediates.
    ///
    /// Errors: as [`Scan::dispatch`], before anything is recorded; but a lost device may show only
    /// when the caller submits.
    pub fn record_in_pass(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        input: &GpuSlice<I>,
        output: &GpuSlice<O>,
    ) -> Result<(), Error> {
        self.record_call(pass, input, output).map(drop)
    }

    /// Records a call; says whether it has a single pass.
    pub(crate) fn record_call(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        input: &GpuSlice<I>,
        output: &GpuSlice<O>,
    ) -> Result<bool, Error> {
        if output.len() != input.len() {
            let (what, wanted, got) = ("the output's items", input.len(), output.len());
            return Err(Error::Length { what, wanted, got });
        }
        let capabilities = self.prepared.context.capabilities();
        let call = pieces::of_scan(capabilities, input, output, self.may_be_in_place())?;
        self.record_pieces(pass, &call)
    }

    /// Records a call on pieces; says whether it has a single pass.
    pub(crate) fn record_pieces(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        call: &pieces::Call,
    ) -> Result<bool, Error> {
        let plan = |pieces: &[Placement], counted| self.plan_at(pieces, counted, call.in_place);
        self.prepared.record(pass, call, plan)
    }

    pub(crate) fn may_be_in_place(&self) -> bool {
        // Another workgroup may read a tile of the input at any time.
        self.algorithm != Algorithm::Fallback
    }
}

impl<I: Element, A: Element, O: Element> fmt::Debug for Scan<I, A, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Prepared { operator, context, .. } = &self.prepared;
        write!(f, "Scan({:?} {:?} on {context:?})", self.kind, operator.name())
    }
}
