//! A run of items in a GPU buffer.

use std::fmt;
use std::marker::PhantomData;

use crate::element::Element;
use crate::error::Error;

/// `n_items` items of type `T` from item `first_item` of a buffer on.
///
/// The first item may stand at any place; one at a multiple of 256 bytes is fastest, and one
/// at a multiple of 16 bytes from such a place as fast. Cloning clones a handle, not memory.
pub struct GpuSlice<T: Element> {
    buffer: wgpu::Buffer,
    first_item: u64,
    n_items: u64,
    element: PhantomData<T>,
}

impl<T: Element> GpuSlice<T> {
    /// All whole items of a buffer.
    pub fn whole(buffer: &wgpu::Buffer) -> Self {
        let n_items = buffer.size() / T::LAYOUT.size_bytes();
        GpuSlice { buffer: buffer.clone(), first_item: 0, n_items, element: PhantomData }
    }

    /// Items `items.start` to `items.end - 1` of a buffer, counted in items of `T`.
    ///
    /// Errors: [`Error::Length`] if the buffer ends before the slice does.
    pub fn new(buffer: &wgpu::Buffer, items: std::ops::Range<u64>) -> Result<Self, Error> {
        let n_items = items.end.saturating_sub(items.start);
        let end_bytes = items.end.max(items.start).checked_mul(T::LAYOUT.size_bytes());
        if end_bytes.is_none_or(|end| end > buffer.size()) {
            return Err(Error::Length {
                what: "a buffer for the slice (bytes)",
                wanted: end_bytes.unwrap_or(u64::MAX),
                got: buffer.size(),
            });
        }
        Ok(GpuSlice {
            buffer: buffer.clone(),
            first_item: items.start,
            n_items,
            element: PhantomData,
        })
    }

    /// The buffer.
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Number of items.
    pub fn len(&self) -> u64 {
        self.n_items
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.n_items == 0
    }

    /// The bytes of the buffer that the slice covers.
    pub fn byte_range(&self) -> std::ops::Range<u64> {
        let size = T::LAYOUT.size_bytes();
        self.first_item * size..(self.first_item + self.n_items) * size
    }

    /// Fails unless the buffer has all of these usages.
    pub(crate) fn check_usage(
        &self,
        role: &'static str,
        wanted: wgpu::BufferUsages,
    ) -> Result<(), Error> {
        let got = self.buffer.usage();
        match got.contains(wanted) {
            true => Ok(()),
            false => Err(Error::Usage { role, wanted, got }),
        }
    }
}

impl<T: Element> Clone for GpuSlice<T> {
    fn clone(&self) -> Self {
        GpuSlice { buffer: self.buffer.clone(), ..*self }
    }
}

impl<T: Element> fmt::Debug for GpuSlice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GpuSlice<{}>({:?})", T::LAYOUT.wgsl(), self.byte_range())
    }
}
