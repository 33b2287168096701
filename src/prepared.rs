//! What every primitive keeps between its calls.

use std::sync::Arc;

use crate::context::Context;
use crate::element::Element;
use crate::error::Error;
use crate::geometry::{Geometry, Purpose};
use crate::operator::{Operator, words};
use crate::pieces::{Call, Piece};
use crate::pipeline::Kernels;
use crate::plan::{Counted, Placement, Plan};
use crate::record;
use crate::scratch::{Scratch, Wanted};
use crate::shader::kernel::Root;
use crate::slice::GpuSlice;
use crate::tuning::Tuning;

/// An operator fitted to a device, with its kernels and its scratch. Clones share both.
#[derive(Clone)]
pub(crate) struct Prepared<I: Element, A: Element, O: Element> {
    pub context: Context,
    pub operator: Operator<I, A, O>,
    pub geometry: Geometry,
    /// The geometries of single passes, if there are any, each with the fewest items that it is for,
    /// in order.
    pub single_passes: Vec<(u32, Geometry)>,
    pub init: Option<A>,
    pub kernels: Arc<Kernels>,
    pub scratch: Scratch,
}

impl<I: Element, A: Element, O: Element> Prepared<I, A, O> {
    pub fn new(
        context: &Context,
        operator: &Operator<I, A, O>,
        tuning: &Tuning,
        purpose: Purpose,
    ) -> Result<Self, Error> {
        let definition = &operator.definition;
        let geometry = Geometry::fit(context.capabilities(), tuning, definition, purpose)?;
        let partials_bytes = geometry.partials_bytes(definition);
        let wanted = match purpose {
            Purpose::Segments => Wanted {
                partials_bytes: geometry.queue_bytes().max(partials_bytes),
                shares_bytes: geometry.shares_bytes(definition),
                ..Default::default()
            },
            _ => Wanted { partials_bytes, ..Default::default() },
        };
        Ok(Prepared {
            context: context.clone(),
            operator: operator.clone(),
            geometry,
            single_passes: Vec::new(),
            init: None,
            kernels: Arc::new(Kernels::new(definition.clone())),
            scratch: context.scratch().of_size(context, wanted)?,
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

    /// Makes single passes possible: their geometries and their state.
    ///
    /// Errors: as [`Scan::with_algorithm`](crate::Scan::with_algorithm).
    pub fn add_single_passes(&mut self, tuning: &Tuning) -> Result<(), Error> {
        let (context, definition) = (&self.context, &self.operator.definition);
        let words = definition.acc_words();
        let descriptor = tuning.descriptor_for(context.capabilities(), words)?;
        let purpose = Purpose::SinglePass(descriptor);
        let fit = |(from, tuning): (u32, Tuning)| {
            Ok((from, Geometry::fit(context.capabilities(), &tuning, definition, purpose)?))
        };
        let single_passes =
            tuning.shapes(descriptor).into_iter().map(fit).collect::<Result<_, Error>>()?;
        let wanted = Wanted {
            partials_bytes: self.scratch_bytes(),
            single_pass: true,
            ..Default::default()
        };
        self.scratch = context.scratch().of_size(context, wanted)?;
        self.single_passes = single_passes;
        Ok(())
    }

    /// The geometry for a single pass over pieces.
    pub fn single_pass(&self, pieces: &[Placement]) -> Option<&Geometry> {
        let n_items = pieces.iter().map(|piece| u64::from(piece.n_items)).sum::<u64>();
        let mut fitting = self.single_passes.iter().rev();
        let fits = |(from, _): &&(u32, Geometry)| u64::from(*from) <= n_items;
        fitting.find(fits).or(self.single_passes.first()).map(|(_, geometry)| geometry)
    }

    /// Words of the state of single passes, if there is one.
    pub fn state_words(&self, first: u64, n_words: u64) -> Result<Option<GpuSlice<u32>>, Error> {
        let state = self.scratch.state.as_ref().filter(|_| !self.single_passes.is_empty());
        state.map(|state| GpuSlice::new(state, first..first + n_words)).transpose()
    }

    /// The words of the initial value.
    pub fn carry(&self) -> Option<Vec<u32>> {
        self.init.as_ref().map(words)
    }

    /// Plans a call on its slices and records it; says whether it has a single pass.
    pub fn record(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        call: &Call,
        plan: impl FnOnce(&[Placement], Counted) -> Result<Plan, Error>,
    ) -> Result<bool, Error> {
        let numbered = call.pieces.iter().enumerate();
        let second_quads = call.second_quads();
        let placement =
            |(piece, of): (usize, &Piece)| Placement { piece, second_quads, ..of.placement };
        let placements: Vec<Placement> = numbered.map(placement).collect();
        let mut plan = plan(&placements, call.counted)?;
        for pass in &mut plan.passes {
            pass.params.second_word = call.second_word;
            if pass.kernel.payload.compacts() {
                pass.params.carry[..call.places.len()].copy_from_slice(&call.places);
            }
        }
        record::record(&self.context, &self.kernels, &self.scratch, &plan, call, pass)?;
        Ok(plan.passes.iter().any(|pass| pass.kernel.root == Root::SinglePass))
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
