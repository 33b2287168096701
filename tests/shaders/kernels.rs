//! Every kernel that the library can make: judged, and its bindings, sizes and structs compared
//! with the host's.

use lookback::wgsl::{Layers, SectionScan, Subgroup, Totals, WorkgroupScan};
use lookback::{
    Carry, Element, Extent, Kernel, LookBack, Memory, Operator, Params, Part, Root, Stalled, Tile,
    Tuning,
};
use naga::valid::ModuleInfo;
use naga::{AddressSpace, Module, TypeInner};

use crate::judge::{judge, tint};
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
    let mut kernels = Vec::new();
    for root in [Root::Reduce, Root::Downsweep] {
        for layers in layers() {
            for tile in [Tile::Vector, Tile::Scalar] {
                for memory in [Memory::Separate, Memory::Shared] {
                    for carry in [Carry::Params, Carry::Partials] {
                        // A reduction's carry is always a parameter.
                        if (root, carry) == (Root::Reduce, Carry::Partials) {
                            continue;
                        }
                        kernels.push(Kernel {
                            root,
                            part: Part::Whole,
                            layers,
                            tile,
                            memory,
                            carry,
                            // Pairs of an extent with any other choice come up, not the product.
                            extent: match kernels.len() % 3 {
                                0 => Extent::Buffer,
                                _ => Extent::Params,
                            },
                            look_back: LookBack::Window,
                            stalled: Stalled::Fail,
                            stall_every: 0,
                            exclusive: tile == Tile::Vector,
                            workgroup_size: 0,
                            group: 0,
                            rows: 0,
                        });
                    }
                }
            }
        }
    }
    for layers in layers() {
        for (look_back, stalled) in [
            (LookBack::Chained, Stalled::Fail),
            (LookBack::Window, Stalled::Fail),
            (LookBack::Window, Stalled::Reduce),
        ] {
            for tile in [Tile::Vector, Tile::Scalar] {
                let memory = match (stalled, kernels.len() % 2) {
                    (Stalled::Fail, 1) => Memory::Shared,
                    _ => Memory::Separate,
                };
                let root = Root::SinglePass;
                let carry = Carry::State;
                let extent = if kernels.len() % 3 == 0 { Extent::Buffer } else { Extent::Params };
                let kernel =
                    Kernel { root, layers, look_back, stalled, tile, memory, ..kernels[0] };
                kernels.push(Kernel { carry, extent, ..kernel });
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
}

impl Visit for Linker {
    fn visit<I: Element, A: Element, O: Element>(
        &mut self,
        name: &str,
        operator: &Operator<I, A, O>,
        _make: fn(usize) -> I,
    ) {
        for variant in variants() {
            for part in
                [Part::Whole, Part::ToAccumulators, Part::OnAccumulators, Part::FromAccumulators]
            {
                // One type throughout makes one text for all parts.
                if part != Part::Whole && I::LAYOUT == A::LAYOUT && A::LAYOUT == O::LAYOUT {
                    continue;
                }
                // Sizes take turns: every pair of a size and another choice comes up.
                let sizes = [(32, 1), (64, 4), (256, 4), (1024, 2)];
                let (workgroup_size, rows) = sizes[self.texts.len() % sizes.len()];
                let group = if I::LAYOUT.words() % 4 == 0 { 1 } else { 4 };
                let kernel = Kernel { part, group, rows, workgroup_size, ..variant };
                let text = operator.wgsl(&kernel).unwrap_or_else(|e| panic!("{name}: {e}"));
                self.texts.push((name.to_owned(), kernel, text, operator.workgroup_bytes(&kernel)));
            }
        }
    }
}

#[test]
fn k5_every_module_is_valid_translates_and_keeps_its_barriers_uniform() {
    let mut linker = Linker { texts: Vec::new() };
    operators::all(&mut linker);
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

fn check(text: &str, kernel: &Kernel, workgroup_bytes: u32) -> Result<(), String> {
    let (module, info) = judge(text, &kernel.overrides(), kernel.root.entry_point())?;
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
            AddressSpace::Uniform => {}
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
        ("padding_0", at(std::mem::offset_of!(Params, padding))),
        ("padding_1", at(std::mem::offset_of!(Params, padding)) + 4),
        ("carry", at(std::mem::offset_of!(Params, carry))),
    ];
    assert_eq!(device, host);
    assert_eq!(layouter[handle].size as usize, size_of::<Params>());
}

#[test]
fn tint_agrees_on_the_kernels() {
    let text = |variant: Kernel| {
        let kernel = Kernel { workgroup_size: 64, group: 4, rows: 4, ..variant };
        let ordered = Operator::from_wgsl(0.0f32, "select(a, b, b != 0.0)").unwrap();
        [Operator::<f32>::max(), ordered].map(|operator| {
            let text = format!("enable subgroups;\n{}", operator.wgsl(&kernel).unwrap());
            (format!("{kernel:?}"), text)
        })
    };
    tint("kernels", variants().into_iter().flat_map(text));
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
