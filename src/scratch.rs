//! Temporary storage of a plan: the partials.

use crate::context::Context;
use crate::error::Error;

/// Makes the buffer for a plan's partials: a few tens of KiB, for any number of items.
///
/// All passes of a call write their partials before they read them, and a queue runs calls in
/// order, so one buffer serves every call of a plan.
pub(crate) fn partials(context: &Context, size_bytes: u64) -> Result<wgpu::Buffer, Error> {
    context.capabilities().check_binding("the scratch", size_bytes)?;
    context.scoped("the scratch", |device| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("lookback.partials"),
            size: size_bytes,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        })
    })
}
