//! What every primitive keeps between its calls.

use std::sync::Arc;

use crate::context::Context;
use crate::element::Element;
use crate::error::Error;
use crate::geometry::Geometry;
use crate::operator::{Operator, words};
use crate::pieces::Call;
use crate::pipeline::Kernels;
use crate::plan::{Counted, Placement, Plan};
use crate::record;
use crate::scratch::{STATUS_WORD, Scratch};
use crate::slice::GpuSlice;
use crate::tuning::Tuning;

/// An operator fitted to a device, with its kernels and its scratch. Clones share both.
#[derive(Clone)]
pub(crate) struct Prepared<I: Element, A: Element, O: Element> {
    pub context: Context,
    pub operator: Operator<I, A, O>,
    pub geometry: Geometry,
    pub init: Option<A>,
    kernels: Arc<Kernels>,
    scratch: Scratch,
}

impl<I: Element, A: Element, O: Element> Prepared<I, A, O> {
    pub fn new(
        context: &Context,
        operator: &Operator<I, A, O>,
        tuning: &Tuning,
        single_pass: bool,
    ) -> Result<Self, Error> {
        let definition = &operator.definition;
        let geometry = Geometry::fit(context.capabilities(), tuning, definition, single_pass)?;
        Ok(Prepared {
            context: context.clone(),
            operator: operator.clone(),
            geometry,
            init: None,
            kernels: Arc::new(Kernels::new(definition.clone())),
            scratch: {
                let partials_bytes = geometry.partials_bytes(definition);
                context.scratch().of_size(context, partials_bytes, single_pass)?
            },
        })
    }

    /// Compiles the kernels of a plan that are not compiled yet.
    pub fn compile(&self, plan: &Plan) -> Result<(), Error> {
        plan.passes
            .iter()
            .try_for_each(|pass| self.kernels.get(&self.context, pass.kernel).map(drop))
    }

    pub fn with_init(&self, init: A) -> Self {
        Prepared { init: Some(init), ..self.clone() }
    }

    pub fn scratch_bytes(&self) -> u64 {
        self.geometry.partials_bytes(&self.operator.definition)
    }

    /// The word that counts the tiles of single passes that have given up.
    pub fn status(&self) -> Result<Option<GpuSlice<u32>>, Error> {
        let state = self.scratch.state.as_ref();
        state.map(|state| GpuSlice::new(state, STATUS_WORD..STATUS_WORD + 1)).transpose()
    }

    /// The words of the initial value.
    pub fn carry(&self) -> Option<Vec<u32>> {
        self.init.as_ref().map(words)
    }

    /// Plans a call on its slices and records it.
    pub fn record(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        call: &Call,
        plan: impl FnOnce(&[Placement], Counted) -> Result<Plan, Error>,
    ) -> Result<(), Error> {
        let placements: Vec<Placement> = call.pieces.iter().map(|piece| piece.placement).collect();
        let plan = plan(&placements, call.counted)?;
        record::record(&self.context, &self.kernels, &self.scratch, &plan, call, pass)
    }

    /// Uploads the input, runs a call that writes `n_outputs` items, and downloads them.
    pub fn run(
        &self,
        input: &[I],
        n_outputs: u64,
        dispatch: impl FnOnce(&GpuSlice<I>, &GpuSlice<O>) -> Result<(), Error>,
    ) -> Result<Vec<O>, Error> {
        let output = self.start(input, n_outputs, dispatch)?;
        self.context.download(&output)
    }

    /// [`Prepared::run`] without blocking the thread.
    pub async fn run_async(
        &self,
        input: &[I],
        n_outputs: u64,
        dispatch: impl FnOnce(&GpuSlice<I>, &GpuSlice<O>) -> Result<(), Error>,
    ) -> Result<Vec<O>, Error> {
        let output = self.start(input, n_outputs, dispatch)?;
        self.context.download_async(&output).await
    }

    fn start(
        &self,
        input: &[I],
        n_outputs: u64,
        dispatch: impl FnOnce(&GpuSlice<I>, &GpuSlice<O>) -> Result<(), Error>,
    ) -> Result<GpuSlice<O>, Error> {
        let input = self.context.upload(input)?;
        let output = self.context.allocate(n_outputs)?;
        dispatch(&input, &output)?;
        Ok(output)
    }
}
