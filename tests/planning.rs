//! Plans without a GPU: on noop adapters and on capabilities made by hand, from 4 to 128 lanes,
//! with unknown and varying widths, with and without subgroups. These prove planning and typed
//! errors, not execution.

#[path = "common/operators.rs"]
mod operators;

use lookback::{
    Algorithm, Builtins, Context, Element, Equality, Error, GpuSlice, Kind, Layout, Memory,
    Operator, ParamsSpace, Partition, Plan, Predicate, Reduce, ReduceByKey, Resource, Root,
    RunLengths, Scan, ScanByKey, SegmentBounds, SegmentStarts, SegmentedReduce, SegmentedScan,
    Select, Tile, Tuning, UniqueByKey, wgsl::Subgroup,
};

/// A noop device with these features, limits and subgroup bounds.
fn noop(
    features: wgpu::Features,
    limits: wgpu::Limits,
    lanes: Option<(u32, u32)>,
) -> (wgpu::Device, wgpu::Queue) {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::NOOP,
        backend_options: wgpu::BackendOptions {
            noop: wgpu::NoopBackendOptions {
                enable: true,
                features: Some(features),
                limits: Some(limits.clone()),
                subgroup_min_size: lanes.map(|(min, _)| min),
                subgroup_max_size: lanes.map(|(_, max)| max),
                ..Default::default()
            },
            ..Default::default()
        },
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapter = pollster::block_on(instance.request_adapter(&Default::default())).unwrap();
    let descriptor = wgpu::DeviceDescriptor {
        required_features: features,
        required_limits: limits,
        ..Default::default()
    };
    pollster::block_on(adapter.request_device(&descriptor)).unwrap()
}

fn context(features: wgpu::Features, limits: wgpu::Limits, lanes: Option<(u32, u32)>) -> Context {
    let (device, queue) = noop(features, limits, lanes);
    device.on_uncaptured_error(std::sync::Arc::new(|e: wgpu::Error| {
        eprintln!("uncaptured wgpu error: {e}");
        std::process::exit(101);
    }));
    Context::from_device(device, queue)
}

/// What must hold of any plan: sizes that fit, chunks that cover all tiles and no more.
fn check(plan: &Plan, context: &Context, n_items: u32) {
    let capabilities = context.capabilities();
    for pass in &plan.passes {
        let kernel = pass.kernel;
        assert!(kernel.workgroup_size.is_power_of_two());
        assert!(kernel.workgroup_size <= capabilities.workgroup_lanes, "{plan}");
        assert!(kernel.storage_bindings() <= capabilities.storage_bindings, "{plan}");
        match kernel.layers.subgroup {
            Subgroup::Native => {
                assert!(capabilities.subgroups);
                let widest = capabilities.subgroup_lanes_max.clamp(4, 128).next_power_of_two();
                assert_eq!(kernel.workgroup_size % widest, 0, "{plan}");
            }
            Subgroup::Emulated(lanes) => assert_eq!(kernel.workgroup_size % lanes, 0, "{plan}"),
        }
        assert!(pass.workgroups >= 1 && pass.workgroups <= capabilities.workgroups, "{plan}");
        let params = pass.params;
        assert_eq!(params.n_tiles, params.n_items.div_ceil(kernel.tile_items()), "{plan}");
        if kernel.root == Root::SinglePass {
            let workgroups = u64::from(pass.workgroups) * u64::from(pass.rows);
            let tiles = u64::from(params.n_tiles);
            assert!(workgroups >= tiles && workgroups < tiles + u64::from(pass.workgroups));
            continue;
        }
        let covered = u64::from(pass.workgroups) * u64::from(params.tiles_per_workgroup);
        assert!(covered >= u64::from(params.n_tiles), "{plan}");
        assert!(
            (pass.workgroups - 1) * params.tiles_per_workgroup < params.n_tiles.max(1),
            "a workgroup without a tile: {plan}"
        );
    }
    let scans = plan.passes.get(1).is_some_and(|pass| pass.dst == Resource::Partials);
    if let ([upsweep, spine, downsweep], true) = (&plan.passes[..], scans) {
        if upsweep.kernel.root != Root::Reduce || spine.kernel.root == Root::Reduce {
            return;
        }
        // Both sweeps cut the items into the same chunks, one partial each.
        let chunk =
            |pass: &lookback::Pass| pass.params.tiles_per_workgroup * pass.kernel.tile_items();
        assert_eq!(chunk(upsweep), chunk(downsweep), "{plan}");
        assert_eq!(upsweep.workgroups, downsweep.workgroups, "{plan}");
        assert_eq!(spine.params.n_items, upsweep.workgroups, "{plan}");
        assert_eq!((spine.src, spine.dst), (Resource::Partials, Resource::Partials));
        assert_eq!((upsweep.params.n_items, downsweep.params.n_items), (n_items, n_items));
    }
}

const SIZES: [u32; 10] =
    [0, 1, 2, 1023, 1024, 1025, 1 << 20, (1 << 24) + 3, 33_000_000, (1 << 30) - 1];

#[test]
fn k3_plans_fit_at_every_subgroup_bound() {
    let widths = [4, 8, 16, 32, 64, 128];
    let mut bounds: Vec<Option<(u32, u32)>> = vec![None];
    for (index, min) in widths.into_iter().enumerate() {
        bounds.extend(widths[index..].iter().map(|&max| Some((min, max))));
    }
    for lanes in bounds {
        for features in [wgpu::Features::SUBGROUP, wgpu::Features::empty()] {
            for limits in [wgpu::Limits::default(), wgpu::Limits::downlevel_defaults()] {
                let context = context(features, limits, lanes);
                let operator = operators::affine();
                let reduce = Reduce::new(&context, &operator).unwrap();
                let scan = Scan::new(&context, &operator, Kind::Exclusive).unwrap();
                let wide = Scan::new(&context, &operators::spread(), Kind::Inclusive).unwrap();
                for n in SIZES {
                    check(&reduce.plan(n).unwrap(), &context, n);
                    check(&scan.plan(n).unwrap(), &context, n);
                    check(&wide.plan(n).unwrap(), &context, n);
                }
                let native =
                    scan.plan(1).unwrap().passes[0].kernel.layers.subgroup == Subgroup::Native;
                assert_eq!(native, features == wgpu::Features::SUBGROUP, "{lanes:?}");
            }
        }
    }
}

/// Bounds that no wgpu gives, by hand: nothing is divided by zero and nothing overflows.
#[test]
fn k3_impossible_bounds_do_no_harm() {
    let (device, queue) = noop(wgpu::Features::SUBGROUP, wgpu::Limits::default(), None);
    for lanes_max in [0, 1, 3, 5, 64, 128, 129, u32::MAX] {
        for workgroup_lanes in [1, 2, 3, 32, 100, 256, 1024] {
            let mut capabilities = operators::capabilities(wgpu::DeviceType::Other, 0);
            capabilities.subgroup_lanes_min = 0;
            capabilities.subgroup_lanes_max = lanes_max;
            capabilities.workgroup_lanes = workgroup_lanes;
            let context = Context::with_capabilities(device.clone(), queue.clone(), capabilities);
            let scan = Scan::new(&context, &Operator::<u32>::sum(), Kind::Inclusive).unwrap();
            for n in SIZES {
                check(&scan.plan(n).unwrap(), &context, n);
            }
        }
    }
}

/// A subgroup of fewer than 4 lanes is none: the section has no room for so many.
#[test]
fn subgroups_of_two_lanes_are_emulated() {
    let (device, queue) = noop(wgpu::Features::SUBGROUP, wgpu::Limits::default(), None);
    for (lanes_min, native) in [(0, true), (1, false), (2, false), (4, true), (32, true)] {
        let mut capabilities = operators::capabilities(wgpu::DeviceType::Other, 0);
        capabilities.subgroup_lanes_min = lanes_min;
        let context = Context::with_capabilities(device.clone(), queue.clone(), capabilities);
        let scan = Scan::new(&context, &Operator::<u32>::sum(), Kind::Inclusive).unwrap();
        let subgroup = scan.plan(1).unwrap().passes[0].kernel.layers.subgroup;
        assert_eq!(subgroup == Subgroup::Native, native, "{lanes_min}");
    }
}

#[test]
fn l4_workgroups_shrink_to_fit_their_memory_or_the_limit_is_named() {
    let (device, queue) = noop(wgpu::Features::empty(), wgpu::Limits::default(), None);
    let at = |workgroup_bytes: u32, workgroup_lanes: u32, storage_bindings: u32| {
        let mut capabilities = operators::capabilities(wgpu::DeviceType::Other, 0);
        capabilities.subgroups = false;
        capabilities.workgroup_bytes = workgroup_bytes;
        capabilities.workgroup_lanes = workgroup_lanes;
        capabilities.storage_bindings = storage_bindings;
        let context = Context::with_capabilities(device.clone(), queue.clone(), capabilities);
        let operator = Operator::<[f32; 4]>::sum();
        Scan::new(&context, &operator, Kind::Inclusive).map(|scan| {
            let kernel = scan.plan(1).unwrap().passes[0].kernel;
            assert!(operator.workgroup_bytes(&kernel) <= workgroup_bytes);
            check(&scan.plan(1 << 20).unwrap(), &context, 1 << 20);
            kernel.workgroup_size
        })
    };
    assert_eq!(at(16_384, 256, 8).unwrap(), 256);
    assert_eq!(at(4_096, 256, 8).unwrap(), 128);
    assert_eq!(at(8_192, 128, 4).unwrap(), 128);
    assert_eq!(at(64, 256, 8).unwrap(), 2);
    let limit_of = |result: Result<u32, Error>| match result {
        Err(Error::Limit { limit, .. }) => limit,
        other => panic!("{other:?}"),
    };
    assert_eq!(limit_of(at(16, 256, 8)), "max_compute_workgroup_storage_size");
    assert_eq!(limit_of(at(16_384, 0, 8)), "max_compute_invocations_per_workgroup");
    assert_eq!(limit_of(at(16_384, 256, 2)), "max_storage_buffers_per_shader_stage");
}

/// Sizes at which counts in 32 bits wrap: plans stay sound, the scratch the same.
#[test]
fn a3_sizes_past_32_bits() {
    let (device, queue) = noop(wgpu::Features::SUBGROUP, wgpu::Limits::default(), None);
    let mut capabilities = operators::capabilities(wgpu::DeviceType::DiscreteGpu, 0x10de);
    (capabilities.binding_bytes, capabilities.buffer_bytes) = (1 << 40, 1 << 40);
    let context = Context::with_capabilities(device, queue, capabilities);
    let sum = Operator::<u32>::sum();
    let scan = Scan::new(&context, &sum, Kind::Inclusive).unwrap();
    let reduce = Reduce::new(&context, &sum).unwrap();
    for n in [(1 << 31) - 1, 1 << 31, u32::MAX - 4, u32::MAX] {
        check(&scan.plan(n).unwrap(), &context, n);
        check(&reduce.plan(n).unwrap(), &context, n);
    }
    assert!(scan.scratch_bytes() >= 4096 * 4 && scan.scratch_bytes() < 1 << 20);
    // Past any buffer: an error, never a call on fewer items.
    for n in [1u64 << 61, u64::MAX] {
        let error = context.allocate::<u32>(n).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
    }
}

#[test]
fn few_bindings_choose_the_scalar_file() {
    let features = wgpu::Features::SUBGROUP;
    let few = context(features, wgpu::Limits::downlevel_defaults(), None);
    let many = context(features, wgpu::Limits::default(), None);
    let tiles = |context: &Context| {
        // A noop device is taken for a CPU.
        let tuning = Tuning { whole_tiles: false, ..Tuning::for_device(context.capabilities()) };
        let sum = Operator::<u32>::sum();
        let scan = Scan::with_tuning(context, &sum, Kind::Inclusive, &tuning).unwrap();
        let plan = scan.plan(1 << 24).unwrap();
        plan.passes.iter().map(|pass| pass.kernel.tile).collect::<Vec<_>>()
    };
    assert_eq!(tiles(&many), [Tile::Vector, Tile::Vector, Tile::Vector]);
    assert_eq!(tiles(&few), [Tile::Vector, Tile::Vector, Tile::Scalar]);
}

/// Parameters go by immediates where the device has the feature and room for them.
#[test]
fn immediates_take_the_parameters_where_they_fit() {
    let immediates = wgpu::Features::IMMEDIATES;
    for (features, bytes, space) in [
        (immediates, 128, ParamsSpace::Immediate),
        (immediates, 256, ParamsSpace::Immediate),
        (immediates, 124, ParamsSpace::Uniform),
        // The feature without its limit, as a caller may have opened a device.
        (immediates, 0, ParamsSpace::Uniform),
        (wgpu::Features::empty(), 0, ParamsSpace::Uniform),
    ] {
        let limits = wgpu::Limits { max_immediate_size: bytes, ..wgpu::Limits::default() };
        let context = context(features, limits, None);
        assert_eq!(context.capabilities().immediate_bytes, bytes);
        let sum = Operator::<u32>::sum();
        let scan = Scan::new(&context, &sum, Kind::Inclusive).unwrap();
        let reduce = Reduce::new(&context, &sum).unwrap();
        let plans = [scan.plan(1 << 24).unwrap(), reduce.plan(1 << 24).unwrap()];
        for pass in plans.iter().flat_map(|plan| &plan.passes) {
            assert_eq!(pass.kernel.params, space, "{bytes} bytes");
        }
        // A call on a device that computes nothing: what it records is valid.
        let items = context.allocate::<u32>(1 << 20).unwrap();
        scan.dispatch(&items, &items).unwrap();
    }
}

#[test]
fn plans_are_data_that_prints_and_compares() {
    let context = context(wgpu::Features::SUBGROUP, wgpu::Limits::default(), Some((32, 32)));
    let tuning = Tuning {
        workgroup_size: 64,
        words_per_lane: 16,
        words_per_group: 4,
        workgroups: 100,
        single_tiles: 4,
        emulated_lanes: 32,
        builtins: Builtins::None,
        single_pass: &[],
        compactions: &[],
        scans_by_key: &[],
        reductions_by_key: &[],
        descriptor: None,
        split_words_max: 128,
        checked: false,
        whole_tiles: false,
        workgroup_scan: None,
    };
    let operator = Operator::<u32>::sum();
    let by = |algorithm| {
        Scan::with_algorithm(&context, &operator, Kind::Inclusive, algorithm, &tuning).unwrap()
    };
    let scan = by(Algorithm::ReduceThenScan);
    assert_eq!(scan.plan(0).unwrap().passes.len(), 0, "nothing is dispatched for nothing");
    assert_eq!(scan.plan(4096).unwrap().passes.len(), 1);
    let plan = scan.plan(1_000_000).unwrap();
    assert_eq!(plan, scan.clone().plan(1_000_000).unwrap());
    assert_ne!(plan, scan.plan(1_000_001).unwrap());
    let expected = "\
lookback.reduce Input -> Partials: 1000000 items, 977 tiles of 1024, 98 workgroups of 64 lanes, Native Block(32) Separate
lookback.downsweep Partials -> Partials: 98 items, 1 tiles of 1024, 1 workgroups of 64 lanes, Native Vector Shared
lookback.downsweep Input -> Output: 1000000 items, 977 tiles of 1024, 98 workgroups of 64 lanes, Native Block(32) Separate
";
    assert_eq!(plan.to_string(), expected);
    let expected = "\
lookback.single_pass Input -> Output: 1000000 items, 977 tiles of 1024, 977 workgroups of 64 lanes, Native Block(32) Separate
";
    assert_eq!(by(Algorithm::Fallback).plan(1_000_000).unwrap().to_string(), expected);
    let expected = "\
lookback.chunks Input -> Output: 1000000 items, 977 tiles of 1024, 98 workgroups of 64 lanes, Native Block(32) Separate
lookback.downsweep Partials -> Partials: 98 items, 1 tiles of 1024, 1 workgroups of 64 lanes, Native Vector Shared
lookback.propagate Output -> Output: 1000000 items, 977 tiles of 1024, 98 workgroups of 64 lanes, Native Block(32) Shared
";
    assert_eq!(by(Algorithm::ScanThenPropagate).plan(1_000_000).unwrap().to_string(), expected);
    let reduce = Reduce::with_tuning(&context, &operator, &tuning).unwrap();
    // The reduction of nothing is written by one workgroup; no dispatch is of size zero.
    assert_eq!(reduce.plan(0).unwrap().passes.len(), 1);
    assert_eq!(reduce.plan(0).unwrap().passes[0].workgroups, 1);
    assert_eq!(reduce.plan(1_000_000).unwrap().passes.len(), 2);
    let part = |root, memory| {
        plan.passes.iter().any(|pass| pass.kernel.root == root && pass.kernel.memory == memory)
    };
    assert!(part(Root::Reduce, Memory::Separate) && part(Root::Downsweep, Memory::Shared));
}

fn buffer(context: &Context, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    context.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size,
        usage,
        mapped_at_creation: false,
    })
}

#[test]
fn bad_arguments_are_typed_errors_before_any_work() {
    let context = context(wgpu::Features::SUBGROUP, wgpu::Limits::default(), None);
    let operator = Operator::<u32>::sum();
    let scan = Scan::new(&context, &operator, Kind::Inclusive).unwrap();
    let reduce = Reduce::new(&context, &operator).unwrap();
    let storage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    let one = buffer(&context, 400, storage);
    let other = buffer(&context, 400, storage);
    let (whole, output) = (GpuSlice::<u32>::whole(&one), GpuSlice::<u32>::whole(&other));
    scan.dispatch(&whole, &output).unwrap();

    let short = GpuSlice::new(&other, 0..99).unwrap();
    let error = scan.dispatch(&whole, &short).unwrap_err();
    assert!(matches!(error, Error::Length { wanted: 100, got: 99, .. }), "{error}");
    let error = reduce.dispatch(&whole, &short).unwrap_err();
    assert!(matches!(error, Error::Length { wanted: 1, got: 99, .. }), "{error}");

    let error = GpuSlice::<u32>::new(&one, 50..101).unwrap_err();
    assert!(matches!(error, Error::Length { wanted: 404, got: 400, .. }), "{error}");
    let error = GpuSlice::<[u32; 4]>::new(&one, u64::MAX - 1..u64::MAX).unwrap_err();
    assert!(matches!(error, Error::Length { .. }), "{error}");

    let shifted = |range| GpuSlice::<u32>::new(&one, range).unwrap();
    let error = scan.dispatch(&shifted(0..50), &shifted(1..51)).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, Error::Aliased { .. }), "{text}");
    assert!(text.contains("bytes 0 to 200") && text.contains("bytes 4 to 204"), "{text}");
    let error = reduce.dispatch(&shifted(0..50), &shifted(3..4)).unwrap_err();
    assert!(matches!(error, Error::Aliased { .. }), "{error}");
    let error = reduce.dispatch(&shifted(3..4), &shifted(3..4)).unwrap_err();
    assert!(matches!(error, Error::Aliased { .. }), "{error}");
    scan.dispatch(&shifted(0..50), &shifted(50..100)).unwrap();
    scan.dispatch(&shifted(0..50), &shifted(0..50)).unwrap();

    let plain = GpuSlice::whole(&buffer(&context, 400, wgpu::BufferUsages::COPY_SRC));
    for error in
        [scan.dispatch(&plain, &output).unwrap_err(), scan.dispatch(&whole, &plain).unwrap_err()]
    {
        let wanted = wgpu::BufferUsages::STORAGE;
        assert!(matches!(error, Error::Usage { wanted: w, .. } if w == wanted), "{error}");
    }
    let unreadable = GpuSlice::<u32>::whole(&buffer(&context, 4, wgpu::BufferUsages::STORAGE));
    let error = context.download(&unreadable).unwrap_err();
    assert!(matches!(error, Error::Usage { .. }), "{error}");
}

#[test]
fn a4_sizes_past_the_limits_are_cut_or_typed_errors() {
    let limits = wgpu::Limits {
        max_storage_buffer_binding_size: 1 << 20,
        max_buffer_size: 1 << 22,
        ..wgpu::Limits::default()
    };
    let context = context(wgpu::Features::SUBGROUP, limits, None);
    let named = |error: Error| match error {
        Error::Limit { limit, .. } => limit,
        other => panic!("{other}"),
    };
    // Past the largest buffer a slice has several; past any memory it is an error.
    assert_eq!(context.allocate::<u32>(3 << 20).unwrap().segments().len(), 3);
    let error = context.allocate::<u32>(u64::MAX).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
    // Past the largest binding a call is cut into pieces.
    let large = buffer(&context, 1 << 22, wgpu::BufferUsages::STORAGE);
    let output = context.allocate::<u32>(1).unwrap();
    let reduce = Reduce::new(&context, &Operator::<u32>::sum()).unwrap();
    reduce.dispatch(&GpuSlice::whole(&large), &output).unwrap();
    // Two ranges of one buffer must lie in one binding.
    let scan = Scan::new(&context, &Operator::<u32>::sum(), Kind::Inclusive).unwrap();
    let part = |first: u64| GpuSlice::<u32>::new(&large, first..first + 1000).unwrap();
    scan.dispatch(&part(0), &part(5000)).unwrap();
    let error = scan.dispatch(&part(0), &part(1_000_000)).unwrap_err();
    let text = error.to_string();
    assert_eq!(named(error), "max_storage_buffer_binding_size");
    assert!(text.contains("bytes 0 to 4000") && text.contains("bytes 4000000 to"), "{text}");
    // Segments are checked one against another.
    let error =
        scan.dispatch(&part(0).then(&part(500)).unwrap(), &part(5000).then(&part(5500)).unwrap());
    assert!(matches!(error, Err(Error::Aliased { .. })), "{error:?}");
    let (a, b) = (part(0).then(&part(2000)).unwrap(), part(2000).then(&part(0)).unwrap());
    assert!(matches!(scan.dispatch(&a, &b), Err(Error::Aliased { .. })));
    scan.dispatch(&a, &a).unwrap();
}

/// Single passes cover all tiles, in parts that have room for their descriptors and rows that the
/// device can dispatch.
#[test]
fn single_passes_cover_all_tiles() {
    let context = context(wgpu::Features::SUBGROUP, wgpu::Limits::default(), Some((32, 32)));
    let operator = Operator::<[u32; 4]>::max();
    let tuning = Tuning::for_device(context.capabilities());
    let algorithm = Algorithm::LookBack;
    let scan =
        Scan::with_algorithm(&context, &operator, Kind::Inclusive, algorithm, &tuning).unwrap();
    for n in [100_000, 10_000_000, 1 << 30, u32::MAX] {
        let plan = scan.plan(n).unwrap();
        let mut items = 0;
        for (index, pass) in plan.passes.iter().enumerate() {
            assert_eq!(pass.kernel.root, Root::SinglePass, "{plan}");
            assert_eq!(pass.params.first_chunk, index as u32);
            assert_eq!(pass.params.src_word as u64, items * 4 % (1 << 32));
            let tiles = u64::from(pass.params.n_tiles);
            assert!(tiles * 8 <= 524_288, "{plan}");
            assert!(pass.workgroups <= 65_535 && pass.rows <= 65_535, "{plan}");
            let workgroups = u64::from(pass.workgroups) * u64::from(pass.rows);
            assert!(workgroups >= tiles && workgroups < tiles + 65_535, "{plan}");
            items += u64::from(pass.params.n_items);
        }
        assert_eq!(items, u64::from(n), "{plan}");
    }
}

/// Kernels are compiled unchecked only where no user's text loops or computes an index.
#[test]
fn texts_that_loop_or_index_are_checked() {
    let context = context(wgpu::Features::SUBGROUP, wgpu::Limits::default(), None);
    let indexed = "fn combine(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
        var both = array<vec2<u32>, 2>(a, b);
        return vec2<u32>(both[b.x & 1u].x, b.y);
    }";
    let looping = "fn combine(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
        var r = a;
        for (var i = 0u; i < 3u; i += 1u) { r += b; }
        return r;
    }";
    let lifted = Operator::from_wgsl([0u32; 2], "a + b").unwrap();
    let lifted = lifted
        .with_lift("fn lift(x: u32) -> vec2<u32> { var v = vec2<u32>(x, 1u); return vec2<u32>(v[x & 1u]); }", |x: u32| [x, 1])
        .unwrap();
    let checked = |plan: Plan| plan.passes.iter().all(|pass| pass.kernel.checked);
    for (text, wanted) in
        [("a + b", false), ("min(a, b.yx)", false), (indexed, true), (looping, true)]
    {
        let operator = Operator::from_wgsl([0u32; 2], text).unwrap();
        let scan = Scan::new(&context, &operator, Kind::Inclusive).unwrap();
        assert_eq!(checked(scan.plan(1_000_000).unwrap()), wanted, "{text}");
        let tuning = Tuning { checked: true, ..Tuning::for_device(context.capabilities()) };
        let scan = Scan::with_tuning(&context, &operator, Kind::Inclusive, &tuning).unwrap();
        assert!(checked(scan.plan(1_000_000).unwrap()), "{text}");
    }
    let reduce = Reduce::new(&context, &lifted).unwrap();
    assert!(checked(reduce.plan(1_000_000).unwrap()));
}

/// Where a driver runs both sides of a branch, whole tiles and the last, partly filled one are apart.
#[test]
fn the_last_tile_takes_a_pass_of_its_own() {
    let context = context(wgpu::Features::SUBGROUP, wgpu::Limits::default(), Some((8, 8)));
    let device = Tuning::for_device(context.capabilities());
    let tuning = Tuning { whole_tiles: true, single_tiles: 16, ..device };
    let operator = Operator::<u32>::sum();
    for algorithm in [Algorithm::ReduceThenScan, Algorithm::ScanThenPropagate] {
        let scan = Scan::with_algorithm(&context, &operator, Kind::Inclusive, algorithm, &tuning);
        let scan = scan.unwrap();
        let tile = scan.plan(1).unwrap().passes[0].kernel.tile_items();
        for (n, tiles) in [
            (100 * tile, vec![Tile::Whole, Tile::Scalar, Tile::Whole]),
            (
                100 * tile + 3,
                vec![Tile::Whole, Tile::Scalar, Tile::Scalar, Tile::Whole, Tile::Scalar],
            ),
        ] {
            let plan = scan.plan(n).unwrap();
            let kernels = plan.passes.iter().map(|pass| pass.kernel.tile);
            assert_eq!(kernels.collect::<Vec<_>>(), tiles, "{plan}");
            let spine = plan.passes.iter().find(|pass| pass.dst == Resource::Partials);
            let spine =
                plan.passes.iter().filter(|pass| pass.src == Resource::Partials).chain(spine);
            let chunks: u32 =
                plan.passes[..plan.passes.len() / 2].iter().map(|p| p.workgroups).sum();
            assert!(spine.into_iter().any(|pass| pass.params.n_items == chunks), "{plan}");
            if let [whole, last, ..] = &plan.passes[..] {
                if last.kernel.tile == Tile::Scalar && last.src == Resource::Input {
                    assert_eq!(last.params.src_word, whole.params.n_items);
                    assert_eq!(last.params.first_chunk, whole.workgroups);
                    assert_eq!(whole.params.n_items + last.params.n_items, n);
                }
            }
        }
    }
}

/// Compactions compile at every subgroup bound, with few bindings, and need no GPU to be refused.
#[test]
fn compactions_fit_at_every_subgroup_bound() {
    let all = wgpu::Features::SUBGROUP | wgpu::Features::IMMEDIATES;
    for lanes in [None, Some((4, 4)), Some((8, 32)), Some((32, 32)), Some((64, 64)), Some((4, 128))]
    {
        for storage in [8, 4] {
            let limits = wgpu::Limits {
                max_storage_buffers_per_shader_stage: storage,
                // With few bindings the parameters take turns too.
                max_immediate_size: 16 * storage,
                ..wgpu::Limits::default()
            };
            let context = context(all, limits, lanes);
            let tuning = Tuning::for_device(context.capabilities());
            let equality = Equality::<[f32; 4]>::by_value();
            let predicate = Predicate::<[f32; 4]>::from_wgsl("x.y > 2.0").unwrap().and_flags();
            let (sum, kind) = (Operator::<[u32; 2]>::sum(), Kind::Exclusive);
            let by_key = |algorithm| {
                ScanByKey::with_algorithm(&context, &equality, &sum, kind, algorithm, &tuning)
            };
            let within = |starts, algorithm| {
                SegmentedScan::with_algorithm(&context, starts, &sum, kind, algorithm, &tuning)
            };
            // A call on a device that computes nothing: what it records is valid.
            let scan = by_key(Algorithm::Auto).unwrap();
            for n in [0, 1, 70_001] {
                let keys = context.allocate(n).unwrap();
                let (values, output) = (context.allocate(n).unwrap(), context.allocate(n).unwrap());
                scan.call(&keys, &values, &output).unwrap().dispatch().unwrap();
                let scan = within(SegmentStarts::Offsets, Algorithm::Auto).unwrap();
                let offsets = context.allocate(n / 3).unwrap();
                scan.call(&offsets, &values, &output).unwrap().dispatch().unwrap();
            }
            segmented_reductions_fit(&context);
            for algorithm in [Algorithm::ReduceThenScan, Algorithm::Fallback] {
                let made = [
                    Select::with_algorithm(&context, &predicate, algorithm, &tuning).map(drop),
                    Partition::with_algorithm(&context, &predicate, algorithm, &tuning).map(drop),
                    RunLengths::with_algorithm(&context, &equality, algorithm, &tuning).map(drop),
                    UniqueByKey::<[f32; 4], [u32; 3]>::with_algorithm(
                        &context, &equality, algorithm, &tuning,
                    )
                    .map(drop),
                    ReduceByKey::with_algorithm(&context, &equality, &sum, algorithm, &tuning)
                        .map(drop),
                    by_key(algorithm).map(drop),
                    within(SegmentStarts::PackedFlags, algorithm).map(drop),
                    within(SegmentStarts::Offsets, algorithm).map(drop),
                ];
                for made in made {
                    match made {
                        Ok(()) => {}
                        Err(Error::Limit { got, .. }) if storage == 4 => assert_eq!(got, 4),
                        Err(error) => panic!("{lanes:?} {storage} {algorithm}: {error}"),
                    }
                }
            }
        }
    }
}

/// 64 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
struct Wide([[u32; 4]; 4]);

impl Element for Wide {
    const LAYOUT: Layout = Layout::structure(
        "Wide",
        "struct Wide { a: vec4<u32>, b: vec4<u32>, c: vec4<u32>, d: vec4<u32> }",
        &[("a", 0), ("b", 16), ("c", 32), ("d", 48)],
        size_of::<Wide>(),
    );
}

/// What a reduction by key gathers in workgroup memory is bounded, however wide keys and outputs are and
/// however many lanes a subgroup has.
#[test]
fn wide_reductions_by_key_fit() {
    let zero = Wide([[0; 4]; 4]);
    let add = "return Wide(a.a + b.a, a.b + b.b, a.c + b.c, a.d + b.d);";
    let wide =
        Operator::from_wgsl(zero, &format!("fn combine(a: Wide, b: Wide) -> Wide {{ {add} }}"));
    let to_wide = "fn lower(x: u32) -> Wide { return Wide(vec4(x), vec4(x), vec4(x), vec4(x)); }";
    let to_wide = Operator::<u32>::sum().with_lower::<Wide>(to_wide, |x| Wide([[x; 4]; 4]));
    let (wide, to_wide) = (wide.unwrap(), to_wide.unwrap());
    for lanes in [None, Some((4, 4)), Some((32, 32)), Some((64, 64)), Some((4, 128))] {
        let context = context(wgpu::Features::SUBGROUP, wgpu::Limits::default(), lanes);
        ReduceByKey::new(&context, &Equality::<Wide>::by_bits(), &wide).unwrap();
        ReduceByKey::new(&context, &Equality::<Wide>::by_bits(), &to_wide).unwrap();
        ReduceByKey::new(&context, &Equality::<u32>::by_value(), &to_wide).unwrap();
        ReduceByKey::new(&context, &Equality::<u32>::by_value(), &wide).unwrap();
    }
}

/// Segmented reductions of few and of many segments, or too few bindings for them.
fn segmented_reductions_fit(context: &Context) {
    for bounds in [SegmentBounds::Offsets, SegmentBounds::Pairs] {
        let sum = Operator::<[u32; 2]>::sum();
        let reduce = match SegmentedReduce::new(context, bounds, &sum) {
            Err(Error::Limit { got: 4, .. }) if context.capabilities().storage_bindings == 4 => {
                continue;
            }
            made => made.unwrap(),
        };
        for n_segments in [0u32, 1, 256, 257, 70_000, 20_000_000] {
            for n_items in [0, 1, 4097, 65_537, 100_000_000] {
                let plan = reduce.plan(n_items, n_segments).unwrap();
                let passes = match (n_segments, n_items) {
                    (0, _) => 0,
                    (..=256, _) => 1,
                    (_, ..=4096) => 1,
                    _ => 2,
                };
                assert_eq!(plan.passes.len(), passes, "{plan}");
                for pass in &plan.passes {
                    assert!(
                        pass.kernel.storage_bindings() <= context.capabilities().storage_bindings
                    );
                    assert!(pass.workgroups <= context.capabilities().workgroups, "{plan}");
                    // Each segment has a lane of the first pass over many.
                    let lanes = u64::from(pass.workgroups * pass.rows)
                        * u64::from(pass.kernel.workgroup_size);
                    let first = pass.kernel.root == Root::ShortSegments;
                    assert!(!first || lanes >= u64::from(n_segments), "{plan}");
                }
            }
        }
        for (n, n_segments) in [(0u64, 3u64), (70_001, 2), (70_001, 9000)] {
            let words = match bounds {
                SegmentBounds::Offsets => n_segments + 1,
                SegmentBounds::Pairs => 2 * n_segments,
            };
            let told = context.allocate(words).unwrap();
            let (input, output) =
                (context.allocate(n).unwrap(), context.allocate(n_segments).unwrap());
            reduce.call(&told, &input, &output).unwrap().dispatch().unwrap();
        }
    }
}

/// A workgroup's own cost must be worth it: a chunk has an eighth of the tiles that one handles
/// alone.
#[test]
fn chunks_are_not_too_short() {
    let context = context(wgpu::Features::SUBGROUP, wgpu::Limits::default(), Some((8, 8)));
    let device = Tuning::for_device(context.capabilities());
    let tuning = Tuning { single_tiles: 64, workgroups: 100, ..device };
    let reduce = Reduce::with_tuning(&context, &Operator::<u32>::sum(), &tuning).unwrap();
    let tile = reduce.plan(1).unwrap().passes[0].kernel.tile_items();
    let workgroups = |tiles: u32| {
        let plan = reduce.plan(tiles * tile).unwrap();
        check(&plan, &context, tiles * tile);
        plan.passes[0].workgroups
    };
    assert_eq!([64, 80, 400, 800, 8000].map(workgroups), [1, 10, 50, 100, 100]);
}
