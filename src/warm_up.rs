//! Warming up: what calls will need is compiled, and used once, before the first of them.

use std::collections::HashSet;

use crate::capabilities::Capabilities;
use crate::context;
use crate::element::Element;
use crate::error::Error;
use crate::pieces::{self, Call, Piece, Span};
use crate::plan::{Counted, Params, Pass, Placement, Plan};
use crate::prepared::Prepared;
use crate::record;
use crate::reduce::Reduce;
use crate::scan::Scan;
use crate::scratch::Scratch;
use crate::shader::kernel::Memory;

impl<I: Element, A: Element, O: Element> Reduce<I, A, O> {
    /// Compiles every kernel that calls on these numbers of items need and dispatches it once, on a
    /// tile of zeros: the first call then neither compiles nor waits for what a driver puts off until
    /// a kernel's first use. That is for inputs of one segment, in a buffer of their own, wherever
    /// they start in it; not for numbers of items that live on the device. Submits and waits.
    /// Allocates three buffers of a tile each, at most some hundred KiB, whatever the sizes.
    ///
    /// Errors: [`Error::OutOfMemory`], also for more items than any memory holds;
    /// [`Error::Length`] as [`Reduce::plan`], [`Error::DeviceLost`].
    ///
    /// ```
    /// use lookback::{Context, Operator, Reduce};
    /// let context = Context::new()?;
    /// let sum = Reduce::new(&context, &Operator::<u32>::sum())?;
    /// sum.warm_up(&[1000, 1 << 24])?;
    /// assert_eq!(sum.run(&[1; 1000])?, 1000);
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn warm_up(&self, sizes: &[u64]) -> Result<(), Error> {
        let capabilities = self.0.context.capabilities();
        // Where the output lies makes no difference to a reduction.
        let words = (I::LAYOUT.words(), I::LAYOUT.words());
        let mut plans = Vec::new();
        for &n_items in sizes {
            for pieces in anywhere(capabilities, n_items, words, Memory::Separate)? {
                plans.push(self.plan_at(&pieces, Counted::Host)?);
            }
        }
        self.0.warm_up(plans)
    }
}

impl<I: Element, A: Element, O: Element> Scan<I, A, O> {
    /// Compiles every kernel that calls on these numbers of items need and dispatches it once, on a
    /// tile of zeros: the first call then neither compiles nor waits for what a driver puts off until
    /// a kernel's first use. That is for slices of one segment, wherever they start in buffers of
    /// their own, and in place where that may be; not for two slices in one buffer, nor for numbers
    /// of items that live on the device. Submits and waits. Allocates three buffers of a tile each,
    /// at most some hundred KiB, whatever the sizes.
    ///
    /// Errors: [`Error::OutOfMemory`], also for more items than any memory holds;
    /// [`Error::Length`] as [`Scan::plan`], [`Error::DeviceLost`].
    ///
    /// ```
    /// use lookback::{Context, Kind, Operator, Scan};
    /// let context = Context::new()?;
    /// let offsets = Scan::new(&context, &Operator::<u32>::sum(), Kind::Exclusive)?;
    /// offsets.warm_up(&[1000, 1 << 24])?;
    /// assert_eq!(offsets.run(&[1; 1000])?[999], 999);
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn warm_up(&self, sizes: &[u64]) -> Result<(), Error> {
        let capabilities = self.prepared.context.capabilities();
        let words = (I::LAYOUT.words(), O::LAYOUT.words());
        let may_be_in_place = self.may_be_in_place() && words.0 == words.1;
        let mut plans = Vec::new();
        for memory in [Memory::Separate, Memory::Shared] {
            let in_place = memory == Memory::Shared;
            if in_place && !may_be_in_place {
                continue;
            }
            for &n_items in sizes {
                for pieces in anywhere(capabilities, n_items, words, memory)? {
                    plans.push(self.plan_at(&pieces, Counted::Host, in_place)?);
                }
            }
        }
        self.prepared.warm_up(plans)
    }
}

impl<I: Element, A: Element, O: Element> Prepared<I, A, O> {
    /// Compiles the kernels of plans and dispatches each once, on one tile of zeros in buffers of its
    /// own; waits until the device has done so.
    ///
    /// Not on no item: lavapipe builds the values of uniforms into a kernel if much of it falls away
    /// by that, and compiles it again for a call that needs all of it.
    fn warm_up(&self, plans: impl IntoIterator<Item = Plan>) -> Result<(), Error> {
        let mut seen = HashSet::new();
        let passes = plans.into_iter().flat_map(|plan| plan.passes);
        let passes = passes.filter(|pass| seen.insert(pass.kernel)).map(on_one_tile);
        let plan = Plan { passes: passes.collect() };
        if plan.passes.is_empty() {
            return Ok(());
        }
        let definition = &self.operator.definition;
        let layouts = [&definition.input, &definition.accumulator, &definition.output];
        let words = layouts.map(|layout| layout.words()).into_iter().max().unwrap_or(1);
        let tile_items = plan.passes.iter().map(|pass| u64::from(pass.kernel.tile_items())).max();
        // A quad is the least that can be bound.
        let size = (4 * u64::from(words) * tile_items.unwrap_or(1)).max(16);
        let context = &self.context;
        let [input, output, partials] = context.scoped("the buffers of a warm-up", |device| {
            [(); 3].map(|()| {
                device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some("lookback.warm_up"),
                    size,
                    usage: wgpu::BufferUsages::STORAGE,
                    mapped_at_creation: false,
                })
            })
        })?;
        // What calls have left in theirs is another operator's, perhaps.
        let scratch = Scratch { partials, ..self.scratch.clone() };
        let piece = |memory, input, output| Piece {
            input: Span::whole(input),
            output: Span::whole(output),
            placement: Placement::at_start(memory, 1),
        };
        let pieces =
            vec![piece(Memory::Separate, &input, &output), piece(Memory::Shared, &output, &output)];
        let call = Call::of_pieces(pieces);
        let submission_index = record::dispatch(context, |pass| {
            record::record(context, &self.kernels, &scratch, &plan, &call, pass)
        })?;
        let submission_index = Some(submission_index);
        context::poll(context.device(), wgpu::PollType::Wait { submission_index, timeout: None })
    }
}

/// The same pass on what a tile has of its items, by one workgroup.
fn on_one_tile(pass: Pass) -> Pass {
    let n_items = pass.params.n_items.min(pass.kernel.tile_items());
    let params = Params {
        n_items,
        n_tiles: n_items.min(1),
        tiles_per_workgroup: 1,
        src_word: 0,
        dst_word: 0,
        first_chunk: 0,
        workgroups: 1,
        ..pass.params
    };
    // The piece of two buffers, or that of one.
    let piece = usize::from(pass.kernel.memory == Memory::Shared);
    Pass { piece, params, workgroups: 1, rows: 1, indirect: false, ..pass }
}

/// The pieces of slices of `n_items` items, of so many words each, that have one segment: once for
/// each place in a binding where such slices can start.
///
/// Errors: [`Error::Limit`] if no item fits a binding, [`Error::OutOfMemory`] past any memory.
fn anywhere(
    capabilities: &Capabilities,
    n_items: u64,
    (in_words, out_words): (u32, u32),
    memory: Memory,
) -> Result<Vec<Vec<Placement>>, Error> {
    let size = 4 * u64::from(in_words.max(out_words));
    let most = pieces::most_items(capabilities, size)?;
    // More bindings than this are no memory that a device has.
    if n_items.div_ceil(most) > 1 << 15 {
        return Err(Error::OutOfMemory { what: format!("{n_items} items of {size} bytes") });
    }
    let lengths: Vec<u64> = match n_items {
        0 => vec![0],
        _ => (0..n_items.div_ceil(most)).map(|i| most.min(n_items - i * most)).collect(),
    };
    let words_between = (pieces::alignment(capabilities) / 4).min(64) as u32;
    let from = |first_item: u32| {
        let place = |&length: &u64| {
            let n_items = length as u32;
            let aligned = Placement { memory, ..Placement::of_items(n_items, in_words, out_words) };
            let (src_word, dst_word) =
                (first_item * in_words % words_between, first_item * out_words % words_between);
            let words = |first: u32, words: u32| u64::from(first) + length * u64::from(words);
            match length {
                0 => aligned,
                _ => Placement {
                    src_word,
                    dst_word,
                    src_words: words(src_word, in_words),
                    dst_words: words(dst_word, out_words),
                    ..aligned
                },
            }
        };
        lengths.iter().map(place).collect()
    };
    Ok((0..words_between).map(from).collect())
}
