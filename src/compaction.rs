//! What all primitives share that write some of the items: a scan of counts, with a payload.

use std::fmt;
use std::sync::Arc;

use crate::algorithm::Algorithm;
use crate::context::Context;
use crate::definition::Definition;
use crate::dispatched::Dispatched;
use crate::element::Element;
use crate::error::Error;
use crate::operator::Operator;
use crate::pieces;
use crate::pieces::compact::{Other, of_compaction};
use crate::record;
use crate::scan::{Kind, Scan};
use crate::selection::{Equality, Predicate, Selection};
use crate::shader::kernel::{Descriptor, Flags, Payload};
use crate::slice::GpuSlice;
use crate::tuning::Tuning;

/// What a payload is made of.
pub(crate) struct Parts {
    pub payload: Payload,
    pub flags: Flags,
    pub selection: Selection,
    /// Words of an item of the second output.
    pub second_words: u32,
}

/// A call of a [`Select`](crate::Select), [`ScanByKey`](crate::ScanByKey) or another primitive with
/// several slices: checked, and good for any number of dispatches on them.
///
/// | method | submits | waits | allocates |
/// |---|---|---|---|
/// | [`dispatch`](Self::dispatch) | yes | no | nothing; without immediates a small uniform |
/// | [`record`](Self::record), [`record_in_pass`](Self::record_in_pass) | no | no | nothing; without immediates a small uniform |
#[must_use = "a call does nothing until it is dispatched or recorded"]
pub struct Call<'a> {
    pub(crate) primitive: Box<dyn Primitive + 'a>,
    pub(crate) call: pieces::Call,
}

/// What a call is made of, whatever its types are.
pub(crate) trait Primitive {
    /// Records a call; says whether it has a single pass.
    fn record(&self, pass: &mut wgpu::ComputePass<'_>, call: &pieces::Call) -> Result<bool, Error>;
    /// The word that counts tiles that have given up.
    fn status(&self) -> Result<Option<GpuSlice<u32>>, Error>;
    /// Submits a call.
    fn submit(&self, call: &pieces::Call) -> Result<Dispatched, Error>;
}

impl Call<'_> {
    /// Submits the call and does not wait.
    ///
    /// Errors: [`Error::DeviceLost`], [`Error::OutOfMemory`], [`Error::Refused`].
    pub fn dispatch(&self) -> Result<Dispatched, Error> {
        self.primitive.submit(&self.call)
    }

    /// The word on the device that counts the tiles of single passes that have given up, of all plans
    /// of the context: what a recorded call adds to it, it has failed by, and its outputs and counts
    /// have no meaning. `None` if the call makes no single pass.
    pub fn status(&self) -> Result<Option<GpuSlice<u32>>, Error> {
        self.primitive.status()
    }

    /// Records the call into an encoder of the caller's, in a compute pass of its own; otherwise as
    /// [`Call::record_in_pass`].
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder) -> Result<(), Error> {
        record::in_encoder(encoder, |pass| self.record_in_pass(pass))
    }

    /// Records the call into a compute pass of the caller's, who submits it. Kernels that no call
    /// has used yet are compiled first. Buffers must stay undestroyed until it has run.
    /// Afterwards the pass has another pipeline, another bind group 0 and other immediates.
    ///
    /// Errors: as [`Call::dispatch`], before anything is recorded; but a lost device may show only
    /// when the caller submits.
    pub fn record_in_pass(&self, pass: &mut wgpu::ComputePass<'_>) -> Result<(), Error> {
        self.primitive.record(pass, &self.call).map(drop)
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Call({:?})", self.call)
    }
}

/// A compaction of inputs `I` with accumulators `A`; its first output has items `O`.
#[derive(Clone)]
pub(crate) struct Compaction<I: Element, A: Element, O: Element> {
    pub(crate) scan: Scan<I, A, O>,
    payload: Payload,
}

impl<I: Element, A: Element, O: Element> Compaction<I, A, O> {
    /// `counts` adds counts. What it lifts and lowers is the payload's affair.
    ///
    /// Errors: as [`Scan::with_algorithm`].
    pub fn new(
        context: &Context,
        counts: &Operator<A>,
        parts: Parts,
        algorithm: Algorithm,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        Self::of(context, &Self::counting(counts, parts), algorithm, tuning)
    }

    /// The operator of a payload of counts.
    fn counting(counts: &Operator<A>, parts: Parts) -> Operator<I, A, O> {
        let Parts { payload, flags, selection, second_words } = parts;
        let (input, accumulator, output) = (I::LAYOUT.wgsl(), A::LAYOUT.wgsl(), O::LAYOUT.wgsl());
        let selectors = [&selection.kept, &selection.second, &selection.same];
        let any = |has: fn(&crate::selection::Selector) -> bool| {
            selectors.iter().any(|selector| selector.as_ref().is_some_and(has))
        };
        let definition = Definition {
            name: format!("{payload:?}"),
            input: I::LAYOUT,
            output: O::LAYOUT,
            // Never called: the payload's file takes their place.
            lift: format!("fn lift(x: {input}) -> {accumulator} {{ return {accumulator}(); }}"),
            lower: format!("fn lower(x: {accumulator}) -> {output} {{ return {output}(); }}"),
            loops: any(|selector| selector.loops),
            indexes: any(|selector| selector.indexes),
            payload,
            flags,
            selection,
            first_words: O::LAYOUT.words(),
            second_words,
            ..(*counts.definition).clone()
        };
        let (identity, of_nothing) = (counts.identity, counts.of_nothing);
        Operator {
            definition: Arc::new(definition),
            combine: counts.combine.clone(),
            lift: Arc::new(move |_: I, _| identity),
            lower: Arc::new(|_: A| bytemuck::Zeroable::zeroed()),
            identity,
            of_nothing,
        }
    }

    /// The compaction of an operator that has a payload.
    ///
    /// Errors: as [`Scan::with_algorithm`].
    pub fn of(
        context: &Context,
        operator: &Operator<I, A, O>,
        algorithm: Algorithm,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        let tuning = &Tuning { single_pass: tuning.compactions, ..*tuning };
        // With one binding more for the descriptors not all slices would fit.
        let few = context.capabilities().storage_bindings < 10;
        let tuning = match tuning.descriptor {
            None if few => Tuning { descriptor: Some(Descriptor::Split32), ..*tuning },
            _ => *tuning,
        };
        let scan = Scan::with_algorithm(context, operator, Kind::Exclusive, algorithm, &tuning)?;
        Ok(Compaction { scan, payload: operator.definition.payload })
    }

    /// [`Compaction::new`] of a payload with runs.
    pub fn of_runs(
        context: &Context,
        counts: &Operator<A>,
        (payload, second_words): (Payload, u32),
        equality: &Equality<I>,
        algorithm: Algorithm,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        let parts =
            Parts { payload, flags: Flags::None, selection: equality.selection(), second_words };
        Self::new(context, counts, parts, algorithm, tuning)
    }

    /// The same as [`Scan::with_stalls`].
    pub fn with_stalls(&self, every: u32) -> Self {
        Compaction { scan: self.scan.with_stalls(every), ..self.clone() }
    }

    pub fn context(&self) -> &Context {
        &self.scan.prepared.context
    }

    /// A slice beside the input.
    ///
    /// Errors: [`Error::Length`], [`Error::Usage`], [`Error::Limit`].
    pub fn other<T: Element>(
        &self,
        role: &'static str,
        slice: &GpuSlice<T>,
    ) -> Result<Other, Error> {
        Other::new(self.context().capabilities(), role, slice)
    }

    /// The slice of a predicate's flags.
    ///
    /// Errors: as [`Compaction::other`], and [`Error::Length`] for too few flags, or for any where
    /// the predicate has none.
    pub fn flags(
        &self,
        predicate: &Predicate<I>,
        input: &GpuSlice<I>,
        flags: Option<&GpuSlice<u32>>,
    ) -> Result<Option<Other>, Error> {
        let wanted = predicate.flag_words(input.len());
        let got = flags.map_or(0, GpuSlice::len);
        if got < wanted || (predicate.flags == Flags::None && flags.is_some()) {
            return Err(Error::Length { what: "the words of flags", wanted, got });
        }
        flags.map(|flags| self.other("flags", flags)).transpose()
    }

    /// Flags of the host for so many items.
    ///
    /// Errors: [`Error::Length`] unless they are as many words as the predicate wants.
    pub fn upload_flags(
        &self,
        predicate: &Predicate<I>,
        n_items: u64,
        flags: &[u32],
    ) -> Result<Option<GpuSlice<u32>>, Error> {
        let (wanted, got) = (predicate.flag_words(n_items), flags.len() as u64);
        match (wanted == got, predicate.flags) {
            (false, _) => Err(Error::Length { what: "the words of flags", wanted, got }),
            (true, Flags::None) => Ok(None),
            (true, _) => self.context().upload(flags).map(Some),
        }
    }

    /// A call on an input, flags or values, outputs, and counts.
    ///
    /// Errors: [`Error::Aliased`], [`Error::Usage`], [`Error::Limit`], [`Error::Length`].
    pub fn call(
        &self,
        input: &GpuSlice<I>,
        second: Option<Other>,
        outputs: &[Other],
        counts: &GpuSlice<u32>,
    ) -> Result<Call<'_>, Error> {
        let (wanted, got) = (self.payload.counts(), counts.len());
        if wanted != got {
            return Err(Error::Length { what: "the counts' items", wanted, got });
        }
        if input.len() > u64::from(u32::MAX) {
            let what = "the items of an input whose places are u32 (at most)";
            let (wanted, got) = (u64::from(u32::MAX), input.len());
            return Err(Error::Length { what, wanted, got });
        }
        let counts = self.other("counts", counts)?;
        let capabilities = self.context().capabilities();
        let call = of_compaction(capabilities, input, second.as_ref(), outputs, &counts)?;
        if self.payload.has_heads() && call.pieces.len() > 1 {
            let what = "the segments of an input with runs, cut to bindings";
            return Err(Error::Length { what, wanted: 1, got: call.pieces.len() as u64 });
        }
        Ok(Call { primitive: Box::new(self), call })
    }

    /// The first items of an output of the library's own.
    pub fn first_of<T: Element>(&self, slice: &GpuSlice<T>, count: u32) -> Result<Vec<T>, Error> {
        self.context().download(&GpuSlice::new(slice.buffer(), 0..u64::from(count))?)
    }

    /// Runs a call on slices of the library's own, by another algorithm if it gives up. Gives the
    /// counts, and 0 for those that there are not.
    pub fn run(&self, call: &Call<'_>, counts: &GpuSlice<u32>) -> Result<[u32; 3], Error> {
        match call.dispatch()?.check() {
            Err(Error::Stalled) => {
                let safe = Compaction { scan: self.scan.safe(), ..self.clone() };
                (&safe).submit(&call.call)?.check()?;
            }
            checked => checked?,
        }
        let mut counted = self.context().download(counts)?.into_iter();
        Ok([(); 3].map(|()| counted.next().unwrap_or(0)))
    }

    /// [`Compaction::run`] of a call with one count, for the first items of two outputs.
    pub fn run_for_two<S: Element, T: Element>(
        &self,
        call: &Call<'_>,
        count: &GpuSlice<u32>,
        first: &GpuSlice<S>,
        second: &GpuSlice<T>,
    ) -> Result<(Vec<S>, Vec<T>), Error> {
        let [counted, ..] = self.run(call, count)?;
        Ok((self.first_of(first, counted)?, self.first_of(second, counted)?))
    }
}

impl<I: Element, A: Element, O: Element> Primitive for &Compaction<I, A, O> {
    fn record(&self, pass: &mut wgpu::ComputePass<'_>, call: &pieces::Call) -> Result<bool, Error> {
        self.scan.record_pieces(pass, call)
    }

    fn status(&self) -> Result<Option<GpuSlice<u32>>, Error> {
        self.scan.status()
    }

    fn submit(&self, call: &pieces::Call) -> Result<Dispatched, Error> {
        self.scan.submit(|pass| self.record(pass, call))
    }
}

/// Counts how many items stand before, and keeps the greatest number of one of them.
pub(crate) fn counts_and_greatest() -> Result<Operator<[u32; 2]>, Error> {
    let text = "vec2<u32>(a.x + b.x, max(a.y, b.y))";
    let add = |a: [u32; 2], b: [u32; 2]| [a[0].wrapping_add(b[0]), a[1].max(b[1])];
    Ok(Operator::from_wgsl([0, 0], text)?.with_host(add).commutative())
}
