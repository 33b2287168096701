//! The layers below the primitives, for shaders of your own: what `WarpScan`, `BlockScan` and
//! `BlockReduce` are in CUB.
//!
//! A shader names what it uses with lines such as `import package::workgroup_lanes::{…};`.
//! [`Layers::link`] replaces them by the text of the modules, for an element and an operator.
//! The text also declares `T` (an accumulator while it is combined), `combine`, `identity`, and
//! `enter`, `leave`, `lift`, `lower` between `T` and the operator's types, and the structs
//! `Group` and `Lane`, which an entry point takes for its builtins:
//!
//! ```
//! use lookback::wgsl::Layers;
//! use lookback::{Context, Operator};
//!
//! let context = Context::new()?;
//! let layers = Layers::for_capabilities(context.capabilities());
//! let linked = layers.link(
//!     &Operator::<u32>::sum(),
//!     "import package::workgroup::{WORKGROUP_SIZE};
//! import package::subgroup::{Group, Lane};
//! import package::workgroup_reduce::{workgroup_reduce};
//!
//! @group(0) @binding(0) var<storage, read_write> data: array<T>;
//!
//! @compute @workgroup_size(WORKGROUP_SIZE)
//! fn sums(group: Group, lane: Lane) {
//!     let total = workgroup_reduce(group, lane, data[group.workgroup.x * WORKGROUP_SIZE + lane.index]);
//!     if (lane.index == 0u) { data[group.workgroup.x] = total; }
//! }",
//! )?;
//! let module = context.device().create_shader_module(wgpu::ShaderModuleDescriptor {
//!     label: None,
//!     source: wgpu::ShaderSource::Wgsl(linked.native().into()),
//! });
//! // Given to the pipeline as its constants.
//! let overrides = linked.overrides(256, 256);
//! # Ok::<(), lookback::Error>(())
//! ```
//!
//! The example `fused_kernel` is a whole program.
//!
//! # Functions
//!
//! "All of the subgroup" stands for flow that is uniform over the subgroup; with emulated
//! subgroups it must be uniform over the workgroup, since each exchange takes two barriers. CUDA's
//! participation mask has no counterpart: flow is uniform, so all lanes take part, and what a
//! branch would decide is balloted before it. Lanes without an item bring the identity. A `width`
//! cuts subgroups into partitions, a power of two up to the subgroup's own width.
//!
//! | import | function | called by | result in | scratch and barriers |
//! |---|---|---|---|---|
//! | `subgroup` | `subgroup_width(group)`, `subgroup_count(group)`, `subgroup_rank(lane)`, `subgroup_lane(lane)` | any | each lane | |
//! | `subgroup::shuffle` | `shuffle(group, lane, value, source)`, `shuffle_up(…, delta)`, `shuffle_down(…, delta)`, `shuffle_xor(…, bits)`; a source outside leaves the lane's own value | all of the subgroup; delta uniform | all lanes | none; emulated: a `T` a lane, 2 barriers |
//! | `subgroup`, `subgroup::shuffle` | `shuffle_within(…, width)` and so on; `shuffle_xor_within` is in the second | the same | all lanes | the same |
//! | `vote` | `ballot(group, lane, predicate)`: four words, a bit a lane | all of the subgroup | all lanes | none; emulated: a word a lane, 2 barriers |
//! | `vote::lanes` | `any_lane`, `all_lanes`, `any_within`, `all_within`, `ballot_within` | as `ballot` | all lanes | as `ballot` |
//! | `vote::lanes` | `first_lanes(count)`, `partition_lanes(lane, width)`, `count_lanes(lanes)`, `count_lanes_before(lane, lanes)` | any | each lane | |
//! | `vote::match_any` | `match_any(group, lane, value)`, `match_any_within(…, width)`: the lanes with the same bits; `match_any_bits(group, lane, key, bits)` | as `ballot` | all lanes | a ballot a bit |
//! | `subgroup_scan` | `subgroup_inclusive_scan(group, lane, value)`; `subgroup_exclusive(group, lane, inclusive)` makes the exclusive scan of it | all of the subgroup | all lanes | as the shuffles |
//! | `subgroup_reduce` | `subgroup_reduce(group, lane, value)` | all of the subgroup | lane 0 | as the shuffles |
//! | `subgroup::partition` | `inclusive_scan_within(group, lane, value, width)`, `exclusive_within(group, lane, inclusive, width)`, `reduce_within(…)` | all of the subgroup | all lanes; `reduce_within`: the partition's first | as the shuffles |
//! | `workgroup` | `WORKGROUP_SIZE`; `workgroup_lane(group, lane)`: the lane's place in item order | any | each lane | |
//! | `workgroup_lanes` | `workgroup_lanes_scan(group, lane, value)`: a `Totals` of `prefix` (what stands before the lane) and `total` | all of the workgroup | all lanes | an entry a subgroup, 2 barriers; with [`Totals::Section`] those of the scan and 1 |
//! | `workgroup_reduce` | `workgroup_reduce(group, lane, value)` | all of the workgroup | all lanes | [`WorkgroupReduce`] says |
//! | `section` | `section_set(index, value)`, `section_get(index)`; a barrier between the reads of one call's results and the writes for the next | any | each lane | `SECTION_SIZE` entries |
//! | `workgroup_scan` | `workgroup_inclusive_scan(group, lane, n)`, `workgroup_exclusive_scan(group, lane, n)`: entries 0 to n - 1 of the section, in place; the combination of all is returned | all of the workgroup; n uniform | all lanes | the section; [`WorkgroupScan`] says |
//!
//! Each file below `shaders/` begins with what its functions ask for and where they come from.

use std::collections::BTreeMap;

use crate::capabilities::Capabilities;
use crate::element::Element;
use crate::error::Error;
use crate::operator::{Builtin, Definition, Operator};
use crate::shader::{FILES, link, prelude};
use crate::tuning::Tuning;

/// How lanes of a subgroup exchange values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subgroup {
    /// By the hardware's subgroups; the device needs `Features::SUBGROUP`.
    Native,
    /// Through workgroup memory, as subgroups of the given number of lanes: a power of two that
    /// divides the workgroup.
    Emulated(u32),
}

/// How the totals of a workgroup's subgroups are scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Totals {
    /// By shuffles, every subgroup for itself.
    Shuffles,
    /// By the workgroup scan.
    Section,
}

/// How a section of workgroup memory is scanned. W is the number of lanes, n of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WorkgroupScan {
    /// log2 n steps, n log2 n - (n - 1) combines, n at most W; 2 barriers a step.
    KoggeStone,
    /// 2 log2 n - 1 steps, 2n - 2 - log2 n combines, n at most 2W; 1 barrier a step. The
    /// exclusive scan is Blelloch's.
    BrentKung,
    /// Each lane a run of n / W entries, then the runs' totals by one of the others: 2 (n - W)
    /// combines and theirs; any n that fits workgroup memory.
    Coarsened(SectionScan),
}

/// How the totals of a coarsened scan's runs are scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SectionScan {
    /// As [`WorkgroupScan::KoggeStone`].
    KoggeStone,
    /// As [`WorkgroupScan::BrentKung`].
    BrentKung,
}

/// How a workgroup reduces one value a lane: the rungs of Harris' ladder. All but the last take
/// one entry of the section a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WorkgroupReduce {
    /// Every second lane works, then every fourth. 2 + log2 W barriers.
    Interleaved,
    /// The first lanes work, on entries further and further apart. 2 + log2 W barriers.
    Strided,
    /// The first lanes work, on entries side by side. 2 + log2 W barriers.
    Sequential,
    /// The same, until shuffles can do the rest. 2 + log2 of the subgroups barriers.
    SubgroupTail,
    /// The same without loops, up to 2,048 lanes. 2 + log2 of the subgroups barriers.
    Unrolled,
    /// Shuffles or a builtin in each subgroup, then their totals. The barriers of [`Totals`].
    Subgroups,
}

/// Which file stands for each choice of the subgroup and workgroup layers: plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Layers {
    /// How lanes exchange values.
    pub subgroup: Subgroup,
    /// Whether operators that the device has an instruction for use it: sum, product, min, max
    /// and the bit operators on integers, min and max on floats; scans of sums and products only,
    /// since WGSL has no others. Sums and products of floats never do: the order would be the
    /// driver's. Native subgroups only.
    pub builtins: bool,
    /// How `workgroup_totals` scans.
    pub totals: Totals,
    /// How `workgroup_scan` scans.
    pub scan: WorkgroupScan,
    /// How `workgroup_reduce` reduces.
    pub reduce: WorkgroupReduce,
}

/// A shader with its imports replaced.
#[derive(Clone, Debug)]
pub struct Linked {
    text: String,
    subgroup: Subgroup,
}

impl Layers {
    /// Choices that suit subgroups of a kind on any device.
    pub fn for_subgroup(subgroup: Subgroup) -> Self {
        let scan = WorkgroupScan::KoggeStone;
        match subgroup {
            Subgroup::Native => Layers {
                subgroup,
                builtins: false,
                totals: Totals::Shuffles,
                scan,
                reduce: WorkgroupReduce::Subgroups,
            },
            // A shuffle takes two barriers there, a step of a tree one or two for all lanes.
            Subgroup::Emulated(_) => Layers {
                subgroup,
                builtins: false,
                totals: Totals::Section,
                scan,
                reduce: WorkgroupReduce::Sequential,
            },
        }
    }

    /// The choices that the library makes on a device: native subgroups where it has them, else 32
    /// lanes emulated.
    pub fn for_capabilities(capabilities: &Capabilities) -> Self {
        Tuning::for_device(capabilities).layers(match capabilities.subgroups {
            true => Subgroup::Native,
            false => Subgroup::Emulated(32),
        })
    }

    /// Replaces the imports of a shader by the modules' text, and repeats its loops marked
    /// `// unroll`. Touches no device.
    ///
    /// Errors: [`Error::Refused`] if an import names what does not exist, or if the whole is no
    /// valid WGSL, in naga's words.
    pub fn link<I: Element, A: Element, O: Element>(
        &self,
        operator: &Operator<I, A, O>,
        source: &str,
    ) -> Result<Linked, Error> {
        let refused = |message| Error::Refused { what: "the shader".to_owned(), message };
        let definition = &operator.definition;
        let constants = prelude::constants(definition);
        let mut generated = self.generated(definition);
        generated.insert("prelude", prelude::prelude(definition, &constants));
        generated.insert("your shader", source.to_owned());
        let choices = self.choices(definition);
        let text = link::link(FILES, "your shader", &choices, &generated, &constants);
        let text = text.map_err(refused)?;
        let module =
            naga::front::wgsl::parse_str(&text).map_err(|e| refused(e.emit_to_string(&text)))?;
        let flags = naga::valid::ValidationFlags::all();
        naga::valid::Validator::new(flags, naga::valid::Capabilities::all())
            .subgroup_stages(naga::valid::ShaderStages::COMPUTE)
            .subgroup_operations(naga::valid::SubgroupOperationSet::all())
            .validate(&module)
            .map_err(|e| refused(e.emit_to_string(&text)))?;
        Ok(Linked { text, subgroup: self.subgroup })
    }

    /// The files that stand for folders.
    pub(crate) fn choices(&self, definition: &Definition) -> link::Choices {
        let native = self.subgroup == Subgroup::Native;
        let builtin = definition.builtin.filter(|_| native);
        let reduces = builtin.is_some() && self.builtins;
        let scans = builtin.is_some_and(Builtin::scans) && self.builtins;
        let (subgroup, vote) = match native {
            true => ("subgroup/native", "vote/native"),
            false => ("subgroup/emulated", "vote/emulated"),
        };
        let section_scan = |scan| match scan {
            SectionScan::KoggeStone => "section_scan/kogge_stone",
            SectionScan::BrentKung => "section_scan/brent_kung",
        };
        let (workgroup_scan, runs) = match self.scan {
            WorkgroupScan::KoggeStone => ("workgroup_scan/kogge_stone", SectionScan::KoggeStone),
            WorkgroupScan::BrentKung => ("workgroup_scan/brent_kung", SectionScan::BrentKung),
            WorkgroupScan::Coarsened(runs) => ("workgroup_scan/coarsened", runs),
        };
        let workgroup_reduce = match self.reduce {
            WorkgroupReduce::Interleaved => "workgroup_reduce/interleaved",
            WorkgroupReduce::Strided => "workgroup_reduce/strided",
            WorkgroupReduce::Sequential => "workgroup_reduce/sequential",
            WorkgroupReduce::SubgroupTail => "workgroup_reduce/subgroup_tail",
            WorkgroupReduce::Unrolled => "workgroup_reduce/unrolled",
            WorkgroupReduce::Subgroups => "workgroup_reduce/subgroups",
        };
        let workgroup_totals = match self.totals {
            Totals::Shuffles => "workgroup_totals/shuffles",
            Totals::Section => "workgroup_totals/section",
        };
        link::Choices::from([
            ("subgroup", subgroup),
            ("vote", vote),
            (
                "subgroup_reduce",
                if reduces { "subgroup_reduce/builtin" } else { "subgroup_reduce/ladder" },
            ),
            ("subgroup_scan", if scans { "subgroup_scan/builtin" } else { "subgroup_scan/ladder" }),
            ("section_scan", section_scan(runs)),
            ("workgroup_scan", workgroup_scan),
            ("workgroup_totals", workgroup_totals),
            ("workgroup_reduce", workgroup_reduce),
        ])
    }

    /// The text that stands for files without a file.
    pub(crate) fn generated(&self, definition: &Definition) -> BTreeMap<&'static str, String> {
        let mut generated = BTreeMap::from([("exchange", prelude::exchange(definition))]);
        if let Some(builtin) = definition.builtin {
            generated.insert("builtin", prelude::builtin(builtin));
        }
        generated
    }
}

impl Linked {
    /// The text for wgpu on Vulkan, Metal and DX12.
    pub fn native(&self) -> &str {
        &self.text
    }

    /// The text for browsers, which want `enable subgroups;` before the first use.
    pub fn webgpu(&self) -> String {
        match self.subgroup {
            Subgroup::Native => format!("enable subgroups;\n{}", self.text),
            Subgroup::Emulated(_) => self.text.clone(),
        }
    }

    /// The overrides that the text declares, with their values for a number of lanes of the
    /// workgroup and of entries of the section.
    pub fn overrides(&self, workgroup_size: u32, section_size: u32) -> Vec<(&'static str, f64)> {
        let emulated_width = match self.subgroup {
            Subgroup::Native => 0,
            Subgroup::Emulated(width) => width,
        };
        let all = [
            ("WORKGROUP_SIZE", workgroup_size),
            ("SECTION_SIZE", section_size),
            ("EMULATED_WIDTH", emulated_width),
        ];
        let declared = all.into_iter().filter(|(name, _)| link::declares(&self.text, name));
        declared.map(|(name, value)| (name, f64::from(value))).collect()
    }
}
