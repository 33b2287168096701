//! What can go wrong, each with what was wanted and what came.

/// Everything that the library's calls can fail with. It is returned before any work is
/// recorded, except where a variant says that the device itself failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No Vulkan, Metal or DX12 adapter exists.
    #[error(
        "no GPU adapter found by Vulkan, Metal or DX12; install the GPU's driver, or the software \
         driver lavapipe (Debian and Ubuntu: mesa-vulkan-drivers)"
    )]
    NoAdapter,
    /// Adapters exist, none of them the one asked for.
    #[error("no adapter matches {wanted:?}; there are: {}", available.join(", "))]
    AdapterNotFound {
        /// The index or part of a name that was asked for.
        wanted: String,
        /// The names of the adapters there are, in index order.
        available: Vec<String>,
    },
    /// The adapter would not open a device.
    #[error("the adapter {adapter} opened no device: {reason}")]
    DeviceRequest {
        /// The adapter's name.
        adapter: String,
        /// The driver's or wgpu's words.
        reason: String,
    },
    /// The user's WGSL does not do; line and column count from 1 in the user's own text.
    #[error("{role}: line {line}, column {column}: {message}, in: {text}")]
    InvalidWgsl {
        /// Which text: the combine, lift or lower of an operator.
        role: &'static str,
        /// Line in the user's text.
        line: u32,
        /// Column in the user's text.
        column: u32,
        /// What is wrong there.
        message: String,
        /// The user's text.
        text: String,
    },
    /// A shader could not be made of the text given and the library's files.
    #[error("the shader can't be linked: {message}")]
    Link {
        /// What is wrong, with the line of the joined text where there is one.
        message: String,
    },
    /// A struct is not the same in Rust and in WGSL.
    #[error("the struct {element}: {wanted} wanted, {got} found")]
    Layout {
        /// The struct.
        element: &'static str,
        /// The field; empty if it is the struct as a whole.
        field: String,
        /// What would do.
        wanted: String,
        /// What there is.
        got: String,
    },
    /// The device's limits are too small for what was asked.
    #[error("{what}: {wanted} wanted, but the device's limit {limit} is {got}")]
    Limit {
        /// What needs it.
        what: String,
        /// What it needs.
        wanted: u64,
        /// The limit's name in wgpu.
        limit: &'static str,
        /// The limit's value on this device.
        got: u64,
    },
    /// The device was opened without a feature that was asked for by name.
    #[error("{what} needs {wanted:?} on Vulkan, which the device was opened without")]
    Feature {
        /// What needs it.
        what: &'static str,
        /// What it needs.
        wanted: wgpu::Features,
    },
    /// A size or length does not fit the other arguments.
    #[error("{what}: {wanted} wanted, {got} given")]
    Length {
        /// Which argument.
        what: &'static str,
        /// What would fit.
        wanted: u64,
        /// What came.
        got: u64,
    },
    /// A buffer was made without a usage that the call needs.
    #[error("the {role} buffer lacks usage {wanted:?}; it has {got:?}")]
    Usage {
        /// Which argument.
        role: &'static str,
        /// The usage that is missing.
        wanted: wgpu::BufferUsages,
        /// The usages that it has.
        got: wgpu::BufferUsages,
    },
    /// Two slices share memory in a way that the call does not allow.
    #[error(
        "{first} and {second} can't be used together: they overlap, or share a buffer that is written"
    )]
    Aliased {
        /// One slice: its role and byte range.
        first: String,
        /// The other slice.
        second: String,
    },
    /// A single pass gave up: a workgroup waited in vain for another. Its output has no meaning; the
    /// same call by [`Algorithm::ReduceThenScan`](crate::Algorithm) or `Fallback` has a result.
    #[error("a single-pass scan gave up: the device let a workgroup wait for one that did not run")]
    Stalled,
    /// The operator has no host twin, so the sequential reference can't run it.
    #[error("the operator {operator} has no host twin; give it one with `with_host`")]
    NoHostTwin {
        /// The operator's name or text.
        operator: String,
    },
    /// The device has no memory for a buffer.
    #[error("out of device memory: {what}")]
    OutOfMemory {
        /// What was being made.
        what: String,
    },
    /// The device was lost or destroyed.
    #[error("the device was lost: {reason}")]
    DeviceLost {
        /// What noticed it, in the driver's or wgpu's words.
        reason: String,
    },
    /// wgpu refused what the library could not check beforehand: a mapped or destroyed buffer, one
    /// of another device.
    #[error("wgpu refused {what}: {message}")]
    Refused {
        /// What was being done.
        what: String,
        /// wgpu's words.
        message: String,
    },
}
