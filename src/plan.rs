//! Plans: what one call will do, as plain data. No wgpu object, so a plan can be made, printed
//! and compared without a GPU.

use std::fmt;

use crate::shader::kernel::{Kernel, Memory};

/// The parameters of one pass: the host side of `Params` in `shaders/params/layout.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Params {
    /// Items of the call.
    pub n_items: u32,
    /// Tiles that cover them.
    pub n_tiles: u32,
    /// Consecutive tiles of one workgroup.
    pub tiles_per_workgroup: u32,
    /// First word of the input in its binding.
    pub src_word: u32,
    /// First word of the output in its binding.
    pub dst_word: u32,
    /// 1 when `carry` is an accumulator, to the left of item 0.
    pub has_carry: u32,
    /// Chunks of the pieces before this one.
    pub first_chunk: u32,
    /// First word of the count in its binding.
    pub count_word: u32,
    /// Workgroups that share the tiles.
    pub workgroups: u32,
    /// 1 when a reduction of no item gives the operator's value of nothing.
    pub of_nothing: u32,
    /// Items of the pieces before this one, modulo 2^32.
    pub first_item: u32,
    /// First word of the second input in its binding.
    pub second_word: u32,
    /// The words of that accumulator, or of one to the left of each segment; of a compaction, where its other slices lie. The last four are a
    /// segmented reduction's.
    pub carry: [u32; 20],
}

impl Params {
    /// Their size; WebGPU's devices have immediates of 64 bytes at least, Vulkan's of 128.
    pub(crate) const BYTES: u32 = size_of::<Params>() as u32;
}

/// What a pass reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// The call's input slice.
    Input,
    /// The call's output slice.
    Output,
    /// The partials, in the plan's scratch.
    Partials,
    /// The arguments of indirect dispatches, in the plan's scratch.
    Arguments,
    /// The number of items, where it lives on the device.
    Count,
    /// The state of single passes, in the plan's scratch.
    State,
    /// The part of it that holds descriptors.
    Descriptors,
    /// Flags, keys, or the values of keys.
    SecondInput,
    /// A compaction's second output.
    SecondOutput,
    /// A compaction's third output.
    ThirdOutput,
    /// A compaction's counts.
    Tally,
    /// The shares of segments, in the plan's scratch.
    Shares,
}

/// One dispatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// The kernel.
    pub kernel: Kernel,
    /// The piece of the call's slices that `Input` and `Output` stand for.
    pub piece: usize,
    /// What it reads.
    pub src: Resource,
    /// What it writes.
    pub dst: Resource,
    /// Its parameters.
    pub params: Params,
    /// What the number of items is read from, if the kernel reads it.
    pub count: Resource,
    /// Workgroups dispatched, along x; the most there can be if `indirect`.
    pub workgroups: u32,
    /// Rows of such workgroups.
    pub rows: u32,
    /// Whether their number is read from the arguments.
    pub indirect: bool,
}

/// The passes of one call, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The passes.
    pub passes: Vec<Pass>,
}

/// Who knows the number of items, and how the workgroups for them are dispatched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    /// The host.
    Host,
    /// The device: word `count_word` of the count's binding, in workgroups for the capacity.
    Device { count_word: u32 },
    /// The device, in workgroups for what items there are.
    Indirect { count_word: u32 },
}

/// Where the slices of a piece lie, as far as a plan depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The piece, among those of its call.
    pub piece: usize,
    /// Items of the piece, or the most there can be.
    pub n_items: u32,
    /// First word of the input in its binding.
    pub src_word: u32,
    /// First word of the output in its binding.
    pub dst_word: u32,
    /// Whether both lie in one buffer.
    pub memory: Memory,
    /// Words of the input's binding.
    pub src_words: u64,
    /// Words of the output's binding.
    pub dst_words: u64,
    /// Items of the pieces before it, modulo 2^32.
    pub first_item: u32,
    /// Whether the second input can be read by quads of words.
    pub second_quads: bool,
}

impl Placement {
    /// Slices at the start of buffers of their own.
    pub(crate) const ALIGNED: Self = Placement::at_start(Memory::Separate, 0);

    /// Slices of `n_items` items of so many words at the start of buffers of their own, with room
    /// for a quad of words at least.
    pub(crate) fn of_items(n_items: u32, in_words: u32, out_words: u32) -> Self {
        let words = |words: u32| (u64::from(n_items) * u64::from(words)).max(4);
        let (src_words, dst_words) = (words(in_words), words(out_words));
        Placement { n_items, src_words, dst_words, ..Placement::ALIGNED }
    }

    /// `n_items` of its items from item `first` on, of an operator with inputs and outputs of so many
    /// words. Words of a binding are counted in 32 bits; a plan for more is for print only.
    pub(crate) fn part(self, first: u32, n_items: u32, in_words: u32, out_words: u32) -> Self {
        Placement {
            n_items,
            src_word: self.src_word.wrapping_add(first.wrapping_mul(in_words)),
            dst_word: self.dst_word.wrapping_add(first.wrapping_mul(out_words)),
            first_item: self.first_item.wrapping_add(first),
            ..self
        }
    }

    /// Slices at the start of bindings with room for a quad of words at least.
    pub(crate) const fn at_start(memory: Memory, n_items: u32) -> Self {
        Placement {
            piece: 0,
            n_items,
            src_word: 0,
            dst_word: 0,
            memory,
            src_words: 4,
            dst_words: 4,
            first_item: 0,
            second_quads: true,
        }
    }
}

impl Pass {
    /// With an accumulator to the left of each segment.
    pub(crate) fn with_start(self, start: &[u32]) -> Self {
        let mut pass = self.with_carry(Some(start));
        (pass.params.has_carry, pass.kernel.starts) = (0, true);
        pass
    }

    pub(crate) fn with_carry(mut self, carry: Option<&[u32]>) -> Self {
        if let Some(words) = carry {
            self.params.has_carry = 1;
            self.params.carry[..words.len()].copy_from_slice(words);
        }
        self
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for pass in &self.passes {
            let Pass { kernel, src, dst, params, workgroups, .. } = pass;
            writeln!(
                f,
                "{kernel} {src:?} -> {dst:?}: {} items, {} tiles of {}, {workgroups} workgroups \
                 of {} lanes, {:?} {:?} {:?}",
                params.n_items,
                params.n_tiles,
                kernel.tile_items(),
                kernel.workgroup_size,
                kernel.layers.subgroup,
                kernel.tile,
                kernel.memory,
            )?;
        }
        Ok(())
    }
}
