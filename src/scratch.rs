//! Temporary storage: what a call writes for itself to read.

use std::sync::{Mutex, PoisonError};

use crate::context::Context;
use crate::error::Error;

/// The buffers that the plans of a context share.
///
/// A queue runs calls in order, and a call writes partials and arguments before it reads them, so one set
/// serves every call of every plan.
#[derive(Clone, Debug)]
pub(crate) struct Scratch {
    /// One accumulator for each chunk: a few hundred KiB at most, for any number of items.
    pub partials: wgpu::Buffer,
    /// The arguments of an indirect dispatch.
    pub arguments: wgpu::Buffer,
    /// The state of single passes; made for the first plan that has one, zero then, and advanced
    /// by each call.
    pub state: Option<wgpu::Buffer>,
    /// Lengths of lists, counts of shares and shares of segmented reductions; made for the first of them,
    /// zero then. Lengths count on; counts and shares are zero again after each call, which zeroes them.
    pub shares: Option<wgpu::Buffer>,
}

/// Words of the state before its descriptors, and of each of its two arrays of them: those of
/// `shaders/single_pass/state.wgsl`.
pub(crate) const STATE_WORDS: u64 = 64;
pub(crate) const ARRAY_WORDS: u32 = 524_288;

/// The word of the state that counts the tiles that have given up.
pub(crate) const STATUS_WORD: u64 = 1;

/// The first of the three words that count looks in vain, windows, and tiles reduced for others.
pub(crate) const COUNTERS_WORD: u64 = 4;

/// What a plan needs of the scratch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    pub partials_bytes: u64,
    /// Whether it has single passes.
    pub single_pass: bool,
    /// 0 for plans without segments that workgroups share.
    pub shares_bytes: u64,
}

/// The scratch of a context: made for its first plan; what a plan needs more of is made anew for it.
/// Plans made before keep what they have.
#[derive(Default)]
pub(crate) struct Shared(Mutex<Option<Scratch>>);

impl Shared {
    /// The scratch, with room for what is wanted.
    pub fn of_size(&self, context: &Context, wanted: Wanted) -> Result<Scratch, Error> {
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let old = shared.as_ref();
        let partials = old.map(|old| &old.partials);
        let partials = match partials.filter(|old| old.size() >= wanted.partials_bytes) {
            Some(old) => old.clone(),
            None => {
                let usage = wgpu::BufferUsages::empty();
                buffer(context, "lookback.partials", "the scratch", wanted.partials_bytes, usage)?
            }
        };
        let arguments = match old {
            Some(old) => old.arguments.clone(),
            None => {
                let (what, usage) = ("the arguments", wgpu::BufferUsages::INDIRECT);
                buffer(context, "lookback.arguments", what, 16, usage)?
            }
        };
        // A state goes on where it stands.
        let state = match old.and_then(|old| old.state.clone()) {
            None if wanted.single_pass => {
                let size = 4 * (STATE_WORDS + 2 * u64::from(ARRAY_WORDS));
                let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
                let what = "the state of single passes";
                Some(buffer(context, "lookback.state", what, size, usage)?)
            }
            old => old,
        };
        let shares = old.and_then(|old| old.shares.clone());
        let shares = match shares.as_ref().map_or(0, |old| old.size()) < wanted.shares_bytes {
            true => {
                let (what, usage) = ("the shares of segments", wgpu::BufferUsages::empty());
                Some(buffer(context, "lookback.shares", what, wanted.shares_bytes, usage)?)
            }
            false => shares,
        };
        let scratch = Scratch { partials, arguments, state, shares };
        *shared = Some(scratch.clone());
        Ok(scratch)
    }
}

/// A storage buffer of zeros.
fn buffer(
    context: &Context,
    label: &'static str,
    what: &'static str,
    size: u64,
    usage: wgpu::BufferUsages,
) -> Result<wgpu::Buffer, Error> {
    context.capabilities().check_binding(what, size)?;
    context.scoped(what, |device| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size,
            usage: usage | wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        })
    })
}
