//! Plans: what one call will do, as plain data. No wgpu object, so a plan can be made, printed
//! and compared without a GPU.

use std::fmt;

use crate::capabilities::Capabilities;
use crate::error::Error;
use crate::operator::Definition;
use crate::shader::{Carry, Kernel, Memory, Part, Root, Subgroup, Tile};
use crate::tuning::Tuning;

/// The parameters of one pass: the host side of `Params` in `shaders/params.wgsl`.
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
    /// Nothing; makes `carry` stand where WGSL puts it.
    pub padding: [u32; 2],
    /// The words of that accumulator.
    pub carry: [u32; 16],
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
}

/// One dispatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// The kernel.
    pub kernel: Kernel,
    /// What it reads.
    pub src: Resource,
    /// What it writes.
    pub dst: Resource,
    /// Its parameters.
    pub params: Params,
    /// Workgroups dispatched, along x.
    pub workgroups: u32,
}

/// The passes of one call, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The passes.
    pub passes: Vec<Pass>,
}

/// Where the slices of a call lie, as far as a plan depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
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
}

impl Placement {
    /// Slices at the start of buffers of their own.
    pub(crate) const ALIGNED: Self = Placement::at_start(Memory::Separate);

    /// Slices at the start of bindings with room for a quad of words at least.
    const fn at_start(memory: Memory) -> Self {
        Placement { src_word: 0, dst_word: 0, memory, src_words: 4, dst_words: 4 }
    }
}

/// The sizes of all kernels of one operator on one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    subgroup: Subgroup,
    workgroup_size: u32,
    words_per_lane: u32,
    workgroups: u32,
    single_tiles: u32,
    storage_bindings: u32,
}

impl Geometry {
    /// Fits a tuning to a device: the workgroup is a multiple of the widest subgroup there can
    /// be, and shrinks until its memory fits.
    ///
    /// Errors: [`Error::Limit`] if the device is too small for any size.
    pub(crate) fn fit(
        capabilities: &Capabilities,
        tuning: &Tuning,
        operator: &Definition,
    ) -> Result<Self, Error> {
        let limit = |what: &str, wanted: u32, limit: &'static str, got: u32| Error::Limit {
            what: what.to_owned(),
            wanted: u64::from(wanted),
            limit,
            got: u64::from(got),
        };
        let lanes_limit = match capabilities.workgroup_lanes {
            0 => return Err(limit("lanes", 1, "max_compute_invocations_per_workgroup", 0)),
            lanes => 1 << lanes.ilog2(),
        };
        if capabilities.workgroups == 0 {
            let name = "max_compute_workgroups_per_dimension";
            return Err(limit("workgroups", 1, name, 0));
        }
        // No width that an adapter reports is divided by: an unknown one may be 0.
        let widest = capabilities.subgroup_lanes_max.clamp(4, 128).next_power_of_two();
        let native = capabilities.subgroups && widest <= lanes_limit;
        let narrowest = if native { widest } else { 1 };
        let wanted = tuning.workgroup_size.max(1).next_power_of_two();
        let mut workgroup_size = wanted.max(narrowest).min(lanes_limit);
        let geometry = loop {
            // There is scratch for subgroups of 4 lanes or more.
            let emulated =
                tuning.emulated_lanes.clamp(4, 128).next_power_of_two().min(workgroup_size);
            let geometry = Geometry {
                subgroup: if native { Subgroup::Native } else { Subgroup::Emulated(emulated) },
                workgroup_size,
                words_per_lane: tuning.words_per_lane.max(1),
                workgroups: tuning.workgroups.clamp(1, capabilities.workgroups),
                single_tiles: tuning.single_tiles.max(1),
                storage_bindings: capabilities.storage_bindings,
            };
            let bytes = geometry.kernel(operator, Root::Reduce).workgroup_bytes(operator);
            if bytes <= capabilities.workgroup_bytes {
                break geometry;
            }
            if workgroup_size / 2 < narrowest {
                let got = capabilities.workgroup_bytes;
                let name = "max_compute_workgroup_storage_size";
                return Err(limit("workgroup memory (bytes)", bytes, name, got));
            }
            workgroup_size /= 2;
        };
        // The kernel with the most bindings that can't do with fewer: a downsweep by words.
        let mut kernel = geometry.kernel(operator, Root::Downsweep);
        (kernel.tile, kernel.carry) = (Tile::Scalar, Carry::Partials);
        if kernel.storage_bindings() > capabilities.storage_bindings {
            return Err(limit(
                "storage bindings",
                kernel.storage_bindings(),
                "max_storage_buffers_per_shader_stage",
                capabilities.storage_bindings,
            ));
        }
        Ok(geometry)
    }

    /// Bytes of the largest partials buffer that a plan of this geometry uses.
    pub(crate) fn partials_bytes(&self, operator: &Definition) -> u64 {
        (u64::from(self.workgroups) * operator.accumulator.size_bytes()).next_multiple_of(16)
    }

    fn kernel(&self, operator: &Definition, root: Root) -> Kernel {
        let (input, output) = (operator.input, operator.output);
        let group = match root {
            // A reduction writes single items, so its groups need not suit the output.
            Root::Reduce => input.group_items(),
            Root::Downsweep => input.group_items().max(output.group_items()),
        };
        let words = input.words().max(operator.accumulator.words());
        Kernel {
            root,
            part: Part::Whole,
            subgroup: self.subgroup,
            tile: Tile::Vector,
            memory: Memory::Separate,
            carry: Carry::Params,
            exclusive: false,
            workgroup_size: self.workgroup_size,
            group,
            rows: (self.words_per_lane / (group * words)).max(1),
        }
    }

    /// One pass over `n_items`; `workgroups` share its tiles.
    fn pass(&self, kernel: Kernel, placement: Placement, n_items: u32, workgroups: u32) -> Pass {
        // Quads must be whole words of four in every binding that is used by quads.
        let (words, first_words) = match kernel.root {
            Root::Reduce => (placement.src_words, placement.src_word),
            Root::Downsweep => (
                placement.src_words.min(placement.dst_words),
                placement.src_word | placement.dst_word,
            ),
        };
        let mut kernel = Kernel { memory: placement.memory, ..kernel };
        let fits = kernel.storage_bindings() <= self.storage_bindings;
        if first_words % 4 != 0 || words < 4 || !fits {
            kernel.tile = Tile::Scalar;
        }
        let n_tiles = n_items.div_ceil(kernel.tile_items());
        let tiles_per_workgroup = n_tiles.div_ceil(workgroups).max(1);
        Pass {
            kernel,
            src: Resource::Input,
            dst: Resource::Output,
            params: Params {
                n_items,
                n_tiles,
                tiles_per_workgroup,
                src_word: placement.src_word,
                dst_word: placement.dst_word,
                has_carry: 0,
                padding: [0; 2],
                carry: [0; 16],
            },
            workgroups: n_tiles.div_ceil(tiles_per_workgroup).max(1),
        }
    }

    /// A reduction: one pass for few tiles, else one to a partial a chunk and one over those.
    pub(crate) fn reduce(
        &self,
        operator: &Definition,
        placement: Placement,
        n_items: u32,
        carry: Option<&[u32]>,
    ) -> Plan {
        let kernel = self.kernel(operator, Root::Reduce);
        let single = self.pass(kernel, placement, n_items, 1).with_carry(carry);
        if single.params.n_tiles <= self.single_tiles {
            return Plan { passes: vec![single] };
        }
        let chunks = self.chunks(operator, kernel, placement, n_items);
        let operator = operator.lowering();
        let kernel =
            Kernel { part: Part::FromAccumulators, ..self.kernel(&operator, Root::Reduce) };
        let placement = Placement { dst_word: placement.dst_word, ..Placement::ALIGNED };
        let mut finish = self.pass(kernel, placement, chunks.workgroups, 1).with_carry(carry);
        finish.src = Resource::Partials;
        Plan { passes: vec![chunks, finish] }
    }

    /// A scan: one pass for few tiles, else upsweep, spine and downsweep.
    pub(crate) fn scan(
        &self,
        operator: &Definition,
        placement: Placement,
        n_items: u32,
        exclusive: bool,
        carry: Option<&[u32]>,
    ) -> Plan {
        let kernel = Kernel { exclusive, ..self.kernel(operator, Root::Downsweep) };
        let single = self.pass(kernel, placement, n_items, 1).with_carry(carry);
        if n_items == 0 {
            return Plan { passes: Vec::new() };
        }
        if single.params.n_tiles <= self.single_tiles {
            return Plan { passes: vec![single] };
        }
        // The upsweep's chunks must be the downsweep's, so it has the same groups and rows.
        let upsweep_kernel = Kernel { root: Root::Reduce, exclusive: false, ..kernel };
        let upsweep = self.chunks(operator, upsweep_kernel, placement, n_items);

        let accumulators = operator.on_accumulators();
        let spine_kernel = Kernel {
            part: Part::OnAccumulators,
            exclusive: true,
            ..self.kernel(&accumulators, Root::Downsweep)
        };
        let in_place = Placement::at_start(Memory::Shared);
        let mut spine = self.pass(spine_kernel, in_place, upsweep.workgroups, 1).with_carry(carry);
        (spine.src, spine.dst) = (Resource::Partials, Resource::Partials);

        let downsweep_kernel = Kernel { carry: Carry::Partials, ..kernel };
        let downsweep = self.pass(downsweep_kernel, placement, n_items, self.workgroups);
        Plan { passes: vec![upsweep, spine, downsweep] }
    }

    /// The pass that reduces each chunk of the input to one partial.
    fn chunks(
        &self,
        operator: &Definition,
        kernel: Kernel,
        placement: Placement,
        n_items: u32,
    ) -> Pass {
        debug_assert!(operator.accumulator.words() <= 16);
        let kernel = Kernel { part: Part::ToAccumulators, ..kernel };
        let placement = Placement { dst_word: 0, memory: Memory::Separate, ..placement };
        let mut pass = self.pass(kernel, placement, n_items, self.workgroups);
        pass.dst = Resource::Partials;
        pass
    }
}

impl Pass {
    fn with_carry(mut self, carry: Option<&[u32]>) -> Self {
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
            let Pass { kernel, src, dst, params, workgroups } = pass;
            writeln!(
                f,
                "{kernel} {src:?} -> {dst:?}: {} items, {} tiles of {}, {workgroups} workgroups \
                 of {} lanes, {:?} {:?} {:?}",
                params.n_items,
                params.n_tiles,
                kernel.tile_items(),
                kernel.workgroup_size,
                kernel.subgroup,
                kernel.tile,
                kernel.memory,
            )?;
        }
        Ok(())
    }
}
