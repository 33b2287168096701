//! Geometry: the sizes of an operator's kernels on a device, and the plans made with them.

use crate::capabilities::Capabilities;
use crate::error::Error;
use crate::operator::Definition;
use crate::plan::{Counted, Params, Pass, Placement, Plan, Resource};
use crate::scratch::DESCRIPTOR_WORDS;
use crate::shader::{Carry, Extent, Kernel, LookBack, Memory, Part, Root, Stalled, Tile};
use crate::tuning::{Builtins, Tuning};
use crate::wgsl::{Layers, Subgroup};

/// The tiles of a chunk that on a CPU keep a lane far below the 65,535 loop trips after which
/// lavapipe ends all loops: a tile takes at most some 30.
const CPU_TILES: u32 = 512;

/// The same when the user's own text loops: trips a tile are some 40 times the text's, so texts
/// of up to 200 trips a call stay below.
const CPU_LOOPING_TILES: u32 = 8;

/// Chunks that a call may have, unless the device or the spine takes fewer: enough for 2^32
/// items in the smallest tiles of the tuning table.
const WORKGROUPS_MAX: u32 = 16_384;

/// The sizes of all kernels of one operator on one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    layers: Layers,
    builtins: Builtins,
    workgroup_size: u32,
    words_per_lane: u32,
    /// Workgroups of a pass, unless they would have more than `tiles_max` tiles each.
    workgroups: u32,
    workgroups_max: u32,
    single_tiles: u32,
    tiles_max: u32,
    storage_bindings: u32,
    workgroups_limit: u32,
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
        single_pass: bool,
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
        let wanted = tuning.workgroup_size.clamp(1, lanes_limit).next_power_of_two();
        let mut workgroup_size = wanted.max(narrowest).min(lanes_limit);
        let tiles_max = match (capabilities.device_type, operator.loops) {
            (wgpu::DeviceType::Cpu, false) => CPU_TILES,
            (wgpu::DeviceType::Cpu, true) => CPU_LOOPING_TILES,
            _ => u32::MAX,
        };
        let mut geometry = loop {
            // There is scratch for subgroups of 4 lanes or more.
            let emulated =
                tuning.emulated_lanes.clamp(4, 128).next_power_of_two().min(workgroup_size);
            let geometry = Geometry {
                layers: tuning.layers(match native {
                    true => Subgroup::Native,
                    false => Subgroup::Emulated(emulated),
                }),
                builtins: tuning.builtins,
                workgroup_size,
                words_per_lane: tuning.words_per_lane.clamp(1, 128),
                workgroups: tuning.workgroups.clamp(1, capabilities.workgroups),
                workgroups_max: tuning.workgroups.max(WORKGROUPS_MAX).min(capabilities.workgroups),
                single_tiles: tuning.single_tiles.clamp(1, tiles_max),
                tiles_max,
                storage_bindings: capabilities.storage_bindings,
                workgroups_limit: capabilities.workgroups,
            };
            let last = if single_pass { Root::SinglePass } else { Root::Downsweep };
            let roots = [Root::Reduce, Root::Downsweep, last].into_iter();
            let bytes = roots.map(|root| geometry.kernel(operator, root).workgroup_bytes(operator));
            let bytes = bytes.max().unwrap_or(0);
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
        // One workgroup handles all partials, in no more tiles than a chunk has.
        let spine = geometry.kernel(&operator.on_accumulators(), Root::Downsweep);
        let finish = geometry.kernel(&operator.lowering(), Root::Reduce);
        let partials = spine.tile_items().min(finish.tile_items()).saturating_mul(tiles_max);
        geometry.workgroups_max = geometry.workgroups_max.min(partials);
        geometry.workgroups = geometry.workgroups.min(partials);
        // The kernel with the most bindings that can't do with fewer: a downsweep by words.
        let mut kernel = geometry.kernel(operator, Root::Downsweep);
        (kernel.tile, kernel.carry) = (Tile::Scalar, Carry::Partials);
        if kernel.storage_bindings() > capabilities.storage_bindings {
            return Err(bindings_limit(kernel, capabilities.storage_bindings));
        }
        Ok(geometry)
    }

    /// Bytes of the largest partials buffer that a plan of this geometry uses.
    pub(crate) fn partials_bytes(&self, operator: &Definition) -> u64 {
        (u64::from(self.workgroups_max) * operator.accumulator.size_bytes()).next_multiple_of(16)
    }

    fn kernel(&self, operator: &Definition, root: Root) -> Kernel {
        let (input, output) = (operator.input, operator.output);
        let group = match root {
            // A reduction writes single items, so its groups need not suit the output.
            Root::Reduce | Root::Arguments => input.group_items(),
            Root::Downsweep | Root::SinglePass => input.group_items().max(output.group_items()),
        };
        let words = input.words().max(operator.accumulator.words());
        // The layers have the builtins on unless the tuning has none.
        let layers = match (root, self.builtins) {
            (Root::Downsweep | Root::SinglePass, Builtins::Reductions) => {
                Layers { builtins: false, ..self.layers }
            }
            _ => self.layers,
        };
        Kernel {
            root,
            part: Part::Whole,
            layers,
            tile: Tile::Vector,
            memory: Memory::Separate,
            carry: Carry::Params,
            extent: Extent::Params,
            look_back: LookBack::Window,
            stalled: Stalled::Fail,
            stall_every: 0,
            exclusive: false,
            workgroup_size: self.workgroup_size,
            group,
            rows: (self.words_per_lane / (group * words)).max(1),
        }
    }

    /// One pass over a piece, its tiles shared by `workgroups`.
    ///
    /// Errors: [`Error::Limit`] if the device has too few bindings for it.
    fn pass(&self, kernel: Kernel, placement: Placement, workgroups: u32) -> Result<Pass, Error> {
        // Quads must be whole words of four in every binding that is used by quads.
        let (words, first_words) = match kernel.root {
            Root::Reduce | Root::Arguments => (placement.src_words, placement.src_word),
            Root::Downsweep | Root::SinglePass => (
                placement.src_words.min(placement.dst_words),
                placement.src_word | placement.dst_word,
            ),
        };
        let mut kernel = Kernel { memory: placement.memory, ..kernel };
        let fits = kernel.storage_bindings() <= self.storage_bindings;
        if first_words % 4 != 0 || words < 4 || !fits {
            kernel.tile = Tile::Scalar;
        }
        if kernel.storage_bindings() > self.storage_bindings {
            return Err(bindings_limit(kernel, self.storage_bindings));
        }
        let n_tiles = placement.n_items.div_ceil(kernel.tile_items());
        let tiles_per_workgroup = n_tiles.div_ceil(workgroups).max(1);
        let workgroups = n_tiles.div_ceil(tiles_per_workgroup).max(1);
        Ok(Pass {
            kernel,
            piece: 0,
            src: Resource::Input,
            dst: Resource::Output,
            params: Params {
                n_items: placement.n_items,
                n_tiles,
                tiles_per_workgroup,
                src_word: placement.src_word,
                dst_word: placement.dst_word,
                has_carry: 0,
                first_chunk: 0,
                count_word: 0,
                workgroups,
                of_nothing: 0,
                padding: [0; 2],
                carry: [0; 16],
            },
            count: Resource::Count,
            workgroups,
            rows: 1,
            indirect: false,
        })
    }

    /// A reduction: one pass for few tiles, else one to a partial a chunk and one over those.
    ///
    /// Errors: [`Error::Length`] if there are more pieces than chunks.
    pub(crate) fn reduce(
        &self,
        operator: &Definition,
        pieces: &[Placement],
        counted: Counted,
        carry: Option<&[u32]>,
    ) -> Result<Plan, Error> {
        let kernel = self.kernel(operator, Root::Reduce).counted(counted);
        // What stands for nothing is written once: by a call without an initial value.
        let of_nothing = |mut pass: Pass| {
            pass.params.of_nothing = u32::from(carry.is_none());
            pass
        };
        if let Some(single) = self.single(kernel, pieces, counted, carry)? {
            return Ok(Plan { passes: vec![of_nothing(single)] });
        }
        let chunks = self.chunks(operator, kernel, pieces, counted)?;
        let mut passes: Vec<Pass> = chunks.into_iter().map(of_nothing).collect();
        let n_chunks = chunks_of(&passes);
        let kernel = self.kernel(&operator.lowering(), Root::Reduce).over_chunks(counted);
        let kernel = Kernel { part: Part::FromAccumulators, ..kernel };
        let dst_word = pieces.first().map_or(0, |piece| piece.dst_word);
        let placement = Placement { dst_word, n_items: n_chunks, ..Placement::ALIGNED };
        let mut finish = self.pass(kernel, placement, 1)?.with_carry(carry);
        (finish.src, finish.count) = (Resource::Partials, Resource::Arguments);
        passes.push(finish);
        Ok(Plan { passes })
    }

    /// A scan: one pass for few tiles, else upsweeps, spine and downsweeps. Nothing is
    /// dispatched for no item.
    ///
    /// Errors: as [`Geometry::reduce`].
    pub(crate) fn scan(
        &self,
        operator: &Definition,
        pieces: &[Placement],
        counted: Counted,
        exclusive: bool,
        carry: Option<&[u32]>,
    ) -> Result<Plan, Error> {
        let kernel = Kernel { exclusive, ..self.kernel(operator, Root::Downsweep) };
        let kernel = kernel.counted(counted);
        if pieces.iter().all(|piece| piece.n_items == 0) {
            return Ok(Plan { passes: Vec::new() });
        }
        if let Some(single) = self.single(kernel, pieces, counted, carry)? {
            return Ok(Plan { passes: vec![single] });
        }
        // The upsweep's chunks must be the downsweep's, so it has the same groups and rows.
        let layers = self.kernel(operator, Root::Reduce).layers;
        let upsweep_kernel = Kernel { root: Root::Reduce, layers, exclusive: false, ..kernel };
        let mut passes = self.chunks(operator, upsweep_kernel, pieces, counted)?;
        let downsweep_kernel = Kernel { carry: Carry::Partials, ..kernel };
        let downsweep = |upsweep: &Pass| {
            let piece = pieces[upsweep.piece];
            let mut pass = self.pass(downsweep_kernel, piece, upsweep.workgroups)?;
            (pass.piece, pass.params.first_chunk) = (upsweep.piece, upsweep.params.first_chunk);
            pass.indirect = upsweep.indirect;
            Ok(pass.with_count(counted))
        };
        let upsweeps = passes.iter().filter(|pass| pass.kernel.root == Root::Reduce);
        let downsweeps = upsweeps.map(downsweep).collect::<Result<Vec<Pass>, Error>>()?;

        let n_chunks = chunks_of(&passes);
        let spine_kernel = Kernel {
            part: Part::OnAccumulators,
            exclusive: true,
            ..self.kernel(&operator.on_accumulators(), Root::Downsweep)
        };
        let in_place = Placement::at_start(Memory::Shared, n_chunks);
        let spine_kernel = spine_kernel.over_chunks(counted);
        let mut spine = self.pass(spine_kernel, in_place, 1)?.with_carry(carry);
        (spine.src, spine.dst) = (Resource::Partials, Resource::Partials);
        spine.count = Resource::Arguments;
        passes.push(spine);
        passes.extend(downsweeps);
        Ok(Plan { passes })
    }

    /// A scan in a single pass a piece, or a part of one with as many tiles as there is room for
    /// descriptors. What stands before a later one is left on the device. `None` for few tiles, and
    /// for a count on the device with more than one pass: those are [`Geometry::scan`]'s.
    ///
    /// Errors: [`Error::Limit`] if the device has too few bindings.
    pub(crate) fn single_pass(
        &self,
        operator: &Definition,
        pieces: &[Placement],
        counted: Counted,
        (look_back, stalled, stall_every): (LookBack, Stalled, u32),
        exclusive: bool,
        carry: Option<&[u32]>,
    ) -> Result<Option<Plan>, Error> {
        let kernel = self.kernel(operator, Root::SinglePass).counted(counted);
        let kernel =
            Kernel { carry: Carry::State, look_back, stalled, stall_every, exclusive, ..kernel };
        let tiles_max = DESCRIPTOR_WORDS / (2 * operator.accumulator.words());
        let part_items = tiles_max.saturating_mul(kernel.tile_items());
        let row = self.workgroups_limit;
        let mut passes = Vec::new();
        for (index, piece) in pieces.iter().enumerate() {
            let mut first = 0;
            while first < piece.n_items {
                let n_items = part_items.min(piece.n_items - first);
                let placement = Placement {
                    n_items,
                    // Words of a binding are counted in 32 bits; a plan for more is for print only.
                    src_word: piece
                        .src_word
                        .wrapping_add(first.wrapping_mul(operator.input.words())),
                    dst_word: piece
                        .dst_word
                        .wrapping_add(first.wrapping_mul(operator.output.words())),
                    ..*piece
                };
                let mut pass = self.pass(kernel, placement, 1)?.with_carry(carry);
                pass.piece = index;
                let n_tiles = pass.params.n_tiles;
                (pass.workgroups, pass.rows) = (n_tiles.min(row), n_tiles.div_ceil(row));
                pass.params.workgroups = pass.workgroups;
                pass.params.first_chunk = passes.len() as u32;
                passes.push(pass.with_count(counted));
                first += n_items;
            }
        }
        let few = match &passes[..] {
            [] => true,
            [only] => only.params.n_tiles <= self.single_tiles,
            _ => counted != Counted::Host,
        };
        Ok((!few).then_some(Plan { passes }))
    }

    /// The one pass of a call of one piece and few tiles.
    fn single(
        &self,
        kernel: Kernel,
        pieces: &[Placement],
        counted: Counted,
        carry: Option<&[u32]>,
    ) -> Result<Option<Pass>, Error> {
        let [piece] = pieces else { return Ok(None) };
        let pass = self.pass(kernel, *piece, 1)?.with_carry(carry).with_count(counted);
        Ok((pass.params.n_tiles <= self.single_tiles).then_some(pass))
    }

    /// The passes that reduce each chunk of each piece to one partial, side by side. The chunks
    /// are shared out by the pieces' tiles.
    fn chunks(
        &self,
        operator: &Definition,
        kernel: Kernel,
        pieces: &[Placement],
        counted: Counted,
    ) -> Result<Vec<Pass>, Error> {
        let kernel = Kernel { part: Part::ToAccumulators, ..kernel };
        let tiles = |piece: &Placement| u64::from(piece.n_items.div_ceil(kernel.tile_items()));
        let all_tiles = pieces.iter().map(tiles).sum::<u64>().max(1);
        // No chunk is longer than it may be.
        let least_of = |piece: &Placement| tiles(piece).div_ceil(u64::from(self.tiles_max)).max(1);
        let least = pieces.iter().map(least_of).sum::<u64>();
        if least > u64::from(self.workgroups_max) {
            return Err(Error::Length {
                what: "the chunks of tiles that a slice's segments and items take (at most)",
                wanted: u64::from(self.workgroups_max),
                got: least,
            });
        }
        // The rest of the chunks in proportion, rounded down.
        let spare = u64::from(self.workgroups).saturating_sub(least);
        let mut first_chunk = 0;
        let chunks = |(index, piece): (usize, &Placement)| {
            let workgroups = least_of(piece) + spare * tiles(piece) / all_tiles;
            // The upsweep reads; it shares no binding with anything.
            let placement = Placement { memory: Memory::Separate, ..*piece };
            let mut pass = self.pass(kernel, placement, workgroups as u32)?;
            pass.dst = Resource::Partials;
            pass.piece = index;
            pass.params.dst_word = first_chunk * operator.accumulator.words();
            pass.params.first_chunk = first_chunk;
            first_chunk += pass.workgroups;
            pass.indirect = matches!(counted, Counted::Indirect { .. });
            Ok(pass.with_count(counted))
        };
        let passes = pieces.iter().enumerate().map(chunks);
        let mut passes = passes.collect::<Result<Vec<Pass>, Error>>()?;
        if let (Counted::Indirect { .. }, [upsweep]) = (counted, &passes[..]) {
            let kernel = Kernel {
                root: Root::Arguments,
                part: Part::Whole,
                tile: Tile::Scalar,
                memory: Memory::Separate,
                ..upsweep.kernel
            };
            let mut arguments = Pass { kernel, workgroups: 1, indirect: false, ..upsweep.clone() };
            (arguments.dst, arguments.params.dst_word) = (Resource::Arguments, 0);
            passes.insert(0, arguments);
        }
        Ok(passes)
    }
}

/// The chunks of the upsweeps among passes.
fn chunks_of(passes: &[Pass]) -> u32 {
    let upsweeps = passes.iter().filter(|pass| pass.kernel.root == Root::Reduce);
    upsweeps.map(|pass| pass.workgroups).sum()
}

fn bindings_limit(kernel: Kernel, got: u32) -> Error {
    Error::Limit {
        what: "storage bindings".to_owned(),
        wanted: u64::from(kernel.storage_bindings()),
        limit: "max_storage_buffers_per_shader_stage",
        got: u64::from(got),
    }
}

impl Kernel {
    /// A kernel over the partials: of an indirect dispatch, only the workgroups that ran have
    /// left one. Their number is the first word of the arguments.
    fn over_chunks(self, counted: Counted) -> Kernel {
        match counted {
            Counted::Indirect { .. } => Kernel { extent: Extent::Buffer, ..self },
            _ => self,
        }
    }

    fn counted(self, counted: Counted) -> Kernel {
        let extent = match counted {
            Counted::Host => Extent::Params,
            Counted::Device { .. } | Counted::Indirect { .. } => Extent::Buffer,
        };
        Kernel { extent, ..self }
    }
}

impl Pass {
    fn with_count(mut self, counted: Counted) -> Pass {
        match counted {
            Counted::Host => {}
            Counted::Device { count_word } | Counted::Indirect { count_word } => {
                self.params.count_word = count_word;
            }
        }
        self
    }
}
