//! The plan of a scan: which algorithm it comes to, and what it starts with.

use super::{Kind, Scan};
use crate::algorithm::Algorithm;
use crate::element::Element;
use crate::error::Error;
use crate::operator::words;
use crate::plan::{Counted, Pass, Placement, Plan};
use crate::prepared::Prepared;
use crate::shader::kernel::{LookBack, SinglePass, Stalled};

impl<I: Element, A: Element, O: Element> Scan<I, A, O> {
    pub(crate) fn plan_at(
        &self,
        pieces: &[Placement],
        counted: Counted,
        in_place: bool,
    ) -> Result<Plan, Error> {
        let Prepared { operator, init, .. } = &self.prepared;
        let exclusive = self.kind == Kind::Exclusive;
        // An exclusive scan starts with what nothing combines to.
        let definition = &operator.definition;
        // The counts of a compaction start from nothing.
        let nothing = exclusive && !definition.payload.compacts();
        let carry = init.or(nothing.then_some(operator.of_nothing)).map(|carry| words(&carry));
        let mut carry = carry.as_deref();
        let start = if definition.headed { carry.take() } else { None };
        let mut plan = self.plan_after(pieces, counted, in_place, carry)?;
        // Within segments each starts with it, in whichever pass its items are met.
        let of_items = |pass: &&mut Pass| pass.kernel.payload.is_segmented();
        if let Some(start) = start {
            for pass in plan.passes.iter_mut().filter(of_items) {
                *pass = pass.clone().with_start(start);
            }
        }
        Ok(plan)
    }

    /// [`Scan::plan_at`] after what stands before item 0.
    fn plan_after(
        &self,
        pieces: &[Placement],
        counted: Counted,
        in_place: bool,
        carry: Option<&[u32]>,
    ) -> Result<Plan, Error> {
        let Prepared { context, geometry, operator, .. } = &self.prepared;
        let (definition, exclusive) = (&operator.definition, self.kind == Kind::Exclusive);
        let algorithm = match self.algorithm {
            Algorithm::Auto => self.choice(in_place).algorithm,
            chosen => chosen,
        };
        let (look_back, stalled) = match algorithm {
            Algorithm::ScanThenPropagate if definition.accumulator_fits_output() => {
                return geometry.scan_then_propagate(definition, pieces, counted, exclusive, carry);
            }
            Algorithm::Auto | Algorithm::ScanThenPropagate | Algorithm::ReduceThenScan => {
                return geometry.scan(definition, pieces, counted, exclusive, carry);
            }
            Algorithm::Chained => (Some(LookBack::Chained), Stalled::Fail),
            Algorithm::LookBack => (None, Stalled::Fail),
            Algorithm::Fallback => (None, Stalled::Reduce),
        };
        let choose = |single_pass: SinglePass| SinglePass {
            look_back: look_back.unwrap_or(single_pass.look_back),
            stalled,
            counting: self.counting,
            stall_every: self.stall_every,
            ..single_pass
        };
        let is_cpu = context.capabilities().device_type == wgpu::DeviceType::Cpu;
        let one_pass = geometry.is_one_tile(definition, pieces) || definition.loops && is_cpu;
        let single = match self.prepared.single_pass(pieces) {
            Some(geometry) if !one_pass => {
                geometry.single_pass(definition, pieces, counted, choose, exclusive, carry)?
            }
            _ => None,
        };
        match single {
            Some(single) => Ok(single),
            None => geometry.scan(definition, pieces, counted, exclusive, carry),
        }
    }
}
