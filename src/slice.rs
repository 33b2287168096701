//! Runs of items in GPU buffers.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use crate::element::{self, Element};
use crate::error::Error;

/// A range of bytes of one buffer: whole items, one after another.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The buffer.
    pub buffer: wgpu::Buffer,
    /// The bytes.
    pub bytes: Range<u64>,
}

impl Segment {
    /// Whether there is no byte.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.end <= self.bytes.start
    }
}

/// Items of type `T` in one or more buffers, in order.
///
/// The first item of a segment may stand at any place; one at a multiple of 256 bytes is
/// fastest, and one at a multiple of 16 bytes from such a place as fast. A slice of several
/// segments is one sequence: an array past the largest binding or the largest buffer. Cloning
/// clones handles, not memory.
pub struct GpuSlice<T: Element> {
    /// At least one.
    segments: Vec<Segment>,
    count: Option<Count>,
    element: PhantomData<T>,
}

/// A number of items that lives on the device.
#[derive(Clone, Debug)]
pub(crate) struct Count {
    /// One u32.
    pub segment: Segment,
    /// Whether workgroups are dispatched for what items there are, not for the capacity.
    pub indirect: bool,
}

impl<T: Element> GpuSlice<T> {
    /// All whole items of a buffer.
    pub fn whole(buffer: &wgpu::Buffer) -> Self {
        let size = T::LAYOUT.size_bytes();
        let bytes = 0..buffer.size() / size * size;
        Self::of(vec![Segment { buffer: buffer.clone(), bytes }])
    }

    /// Items `items.start` to `items.end - 1` of a buffer, counted in items of `T`.
    ///
    /// Errors: [`Error::Length`] if the buffer ends before the slice does, or the range ends
    /// before it starts; [`Error::Layout`].
    pub fn new(buffer: &wgpu::Buffer, items: Range<u64>) -> Result<Self, Error> {
        element::check_size::<T>()?;
        if items.start > items.end {
            let what = "the end of a slice (at least its start)";
            return Err(Error::Length { what, wanted: items.start, got: items.end });
        }
        let size = T::LAYOUT.size_bytes();
        match items.end.checked_mul(size) {
            Some(end) if end <= buffer.size() => {
                let bytes = items.start * size..end;
                Ok(Self::of(vec![Segment { buffer: buffer.clone(), bytes }]))
            }
            end => Err(Error::Length {
                what: "a buffer for the slice (bytes)",
                wanted: end.unwrap_or(u64::MAX),
                got: buffer.size(),
            }),
        }
    }

    /// The items of `self`, then those of `next`, as one sequence. Nothing is copied.
    ///
    /// Errors: [`Error::Length`] if one of them has a count: the whole may get one.
    pub fn then(mut self, next: &GpuSlice<T>) -> Result<Self, Error> {
        if self.count.is_some() || next.count.is_some() {
            let what = "counts of slices that are joined (the whole may get one)";
            return Err(Error::Length { what, wanted: 0, got: 1 });
        }
        self.segments.extend_from_slice(&next.segments);
        Ok(self)
    }

    /// The same slice as an input of which only the first `count` items are there, a number in a
    /// buffer of the device, read when the call runs; `len` is the most there can be, and a
    /// greater count is taken for it. Outputs past the count stay untouched.
    ///
    /// Workgroups are dispatched for the capacity, and share what items there are. The slice must
    /// be one segment that fits one binding, and the count in another buffer than the output.
    ///
    /// Errors: [`Error::Length`] unless `count` has one item.
    pub fn counted_by(mut self, count: &GpuSlice<u32>) -> Result<Self, Error> {
        match count.segments.iter().find(|segment| !segment.is_empty()) {
            Some(segment) if count.len() == 1 => {
                self.count = Some(Count { segment: segment.clone(), indirect: false });
                Ok(self)
            }
            _ => Err(Error::Length { what: "the count's items", wanted: 1, got: count.len() }),
        }
    }

    /// The same slice, for which as many workgroups are dispatched as its count asks for: by an
    /// indirect dispatch, after a small one that writes its arguments. Worth it where the count is
    /// mostly far below the capacity. Without a count it changes nothing.
    pub fn dispatched_indirectly(mut self) -> Self {
        if let Some(count) = &mut self.count {
            count.indirect = true;
        }
        self
    }

    /// The same slice with the count of another, if it has one.
    pub(crate) fn with_count_of<U: Element>(mut self, other: &GpuSlice<U>) -> Self {
        self.count = other.count.clone();
        self
    }

    pub(crate) fn count(&self) -> Option<&Count> {
        self.count.as_ref()
    }

    /// The segments, in order; at least one.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The buffer of the first segment.
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.segments[0].buffer
    }

    /// Number of items.
    pub fn len(&self) -> u64 {
        let bytes = self.segments.iter().map(|s| s.bytes.end - s.bytes.start);
        bytes.sum::<u64>() / T::LAYOUT.size_bytes()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn of(segments: Vec<Segment>) -> Self {
        GpuSlice { segments, count: None, element: PhantomData }
    }

    /// Fails unless all buffers have all of these usages.
    pub(crate) fn check_usage(
        &self,
        role: &'static str,
        wanted: wgpu::BufferUsages,
    ) -> Result<(), Error> {
        let usages = self.segments.iter().map(|segment| segment.buffer.usage());
        match usages.into_iter().find(|usage| !usage.contains(wanted)) {
            Some(got) => Err(Error::Usage { role, wanted, got }),
            None => Ok(()),
        }
    }
}

impl<T: Element> Clone for GpuSlice<T> {
    fn clone(&self) -> Self {
        let (segments, count) = (self.segments.clone(), self.count.clone());
        GpuSlice { segments, count, element: PhantomData }
    }
}

impl<T: Element> fmt::Debug for GpuSlice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ranges = self.segments.iter().map(|segment| &segment.bytes);
        write!(f, "GpuSlice<{}>({:?})", T::LAYOUT.wgsl(), ranges.collect::<Vec<_>>())
    }
}
