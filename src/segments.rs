//! What scans within segments and reductions by key share: the operator on (head, value).

use std::sync::Arc;

use crate::algorithm::Algorithm;
use crate::compaction::{Call, Primitive};
use crate::context::Context;
use crate::definition::Definition;
use crate::dispatched::Dispatched;
use crate::element::{self, Element};
use crate::error::Error;
use crate::operator::Operator;
use crate::pieces;
use crate::pieces::compact::{Other, of_segments};
use crate::scan::{Kind, Scan};
use crate::selection::{Equality, Selection, renamed};
use crate::shader::kernel::{Flags, Payload};
use crate::shader::user_text::{self, Role};
use crate::slice::GpuSlice;
use crate::tuning::Tuning;

/// What tells where segments begin, and what is made of them.
pub(crate) struct Segments {
    pub payload: Payload,
    /// Flags of the items; without, keys.
    pub flags: Flags,
    /// How keys are compared.
    pub selection: Selection,
}

impl Segments {
    /// Segments of items with flags.
    pub fn of_flags(payload: Payload, flags: Flags) -> Self {
        Segments { payload, flags, selection: Selection::default() }
    }

    /// Segments of items with the same key as their neighbour.
    ///
    /// Errors: [`Error::Layout`] for keys of another size in Rust than in WGSL.
    pub fn of_keys<K: Element>(payload: Payload, equality: &Equality<K>) -> Result<Self, Error> {
        element::check_size::<K>()?;
        K::LAYOUT.members()?;
        let selection = Selection { keys: Some(K::LAYOUT), ..equality.selection() };
        Ok(Segments { payload, flags: Flags::None, selection })
    }
}

impl<I: Element, A: Element, O: Element> Operator<I, A, O> {
    /// The operator that starts anew at each segment: in shaders a value stands with the number of
    /// segments that begin in what it combines.
    ///
    /// Errors: [`Error::InvalidWgsl`] if texts or structs of keys and operator declare one name.
    pub(crate) fn segmented(&self, segments: Segments) -> Result<Self, Error> {
        let Segments { payload, flags, selection } = segments;
        let of = &*self.definition;
        let same = selection.same.as_ref();
        let combine = renamed(&of.combine, "combine", "combine_values");
        let texts = [combine.as_str(), of.lift.as_str(), of.lower.as_str()];
        if let Some(keys) = selection.keys {
            let layouts = [of.input, of.accumulator, of.output];
            let structs = user_text::declarations(&layouts);
            let both = user_text::declarations(&[of.input, of.accumulator, of.output, keys]);
            user_text::check_together(&both[structs.len()..], Role::Same, &[&structs])?;
        }
        if let Some(same) = same {
            user_text::check_together(&same.text, Role::Same, &texts)?;
        }
        let second_words = selection.keys.map_or(1, |keys| keys.words());
        let definition = Definition {
            loops: of.loops || same.is_some_and(|same| same.loops),
            indexes: of.indexes || same.is_some_and(|same| same.indexes),
            combine,
            headed: true,
            payload,
            flags,
            selection,
            second_words,
            // The last of two heads counts, and no instruction knows of them.
            commutative: false,
            builtin: None,
            ..of.clone()
        };
        Ok(Operator { definition: Arc::new(definition), ..self.clone() })
    }

    /// The operator of scans and reductions by key, for tests of their kernels.
    ///
    /// Errors: as [`ScanByKey::new`](crate::ScanByKey::new).
    #[doc(hidden)]
    pub fn by_key<K: Element>(&self, equality: &Equality<K>) -> Result<Self, Error> {
        self.segmented(Segments::of_keys(Payload::ScanSegments, equality)?)
    }
}

/// A scan within segments, whatever tells them.
#[derive(Clone)]
pub(crate) struct WithinSegments<I: Element, A: Element, O: Element> {
    pub scan: Scan<I, A, O>,
}

impl<I: Element, A: Element, O: Element> WithinSegments<I, A, O> {
    /// Errors: as [`Scan::with_algorithm`] and [`Operator::segmented`].
    pub fn new(
        context: &Context,
        (operator, kind): (&Operator<I, A, O>, Kind),
        segments: Segments,
        algorithm: Algorithm,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        let operator = operator.segmented(segments)?;
        let tuning = Tuning { single_pass: tuning.scans_by_key, ..*tuning };
        let scan = Scan::with_algorithm(context, &operator, kind, algorithm, &tuning)?;
        Ok(WithinSegments { scan })
    }

    pub fn context(&self) -> &Context {
        &self.scan.prepared.context
    }

    /// The same with a value to the left of each segment.
    pub fn with_init(&self, init: A) -> Self {
        WithinSegments { scan: self.scan.with_init(init) }
    }

    /// The slices of a call, of which `second` tells the segments.
    ///
    /// Errors: [`Error::Length`], [`Error::Aliased`], [`Error::Usage`], [`Error::Limit`].
    pub fn pieces<S: Element>(
        &self,
        input: &GpuSlice<I>,
        (role, second): (&'static str, &GpuSlice<S>),
        output: &GpuSlice<O>,
    ) -> Result<pieces::Call, Error> {
        if output.len() != input.len() {
            let (what, wanted, got) = ("the output's items", input.len(), output.len());
            return Err(Error::Length { what, wanted, got });
        }
        if input.len() > u64::from(u32::MAX) {
            let what = "the items of an input within segments (at most)";
            let (wanted, got) = (u64::from(u32::MAX), input.len());
            return Err(Error::Length { what, wanted, got });
        }
        let capabilities = self.context().capabilities();
        let second = Other::new(capabilities, role, second)?;
        of_segments(capabilities, input, &second, output, self.scan.may_be_in_place())
    }

    /// A call on slices of the device.
    ///
    /// Errors: as [`WithinSegments::pieces`].
    pub fn call<S: Element>(
        &self,
        input: &GpuSlice<I>,
        second: (&'static str, &GpuSlice<S>),
        output: &GpuSlice<O>,
    ) -> Result<Call<'_>, Error> {
        let call = self.pieces(input, second, output)?;
        Ok(Call { primitive: Box::new(self), call })
    }

    /// The same by reduce-then-scan, for a call that has given up.
    pub fn safe(&self) -> Self {
        WithinSegments { scan: self.scan.safe() }
    }
}

impl<I: Element, A: Element, O: Element> Primitive for &WithinSegments<I, A, O> {
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
