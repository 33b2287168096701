//! Every kernel that the library can make: judged, and its bindings, sizes and structs compared
//! with the host's.

use std::collections::BTreeSet;

use lookback::wgsl::{Layers, SectionScan, Subgroup, Totals, WorkgroupScan};
use lookback::{
    Carry, Descriptor, Element, Extent, Flags, Kernel, Keys, LookBack, Memory, Operator, Params,
    ParamsSpace, Part, Payload, Root, SinglePass, Stalled, Tile, Tuning,
};
use naga::valid::ModuleInfo;
use naga::{AddressSpace, Module, TypeInner};

use crate::judge::{judge, judge_for_vulkan, tint};
use crate::operators::{self, Visit};

/// The library's own choices, and each workgroup scan in their place.
fn layers() -> [Layers; 6] {
    let native = Layers::for_subgroup(Subgroup::Native);
    let scan = |scan| Layers { scan, totals: Totals::Section, ..native };
    [
        native,
        Layers::for_subgroup(Subgroup::Emulated(4)),
        Layers::for_subgroup(Subgroup::Emulated(32)),
        Layers { builtins: true, ..scan(WorkgroupScan::BrentKung) },
        scan(WorkgroupScan::Coarsened(SectionScan::BrentKung)),
        Layers { builtins: true, ..native },
    ]
}

/// A kernel of each kind; sizes and the operator's part are filled in by `each_kernel`.
pub fn variants() -> Vec<Kernel> {
    let tiles = [Tile::Block(32), Tile::Vector, Tile::Scalar, Tile::Whole];
    let mut kernels: Vec<Kernel> = Vec::new();
    let mut push = |root, layers, tile, memory, carry, single_pass| {
        kernels.push(Kernel {
            root,
            part: Part::Whole,
            layers,
            params: match kernels.len() % 7 < 4 {
                true => ParamsSpace::Immediate,
                false => ParamsSpace::Uniform,
            },
            tile,
            memory,
            carry,
            // Pairs of an extent with any other choice come up, not the product.
            extent: if kernels.len().is_multiple_of(3) { Extent::Buffer } else { Extent::Params },
            payload: Payload::Items,
            flags: Flags::None,
            keys: Keys::Words,
            starts: false,
            single_pass,
            checked: false,
            exclusive: tile != Tile::Scalar,
            workgroup_size: 0,
            group: 0,
            rows: 0,
        });
    };
    for layers in layers() {
        for tile in tiles {
            for memory in [Memory::Separate, Memory::Shared] {
                // A reduction's carry is always a parameter.
                push(Root::Reduce, layers, tile, memory, Carry::Params, None);
                for carry in [Carry::Params, Carry::Partials] {
                    push(Root::Downsweep, layers, tile, memory, carry, None);
                }
            }
        }
    }
    for (index, layers) in layers().into_iter().enumerate() {
        let memory = [Memory::Separate, Memory::Shared][index % 2];
        for tile in tiles {
            push(Root::Chunks, layers, tile, memory, Carry::Params, None);
            push(Root::Propagate, layers, tile, memory, Carry::Partials, None);
        }
    }
    // Layers take turns: every file of them comes up with every file of a single pass.
    let mut turn = 0;
    for look_back in [LookBack::Chained, LookBack::Subgroup, LookBack::Workgroup] {
        for descriptor in [Descriptor::Packed64, Descriptor::Split32, Descriptor::Fenced] {
            for stalled in [Stalled::Fail, Stalled::Reduce] {
                for tile in tiles {
                    turn += 1;
                    let layers = layers()[turn % layers().len()];
                    let native = layers.subgroup == Subgroup::Native;
                    let subgroup = look_back == LookBack::Subgroup;
                    if subgroup && (!native || descriptor == Descriptor::Fenced) {
                        continue;
                    }
                    let memory = match (stalled, turn % 2) {
                        (Stalled::Fail, 1) => Memory::Shared,
                        _ => Memory::Separate,
                    };
                    let (counting, stall_every) = (turn % 2 == 0, 0);
                    let reduced_max = 100;
                    let single_pass = SinglePass {
                        look_back,
                        stalled,
                        descriptor,
                        reduced_max,
                        counting,
                        stall_every,
                    };
                    push(Root::SinglePass, layers, tile, memory, Carry::State, Some(single_pass));
                }
            }
        }
    }
    let arguments = Kernel {
        root: Root::Arguments,
        tile: Tile::Scalar,
        memory: Memory::Separate,
        carry: Carry::Params,
        extent: Extent::Buffer,
        ..kernels[0]
    };
    kernels.push(arguments);
    kernels
}

/// Links every module.
struct Linker {
    texts: Vec<(String, Kernel, String, u32)>,
    operators: usize,
    /// Operators whose text has branches.
    branching: BTreeSet<String>,
}

impl Visit for Linker {
    fn visit<I: Element, A: Element, O: Element>(
        &mut self,
        name: &str,
        operator: &Operator<I, A, O>,
        _make: fn(usize) -> I,
    ) {
        // One type throughout makes one text for all parts; else the parts take turns.
        let one_type = I::LAYOUT == A::LAYOUT && A::LAYOUT == O::LAYOUT;
        let parts =
            [Part::Whole, Part::ToAccumulators, Part::OnAccumulators, Part::FromAccumulators];
        self.operators += 1;
        for (index, variant) in variants().into_iter().enumerate() {
            // Every fifth, another fifth for the next operator.
            if !(index + self.operators).is_multiple_of(5) {
                continue;
            }
            // Blocks of a binding that is read and written are of one size.
            let blocks = matches!(variant.tile, Tile::Block(_));
            if blocks && variant.memory == Memory::Shared && !one_type {
                continue;
            }
            let turn = self.texts.len();
            let part = if one_type { Part::Whole } else { parts[turn % 4] };
            // Sizes take turns: every pair of a size and another choice comes up.
            let sizes = [(32, 1), (64, 4), (256, 4), (1024, 2)];
            let (workgroup_size, rows) = sizes[turn / 3 % sizes.len()];
            let group = if I::LAYOUT.words() % 4 == 0 { 1 } else { 4 };
            let kernel = Kernel { part, group, rows, workgroup_size, ..variant };
            let (kernel, text) = match operator.wgsl(&kernel) {
                Ok(text) => (kernel, text),
                // The host takes the workgroup's walk for operators with branches.
                Err(e) if e.to_string().contains("would part a subgroup") => {
                    self.branching.insert(name.to_owned());
                    let by_all = |walk| SinglePass { look_back: LookBack::Workgroup, ..walk };
                    let kernel = Kernel { single_pass: kernel.single_pass.map(by_all), ..kernel };
                    (kernel, operator.wgsl(&kernel).unwrap_or_else(|e| panic!("{name}: {e}")))
                }
                Err(e) => panic!("{name}: {e}"),
            };
            self.texts.push((name.to_owned(), kernel, text, operator.workgroup_bytes(&kernel)));
        }
    }
}

#[test]
fn k5_every_module_is_valid_translates_and_keeps_its_barriers_uniform() {
    let mut linker = Linker { texts: Vec::new(), operators: 0, branching: BTreeSet::new() };
    operators::all(&mut linker);
    println!("operators with branches: {:?}", linker.branching);
    assert!(linker.branching.contains("join runs"));
    let texts = linker.texts;
    println!("{} modules", texts.len());
    assert!(texts.len() > 2500, "{} modules: the cover has shrunk", texts.len());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for share in texts.chunks(texts.len().div_ceil(threads)) {
            scope.spawn(move || {
                for (name, kernel, text, workgroup_bytes) in share {
                    check(text, kernel, *workgroup_bytes)
                        .unwrap_or_else(|e| panic!("{name} {kernel:?}: {e}\n{text}"));
                }
            });
        }
    });
}

/// Every kernel that a compaction can have, of words: its text, and bytes of workgroup memory.
pub fn compactions() -> Vec<(Kernel, String, u32)> {
    let one = Operator::<u32>::sum();
    let two = Operator::<[u32; 2]>::sum().with_lift("vec2<u32>(x, 0u)", |x: u32| [x, 0]).unwrap();
    let compacts = |kernel: &Kernel| match kernel.tile {
        Tile::Scalar => {
            matches!(kernel.root, Root::Reduce | Root::Downsweep | Root::SinglePass)
        }
        Tile::Block(_) => matches!(kernel.root, Root::Downsweep | Root::SinglePass),
        _ => false,
    };
    let mut texts = Vec::new();
    for (turn, variant) in variants().into_iter().filter(compacts).enumerate() {
        let all_flags = [Flags::None, Flags::Words, Flags::Bits];
        for (n, payload) in PAYLOADS.into_iter().enumerate() {
            // Every second, the other ones for the next payload.
            if !(turn + n).is_multiple_of(2) {
                continue;
            }
            let selects = matches!(
                payload,
                Payload::Select
                    | Payload::SelectIndices
                    | Payload::Partition
                    | Payload::PartitionThree
            );
            let kernel = Kernel {
                payload,
                flags: if selects { all_flags[(turn + n) / 2 % 3] } else { Flags::None },
                exclusive: true,
                workgroup_size: 64,
                group: 1,
                rows: 8,
                ..variant
            };
            let counts_two =
                matches!(payload, Payload::PartitionThree | Payload::Runs | Payload::LongRuns);
            let (text, bytes) = match counts_two {
                true => (two.wgsl(&kernel), two.workgroup_bytes(&kernel)),
                false => (one.wgsl(&kernel), one.workgroup_bytes(&kernel)),
            };
            texts.push((kernel, text.unwrap_or_else(|e| panic!("{kernel:?}: {e}")), bytes));
        }
    }
    for layers in layers() {
        for (memory, extent, params) in [
            (Memory::Separate, Extent::Params, ParamsSpace::Immediate),
            (Memory::Shared, Extent::Buffer, ParamsSpace::Uniform),
        ] {
            let kernel = Kernel {
                root: Root::Decode,
                payload: Payload::Select,
                layers,
                params,
                tile: Tile::Scalar,
                memory,
                extent,
                workgroup_size: 64,
                group: 1,
                rows: 1,
                ..variants()[0]
            };
            texts.push((kernel, one.wgsl(&kernel).unwrap(), one.workgroup_bytes(&kernel)));
        }
    }
    texts
}

const PAYLOADS: [Payload; 8] = [
    Payload::Select,
    Payload::SelectIndices,
    Payload::Partition,
    Payload::PartitionThree,
    Payload::Unique,
    Payload::UniqueByKey,
    Payload::Runs,
    Payload::LongRuns,
];

#[test]
fn k5_every_compaction_is_valid_translates_and_keeps_its_barriers_uniform() {
    let texts = compactions();
    println!("{} modules", texts.len());
    assert!(texts.len() > 340, "{} modules: the cover has shrunk", texts.len());
    for (kernel, text, bytes) in &texts {
        check(text, kernel, *bytes).unwrap_or_else(|e| panic!("{kernel:?}: {e}\n{text}"));
    }
}

pub fn check(text: &str, kernel: &Kernel, workgroup_bytes: u32) -> Result<(), String> {
    let descriptor = kernel.single_pass.map(|single_pass| single_pass.descriptor);
    let entry_point = kernel.root.entry_point();
    let (module, info) = match descriptor {
        None | Some(Descriptor::Split32) => judge(text, &kernel.overrides(), entry_point)?,
        Some(_) => judge_for_vulkan(text, &kernel.overrides(), entry_point)?,
    };
    check_sizes(&module, &info, kernel, workgroup_bytes)
}

/// Invocations, workgroup bytes and bindings of the module against what the host plans with.
fn check_sizes(
    module: &Module,
    info: &ModuleInfo,
    kernel: &Kernel,
    workgroup_bytes: u32,
) -> Result<(), String> {
    let entry = &module.entry_points[0];
    if entry.workgroup_size != [kernel.workgroup_size, 1, 1] {
        return Err(format!("workgroup size {:?}", entry.workgroup_size));
    }
    let mut layouter = naga::proc::Layouter::default();
    layouter.update(module.to_ctx()).map_err(|e| e.to_string())?;
    let used = info.get_entry_point(0);
    let (mut bytes, mut storage) = (0, 0);
    for (handle, variable) in module.global_variables.iter() {
        if used[handle].is_empty() {
            continue;
        }
        match variable.space {
            AddressSpace::WorkGroup => bytes += layouter[variable.ty].size.next_multiple_of(16),
            AddressSpace::Storage { .. } => storage += 1,
            AddressSpace::Uniform if kernel.params == ParamsSpace::Uniform => {}
            AddressSpace::Immediate if kernel.params == ParamsSpace::Immediate => {}
            other => return Err(format!("a variable in {other:?}")),
        }
    }
    if bytes != workgroup_bytes {
        return Err(format!(
            "{bytes} bytes of workgroup memory, the host counts {workgroup_bytes}"
        ));
    }
    if storage != kernel.storage_bindings() {
        let host = kernel.storage_bindings();
        return Err(format!("{storage} storage bindings, the host counts {host}"));
    }
    Ok(())
}

/// The struct `Params`, field by field: name, offset, size.
#[test]
fn params_on_host_and_device_are_one_struct() {
    let operator = Operator::<u32>::sum();
    let kernel = Kernel { workgroup_size: 64, group: 4, rows: 4, ..variants()[0] };
    let text = operator.wgsl(&kernel).unwrap();
    let module = naga::front::wgsl::parse_str(&text).unwrap();
    let mut layouter = naga::proc::Layouter::default();
    layouter.update(module.to_ctx()).unwrap();
    let (handle, ty) =
        module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some("Params")).unwrap();
    let TypeInner::Struct { members, .. } = &ty.inner else { panic!("Params is no struct") };
    let device: Vec<(&str, u32)> =
        members.iter().map(|m| (m.name.as_deref().unwrap(), m.offset)).collect();
    let at = |offset: usize| offset as u32;
    let host = [
        ("n_items", at(std::mem::offset_of!(Params, n_items))),
        ("n_tiles", at(std::mem::offset_of!(Params, n_tiles))),
        ("tiles_per_workgroup", at(std::mem::offset_of!(Params, tiles_per_workgroup))),
        ("src_word", at(std::mem::offset_of!(Params, src_word))),
        ("dst_word", at(std::mem::offset_of!(Params, dst_word))),
        ("has_carry", at(std::mem::offset_of!(Params, has_carry))),
        ("first_chunk", at(std::mem::offset_of!(Params, first_chunk))),
        ("count_word", at(std::mem::offset_of!(Params, count_word))),
        ("workgroups", at(std::mem::offset_of!(Params, workgroups))),
        ("of_nothing", at(std::mem::offset_of!(Params, of_nothing))),
        ("first_item", at(std::mem::offset_of!(Params, first_item))),
        ("second_word", at(std::mem::offset_of!(Params, second_word))),
        ("carry_0", at(std::mem::offset_of!(Params, carry))),
        ("carry_1", at(std::mem::offset_of!(Params, carry)) + 16),
        ("carry_2", at(std::mem::offset_of!(Params, carry)) + 32),
        ("carry_3", at(std::mem::offset_of!(Params, carry)) + 48),
        ("carry_4", at(std::mem::offset_of!(Params, carry)) + 64),
    ];
    assert_eq!(device, host);
    assert_eq!(layouter[handle].size as usize, size_of::<Params>());
    // The immediates that every Vulkan device has room for.
    assert!(size_of::<Params>() <= 128);
}

#[test]
fn tint_agrees_on_the_kernels() {
    let text = |variant: Kernel| {
        let kernel = Kernel { workgroup_size: 64, group: 4, rows: 4, ..variant };
        // It takes the exit of a loop that ballots decide for lane-dependent.
        let by_ballots = variant.single_pass.map(|single_pass| single_pass.look_back)
            == Some(LookBack::Subgroup);
        let rule = if by_ballots { "diagnostic(off, subgroup_uniformity);\n" } else { "" };
        let ordered = Operator::from_wgsl(0.0f32, "select(a, b, b != 0.0)").unwrap();
        [Operator::<f32>::max(), ordered].map(|operator| {
            let text = format!("enable subgroups;\n{rule}{}", operator.wgsl(&kernel).unwrap());
            (format!("{kernel:?}"), text)
        })
    };
    // It knows neither 64-bit atomics nor coherent memory: those forms are for Vulkan only.
    let portable = |kernel: &Kernel| {
        kernel.single_pass.is_none_or(|single_pass| single_pass.descriptor == Descriptor::Split32)
    };
    let compactions = compactions().into_iter().filter(|(kernel, _, _)| portable(kernel));
    let compactions = compactions.map(|(kernel, text, _)| {
        let rule = "diagnostic(off, subgroup_uniformity);\n";
        (format!("{kernel:?}"), format!("enable subgroups;\n{rule}{text}"))
    });
    let kernels = variants().into_iter().filter(portable).flat_map(text);
    tint("kernels", kernels.chain(compactions));
}

/// The tuning table's rows are powers of two, as the plans take for granted.
#[test]
fn tuning_rows_are_powers_of_two() {
    for device_type in [wgpu::DeviceType::Cpu, wgpu::DeviceType::DiscreteGpu] {
        for vendor in [0x10de, 0x1002] {
            let capabilities = operators::capabilities(device_type, vendor);
            let tuning = Tuning::for_device(&capabilities);
            assert!(tuning.workgroup_size.is_power_of_two(), "{tuning:?}");
            assert!(tuning.emulated_lanes.is_power_of_two(), "{tuning:?}");
            assert!(tuning.workgroups > 0 && tuning.single_tiles > 0, "{tuning:?}");
        }
    }
}
