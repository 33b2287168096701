//! What a case of an irregular primitive works on, and how it is verified and timed.

use std::rc::Rc;

use lookback::{Algorithm, Call, Context, Error, GpuSlice};

use super::cases::Irregular;
use super::parts;
use crate::harness::arrays::Copies;
use crate::harness::compare::{self, Comparison};
use crate::harness::contender::{Contender, Run, given_up};
use crate::timing::{Clock, Copy};

/// A primitive, made for a device: all that differs between the primitives here.
pub trait Plan {
    fn call(&self, on: &Slices) -> Result<Call<'_>, Error>;
}

/// What a call works on.
pub struct Slices {
    pub inputs: Vec<GpuSlice<u32>>,
    /// Each has room for as many items as there are.
    pub outputs: Vec<GpuSlice<u32>>,
    pub counts: GpuSlice<u32>,
}

/// The slices of n items, and what should be in them.
pub struct Arrays {
    context: Context,
    comparison: Comparison,
    n: u64,
    slices: Slices,
    wanted: Vec<Wanted>,
    counts: Vec<u32>,
    bytes: u64,
}

/// An array that is filled from its start on.
pub struct Wanted {
    pub slice: GpuSlice<u32>,
    pub len: u64,
}

impl Wanted {
    pub fn new(context: &Context, capacity: u64) -> Result<Self, Error> {
        Ok(Wanted { slice: context.allocate(capacity)?, len: 0 })
    }

    /// What has been pushed.
    fn filled(&self) -> Result<GpuSlice<u32>, Error> {
        GpuSlice::new(self.slice.buffer(), 0..self.len)
    }

    pub fn push(&mut self, context: &Context, items: &[u32]) {
        let queue = context.queue();
        queue.write_buffer(self.slice.buffer(), self.len * 4, bytemuck::cast_slice(items));
        // What is written lies in a staging buffer until the next submission is done.
        queue.submit([]);
        self.len += items.len() as u64;
    }

    /// Says what is wrong with a slice that should have the same items.
    pub fn check(
        &self,
        comparison: &Comparison,
        what: &str,
        got: &GpuSlice<u32>,
    ) -> Result<Option<String>, Error> {
        let (got, wanted) = ((got.buffer(), 0), (self.slice.buffer(), 0));
        let difference = comparison.compare(got, wanted, self.len)?;
        Ok(difference.map(|difference| {
            let compare::Difference { words, first } = difference;
            format!("{words} items of {what} are wrong, the first is {first}")
        }))
    }
}

impl Arrays {
    pub fn new(context: &Context, case: &Irregular, n: u64) -> Result<Self, Error> {
        let nothing = (case.make)(0..0, n as u32);
        let filled = |count: usize| -> Result<Vec<Wanted>, Error> {
            (0..count).map(|_| Wanted::new(context, n)).collect()
        };
        let (mut inputs, mut wanted) =
            (filled(nothing.inputs.len())?, filled(nothing.outputs.len())?);
        parts::each(n as u32, &*case.make, |part| {
            let arrays = inputs.iter_mut().chain(&mut wanted);
            for (array, items) in arrays.zip(part.inputs.iter().chain(&part.outputs)) {
                array.push(context, items);
            }
        });
        let counts: Vec<u32> =
            wanted[..case.counts].iter().map(|wanted| wanted.len as u32).collect();
        let moved: u64 = inputs.iter().chain(&wanted).map(|array| array.len).sum();
        let outputs: Result<_, Error> = wanted.iter().map(|_| context.allocate(n)).collect();
        let slices = Slices {
            inputs: inputs.iter().map(Wanted::filled).collect::<Result<_, Error>>()?,
            outputs: outputs?,
            counts: context.allocate(counts.len().max(1) as u64)?,
        };
        Ok(Arrays {
            context: context.clone(),
            comparison: Comparison::new(context)?,
            n,
            slices,
            wanted,
            bytes: 4 * (moved + counts.len() as u64),
            counts,
        })
    }

    /// Says what is wrong with the outputs and counts.
    fn check(&self) -> Result<Option<String>, Error> {
        let counts = self.context.download(&self.slices.counts)?;
        if !self.counts.is_empty() && counts != self.counts {
            return Ok(Some(format!("the counts are {counts:?} and not {:?}", self.counts)));
        }
        for (index, (wanted, got)) in self.wanted.iter().zip(&self.slices.outputs).enumerate() {
            let wrong = wanted.check(&self.comparison, &format!("output {index}"), got)?;
            if wrong.is_some() {
                return Ok(wrong);
            }
        }
        Ok(None)
    }
}

impl Copies for Arrays {
    fn copy(&self, n: u64) -> Copy {
        let (from, to) = (&self.slices.inputs[0], &self.slices.outputs[0]);
        Copy::new(&self.context, from.buffer(), to.buffer(), n * 4)
    }
}

/// A plan on arrays, whose n it runs on.
pub struct PlanRun {
    plan: Rc<dyn Plan>,
    arrays: Rc<Arrays>,
}

impl PlanRun {
    pub fn contender(
        case: &Irregular,
        algorithm: Algorithm,
        plan: Rc<dyn Plan>,
        arrays: Rc<Arrays>,
    ) -> Contender {
        Contender {
            primitive: case.primitive,
            algorithm: Some((algorithm, None)),
            shape: None,
            label: String::new(),
            run: Box::new(PlanRun { plan, arrays }),
        }
    }
}

impl Run for PlanRun {
    fn time(&self, clock: &Clock, calls: u32, n: u64) -> f64 {
        assert_eq!(n, self.arrays.n);
        let call = self.plan.call(&self.arrays.slices).unwrap();
        clock.time_calls(calls, &|pass| call.record_in_pass(pass).unwrap())
    }

    fn verify(&self, _: u64) -> Result<Option<String>, Error> {
        let Slices { outputs, counts, .. } = &self.arrays.slices;
        for slice in outputs.iter().chain([counts]) {
            compare::clear(&self.arrays.context, slice);
        }
        self.plan.call(&self.arrays.slices)?.dispatch()?.check()?;
        self.arrays.check()
    }

    fn bytes(&self, _: u64) -> u64 {
        self.arrays.bytes
    }

    fn given_up(&self) -> Result<u32, Error> {
        given_up(&self.arrays.context, self.plan.call(&self.arrays.slices)?.status()?)
    }
}
