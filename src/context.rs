//! Context: a device and its queue, what it can do, and the kernels compiled for it.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::algorithm::Algorithm;
use crate::capabilities::{Capabilities, requirements};
use crate::error::Error;
use crate::pipeline::Cache;
use crate::scratch::Shared;
use crate::self_test::SelfTest;
use crate::transfer::Poller;

/// A device that primitives run on. Clones share everything.
///
/// ```
/// let context = lookback::Context::new()?;
/// println!("{}", context.capabilities().adapter);
/// # Ok::<(), lookback::Error>(())
/// ```
#[derive(Clone)]
pub struct Context {
    inner: Arc<Inner>,
}

struct Inner {
    device: wgpu::Device,
    queue: wgpu::Queue,
    capabilities: Capabilities,
    pipelines: Cache,
    pipeline_cache: Mutex<Option<wgpu::PipelineCache>>,
    poller: Arc<Poller>,
    scratch: Shared,
    /// The greatest number of given-up tiles that was read so far.
    given_up: AtomicU32,
    self_test: Mutex<Option<SelfTest>>,
    /// A buffer that is mapped to see whether the device is lost.
    probe: Mutex<Option<wgpu::Buffer>>,
}

/// An adapter of this machine, for lists and choices.
#[derive(Debug)]
pub struct Adapter {
    adapter: wgpu::Adapter,
    capabilities: Capabilities,
}

impl Adapter {
    /// What a context opened on it will have.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }
}

/// The adapters of this machine, best first: discrete, integrated, virtual, CPU.
///
/// Waits for the drivers. An empty list is no error here.
pub async fn adapters() -> Vec<Adapter> {
    // One instance for the process: wgpu numbers buffers by instance, so only then can it tell
    // that a buffer is another device's.
    static INSTANCE: OnceLock<wgpu::Instance> = OnceLock::new();
    let instance = INSTANCE.get_or_init(|| {
        wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12,
            // Validation costs time, so it is only on by wgpu's environment variables.
            flags: wgpu::InstanceFlags::empty().with_env(),
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        })
    });
    let found = instance.enumerate_adapters(wgpu::Backends::all()).await;
    let describe = |adapter: wgpu::Adapter| {
        let capabilities = Capabilities::of_adapter(&adapter);
        Adapter { adapter, capabilities }
    };
    let mut adapters: Vec<Adapter> = found.into_iter().map(describe).collect();
    // The sort is stable: among equals the drivers' order stays.
    adapters.sort_by_key(|adapter| match adapter.capabilities.device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Cpu | wgpu::DeviceType::Other => 3,
    });
    adapters
}

impl Context {
    /// Opens the best adapter, or the one that the environment variable `LOOKBACK_ADAPTER`
    /// names by its index or a part of its name. Waits for the driver.
    ///
    /// Errors: [`Error::NoAdapter`], [`Error::AdapterNotFound`], [`Error::DeviceRequest`].
    pub fn new() -> Result<Self, Error> {
        pollster::block_on(Self::new_async())
    }

    /// [`Context::new`] without blocking the thread.
    pub async fn new_async() -> Result<Self, Error> {
        let wanted = std::env::var("LOOKBACK_ADAPTER").ok();
        Self::open(wanted.as_deref().filter(|wanted| !wanted.is_empty())).await
    }

    /// Opens the adapter that `wanted` names by its index in [`adapters`] or a part of its
    /// name, in any case; without a name the best one.
    ///
    /// Errors: as [`Context::new`].
    pub async fn open(wanted: Option<&str>) -> Result<Self, Error> {
        let mut adapters = adapters().await;
        if adapters.is_empty() {
            return Err(Error::NoAdapter);
        }
        let names = adapters.iter().map(|adapter| adapter.capabilities.adapter.clone());
        let names: Vec<String> = names.collect();
        let index = match wanted {
            None => 0,
            Some(wanted) => choose(wanted, &names).ok_or_else(|| Error::AdapterNotFound {
                wanted: wanted.to_owned(),
                available: names.clone(),
            })?,
        };
        let Adapter { adapter, .. } = adapters.swap_remove(index);
        let (required_features, required_limits) = requirements(&adapter);
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("lookback"),
            required_features,
            required_limits,
            ..Default::default()
        };
        let (device, queue) = adapter.request_device(&descriptor).await.map_err(|e| {
            Error::DeviceRequest { adapter: names[index].clone(), reason: e.to_string() }
        })?;
        log::info!("opened {}", names[index]);
        Ok(Self::from_device(device, queue))
    }

    /// Takes the caller's device and queue. Submits nothing, sets no callback of the device.
    ///
    /// It runs on what the device was opened with, down to no features and
    /// `Limits::downlevel_defaults()`; [`requirements`] says what makes it fast.
    pub fn from_device(device: wgpu::Device, queue: wgpu::Queue) -> Self {
        let capabilities = Capabilities::of_device(&device);
        Self::with_capabilities(device, queue, capabilities)
    }

    /// [`Context::from_device`] on a device that is taken for less than it is: without
    /// subgroups, say, or with fewer bindings. Claiming more than it has ends in errors.
    pub fn with_capabilities(
        device: wgpu::Device,
        queue: wgpu::Queue,
        capabilities: Capabilities,
    ) -> Self {
        let inner = Inner {
            device,
            queue,
            capabilities,
            pipelines: Default::default(),
            pipeline_cache: Default::default(),
            poller: Default::default(),
            scratch: Default::default(),
            given_up: Default::default(),
            self_test: Default::default(),
            probe: Default::default(),
        };
        Context { inner: Arc::new(inner) }
    }

    /// The device.
    pub fn device(&self) -> &wgpu::Device {
        &self.inner.device
    }

    /// The queue.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.inner.queue
    }

    /// What the device can do.
    pub fn capabilities(&self) -> &Capabilities {
        &self.inner.capabilities
    }

    /// Makes every kernel with this cache that is compiled from now on, by this context and its
    /// clones; so set it before the first plan is made. The library only reads the handle: what
    /// the cache holds at the start, and when and where it is saved, is the caller's. Submits
    /// nothing, does not wait.
    ///
    /// A cache is made with the device's feature `PIPELINE_CACHE`, which [`Context::new`] asks for
    /// where there is one: on Vulkan. It saves the next process the compiler's time on drivers that
    /// keep none of their own on disk.
    ///
    /// Errors show when a kernel is compiled: [`Error::Refused`] with a cache of another device. One
    /// that could not be made is as none.
    ///
    /// ```
    /// use lookback::{Context, Operator, wgpu};
    /// let context = Context::new()?;
    /// let device = context.device();
    /// # let directory = std::env::temp_dir().join(format!("lookback-{}", std::process::id()));
    /// # std::fs::create_dir_all(&directory).unwrap();
    /// if device.features().contains(wgpu::Features::PIPELINE_CACHE) {
    ///     // In a directory that nobody else writes to.
    ///     let key = wgpu::util::pipeline_cache_key(&device.adapter_info());
    ///     let file = directory.join(key.unwrap_or_default());
    ///     let data = std::fs::read(&file).ok();
    ///     let descriptor = wgpu::PipelineCacheDescriptor {
    ///         label: None,
    ///         data: data.as_deref(),
    ///         fallback: true, // to an empty one if the data is another driver's
    ///     };
    ///     // SAFETY: the file is what an earlier run has saved, below.
    ///     let cache = unsafe { device.create_pipeline_cache(&descriptor) };
    ///     context.set_pipeline_cache(cache.clone());
    ///     assert_eq!(context.reduce(&[3, 1, 4], &Operator::<u32>::sum())?, 8);
    ///     // At the end. A file that is moved into its place is never half-written.
    ///     let new = file.with_extension("new");
    ///     let data = cache.get_data().unwrap_or_default();
    ///     if std::fs::write(&new, data).and_then(|()| std::fs::rename(&new, &file)).is_err() {
    ///         println!("the next run compiles anew");
    ///     }
    /// #   assert!(file.metadata().unwrap().len() > 0);
    /// }
    /// # std::fs::remove_dir_all(&directory).unwrap();
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn set_pipeline_cache(&self, cache: wgpu::PipelineCache) {
        let mut kept = self.inner.pipeline_cache.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Some(cache);
    }

    /// Runs the single passes that [`Algorithm::Auto`](crate::Algorithm) would choose, under load
    /// and with data that show every mix-up, and compares every word. One that is wrong or gives up
    /// is logged, and `Auto` takes reduce-then-scan in its place from then on, in plans made before
    /// too. Submits and waits, some ten milliseconds beside the compiler's; a second call gives the
    /// first one's report. Nothing else runs it.
    ///
    /// Errors: [`Error::DeviceLost`], [`Error::OutOfMemory`].
    ///
    /// ```
    /// let context = lookback::Context::new()?;
    /// assert_eq!(context.self_test()?.demoted, []);
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn self_test(&self) -> Result<SelfTest, Error> {
        match self.last_self_test() {
            Some(report) => Ok(report),
            None => self.run_self_test(false),
        }
    }

    /// [`Context::self_test`] again; with `corrupt` every result has a wrong word: for tests.
    #[doc(hidden)]
    pub fn run_self_test(&self, corrupt: bool) -> Result<SelfTest, Error> {
        let report = SelfTest::run(self, corrupt)?;
        self.set_self_test(report.clone());
        Ok(report)
    }

    /// Takes the report of an earlier self-test of the same adapter and driver. Another's is
    /// ignored.
    pub fn set_self_test(&self, report: SelfTest) {
        let Capabilities { adapter, driver, .. } = self.capabilities();
        if (adapter, driver) == (&report.adapter, &report.driver) {
            let mut kept = self.inner.self_test.lock().unwrap_or_else(PoisonError::into_inner);
            *kept = Some(report);
        }
    }

    /// The report of the last self-test, if there was one.
    pub fn last_self_test(&self) -> Option<SelfTest> {
        self.inner.self_test.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether a self-test has found an algorithm wrong.
    pub(crate) fn is_demoted(&self, algorithm: Algorithm) -> bool {
        let kept = self.inner.self_test.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().is_some_and(|report| report.demotes(algorithm))
    }

    pub(crate) fn pipelines(&self) -> &Cache {
        &self.inner.pipelines
    }

    /// The caller's cache for pipelines, if there is one.
    pub(crate) fn pipeline_cache(&self) -> Option<wgpu::PipelineCache> {
        self.inner.pipeline_cache.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn scratch(&self) -> &Shared {
        &self.inner.scratch
    }

    pub(crate) fn given_up(&self) -> &AtomicU32 {
        &self.inner.given_up
    }

    pub(crate) fn poller(&self) -> &Arc<Poller> {
        &self.inner.poller
    }

    /// Runs `work` so that what wgpu finds wrong comes back as an error and nothing reaches the
    /// device's uncaptured-error handler.
    pub(crate) fn scoped<R>(
        &self,
        what: &str,
        work: impl FnOnce(&wgpu::Device) -> R,
    ) -> Result<R, Error> {
        let device = self.device();
        let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
        // wgpu panics at what comes from another instance. Nothing of ours is used after that.
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(device)));
        // On native devices these futures are ready at once.
        let internal = pollster::block_on(internal.pop());
        let memory = pollster::block_on(memory.pop());
        let validation = pollster::block_on(validation.pop());
        if memory.is_some() {
            return Err(Error::OutOfMemory { what: what.to_owned() });
        }
        match internal.or(validation) {
            Some(error) if self.is_lost() => Err(Error::DeviceLost { reason: error.to_string() }),
            Some(error) => {
                Err(Error::Refused { what: what.to_owned(), message: error.to_string() })
            }
            None => result.map_err(|panic| {
                let message = panic.downcast_ref::<String>().cloned();
                let message = message.unwrap_or_else(|| "it panicked".to_owned());
                Error::Refused { what: what.to_owned(), message }
            }),
        }
    }

    /// Whether the device is lost. wgpu tells that by a callback only, which is the caller's; but
    /// to map a buffer of a lost device, or one that it did not make, fails at once.
    pub(crate) fn is_lost(&self) -> bool {
        // One mapping at a time: a second one would fail as well.
        let mut kept = self.inner.probe.lock().unwrap_or_else(PoisonError::into_inner);
        let validation = self.device().push_error_scope(wgpu::ErrorFilter::Validation);
        let memory = self.device().push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        // One that a thread which polls was mapping when it was given up stays mapped, and a new one
        // is asked.
        let mut failed = !kept.as_ref().is_some_and(can_be_mapped);
        if failed {
            let probe = kept.insert(self.device().create_buffer(&wgpu::BufferDescriptor {
                label: Some("lookback.probe"),
                size: 4,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }));
            failed = !can_be_mapped(probe);
        }
        let no_memory = pollster::block_on(memory.pop()).is_some();
        drop(pollster::block_on(validation.pop()));
        failed && !no_memory
    }
}

/// Whether a mapping of a buffer does not fail at once. It is given up again.
fn can_be_mapped(buffer: &wgpu::Buffer) -> bool {
    let failed = Arc::new(AtomicBool::new(false));
    let seen = failed.clone();
    buffer.map_async(wgpu::MapMode::Read, .., move |result| {
        seen.store(result.is_err(), Ordering::SeqCst);
    });
    // To give it up is a failure to the callback too.
    let failed = failed.load(Ordering::SeqCst);
    buffer.unmap();
    !failed
}

/// Polls a device; what wgpu panics at, the loss of the device, is an error.
pub(crate) fn poll(device: &wgpu::Device, poll_type: wgpu::PollType) -> Result<(), Error> {
    // Nothing of ours is used after a panic in it.
    let poll = std::panic::AssertUnwindSafe(|| device.poll(poll_type));
    match std::panic::catch_unwind(poll) {
        Ok(Ok(_) | Err(wgpu::PollError::Timeout)) => Ok(()),
        Ok(Err(e)) => Err(Error::DeviceLost { reason: e.to_string() }),
        Err(_) => Err(Error::DeviceLost { reason: "the device failed while it was polled".into() }),
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Context({})", self.capabilities().adapter)
    }
}

/// The index that a text names: a number, or the first name with that part.
fn choose(wanted: &str, names: &[String]) -> Option<usize> {
    // A number past the list may be part of a name: 4090.
    let index = wanted.parse::<usize>().ok().filter(|&index| index < names.len());
    if index.is_some() {
        return index;
    }
    let wanted = wanted.to_lowercase();
    names.iter().position(|name| name.to_lowercase().contains(&wanted))
}

#[cfg(test)]
mod tests {
    use super::choose;

    #[test]
    fn adapters_are_named_by_index_or_part() {
        let names = ["NVIDIA H200".to_owned(), "llvmpipe (LLVM 15)".to_owned()];
        assert_eq!(choose("1", &names), Some(1));
        assert_eq!(choose("15", &names), Some(1));
        assert_eq!(choose("7", &names), None);
        assert_eq!(choose("LLVMpipe", &names), Some(1));
        assert_eq!(choose("intel", &names), None);
    }
}
