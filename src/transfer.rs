//! Moving items between host and device.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_intrusive::channel::shared::{OneshotReceiver, oneshot_channel};

use crate::context::{self, Context};
use crate::element::{self, Element};
use crate::error::Error;
use crate::slice::{GpuSlice, Segment};

/// The usages of a buffer that the library makes for items.
const USAGES: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_SRC)
    .union(wgpu::BufferUsages::COPY_DST);

/// How long the poller waits for the device before it looks whether it is still wanted.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The one thread of a context that polls its device while mappings are pending: a mapping
/// completes only when something polls. No thread runs while nothing is pending.
#[derive(Default)]
pub(crate) struct Poller {
    pending: AtomicUsize,
    /// Whether the thread runs; held while it decides to end.
    running: Mutex<bool>,
}

/// A copy on its way to the host: submitted, its mapping asked for.
pub(crate) struct Download {
    /// In order; together they hold the items.
    parts: Vec<Part>,
    submission: wgpu::SubmissionIndex,
}

/// Items on their way to the host in one buffer.
struct Part {
    staging: wgpu::Buffer,
    mapped: OneshotReceiver<Result<(), wgpu::BufferAsyncError>>,
}

impl Context {
    /// Makes a slice with these items, for use as any argument. Allocates; submits at most a
    /// copy; does not wait.
    ///
    /// Errors: [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn upload<T: Element>(&self, items: &[T]) -> Result<GpuSlice<T>, Error> {
        let slice = self.allocate(items.len() as u64)?;
        self.scoped("an upload", |_| {
            let mut rest: &[u8] = bytemuck::cast_slice(items);
            for Segment { buffer, bytes } in slice.segments() {
                let (now, later) = rest.split_at((bytes.end - bytes.start) as usize);
                if !now.is_empty() {
                    self.queue().write_buffer(buffer, bytes.start, now);
                }
                rest = later;
            }
        })?;
        Ok(slice)
    }

    /// Makes a slice of `n_items` items, all bytes zero, for use as any argument: one buffer, or
    /// several where the device's largest is too small. Allocates; submits nothing; does not
    /// wait.
    ///
    /// Errors: [`Error::OutOfMemory`], [`Error::Limit`] if no item fits. That the device is lost
    /// shows at the first use.
    pub fn allocate<T: Element>(&self, n_items: u64) -> Result<GpuSlice<T>, Error> {
        element::check_size::<T>()?;
        let size = T::LAYOUT.size_bytes();
        let most = self.capabilities().buffer_bytes / size;
        if most == 0 {
            self.capabilities().check_binding("one item", size)?;
        }
        let one = |n_items: u64| -> Result<GpuSlice<T>, Error> {
            let buffer = self.scoped("a buffer for the items", |device| {
                device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some("lookback.items"),
                    size: (n_items * size).max(4),
                    usage: USAGES,
                    mapped_at_creation: false,
                })
            })?;
            GpuSlice::new(&buffer, 0..n_items)
        };
        // More buffers than this are no memory that a device has.
        if n_items.div_ceil(most) > 1024 {
            let what = format!("{n_items} items of {size} bytes");
            return Err(Error::OutOfMemory { what });
        }
        let mut slice = one(n_items.min(most))?;
        while slice.len() < n_items {
            let next = one((n_items - slice.len()).min(most))?;
            slice = slice.then(&next)?;
        }
        Ok(slice)
    }

    /// Brings the items of a slice to the host. Allocates, submits a copy and waits for it and
    /// for all work submitted before.
    ///
    /// Errors: [`Error::Usage`] without `COPY_SRC`, [`Error::OutOfMemory`],
    /// [`Error::DeviceLost`].
    pub fn download<T: Element>(&self, slice: &GpuSlice<T>) -> Result<Vec<T>, Error> {
        let Some(download) = self.start_download(slice)? else { return Ok(Vec::new()) };
        let submission_index = Some(download.submission.clone());
        let wait = wgpu::PollType::Wait { submission_index, timeout: None };
        context::poll(self.device(), wait)?;
        pollster::block_on(download.items())
    }

    /// [`Context::download`] without blocking the thread: one thread of the context polls the
    /// device while such futures are pending. A future that is dropped leaves nothing behind.
    ///
    /// Errors: as [`Context::download`].
    pub async fn download_async<T: Element>(&self, slice: &GpuSlice<T>) -> Result<Vec<T>, Error> {
        let Some(download) = self.start_download(slice)? else { return Ok(Vec::new()) };
        self.keep_polling()?;
        download.items().await
    }

    /// Submits a copy of a slice to a buffer that the host can read, and asks for its mapping.
    fn start_download<T: Element>(&self, slice: &GpuSlice<T>) -> Result<Option<Download>, Error> {
        slice.check_usage("source", wgpu::BufferUsages::COPY_SRC)?;
        if slice.is_empty() {
            return Ok(None);
        }
        // Whole items, in as many buffers as it takes.
        let size = T::LAYOUT.size_bytes();
        let most = self.capabilities().buffer_bytes / size * size;
        let poller = self.poller().clone();
        let started = self.scoped("a download", |device| {
            let mut encoder = device.create_command_encoder(&Default::default());
            let stagings = copy_to_stagings(device, &mut encoder, slice.segments(), most);
            let submission = self.queue().submit([encoder.finish()]);
            poller.pending.fetch_add(stagings.len(), Ordering::SeqCst);
            let map = |staging: wgpu::Buffer| {
                let (sender, mapped) = oneshot_channel();
                let poller = poller.clone();
                // wgpu calls back in every case: mapped, failed, buffer dropped, device lost.
                staging.map_async(wgpu::MapMode::Read, .., move |result| {
                    poller.pending.fetch_sub(1, Ordering::SeqCst);
                    // The receiver is gone if its future was dropped.
                    let _ = sender.send(result);
                });
                Part { staging, mapped }
            };
            Download { parts: stagings.into_iter().map(map).collect(), submission }
        })?;
        Ok(Some(started))
    }

    /// Starts the poller's thread if it does not run.
    fn keep_polling(&self) -> Result<(), Error> {
        let poller = self.poller().clone();
        let mut running = poller.running.lock().unwrap_or_else(PoisonError::into_inner);
        if *running {
            return Ok(());
        }
        let device = self.device().clone();
        let thread = {
            let poller = poller.clone();
            std::thread::Builder::new()
                .name("lookback.poller".to_owned())
                .spawn(move || poller.run(&device))
        };
        thread.map_err(|e| Error::DeviceLost { reason: format!("no thread to poll it: {e}") })?;
        *running = true;
        Ok(())
    }
}

impl Poller {
    fn run(self: Arc<Self>, device: &wgpu::Device) {
        loop {
            let timeout = Some(POLL_INTERVAL);
            // A failed poll has called back with the failure; there is nothing more to tell.
            let _ = context::poll(device, wgpu::PollType::Wait { submission_index: None, timeout });
            // Under the lock, a new mapping either is seen here or finds no thread running.
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            if self.pending.load(Ordering::SeqCst) == 0 {
                *running = false;
                return;
            }
            drop(running);
            std::thread::yield_now();
        }
    }
}

impl Download {
    /// The items, once the mappings have completed.
    async fn items<T: Element>(self) -> Result<Vec<T>, Error> {
        let mut items = Vec::new();
        for Part { staging, mapped } in self.parts {
            match mapped.receive().await {
                Some(Ok(())) => {}
                Some(Err(e)) => return Err(lost(&e)),
                None => {
                    return Err(Error::DeviceLost { reason: "the mapping was given up".into() });
                }
            }
            let view = staging.get_mapped_range(..).map_err(|e| lost(&e))?;
            items.extend(bytemuck::pod_collect_to_vec::<u8, T>(&view));
        }
        Ok(items)
    }
}

/// Records copies of all segments to buffers of at most `most` bytes that the host can read, all
/// but the last of them full.
fn copy_to_stagings(
    device: &wgpu::Device,
    encoder: &mut wgpu::CommandEncoder,
    segments: &[Segment],
    most: u64,
) -> Vec<wgpu::Buffer> {
    let mut left: u64 = segments.iter().map(|s| s.bytes.end - s.bytes.start).sum();
    let mut stagings: Vec<wgpu::Buffer> = Vec::new();
    let mut room = 0;
    for Segment { buffer, bytes } in segments {
        let mut start = bytes.start;
        while start < bytes.end {
            if room == 0 {
                room = left.min(most);
                stagings.push(device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some("lookback.download"),
                    size: room,
                    usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                    mapped_at_creation: false,
                }));
            }
            let size = room.min(bytes.end - start);
            if let Some(staging) = stagings.last() {
                let offset = staging.size() - room;
                encoder.copy_buffer_to_buffer(buffer, start, staging, offset, size);
            }
            (start, room, left) = (start + size, room - size, left - size);
        }
    }
    stagings
}

fn lost(error: &dyn std::error::Error) -> Error {
    Error::DeviceLost { reason: error.to_string() }
}
