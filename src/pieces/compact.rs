//! The pieces of calls with more slices than an input and an output: the others are one slice each, for
//! all pieces of the input.

use super::{Call, Span, alignment, check_apart, counted, limit, name, of_scan, to_one_place};
use crate::capabilities::Capabilities;
use crate::element::Element;
use crate::error::Error;
use crate::slice::{GpuSlice, Segment};

/// A slice beside the input, in one binding.
pub(crate) struct Other {
    role: &'static str,
    /// `None` if it is empty.
    segment: Option<Segment>,
    n_items: u64,
}

impl Other {
    /// Errors: [`Error::Length`] for a slice of several segments or with a count, [`Error::Usage`],
    /// [`Error::Limit`] past the largest binding.
    pub fn new<T: Element>(
        capabilities: &Capabilities,
        role: &'static str,
        slice: &GpuSlice<T>,
    ) -> Result<Self, Error> {
        if slice.count().is_some() {
            let what = "counts of slices beside the input (the input's holds for all)";
            return Err(Error::Length { what, wanted: 0, got: 1 });
        }
        slice.check_usage(role, wgpu::BufferUsages::STORAGE)?;
        let mut segments = slice.segments().iter().filter(|segment| !segment.is_empty());
        let segment = segments.next().cloned();
        let more = segments.count() as u64;
        if more > 0 {
            let what = "the segments of an output, of flags, keys, values or bounds";
            return Err(Error::Length { what, wanted: 1, got: 1 + more });
        }
        if let Some(Segment { bytes, .. }) = &segment {
            let bound = bytes.end - bytes.start + bytes.start % alignment(capabilities);
            if bound > capabilities.binding_bytes {
                return Err(limit(format!("{role} (bytes)"), bound, capabilities));
            }
        }
        Ok(Other { role, segment, n_items: slice.len() })
    }

    /// Errors: [`Error::Aliased`] if they share a byte.
    pub fn check_apart_from(&self, other: &Other) -> Result<(), Error> {
        match (self.named(), other.named()) {
            (Some(a), Some(b)) => check_apart(a, b),
            _ => Ok(()),
        }
    }

    /// Errors: [`Error::Aliased`] if it shares a byte with any segment of a slice that is written.
    pub fn check_apart_from_all<T: Element>(&self, output: &GpuSlice<T>) -> Result<(), Error> {
        let Some(a) = self.named() else { return Ok(()) };
        output.segments().iter().try_for_each(|b| check_apart(a, ("the output", b)))
    }

    fn named(&self) -> Option<(&'static str, &Segment)> {
        self.segment.as_ref().map(|segment| (self.role, segment))
    }
}

/// The call of a scan within segments, which a second input tells.
///
/// Errors: as [`of_scan`], and [`Error::Aliased`] if the second input lies in a buffer of the output.
pub(crate) fn of_segments<I: Element, O: Element>(
    capabilities: &Capabilities,
    input: &GpuSlice<I>,
    second: &Other,
    output: &GpuSlice<O>,
    may_be_in_place: bool,
) -> Result<Call, Error> {
    if let Some(a) = second.named() {
        // wgpu lets no buffer be read through one binding and written through another.
        let mut written = output.segments().iter().filter(|segment| !segment.is_empty());
        if let Some(b) = written.find(|segment| segment.buffer == a.1.buffer) {
            return Err(Error::Aliased { first: name(a), second: name(("the output", b)) });
        }
    }
    let mut call = of_scan(capabilities, input, output, may_be_in_place)?;
    let span = second.segment.as_ref().map(|segment| Span::new(segment, alignment(capabilities)));
    call.second_word = span.as_ref().map_or(0, Span::word);
    call.others[0] = span;
    Ok(call)
}

/// The call of a segmented reduction: no piece if it has no output.
///
/// Errors: as [`of_compaction`], and [`Error::Length`] for an input of several pieces.
pub(crate) fn of_segmented_reduce<I: Element>(
    capabilities: &Capabilities,
    input: &GpuSlice<I>,
    bounds: &Other,
    output: &Other,
) -> Result<Call, Error> {
    if output.n_items == 0 {
        return Ok(Call::of_pieces(Vec::new()));
    }
    let call = of_compaction(capabilities, input, Some(bounds), &[], output)?;
    if call.pieces.len() > 1 {
        let what = "the segments of an input with bounds, cut to bindings";
        return Err(Error::Length { what, wanted: 1, got: call.pieces.len() as u64 });
    }
    Ok(call)
}

/// The call of a compaction. Pieces are cut as those of a reduction.
///
/// Errors: [`Error::Usage`], [`Error::Aliased`], [`Error::Limit`].
pub(crate) fn of_compaction<I: Element>(
    capabilities: &Capabilities,
    input: &GpuSlice<I>,
    second: Option<&Other>,
    outputs: &[Other],
    tally: &Other,
) -> Result<Call, Error> {
    input.check_usage("input", wgpu::BufferUsages::STORAGE)?;
    let written: Vec<_> = outputs.iter().chain([tally]).filter_map(Other::named).collect();
    for (n, &a) in written.iter().enumerate() {
        written[n + 1..].iter().try_for_each(|&b| check_apart(a, b))?;
    }
    let Some(target) = outputs.first().and_then(Other::named).or(tally.named()) else {
        return Err(Error::Length { what: "the counts' items", wanted: 1, got: 0 });
    };
    let inputs = input.segments().iter().filter(|segment| !segment.is_empty());
    let read = inputs.map(|segment| ("the input", segment));
    for (is_input, a) in
        read.map(|a| (true, a)).chain(second.and_then(Other::named).map(|a| (false, a)))
    {
        for &b in &written {
            check_apart(a, b)?;
            // wgpu lets a buffer be read and written in a dispatch through one binding only, and the
            // input has one with the target.
            let shares = a.1.buffer == b.1.buffer;
            if shares && !(is_input && a.1.buffer == target.1.buffer) {
                return Err(Error::Aliased { first: name(a), second: name(b) });
            }
        }
    }
    let size = I::LAYOUT.size_bytes();
    let pieces = to_one_place(capabilities, input.segments(), size, target.1)?;
    let targets: Vec<Segment> = written.iter().map(|(_, segment)| (*segment).clone()).collect();
    let mut call = counted(capabilities, input, &targets, pieces)?;
    // Words of a binding are counted in 32 bits, so no more items are written.
    for (room, output) in call.places.iter_mut().zip(outputs) {
        *room = output.n_items.min(u64::from(u32::MAX)) as u32;
    }
    let others = [second, outputs.get(1), outputs.get(2), Some(tally)];
    for (n, other) in others.into_iter().enumerate() {
        let segment = other.and_then(|other| other.segment.as_ref());
        let span = segment.map(|segment| Span::new(segment, alignment(capabilities)));
        let word = span.as_ref().map_or(0, Span::word);
        match n {
            0 => call.second_word = word,
            n => call.places[2 + n] = word,
        }
        call.others[n] = span;
    }
    Ok(call)
}
