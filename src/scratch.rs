//! Temporary storage: what a call writes for itself to read.

use std::sync::{Mutex, PoisonError};

use crate::context::Context;
use crate::error::Error;

/// The buffers that the plans of a context share.
///
/// All passes of a call write them before they read them, and a queue runs calls in order, so
/// one set serves every call of every plan.
#[derive(Clone, Debug)]
pub(crate) struct Scratch {
    /// One accumulator for each chunk: a few hundred KiB at most, for any number of items.
    pub partials: wgpu::Buffer,
    /// The arguments of an indirect dispatch.
    pub arguments: wgpu::Buffer,
}

/// The scratch of a context: made for its first plan, made anew for a plan that needs more.
/// Plans made before keep what they have.
#[derive(Default)]
pub(crate) struct Shared(Mutex<Option<Scratch>>);

impl Shared {
    /// The scratch, with room for `partials_bytes`.
    pub fn of_size(&self, context: &Context, partials_bytes: u64) -> Result<Scratch, Error> {
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(scratch) = &*shared {
            if scratch.partials.size() >= partials_bytes {
                return Ok(scratch.clone());
            }
        }
        context.capabilities().check_binding("the scratch", partials_bytes)?;
        let scratch = context.scoped("the scratch", |device| {
            let buffer = |label, size, usage| {
                device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some(label),
                    size,
                    usage: usage | wgpu::BufferUsages::STORAGE,
                    mapped_at_creation: false,
                })
            };
            Scratch {
                partials: buffer("lookback.partials", partials_bytes, wgpu::BufferUsages::empty()),
                arguments: buffer("lookback.arguments", 16, wgpu::BufferUsages::INDIRECT),
            }
        })?;
        *shared = Some(scratch.clone());
        Ok(scratch)
    }
}
