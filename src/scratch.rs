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
    /// The state of single passes; made for the first plan that has one, zero then, and advanced
    /// by each call.
    pub state: Option<wgpu::Buffer>,
}

/// Words of the state before its descriptors, and of each of its two arrays of them: those of
/// `shaders/single_pass/state.wgsl`.
pub(crate) const STATE_WORDS: u64 = 64;
pub(crate) const ARRAY_WORDS: u32 = 524_288;

/// The word of the state that counts the tiles that have given up.
pub(crate) const STATUS_WORD: u64 = 1;

/// The first of the three words that count looks in vain, windows, and tiles reduced for others.
pub(crate) const COUNTERS_WORD: u64 = 4;

/// A state of zeros, which is what a new buffer holds.
fn state(context: &Context) -> Result<wgpu::Buffer, Error> {
    let size = 4 * (STATE_WORDS + 2 * u64::from(ARRAY_WORDS));
    context.capabilities().check_binding("the state of single passes", size)?;
    context.scoped("the state of single passes", |device| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("lookback.state"),
            size,
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::COPY_SRC
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    })
}

/// The scratch of a context: made for its first plan, made anew for a plan that needs more.
/// Plans made before keep what they have.
#[derive(Default)]
pub(crate) struct Shared(Mutex<Option<Scratch>>);

impl Shared {
    /// The scratch, with room for `partials_bytes`, and for single passes if asked.
    pub fn of_size(
        &self,
        context: &Context,
        partials_bytes: u64,
        single_pass: bool,
    ) -> Result<Scratch, Error> {
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(scratch) = &mut *shared {
            if scratch.partials.size() >= partials_bytes {
                if single_pass && scratch.state.is_none() {
                    scratch.state = Some(state(context)?);
                }
                return Ok(scratch.clone());
            }
        }
        context.capabilities().check_binding("the scratch", partials_bytes)?;
        // A state goes on where it stands.
        let old = shared.as_ref().and_then(|scratch| scratch.state.clone());
        let state = match (old, single_pass) {
            (None, true) => Some(state(context)?),
            (old, _) => old,
        };
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
                state: state.clone(),
            }
        })?;
        *shared = Some(scratch.clone());
        Ok(scratch)
    }
}
