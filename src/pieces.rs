//! Pieces: the slices of a call, cut so that each piece is one binding of each buffer.
//!
//! A slice of several segments, or one past the largest binding, is handled piece by piece. All
//! pieces leave their partials side by side, so one spine carries over every seam.

pub(crate) mod compact;

use std::ops::Range;

use crate::capabilities::Capabilities;
use crate::element::Element;
use crate::error::Error;
use crate::plan::{Counted, Placement};
use crate::shader::kernel::Memory;
use crate::slice::{Count, GpuSlice, Segment};

/// Items of a piece are a multiple of this, but for a segment's last one, so that a cut is at an
/// aligned place wherever its segment started at one.
const CUT_ITEMS: u64 = 1 << 16;

/// A range of a buffer as a binding: the start is rounded down to where one may begin.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    buffer: wgpu::Buffer,
    /// The bytes that are bound.
    bound: Range<u64>,
    /// Where the range starts.
    first_byte: u64,
}

/// What one pass over the items reads and writes.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub input: Span,
    pub output: Span,
    pub placement: Placement,
}

/// All slices of a call, checked.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub pieces: Vec<Piece>,
    /// The number of items, if it lives on the device.
    pub count: Option<Span>,
    pub counted: Counted,
    /// Whether items are written where they are read.
    pub in_place: bool,
    /// The second input; of a compaction its second and third output, its counts.
    pub others: [Option<Span>; 4],
    /// First word of the second input in its binding.
    pub second_word: u32,
    /// What the kernels of a compaction know of its slices: the constants of `shaders/compact.wgsl`.
    pub places: [u32; 6],
}

impl Call {
    /// A call whose number of items the host knows.
    pub fn of_pieces(pieces: Vec<Piece>) -> Self {
        let counted = Counted::Host;
        Call {
            pieces,
            count: None,
            counted,
            in_place: false,
            others: Default::default(),
            second_word: 0,
            places: [0; 6],
        }
    }
}

impl Call {
    /// Whether the second input can be read by quads of words.
    pub fn second_quads(&self) -> bool {
        let fits = |second: &Span| second.size_bytes() >= 16 && self.second_word.is_multiple_of(4);
        self.others[0].as_ref().is_some_and(fits)
    }
}

impl Piece {
    /// The same, after so many items.
    fn numbered(mut self, first: u64) -> Self {
        self.placement.first_item = first as u32;
        self
    }
}

impl Span {
    fn new(segment: &Segment, alignment: u64) -> Self {
        let first_byte = segment.bytes.start;
        let bound = first_byte - first_byte % alignment..segment.bytes.end;
        Span { buffer: segment.buffer.clone(), bound, first_byte }
    }

    pub fn whole(buffer: &wgpu::Buffer) -> Self {
        Span { buffer: buffer.clone(), bound: 0..buffer.size(), first_byte: 0 }
    }

    /// The first word of the range in its binding.
    fn word(&self) -> u32 {
        ((self.first_byte - self.bound.start) / 4) as u32
    }

    /// The same from a byte on, where a binding may begin.
    pub fn starting_at(&self, first_byte: u64) -> Self {
        let bound = first_byte.min(self.bound.end)..self.bound.end;
        Span { buffer: self.buffer.clone(), bound, first_byte }
    }

    fn size_bytes(&self) -> u64 {
        self.bound.end - self.bound.start
    }

    pub fn binding(&self) -> wgpu::BindingResource<'_> {
        wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: &self.buffer,
            offset: self.bound.start,
            size: wgpu::BufferSize::new(self.size_bytes()),
        })
    }
}

/// The pieces of a scan: outputs lie as the items do. Every item of the output is written from
/// the item of the same number, so the two may be the same places if `may_be_in_place`, and only
/// then overlap.
///
/// Errors: [`Error::Usage`], [`Error::Aliased`], [`Error::Limit`] if two ranges of one buffer lie
/// too far apart for one binding.
pub(crate) fn of_scan<I: Element, O: Element>(
    capabilities: &Capabilities,
    input: &GpuSlice<I>,
    output: &GpuSlice<O>,
    may_be_in_place: bool,
) -> Result<Call, Error> {
    let mut in_place = false;
    check_usages(input, output)?;
    let (in_size, out_size) = (I::LAYOUT.size_bytes(), O::LAYOUT.size_bytes());
    let src = numbered(input.segments(), in_size);
    let dst = numbered(output.segments(), out_size);
    for (n, (a, first_a)) in dst.iter().enumerate() {
        for (b, _) in &dst[n + 1..] {
            check_apart(("the output", a), ("the output", b))?;
        }
        for (b, first_b) in &src {
            // The same item at the same place in both is what in place means.
            let shift = |segment: &Segment, first: u64, size: u64| {
                i128::from(segment.bytes.start) - i128::from(first) * i128::from(size)
            };
            let in_step =
                in_size == out_size && shift(a, *first_a, out_size) == shift(b, *first_b, in_size);
            match check_apart(("the input", b), ("the output", a)) {
                Err(_) if may_be_in_place && in_step => in_place = true,
                apart => apart?,
            }
        }
    }
    let alignment = alignment(capabilities);
    let most = most_items(capabilities, in_size.max(out_size))?;
    let mut pieces = Vec::new();
    let (mut s, mut d, mut first) = (0, 0, 0);
    let total = input.len();
    while first < total {
        let end = |segments: &[(Segment, u64)], at: usize, size: u64| {
            let (segment, first) = &segments[at];
            first + (segment.bytes.end - segment.bytes.start) / size
        };
        let (src_end, dst_end) = (end(&src, s, in_size), end(&dst, d, out_size));
        let last = src_end.min(dst_end).min(first + most);
        if last > first {
            let part = |(segment, number): &(Segment, u64), size: u64| {
                let start = segment.bytes.start + (first - number) * size;
                let bytes = start..start + (last - first) * size;
                Segment { buffer: segment.buffer.clone(), bytes }
            };
            let (input, output) = (part(&src[s], in_size), part(&dst[d], out_size));
            let piece = piece(capabilities, &input, &output, alignment, last - first)?;
            pieces.push(piece.numbered(first));
        }
        first = last;
        s += usize::from(last == src_end);
        d += usize::from(last == dst_end);
    }
    Ok(Call { in_place, ..counted(capabilities, input, output.segments(), pieces)? })
}

/// The pieces of a reduction: all of them write, at the end, the one item of the output.
///
/// Errors: as [`of_scan`].
pub(crate) fn of_reduce<I: Element, O: Element>(
    capabilities: &Capabilities,
    input: &GpuSlice<I>,
    output: &GpuSlice<O>,
) -> Result<Call, Error> {
    check_usages(input, output)?;
    let size = I::LAYOUT.size_bytes();
    let target =
        &output.segments()[output.segments().iter().position(|s| !s.is_empty()).unwrap_or(0)];
    for segment in input.segments() {
        check_apart(("the input", segment), ("the output", target))?;
    }
    let pieces = to_one_place(capabilities, input.segments(), size, target)?;
    counted(capabilities, input, output.segments(), pieces)
}

/// The pieces of segments of which all write to one target.
fn to_one_place(
    capabilities: &Capabilities,
    segments: &[Segment],
    size: u64,
    target: &Segment,
) -> Result<Vec<Piece>, Error> {
    let alignment = alignment(capabilities);
    let most = most_items(capabilities, size)?;
    let mut pieces = Vec::new();
    let mut first = 0;
    for segment in segments {
        let mut start = segment.bytes.start;
        // One that fits a binding as it lies is not cut.
        let bound = segment.bytes.end - start + start % alignment;
        let fits = bound <= capabilities.binding_bytes.min(u64::from(u32::MAX));
        while start < segment.bytes.end {
            let most_bytes = if fits { bound } else { most * size };
            let end = segment.bytes.end.min(start + most_bytes);
            let part = Segment { buffer: segment.buffer.clone(), bytes: start..end };
            let n_items = (end - start) / size;
            let piece = piece(capabilities, &part, target, alignment, n_items)?;
            pieces.push(piece.numbered(first));
            first += n_items;
            start = end;
        }
    }
    if pieces.is_empty() {
        // Nothing of an empty input is read; the result is written all the same.
        let placement = Placement { n_items: 0, ..Placement::ALIGNED };
        let output = Span::new(target, alignment);
        let placement = Placement { dst_word: output.word(), ..placement };
        pieces.push(Piece { input: output.clone(), output, placement });
    }
    Ok(pieces)
}

/// The call on pieces: with the input's count, if it has one.
fn counted<I: Element>(
    capabilities: &Capabilities,
    input: &GpuSlice<I>,
    outputs: &[Segment],
    pieces: Vec<Piece>,
) -> Result<Call, Error> {
    let Some(Count { segment, indirect }) = input.count() else {
        return Ok(Call::of_pieces(pieces));
    };
    let wanted = wgpu::BufferUsages::STORAGE;
    let got = segment.buffer.usage();
    if !got.contains(wanted) {
        return Err(Error::Usage { role: "count", wanted, got });
    }
    if pieces.len() > 1 {
        let what = "the segments of a slice with a count, cut to bindings";
        return Err(Error::Length { what, wanted: 1, got: pieces.len() as u64 });
    }
    // wgpu lets no buffer be read through one binding and written through another.
    let mut written = outputs.iter().filter(|segment| !segment.is_empty());
    if let Some(shared) = written.find(|shared| shared.buffer == segment.buffer) {
        let (first, second) = (name(("the count", segment)), name(("the output", shared)));
        return Err(Error::Aliased { first, second });
    }
    let span = Span::new(segment, alignment(capabilities));
    let count_word = span.word();
    let counted = match indirect {
        true => Counted::Indirect { count_word },
        false => Counted::Device { count_word },
    };
    Ok(Call { count: Some(span), counted, ..Call::of_pieces(pieces) })
}

fn check_usages<I: Element, O: Element>(
    input: &GpuSlice<I>,
    output: &GpuSlice<O>,
) -> Result<(), Error> {
    if output.count().is_some() {
        let what = "counts of the output (the input's holds for both)";
        return Err(Error::Length { what, wanted: 0, got: 1 });
    }
    input.check_usage("input", wgpu::BufferUsages::STORAGE)?;
    output.check_usage("output", wgpu::BufferUsages::STORAGE)
}

/// Segments with the number of their first item.
fn numbered(segments: &[Segment], size: u64) -> Vec<(Segment, u64)> {
    let mut first = 0;
    let number = |segment: &Segment| {
        let numbered = (segment.clone(), first);
        first += (segment.bytes.end - segment.bytes.start) / size;
        numbered
    };
    segments.iter().map(number).collect()
}

fn check_apart(a: (&str, &Segment), b: (&str, &Segment)) -> Result<(), Error> {
    let (first, second) = (&a.1.bytes, &b.1.bytes);
    let overlap = first.start < second.end && second.start < first.end;
    let overlap = overlap && !a.1.is_empty() && !b.1.is_empty();
    match overlap && a.1.buffer == b.1.buffer {
        true => Err(Error::Aliased { first: name(a), second: name(b) }),
        false => Ok(()),
    }
}

fn name((role, segment): (&str, &Segment)) -> String {
    let Range { start, end } = segment.bytes;
    format!("{role} (bytes {start} to {end} of the buffer)")
}

pub(crate) fn alignment(capabilities: &Capabilities) -> u64 {
    u64::from(capabilities.binding_alignment.max(4))
}

/// The most items of a piece: its binding, rounded down to where one may begin, fits.
pub(crate) fn most_items(capabilities: &Capabilities, size: u64) -> Result<u64, Error> {
    // Words are counted in 32 bits, whatever the capabilities say.
    let bytes = capabilities.binding_bytes.min(u64::from(u32::MAX));
    let items = bytes.saturating_sub(alignment(capabilities)) / size;
    match items {
        0 => {
            Err(limit("one item (bytes)".to_owned(), size + alignment(capabilities), capabilities))
        }
        items if items > CUT_ITEMS => Ok(items / CUT_ITEMS * CUT_ITEMS),
        items => Ok(items),
    }
}

fn limit(what: String, wanted: u64, capabilities: &Capabilities) -> Error {
    let limit = "max_storage_buffer_binding_size";
    Error::Limit { what, wanted, limit, got: capabilities.binding_bytes }
}

fn piece(
    capabilities: &Capabilities,
    input: &Segment,
    output: &Segment,
    alignment: u64,
    n_items: u64,
) -> Result<Piece, Error> {
    let (mut src, mut dst) = (Span::new(input, alignment), Span::new(output, alignment));
    let one_buffer = input.buffer == output.buffer;
    if one_buffer {
        // wgpu allows one buffer to be read and written in a dispatch through one binding only.
        let start = src.bound.start.min(dst.bound.start);
        let end = src.bound.end.max(dst.bound.end);
        if end - start > capabilities.binding_bytes {
            let (input, output) = (name(("the input", input)), name(("the output", output)));
            let what = format!("one binding (bytes) for {input} and {output}");
            return Err(limit(what, end - start, capabilities));
        }
        (src.bound, dst.bound) = (start..end, start..end);
    }
    let placement = Placement {
        piece: 0,
        // At most a binding's words, which 32 bits count.
        n_items: n_items as u32,
        src_word: src.word(),
        dst_word: dst.word(),
        memory: if one_buffer { Memory::Shared } else { Memory::Separate },
        src_words: src.size_bytes() / 4,
        dst_words: dst.size_bytes() / 4,
        first_item: 0,
        second_quads: false,
    };
    Ok(Piece { input: src, output: dst, placement })
}
