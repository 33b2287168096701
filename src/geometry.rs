//! Geometry: the sizes of an operator's kernels on a device, and the plans made with them.

mod chunked;
mod kernels;
pub(crate) mod segments;
mod single_pass;

use crate::capabilities::Capabilities;
use crate::definition::Definition;
use crate::error::Error;
use crate::plan::{Counted, Params, Pass, Placement, Resource};
use crate::shader::kernel::{
    Carry, Descriptor, Extent, Kernel, LookBack, ParamsSpace, Queue, Root, SinglePass, Tile,
};
use crate::tuning::{Builtins, Tuning};
use crate::wgsl::{Layers, Subgroup};

/// The tiles of a chunk that on a CPU keep a lane far below the 65,535 loop trips after which
/// lavapipe ends all loops: a tile takes at most some 30.
const CPU_TILES: u32 = 512;

/// The calls of a user's text that loops in a chunk: those of up to 100 trips stay below.
const CPU_LOOPING_CALLS: u32 = 600;

/// The most words of a lane in a compaction on a CPU: its walk is written out for each item, and with 32
/// SwiftShader's compiler took 20 seconds for one kernel.
const CPU_COMPACTION_WORDS: u32 = 8;

/// The fewest lanes of a single pass on a CPU. One workgroup may have to clean what the largest call
/// before has published, which takes 32,768 trips of 16 lanes.
const CPU_SINGLE_PASS_LANES: u32 = 16;

/// The trips on a CPU that a walk's tiles for others may take: with those of its looks, at most
/// 8,192, and of the cleaning that is below the 65,535 trips after which lavapipe ends all loops.
const CPU_REDUCED_TRIPS: u32 = 20_480;

/// Chunks that a call may have, unless the device or the spine takes fewer: enough for 2^32
/// items in the smallest tiles of the tuning table.
const WORKGROUPS_MAX: u32 = 32_768;

/// The sizes of all kernels of one operator on one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    layers: Layers,
    params: ParamsSpace,
    builtins: Builtins,
    workgroup_size: u32,
    words_per_lane: u32,
    words_per_group: u32,
    /// Workgroups of a pass, unless they would have more than `tiles_max` tiles each.
    workgroups: u32,
    workgroups_max: u32,
    single_tiles: u32,
    tiles_max: u32,
    storage_bindings: u32,
    workgroups_limit: u32,
    descriptor: Descriptor,
    checked: bool,
    whole_tiles: bool,
    /// Lanes of a subgroup, where the device has said so.
    block_lanes: Option<u32>,
}

/// What a geometry's kernels are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Chunks of tiles, and few tiles.
    Chunks,
    /// Single passes, by a form of descriptors.
    SinglePass(Descriptor),
    /// Segmented reductions.
    Segments,
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
        purpose: Purpose,
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
        // The section has room for subgroups of 4 lanes or more, which is WGSL's least. 0 is unknown.
        let wide_enough =
            capabilities.subgroup_lanes_min == 0 || capabilities.subgroup_lanes_min >= 4;
        let native = capabilities.subgroups && wide_enough && widest <= lanes_limit;
        let is_cpu = capabilities.device_type == wgpu::DeviceType::Cpu;
        let narrowest = match (native, operator.headed) {
            (true, _) => widest,
            // Ballots of narrower subgroups would part the groups within segments.
            (false, true) => 4,
            (false, false) => 1,
        };
        let narrowest = match purpose {
            Purpose::SinglePass(_) if is_cpu => narrowest.max(CPU_SINGLE_PASS_LANES),
            _ => narrowest,
        };
        if narrowest > lanes_limit {
            let name = "max_compute_invocations_per_workgroup";
            return Err(limit("lanes of a single pass", narrowest, name, lanes_limit));
        }
        let wanted = tuning.workgroup_size.clamp(1, lanes_limit).next_power_of_two();
        let mut workgroup_size = wanted.max(narrowest).min(lanes_limit);
        let compacts = operator.payload.compacts();
        let words_per_lane = match is_cpu && (compacts || operator.headed) {
            true => tuning.words_per_lane.clamp(1, CPU_COMPACTION_WORDS),
            false => tuning.words_per_lane.clamp(1, 128),
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
                params: capabilities.params_space(),
                builtins: tuning.builtins,
                workgroup_size,
                words_per_lane,
                words_per_group: tuning.words_per_group.clamp(1, 128),
                workgroups: tuning.workgroups.clamp(1, capabilities.workgroups),
                workgroups_max: tuning.workgroups.max(WORKGROUPS_MAX).min(capabilities.workgroups),
                single_tiles: tuning.single_tiles.max(1),
                tiles_max: u32::MAX,
                storage_bindings: capabilities.storage_bindings,
                workgroups_limit: capabilities.workgroups,
                checked: tuning.checked,
                whole_tiles: tuning.whole_tiles,
                block_lanes: Some(widest)
                    .filter(|lanes| native && capabilities.subgroup_lanes_min == *lanes),
                descriptor: match purpose {
                    Purpose::SinglePass(descriptor) => descriptor,
                    Purpose::Chunks | Purpose::Segments => Descriptor::Split32,
                },
            };
            let roots = match purpose {
                Purpose::Chunks => &[Root::Reduce, Root::Downsweep][..],
                Purpose::SinglePass(_) => &[Root::SinglePass],
                Purpose::Segments => &[
                    Root::ShortSegments,
                    Root::LongSegments(Queue::All),
                    // For the sizes of partials.
                    Root::Reduce,
                    Root::Downsweep,
                ],
            };
            let bytes_of = |&root: &Root| {
                let kernel = geometry.kernel(operator, root);
                let chained =
                    |single_pass| SinglePass { look_back: LookBack::Chained, ..single_pass };
                let other = Kernel { single_pass: kernel.single_pass.map(chained), ..kernel };
                kernel.workgroup_bytes(operator).max(other.workgroup_bytes(operator))
            };
            let bytes = roots.iter().map(bytes_of).max().unwrap_or(0);
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
        // A lane may hold more items than the words of the tuning: at least those that fill quads.
        let kernel = geometry.kernel(operator, Root::Downsweep);
        let items = kernel.rows * kernel.group;
        // A scan combines some 4 times an item, and its totals besides; a compaction asks up to 6
        // times of an item, in its walk and for its neighbours; within segments both.
        let calls = match (compacts, operator.headed) {
            (true, false) => 6 * items,
            (false, false) => 4 * items + 20,
            (_, true) => 10 * items + 20,
        };
        let tiles_max = match (is_cpu, operator.loops) {
            (true, false) => CPU_TILES,
            (true, true) => (CPU_LOOPING_CALLS / calls).max(1),
            (false, _) => u32::MAX,
        };
        geometry.tiles_max = tiles_max;
        geometry.single_tiles = geometry.single_tiles.min(tiles_max);
        // One workgroup handles all partials, in no more tiles than a chunk has.
        let spine = geometry.kernel(&operator.on_accumulators(), Root::Downsweep);
        let finish = geometry.kernel(&operator.lowering(), Root::Reduce);
        // What a compaction's text does is not done to its counts.
        let spine_tiles =
            if compacts && !operator.headed { tiles_max.max(CPU_TILES) } else { tiles_max };
        let partials = spine.tile_items().min(finish.tile_items()).saturating_mul(spine_tiles);
        geometry.workgroups_max = geometry.workgroups_max.min(partials);
        geometry.workgroups = geometry.workgroups.min(partials);
        // The kernel with the most bindings that can't do with fewer: by words.
        let by_chunks = !matches!(purpose, Purpose::SinglePass(_));
        let root = if by_chunks { Root::Downsweep } else { Root::SinglePass };
        let mut kernel = Kernel { tile: Tile::Scalar, ..geometry.kernel(operator, root) };
        if by_chunks {
            kernel.carry = Carry::Partials;
        }
        if kernel.storage_bindings() > capabilities.storage_bindings {
            return Err(bindings_limit(kernel, capabilities.storage_bindings));
        }
        Ok(geometry)
    }

    /// Bytes of the largest partials buffer that a plan of this geometry uses.
    pub(crate) fn partials_bytes(&self, operator: &Definition) -> u64 {
        (4 * u64::from(self.workgroups_max) * u64::from(operator.acc_words())).next_multiple_of(16)
    }

    /// One pass over a piece, its tiles shared by `workgroups`.
    ///
    /// Errors: [`Error::Limit`] if the device has too few bindings for it.
    fn pass(
        &self,
        operator: &Definition,
        kernel: Kernel,
        placement: Placement,
        workgroups: u32,
    ) -> Result<Pass, Error> {
        let mut kernel = Kernel { memory: placement.memory, ..kernel };
        kernel.tile = self.tile(operator, kernel, placement);
        kernel.keys = self.keys(operator, kernel, placement);
        if kernel.storage_bindings() > self.storage_bindings {
            return Err(bindings_limit(kernel, self.storage_bindings));
        }
        let n_tiles = placement.n_items.div_ceil(kernel.tile_items());
        let tiles_per_workgroup = n_tiles.div_ceil(workgroups).max(1);
        let workgroups = n_tiles.div_ceil(tiles_per_workgroup).max(1);
        Ok(Pass {
            kernel,
            piece: placement.piece,
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
                first_item: placement.first_item,
                second_word: 0,
                carry: [0; 20],
            },
            count: Resource::Count,
            workgroups,
            rows: 1,
            indirect: false,
        })
    }

    /// Whether all items are one tile, which one workgroup scans alone.
    pub(crate) fn is_one_tile(&self, operator: &Definition, pieces: &[Placement]) -> bool {
        let tile_items = self.kernel(operator, Root::Downsweep).tile_items();
        let n_items = pieces.iter().map(|piece| piece.n_items).max().unwrap_or(0);
        n_items == 0 || pieces.len() == 1 && n_items <= tile_items
    }

    /// The one pass of a call of one piece and few tiles.
    fn single(
        &self,
        operator: &Definition,
        kernel: Kernel,
        pieces: &[Placement],
        counted: Counted,
        carry: Option<&[u32]>,
    ) -> Result<Option<Pass>, Error> {
        let [piece] = pieces else { return Ok(None) };
        let pass = self.pass(operator, kernel, *piece, 1)?.with_carry(carry).with_count(counted);
        Ok((pass.params.n_tiles <= self.single_tiles).then_some(pass))
    }
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
