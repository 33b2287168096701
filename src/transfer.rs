//! Moving items between host and device.

use crate::context::Context;
use crate::element::Element;
use crate::error::Error;
use crate::slice::GpuSlice;

/// The usages of a buffer that the library makes for items.
const USAGES: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_SRC)
    .union(wgpu::BufferUsages::COPY_DST);

impl Context {
    /// Makes a buffer with these items, for use as any argument. Allocates; submits at most a
    /// copy; does not wait.
    ///
    /// Errors: [`Error::Limit`] beyond the largest binding, [`Error::OutOfMemory`].
    pub fn upload<T: Element>(&self, items: &[T]) -> Result<GpuSlice<T>, Error> {
        let slice = self.allocate(items.len() as u64)?;
        if !items.is_empty() {
            self.scoped("an upload", |_| {
                self.queue().write_buffer(slice.buffer(), 0, bytemuck::cast_slice(items));
            })?;
        }
        Ok(slice)
    }

    /// Makes a buffer for `n_items` items, all bytes zero, for use as any argument. Allocates;
    /// submits nothing; does not wait.
    ///
    /// Errors: as [`Context::upload`].
    pub fn allocate<T: Element>(&self, n_items: u64) -> Result<GpuSlice<T>, Error> {
        let size = n_items.saturating_mul(T::LAYOUT.size_bytes());
        self.capabilities().check_binding("a buffer for the items", size)?;
        let buffer = self.scoped("a buffer for the items", |device| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("lookback.items"),
                size: size.max(4),
                usage: USAGES,
                mapped_at_creation: false,
            })
        })?;
        GpuSlice::new(&buffer, 0..n_items)
    }

    /// Brings the items of a slice to the host. Allocates, submits a copy and waits for it and
    /// for all work submitted before.
    ///
    /// Errors: [`Error::Usage`] without `COPY_SRC`, [`Error::OutOfMemory`],
    /// [`Error::DeviceLost`].
    pub fn download<T: Element>(&self, slice: &GpuSlice<T>) -> Result<Vec<T>, Error> {
        slice.check_usage("source", wgpu::BufferUsages::COPY_SRC)?;
        if slice.is_empty() {
            return Ok(Vec::new());
        }
        let bytes = slice.byte_range();
        let size = bytes.end - bytes.start;
        if size > self.capabilities().buffer_bytes {
            return Err(Error::Limit {
                what: "a download (bytes)".to_owned(),
                wanted: size,
                limit: "max_buffer_size",
                got: self.capabilities().buffer_bytes,
            });
        }
        let (staging, submission) = self.scoped("a download", |device| {
            let staging = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("lookback.download"),
                size,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            let mut encoder = device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(slice.buffer(), bytes.start, &staging, 0, size);
            let submission = self.queue().submit([encoder.finish()]);
            (staging, submission)
        })?;
        self.wait_mapped(&staging, submission)?;
        let lost = |reason: String| Error::DeviceLost { reason };
        let view = staging.get_mapped_range(..).map_err(|e| lost(e.to_string()))?;
        Ok(bytemuck::pod_collect_to_vec(&view))
    }

    /// Maps a buffer for reading and waits until it is.
    fn wait_mapped(
        &self,
        buffer: &wgpu::Buffer,
        submission: wgpu::SubmissionIndex,
    ) -> Result<(), Error> {
        let lost = |reason: String| Error::DeviceLost { reason };
        let (sender, receiver) = futures_intrusive::channel::shared::oneshot_channel();
        buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            // The receiver is gone only if the wait below failed, and then nobody asks.
            let _ = sender.send(result);
        });
        let wait = wgpu::PollType::Wait { submission_index: Some(submission), timeout: None };
        self.device().poll(wait).map_err(|e| lost(e.to_string()))?;
        match pollster::block_on(receiver.receive()) {
            Some(Ok(())) => Ok(()),
            Some(Err(e)) => Err(lost(e.to_string())),
            None => Err(lost("the mapping was given up".to_owned())),
        }
    }
}
