//! What is done once so that later calls, or later processes, need not do it.

mod common;

use common::{Place, operators};
use lookback::{
    Algorithm, Context, Element, Error, GpuSlice, Kind, Operator, Reduce, Scan, Shape, Tuning,
    reference,
};

/// A context on a device of its own: nothing is compiled for it yet.
fn own_context() -> Option<Context> {
    let shared = common::context()?;
    let name = shared.capabilities().adapter.clone();
    let context = pollster::block_on(Context::open(Some(&name))).unwrap();
    common::fail_on_uncaptured_errors(context.device());
    Some(context)
}

/// A cache with what an earlier one held; `None`, with the reason printed, where there are none.
fn pipeline_cache(context: &Context, data: Option<&[u8]>) -> Option<wgpu::PipelineCache> {
    if !context.device().features().contains(wgpu::Features::PIPELINE_CACHE) {
        println!("skipped: {} has no caches for pipelines", context.capabilities().adapter);
        return None;
    }
    let descriptor = wgpu::PipelineCacheDescriptor { label: None, data, fallback: true };
    // SAFETY: the data is another cache's of this process.
    Some(unsafe { context.device().create_pipeline_cache(&descriptor) })
}

#[test]
fn pipelines_are_made_with_the_callers_cache() {
    let Some(first) = own_context() else { return };
    let Some(cache) = pipeline_cache(&first, None) else { return };
    let items: Vec<u32> = (0..100_000).map(|i| i * 7 + 3).collect();
    let (sum, kind) = (Operator::<u32>::sum(), Kind::Exclusive);
    let wanted = reference::scan(&items, &sum, kind, None).unwrap();
    let size = || cache.get_data().expect("a cache on Vulkan has data").len();
    let before = size();
    first.set_pipeline_cache(cache.clone());
    assert_eq!(first.clone().exclusive_scan(&items, &sum).unwrap(), wanted);
    // Drivers with a cache of their own may keep nothing in this one but a heading.
    println!("the cache: {before} bytes before, {} after", size());
    assert!(size() >= before && size() > 0);

    // What it holds serves another context, as it does another process.
    let Some(second) = own_context() else { return };
    let Some(loaded) = pipeline_cache(&second, cache.get_data().as_deref()) else { return };
    second.set_pipeline_cache(loaded);
    assert_eq!(second.exclusive_scan(&items, &sum).unwrap(), wanted);

    // That every pipeline is made with it shows where it can't be: on another device.
    let reduce = Reduce::new(&second, &sum).unwrap();
    second.set_pipeline_cache(cache);
    for refused in [
        Reduce::new(&second, &Operator::<i32>::min()).map(drop),
        Scan::new(&second, &Operator::<i32>::min(), kind).map(drop),
    ] {
        assert!(matches!(refused, Err(Error::Refused { .. })), "{refused:?}");
    }
    // What was compiled before goes on.
    let wanted = reference::reduce(&items[..100], &sum, None).unwrap();
    assert_eq!(reduce.run(&items[..100]).unwrap(), wanted);
}

/// Pipelines that were made on the device of a context.
fn pipelines(context: &Context) -> isize {
    context.device().get_internal_counters().hal.compute_pipelines.read()
}

/// Slices of `n` items that start at items of these numbers; one and the same slice if `in_place`.
fn slices<T: Element>(
    context: &Context,
    n: u64,
    (first, second): (u64, u64),
    in_place: bool,
) -> (GpuSlice<T>, GpuSlice<T>) {
    let input = context.allocate::<T>(n + first).unwrap();
    let output = context.allocate::<T>(n + second).unwrap();
    let input = GpuSlice::new(input.buffer(), first..first + n).unwrap();
    let output = GpuSlice::new(output.buffer(), second..second + n).unwrap();
    if in_place { (input.clone(), input) } else { (input, output) }
}

const STARTS: [(u64, u64); 7] = [(0, 0), (1, 1), (4, 4), (8, 0), (3, 2), (0, 5), (16, 64)];

/// Records calls at many places; says how many pipelines that took.
fn made_by_scans<T: Element>(context: &Context, scan: &Scan<T>, n: u64, in_place: bool) -> isize {
    let before = pipelines(context);
    for starts in STARTS {
        let (input, output) = slices(context, n, starts, in_place);
        let mut encoder = context.device().create_command_encoder(&Default::default());
        scan.record(&mut encoder, &input, &output).unwrap();
    }
    pipelines(context) - before
}

#[test]
fn after_a_warm_up_no_scan_compiles() {
    let Some(own) = own_context() else { return };
    let small = common::small_tiles(&own);
    let whole = Tuning { whole_tiles: true, ..small };
    let shapes: &[Shape] = &[
        Shape { from_items: 0, workgroup_size: 32, words_per_lane: 8 },
        Shape { from_items: 10_000, workgroup_size: 64, words_per_lane: 4 },
    ];
    // A GPU whose single passes are trusted, with several sizes of them; nothing of it is run but
    // the warm-up.
    let gpu = common::pretend(&own, |capabilities| {
        capabilities.device_type = wgpu::DeviceType::DiscreteGpu;
        capabilities.vendor = 0x10de;
    });
    let gpu_tuning = Tuning { single_pass: shapes, ..small };
    let sizes = [1, 7, 3000, 4096, 20_000];
    let operator = operators::affine();
    for (context, tuning, algorithm) in [
        (&own, small, Algorithm::ReduceThenScan),
        (&own, whole, Algorithm::ReduceThenScan),
        (&own, whole, Algorithm::ScanThenPropagate),
        (&own, small, Algorithm::Fallback),
        (&gpu, gpu_tuning, Algorithm::Auto),
    ] {
        let scan = Scan::with_algorithm(context, &operator, Kind::Exclusive, algorithm, &tuning);
        let scan = scan.unwrap();
        let cold = pipelines(context);
        scan.warm_up(&sizes).unwrap();
        assert!(pipelines(context) > cold, "{algorithm}: nothing was compiled");
        for n in sizes {
            for in_place in [false, true] {
                if in_place && algorithm == Algorithm::Fallback {
                    continue;
                }
                let made = made_by_scans(context, &scan, n, in_place);
                assert_eq!(made, 0, "{algorithm} n = {n} in place: {in_place}");
            }
        }
    }
}

#[test]
fn after_a_warm_up_no_reduction_compiles() {
    let Some(own) = own_context() else { return };
    let whole = Tuning { whole_tiles: true, ..common::small_tiles(&own) };
    let sizes = [0, 1, 7, 3000, 4096, 20_000];
    for tuning in [common::small_tiles(&own), whole] {
        // One that commutes and one that does not.
        let sum = Reduce::with_tuning(&own, &Operator::<[f32; 2]>::sum(), &tuning).unwrap();
        let affine = Reduce::with_tuning(&own, &operators::affine(), &tuning).unwrap();
        sum.warm_up(&sizes).unwrap();
        affine.warm_up(&sizes).unwrap();
        let warm = pipelines(&own);
        for n in sizes {
            for starts in STARTS {
                let mut encoder = own.device().create_command_encoder(&Default::default());
                let (input, _) = slices(&own, n, starts, false);
                let output = own.allocate(1).unwrap();
                sum.record(&mut encoder, &input, &output).unwrap();
                let (input, _) = slices(&own, n, starts, false);
                let output = own.allocate(1).unwrap();
                affine.record(&mut encoder, &input, &output).unwrap();
            }
        }
        assert_eq!(pipelines(&own), warm);
    }
}

/// It runs on the state and the scratch that calls use.
#[test]
fn a_warm_up_changes_no_result() {
    let Some(context) = common::context() else { return };
    let tuning = common::small_tiles(context);
    let operator = operators::affine();
    let n_tiles = 3;
    for algorithm in Algorithm::ALL {
        let scan =
            Scan::with_algorithm(context, &operator, Kind::Inclusive, algorithm, &tuning).unwrap();
        let tile = scan.plan(1).unwrap().passes[0].kernel.tile_items();
        let n = n_tiles * tile + 3;
        let items: Vec<[u32; 2]> = (0..n).map(|i| [i * 2 + 1, i ^ 5]).collect();
        let wanted = reference::scan(&items, &operator, Kind::Inclusive, None).unwrap();
        for _ in 0..3 {
            scan.warm_up(&[u64::from(n), 1 << 20]).unwrap();
            match common::scan_at(context, &scan, &items, Place::Offset(1, 2)) {
                Ok(got) => assert_eq!(common::first_difference(&got, &wanted), None, "{algorithm}"),
                // A driver of threads may keep a tile waiting for too long.
                Err(Error::Stalled) if algorithm != Algorithm::Fallback => {}
                Err(error) => panic!("{algorithm}: {error}"),
            }
        }
    }
    let reduce = Reduce::new(context, &operator).unwrap();
    let items: Vec<[u32; 2]> = (0..5000).map(|i| [i * 2 + 1, i ^ 5]).collect();
    reduce.warm_up(&[0, 5000]).unwrap();
    common::check_reduce(context, (&reduce, &operator), &items, Place::Apart);
}

/// What a warm-up takes does not grow with the sizes.
#[test]
fn warm_ups_for_billions_of_items_take_no_memory() {
    let Some(context) = own_context() else { return };
    let sum = Operator::<u32>::sum();
    let scan = Scan::new(&context, &sum, Kind::Inclusive).unwrap();
    let reduce = Reduce::new(&context, &sum).unwrap();
    let bytes = || context.device().get_internal_counters().hal.buffer_memory.read();
    let before = bytes();
    scan.warm_up(&[1 << 20, 3 << 30]).unwrap();
    reduce.warm_up(&[1 << 20, 3 << 30]).unwrap();
    let taken = bytes() - before;
    assert!(taken < 1 << 20, "{taken} bytes");
    assert_eq!(scan.run(&[3, 1, 4]).unwrap(), [3, 4, 8]);
    for n in [1 << 50, u64::MAX] {
        for result in [scan.warm_up(&[n]), reduce.warm_up(&[n])] {
            assert!(matches!(result, Err(Error::OutOfMemory { .. })), "{result:?}");
        }
    }
    // Inputs, accumulators and outputs of different widths.
    let spread = Scan::new(&context, &operators::spread(), Kind::Inclusive).unwrap();
    spread.warm_up(&[1000, 1 << 20]).unwrap();
    scan.warm_up(&[]).unwrap();
    scan.warm_up(&[0]).unwrap();
}

#[test]
fn a_warm_up_on_a_lost_device_is_an_error() {
    let Some(context) = own_context() else { return };
    let reduce = Reduce::new(&context, &Operator::<u32>::sum()).unwrap();
    context.device().destroy();
    let error = reduce.warm_up(&[1 << 20]).unwrap_err();
    assert!(matches!(error, Error::DeviceLost { .. }), "{error}");
}
