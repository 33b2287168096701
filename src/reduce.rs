//! Reduce: all items combined into one.

use std::fmt;

use crate::context::Context;
use crate::element::Element;
use crate::error::Error;
use crate::geometry::Purpose;
use crate::operator::Operator;
use crate::pieces;
use crate::plan::{Counted, Placement, Plan};
use crate::prepared::Prepared;
use crate::record;
use crate::slice::GpuSlice;
use crate::tuning::Tuning;

/// A reduction, ready to run any number of times on any number of items.
///
/// Data moved: n items read, once. Few items take one pass; more take two, of which the second
/// reads one partial for each of at most a few thousand workgroups. Items are combined in
/// order, unless the operator is declared commutative. Float results are the same from run to
/// run on one device for one n, and may differ between devices.
///
/// | method | submits | waits | allocates |
/// |---|---|---|---|
/// | [`new`](Self::new) | no | for the compiler | a small scratch |
/// | [`warm_up`](Self::warm_up) | yes | yes, and for the compiler | three buffers of a tile; without immediates small uniforms |
/// | [`run`](Self::run) | yes | yes | buffers for input and result |
/// | [`dispatch`](Self::dispatch) | yes | no | nothing; without immediates a small uniform |
/// | [`run_async`](Self::run_async) | yes | no thread | buffers as `run` |
/// | [`record`](Self::record), [`record_in_pass`](Self::record_in_pass) | no | no | nothing; without immediates a small uniform |
///
/// Sources: Harris, "Optimizing Parallel Reduction in CUDA"; Merrill & Garland 2016.
#[derive(Clone)]
pub struct Reduce<I: Element, A: Element = I, O: Element = A>(pub(crate) Prepared<I, A, O>);

impl<I: Element, A: Element, O: Element> Reduce<I, A, O> {
    /// Plans a reduction with the device's own tuning. Compiles a kernel, so a fault in the
    /// operator's text shows here.
    ///
    /// Errors: [`Error::Limit`] on a device too small, [`Error::OutOfMemory`].
    pub fn new(context: &Context, operator: &Operator<I, A, O>) -> Result<Self, Error> {
        Self::with_tuning(context, operator, &Tuning::for_device(context.capabilities()))
    }

    /// [`Reduce::new`] with sizes of the caller's choice.
    pub fn with_tuning(
        context: &Context,
        operator: &Operator<I, A, O>,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        let reduce = Reduce(Prepared::new(context, operator, tuning, Purpose::Chunks)?);
        reduce.0.compile(&reduce.plan(1)?)?;
        Ok(reduce)
    }

    /// The same reduction with a value to the left of item 0; the kernels are shared.
    pub fn with_init(&self, init: A) -> Self {
        Reduce(self.0.with_init(init))
    }

    /// Bytes of scratch that calls need, for any number of items. The context holds one scratch for
    /// all its plans, as large as the largest of them needs; calls allocate none.
    pub fn scratch_bytes(&self) -> u64 {
        self.0.scratch_bytes()
    }

    /// What a call on `n_items` items in one aligned segment does.
    ///
    /// Errors: [`Error::Length`] for more items than [`Operator::from_wgsl`] says a looping text
    /// takes on a CPU.
    pub fn plan(&self, n_items: u32) -> Result<Plan, Error> {
        let placement = Placement::of_items(n_items, I::LAYOUT.words(), O::LAYOUT.words());
        self.plan_at(&[placement], Counted::Host)
    }

    /// Reduces items of the host: uploads, submits, waits and downloads.
    ///
    /// The reduction of nothing is the initial value, or the operator's value of nothing (0 for
    /// a sum, the greatest value for a minimum).
    ///
    /// Errors: [`Error::Limit`] beyond the largest binding, [`Error::OutOfMemory`],
    /// [`Error::DeviceLost`].
    ///
    /// ```
    /// use lookback::{Context, Operator, Reduce};
    /// let context = Context::new()?;
    /// let greatest = Reduce::new(&context, &Operator::<f32>::max())?;
    /// assert_eq!(greatest.run(&[1.5, 4.0, -2.0])?, 4.0);
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn run(&self, input: &[I]) -> Result<O, Error> {
        let results = self.0.run(input, 1, |input, output| self.dispatch(input, output))?;
        Ok(results[0])
    }

    /// [`Reduce::run`] without blocking the thread: uploads and submits when first polled.
    ///
    /// Errors: as [`Reduce::run`].
    pub async fn run_async(&self, input: &[I]) -> Result<O, Error> {
        let dispatch = |input: &_, output: &_| self.dispatch(input, output);
        Ok(self.0.run_async(input, 1, dispatch).await?[0])
    }

    /// Reduces a slice of the device into a slice of one item: submits and does not wait.
    ///
    /// The two may lie in one buffer if they share no byte.
    ///
    /// Errors: [`Error::Length`] unless `output` has one item, [`Error::Usage`] without
    /// `STORAGE`, [`Error::Aliased`], [`Error::Limit`] beyond the largest binding.
    pub fn dispatch(&self, input: &GpuSlice<I>, output: &GpuSlice<O>) -> Result<(), Error> {
        record::dispatch(&self.0.context, |pass| self.record_in_pass(pass, input, output)).map(drop)
    }

    /// Records the reduction into an encoder of the caller's, in a compute pass of its own; otherwise as
    /// [`Reduce::record_in_pass`].
    pub fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        input: &GpuSlice<I>,
        output: &GpuSlice<O>,
    ) -> Result<(), Error> {
        record::in_encoder(encoder, |pass| self.record_in_pass(pass, input, output))
    }

    /// Records the reduction into a compute pass of the caller's, who submits it. Kernels that
    /// no call has used yet are compiled first. Buffers must stay undestroyed until it has run.
    /// Afterwards the pass has another pipeline, another bind group 0 and other immediates.
    ///
    /// Errors: as [`Reduce::dispatch`], before anything is recorded; but a lost device may show only
    /// when the caller submits.
    pub fn record_in_pass(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        input: &GpuSlice<I>,
        output: &GpuSlice<O>,
    ) -> Result<(), Error> {
        if output.len() != 1 {
            let (what, got) = ("the output's items", output.len());
            return Err(Error::Length { what, wanted: 1, got });
        }
        let call = pieces::of_reduce(self.0.context.capabilities(), input, output)?;
        self.0.record(pass, &call, |pieces, counted| self.plan_at(pieces, counted)).map(drop)
    }

    pub(crate) fn plan_at(&self, pieces: &[Placement], counted: Counted) -> Result<Plan, Error> {
        let Prepared { geometry, operator, .. } = &self.0;
        geometry.reduce(&operator.definition, pieces, counted, self.0.carry().as_deref())
    }
}

impl<I: Element, A: Element, O: Element> fmt::Debug for Reduce<I, A, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reduce({:?} on {:?})", self.0.operator.name(), self.0.context)
    }
}
