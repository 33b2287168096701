//! What a device can do, as plain data: the only reader of wgpu's features and limits.

use crate::error::Error;
use crate::plan::Params;
use crate::shader::kernel::ParamsSpace;

/// What descriptors of 64 bits need.
pub(crate) const ATOMICS_64: wgpu::Features =
    wgpu::Features::SHADER_INT64.union(wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS);

/// The part of a device's description that planning depends on.
///
/// All fields are public, so that a test can build one by hand and plan without a GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Capabilities {
    /// The adapter's name.
    pub adapter: String,
    /// The driver's name and version.
    pub driver: String,
    /// The API below wgpu.
    pub backend: wgpu::Backend,
    /// Discrete, integrated, CPU and so on.
    pub device_type: wgpu::DeviceType,
    /// PCI vendor.
    pub vendor: u32,
    /// Whether shaders may use subgroup operations.
    pub subgroups: bool,
    /// Fewest lanes that the adapter says a subgroup has.
    pub subgroup_lanes_min: u32,
    /// Most lanes that the adapter says a subgroup has.
    pub subgroup_lanes_max: u32,
    /// Whether shaders may use atomic words of 64 bits, translated as such: Vulkan only.
    pub atomics_64: bool,
    /// Whether shaders may declare memory coherent between workgroups, with a barrier that reaches
    /// as far: Vulkan only.
    pub coherent_memory: bool,
    /// Bytes of immediates that a pass can be given; 0 without the feature. 128 hold the parameters
    /// of a pass, which else go by a fresh uniform for each call.
    pub immediate_bytes: u32,
    /// Whether passes can write timestamps.
    pub timestamps: bool,
    /// Most lanes of a workgroup.
    pub workgroup_lanes: u32,
    /// Most workgroups along one axis of a dispatch.
    pub workgroups: u32,
    /// Bytes of workgroup memory.
    pub workgroup_bytes: u32,
    /// Storage buffers of one kernel.
    pub storage_bindings: u32,
    /// Bytes of one storage binding.
    pub binding_bytes: u64,
    /// Bytes of one buffer.
    pub buffer_bytes: u64,
    /// Bytes that the offset of a storage binding must be a multiple of.
    pub binding_alignment: u32,
}

impl Capabilities {
    /// Reads an adapter: what a device opened with [`requirements`] would have.
    pub fn of_adapter(adapter: &wgpu::Adapter) -> Self {
        Self::read(adapter.get_info(), adapter.features(), adapter.limits())
    }

    /// Reads a device, which may have been opened with less than its adapter has.
    pub fn of_device(device: &wgpu::Device) -> Self {
        Self::read(device.adapter_info(), device.features(), device.limits())
    }

    fn read(info: wgpu::AdapterInfo, features: wgpu::Features, limits: wgpu::Limits) -> Self {
        let vulkan = info.backend == wgpu::Backend::Vulkan;
        Capabilities {
            adapter: info.name,
            driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
            backend: info.backend,
            device_type: info.device_type,
            vendor: info.vendor,
            subgroups: features.contains(wgpu::Features::SUBGROUP),
            subgroup_lanes_min: info.subgroup_min_size,
            subgroup_lanes_max: info.subgroup_max_size,
            atomics_64: vulkan && features.contains(ATOMICS_64),
            coherent_memory: vulkan
                && features.contains(wgpu::Features::MEMORY_DECORATION_COHERENT),
            immediate_bytes: match features.contains(wgpu::Features::IMMEDIATES) {
                true => limits.max_immediate_size,
                false => 0,
            },
            timestamps: features.contains(wgpu::Features::TIMESTAMP_QUERY),
            workgroup_lanes: limits
                .max_compute_invocations_per_workgroup
                .min(limits.max_compute_workgroup_size_x),
            workgroups: limits.max_compute_workgroups_per_dimension,
            workgroup_bytes: limits.max_compute_workgroup_storage_size,
            storage_bindings: limits.max_storage_buffers_per_shader_stage,
            // Words of a binding are counted in 32 bits.
            binding_bytes: limits.max_storage_buffer_binding_size.min(u64::from(u32::MAX) & !3),
            buffer_bytes: limits.max_buffer_size,
            binding_alignment: limits.min_storage_buffer_offset_alignment,
        }
    }

    /// How the parameters of a pass reach its kernel.
    pub(crate) fn params_space(&self) -> ParamsSpace {
        match self.immediate_bytes >= Params::BYTES {
            true => ParamsSpace::Immediate,
            false => ParamsSpace::Uniform,
        }
    }

    /// Fails if a buffer of this size can't be made or can't be bound.
    pub(crate) fn check_binding(&self, what: &str, size_bytes: u64) -> Result<(), Error> {
        for (limit, got) in [
            ("max_storage_buffer_binding_size", self.binding_bytes),
            ("max_buffer_size", self.buffer_bytes),
        ] {
            if size_bytes > got {
                return Err(Error::Limit {
                    what: format!("{what} (bytes)"),
                    wanted: size_bytes,
                    limit,
                    got,
                });
            }
        }
        Ok(())
    }
}

/// The features and limits to open a device with so that the library runs at its best there:
/// never more than the adapter has. Callers merge them with their own.
///
/// ```no_run
/// # async fn open(adapter: &wgpu::Adapter) -> Result<(), Box<dyn std::error::Error>> {
/// let (features, limits) = lookback::requirements(adapter);
/// let (device, queue) = adapter
///     .request_device(&wgpu::DeviceDescriptor {
///         required_features: features | wgpu::Features::empty(),
///         required_limits: limits,
///         ..Default::default()
///     })
///     .await?;
/// # Ok(()) }
/// ```
pub fn requirements(adapter: &wgpu::Adapter) -> (wgpu::Features, wgpu::Limits) {
    // A cache for pipelines is a part of Vulkan itself: to ask for it costs nothing, and without it
    // nobody could give one to the context.
    let mut useful = wgpu::Features::SUBGROUP
        | wgpu::Features::IMMEDIATES
        | wgpu::Features::TIMESTAMP_QUERY
        | wgpu::Features::PIPELINE_CACHE;
    if adapter.get_info().backend == wgpu::Backend::Vulkan {
        useful |= ATOMICS_64 | wgpu::Features::MEMORY_DECORATION_COHERENT;
    }
    (adapter.features() & useful, adapter.limits())
}
