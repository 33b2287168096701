//! The layers below the primitives, for shaders of your own: what `WarpScan`, `BlockScan` and
//! `BlockReduce` are in CUB.
//!
//! A shader names what it uses with lines such as `import package::workgroup_lanes::{…};`, where
//! `package` is this library and the last part before the braces a file below `shaders/`.
//! [`Layers::link`] replaces the lines by the text of those files and of what they import, for an
//! element and an operator (any, if nothing is combined):
//!
//! ```
//! use lookback::wgsl::Layers;
//! use lookback::{Context, Operator, wgpu};
//!
//! let context = Context::new()?;
//! let layers = Layers::for_capabilities(context.capabilities());
//! let linked = layers.link(
//!     &Operator::<f32>::max(),
//!     "import package::workgroup::{WORKGROUP_SIZE, workgroup_lane};
//! import package::subgroup::{Group, Lane};
//! import package::workgroup_reduce::{workgroup_reduce};
//!
//! @group(0) @binding(0) var<storage, read> items: array<f32>;
//! @group(0) @binding(1) var<storage, read_write> maxima: array<f32>;
//!
//! @compute @workgroup_size(WORKGROUP_SIZE)
//! fn rows(group: Group, lane: Lane) {
//!     // Items go to lanes in item order, so that the operator need not commute.
//!     let at = group.workgroup.x * WORKGROUP_SIZE + workgroup_lane(group, lane);
//!     let greatest = workgroup_reduce(group, lane, enter(lift(items[at])));
//!     if (lane.index == 0u) { maxima[group.workgroup.x] = lower(leave(greatest)); }
//! }",
//! )?;
//! let module = context.device().create_shader_module(wgpu::ShaderModuleDescriptor {
//!     label: None,
//!     source: wgpu::ShaderSource::Wgsl(linked.native().into()),
//! });
//! // Given to the pipeline as its constants: 256 lanes, a section of 256 entries.
//! let overrides = linked.overrides(context.capabilities(), 256, 256)?;
//! # Ok::<(), lookback::Error>(())
//! ```
//!
//! What every text declares besides:
//!
//! | name | what it is |
//! |---|---|
//! | `T` | an accumulator while it is combined. It need not be the element's type: minima and maxima of floats are combined as u32 that order alike |
//! | `combine(a: T, b: T) -> T`, `identity() -> T` | the operator |
//! | `lift(x: In) -> Acc`, `lower(x: Acc) -> Out` | between the operator's input, accumulator and output |
//! | `enter(x: Acc) -> T`, `leave(t: T) -> Acc` | between accumulators and `T`: `enter(lift(x))` on the way in, `lower(leave(t))` on the way out |
//! | `in_decode(words: array<u32, IN_WORDS>) -> In`, `out_encode(x: Out) -> array<u32, OUT_WORDS>`; `acc_decode`, `acc_encode` | items as they lie in buffers: a `vec3` takes three words there, but four in an `array<vec3<f32>>` |
//! | `Group`, `Lane` | structs of builtins, which an entry point takes (and others beside them): `group.workgroup` is the `vec3<u32>` of the workgroup's number, `lane.index` the lane's in the workgroup, in no order that matters |
//!
//! Names of all files that come along are taken: a shader that declares one of them, or a function
//! of WGSL's own that they call, is refused.
//!
//! The example `fused_kernel` is a whole program.
//!
//! # Functions
//!
//! "All of the subgroup" stands for flow that is uniform over the subgroup; with emulated
//! subgroups it must be uniform over the workgroup, since each exchange takes two barriers. CUDA's
//! participation mask has no counterpart: flow is uniform, so all lanes take part, and what a
//! branch would decide is balloted before it. [`Layers::link`] does not check that flow is uniform;
//! browsers do. A set of lanes is a `vec4<u32>` with one bit for each lane. Lanes without an item bring the identity. A `width`
//! cuts subgroups into partitions, a power of two up to the subgroup's own width.
//!
//! A workgroup has a power of two of lanes, a multiple of the largest subgroup there can be. All
//! functions of a workgroup share one array of `T` in workgroup memory, the section: a barrier must stand between a
//! shader's own `section_get` and whatever writes the section next, be it `section_set` or another
//! function. What functions return needs none. Barriers below are those with native subgroups;
//! emulated, each shuffle or ballot on the way adds two; shuffles then take a `T` of workgroup memory for each
//! lane, ballots a word.
//!
//! | import | function | called by | result in | scratch and barriers |
//! |---|---|---|---|---|
//! | `subgroup` | `subgroup_width(group)`, `subgroup_count(group)`, `subgroup_rank(lane)`, `subgroup_lane(lane)` | any | each lane | |
//! | `subgroup::shuffle` | `shuffle(group, lane, value, source)`, `shuffle_up(…, delta)`, `shuffle_down(…, delta)`, `shuffle_xor(…, bits)`; a source outside leaves the lane's own value | all of the subgroup; delta uniform | all lanes | none |
//! | `subgroup`, `subgroup::shuffle` | `shuffle_within(…, width)` and so on; `shuffle_xor_within` is in the second | the same | all lanes | the same |
//! | `vote` | `ballot(group, lane, predicate)`: the set of lanes whose predicate is true | all of the subgroup | all lanes | none |
//! | `vote::lanes` | `any_lane`, `all_lanes`, `any_within`, `all_within`, `ballot_within` | as `ballot` | all lanes | as `ballot` |
//! | `vote::lanes` | sets: `first_lanes(count)`, `partition_lanes(lane, width)`: those of the lane's partition; numbers: `count_lanes(set)`, `count_lanes_before(lane, set)`: 0 in the first lane of a set | any | each lane | |
//! | `vote::match_any` | `match_any(group, lane, value)`, `match_any_within(…, width)`: the lanes with the same bits (all NaN are one for min and max of floats); `match_any_bits(group, lane, key: u32, bits: u32)`: with the same lowest bits | as `ballot` | all lanes | one ballot for each bit |
//! | `subgroup_scan` | `subgroup_inclusive_scan(group, lane, value)`; `subgroup_exclusive(group, lane, inclusive)` makes the exclusive scan of it | all of the subgroup | all lanes | as the shuffles |
//! | `subgroup_reduce` | `subgroup_reduce(group, lane, value)` | all of the subgroup | lane 0 | as the shuffles |
//! | `subgroup::partition` | `inclusive_scan_within(group, lane, value, width)`, `exclusive_within(group, lane, inclusive, width)`, `reduce_within(…)` | all of the subgroup | all lanes; `reduce_within`: the partition's first | as the shuffles |
//! | `workgroup` | `WORKGROUP_SIZE`; `workgroup_lane(group, lane)`: the lane's place in item order | any | each lane | |
//! | `workgroup_lanes` | `workgroup_lanes_scan(group, lane, value)`: a `Totals` of `prefix` (what stands before the lane) and `total` | all of the workgroup | all lanes | an entry a subgroup, 2 barriers; with [`Totals::Section`] those of the scan and 1 |
//! | `workgroup_reduce` | `workgroup_reduce(group, lane, value)` | all of the workgroup | all lanes | [`WorkgroupReduce`] says |
//! | `section` | `section_set(index, value)`, `section_get(index)` | any | each lane | `SECTION_SIZE` entries |
//! | `workgroup_scan` | `workgroup_inclusive_scan(group, lane, n)`, `workgroup_exclusive_scan(group, lane, n)`: entries 0 to n - 1 of the section, in place; the combination of all is returned | all of the workgroup; n uniform | all lanes | the section; [`WorkgroupScan`] says |
//!
//! Past the end: a lane without an item brings the identity, a lane without a source keeps its own
//! value, and entries of the section at n and past it are neither read nor written, but for those
//! that Blelloch's scan fills up to the next power of two.
//!
//! Sources: CUDA's warp shuffles, votes and `__match_any_sync`; Hillis & Steele 1986 and Kogge &
//! Stone 1973 for the ladders; Brent & Kung 1982; Blelloch 1990; coarsening as in Kirk & Hwu; Harris
//! for the rungs of the reduction; Merrill & Garland 2016 for scans of totals. Each file below
//! `shaders/` says its own.

use std::collections::BTreeMap;

use crate::capabilities::Capabilities;
use crate::definition::{Builtin, Definition};
use crate::element::Element;
use crate::error::Error;
use crate::operator::Operator;
use crate::shader::{FILES, comments, link, prelude, unroll};
use crate::tuning::Tuning;

/// How lanes of a subgroup exchange values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subgroup {
    /// By the hardware's subgroups; the device needs `Features::SUBGROUP`.
    Native,
    /// Through workgroup memory, as subgroups of the given number of lanes: a power of two of at
    /// most 128 that divides the workgroup.
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
    /// n at most W. log2 n steps of 2 barriers and 2 more (exclusive: 3), n log2 n - (n - 1)
    /// combines.
    KoggeStone,
    /// n at most 2W. For n a power of two 2 log2 n - 1 steps of a barrier and 2 more, 2n - 2 - log2 n
    /// combines. The exclusive scan is Blelloch's: 2 log2 n steps and 3 more, 2 (n - 1) combines,
    /// with n rounded up to a power of two, which the section must have room for.
    BrentKung,
    /// Any n that the section has room for. Each lane a run of n / W entries, then the runs' totals
    /// by one of the others: 2 (n - W) - (n / W - 1) combines and theirs, 3 barriers and theirs.
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
/// one entry of the section a lane. Two rungs more are the caller's: to combine two items while
/// loading them, and several. `cargo bench --bench layers` times them all.
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
    /// The same without loops, up to 1,024 lanes. 2 + log2 of the subgroups barriers.
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
    /// Names of the overrides that the text declares.
    overrides: Vec<String>,
    subgroup: Subgroup,
}

/// The name of the user's shader among the files.
const SOURCE: &str = "your shader";

/// The directives at the top of a text without comments, and the rest. naga takes no `enable
/// subgroups;`.
fn directives(source: &str) -> (String, &str) {
    let (mut directives, mut rest) = (String::new(), source);
    while let Some((first, after)) = rest.split_once(';') {
        let first = first.trim();
        if !["enable ", "requires ", "diagnostic"].iter().any(|word| first.starts_with(word)) {
            break;
        }
        if first.split_whitespace().ne(["enable", "subgroups"]) {
            directives.push_str(&format!("{first};\n"));
        }
        rest = after;
    }
    (directives, rest)
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

    /// Replaces the imports of a shader by the modules' text, takes its comments out, and repeats
    /// its loops marked `// unroll`. Touches no device.
    ///
    /// Directives (`enable f16;`) may stand at the top; `enable subgroups;` is put there where it
    /// belongs, by [`Linked::webgpu`]. A marked loop stands alone on its lines, indented under its
    /// head, and reads `for (var i = 0u; i < COUNT; i += 1u) { // unroll`.
    ///
    /// Errors: [`Error::Link`] if an import names what does not exist, if the shader declares what
    /// an imported file calls, or if naga finds the whole invalid (it does not check that flow is
    /// uniform); [`Error::Length`] for emulated
    /// subgroups of other than 1, 2, 4, … 128 lanes.
    pub fn link<I: Element, A: Element, O: Element>(
        &self,
        operator: &Operator<I, A, O>,
        source: &str,
    ) -> Result<Linked, Error> {
        if let Subgroup::Emulated(width) = self.subgroup {
            if !width.is_power_of_two() || width > 128 {
                let what = "the lanes of an emulated subgroup";
                let wanted = u64::from(width.clamp(1, 128).next_power_of_two());
                return Err(Error::Length { what, wanted, got: u64::from(width) });
            }
        }
        let refused = |message| Error::Link { message };
        let source = comments::strip(source.trim_start_matches('\u{feff}'), unroll::MARK);
        let (directives, source) = directives(&source);
        let text = self.join(&operator.definition, source).map_err(refused)?;
        let text = format!("{directives}{text}");
        let module = naga::front::wgsl::parse_str(&text);
        let module = module.map_err(|e| refused(e.emit_to_string(&text)))?;
        let flags = naga::valid::ValidationFlags::all();
        naga::valid::Validator::new(flags, naga::valid::Capabilities::all())
            .subgroup_stages(naga::valid::ShaderStages::COMPUTE)
            .subgroup_operations(naga::valid::SubgroupOperationSet::all())
            .validate(&module)
            .map_err(|e| refused(e.emit_to_string(&text)))?;
        self.check_names(&operator.definition, source, &module).map_err(refused)?;
        // One with a number is the user's own, and known to pipelines by that number.
        let overrides = module.overrides.iter().map(|(_, declared)| declared);
        let overrides = overrides.filter(|declared| declared.id.is_none());
        let overrides = overrides.filter_map(|declared| declared.name.clone()).collect();
        Ok(Linked { text, overrides, subgroup: self.subgroup })
    }

    /// The text of a source and all it imports.
    fn join(&self, definition: &Definition, source: &str) -> Result<String, String> {
        let constants = prelude::constants(definition);
        let mut generated = self.generated(definition);
        generated.insert("prelude", prelude::prelude(definition, &constants));
        generated.insert(SOURCE, source.to_owned());
        link::link(FILES, SOURCE, &self.choices(definition), &generated, &constants)
    }

    /// Fails if a source declares a name of WGSL's own that an imported file calls: it would
    /// change what the file does.
    fn check_names(
        &self,
        definition: &Definition,
        source: &str,
        module: &naga::Module,
    ) -> Result<(), String> {
        let imports: Vec<&str> =
            source.split_inclusive(';').filter(|part| part.trim().starts_with("import ")).collect();
        let library = self.join(definition, &imports.join("\n"))?;
        let functions = module.functions.iter().map(|(_, function)| &function.name);
        let types = module.types.iter().map(|(_, ty)| &ty.name);
        let constants = module.constants.iter().map(|(_, constant)| &constant.name);
        let variables = module.global_variables.iter().map(|(_, variable)| &variable.name);
        let names = functions.chain(types).chain(constants).chain(variables).flatten();
        match names
            .into_iter()
            .find(|name| !link::declares(&library, name) && crate::shader::calls(&library, name))
        {
            Some(name) => {
                Err(format!("`{name}` is what an imported file calls; take another name"))
            }
            None => Ok(()),
        }
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

    /// The library's overrides that the text declares, with their values for a number of lanes of
    /// the workgroup and of entries of the section; a pipeline takes them as its constants.
    ///
    /// Errors: [`Error::Length`] unless `workgroup_size` is a power of two and a multiple of the
    /// largest subgroup, or if the section has fewer entries than imported functions take;
    /// [`Error::Limit`] for more lanes than the device has.
    pub fn overrides(
        &self,
        capabilities: &Capabilities,
        workgroup_size: u32,
        section_size: u32,
    ) -> Result<Vec<(&'static str, f64)>, Error> {
        let (emulated_width, widest) = match self.subgroup {
            Subgroup::Native => (1, capabilities.subgroup_lanes_max),
            Subgroup::Emulated(width) => (width, width),
        };
        let wanted = widest.max(workgroup_size).max(1).next_power_of_two();
        if wanted != workgroup_size {
            let what = "the lanes of the workgroup";
            let (wanted, got) = (u64::from(wanted), u64::from(workgroup_size));
            return Err(Error::Length { what, wanted, got });
        }
        if workgroup_size > capabilities.workgroup_lanes {
            return Err(Error::Limit {
                what: "the lanes of the workgroup".to_owned(),
                wanted: u64::from(workgroup_size),
                limit: "max_compute_invocations_per_workgroup",
                got: u64::from(capabilities.workgroup_lanes),
            });
        }
        let has = |file: &str| self.text.contains(&format!("// {file}\n"));
        let by_lanes = ["interleaved", "strided", "sequential", "subgroup_tail", "unrolled"];
        let wanted = match () {
            _ if by_lanes.iter().any(|name| has(&format!("workgroup_reduce/{name}"))) => {
                workgroup_size
            }
            // Subgroups can be as narrow as 4 lanes, whatever the adapter reports.
            _ if has("workgroup_totals/shuffles") || has("workgroup_totals/section") => {
                workgroup_size.div_ceil(emulated_width.max(4).min(workgroup_size))
            }
            _ => 1,
        };
        if section_size < wanted && self.overrides.iter().any(|name| name == "SECTION_SIZE") {
            let what = "the entries of the section (at least)";
            let (wanted, got) = (u64::from(wanted), u64::from(section_size));
            return Err(Error::Length { what, wanted, got });
        }
        let all = [
            ("WORKGROUP_SIZE", workgroup_size),
            ("SECTION_SIZE", section_size),
            ("EMULATED_WIDTH", emulated_width),
        ];
        let declared = all.into_iter().filter(|(name, _)| self.overrides.iter().any(|o| o == name));
        Ok(declared.map(|(name, value)| (name, f64::from(value))).collect())
    }
}
