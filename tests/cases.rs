//! Faults that people have hit in libraries like this one, each with its input and its right
//! result. The names are those of the project's cases.

mod common;

use common::operators::{self, Exact, hash};
use common::{Place, check_reduce, check_scan, first_difference, scan_at, small_tiles};
use lookback::{
    Context, GpuSlice, Kind, Numeric, Operator, Reduce, Scan, Subgroup, Tuning, reference,
};

/// The device as it is, and without subgroups. The second runs the emulated files, which know
/// nothing of the device's lanes: of lavapipe's three widths one is enough, and `tests/scan.rs`
/// and `tests/reduce.rs` run them on all.
fn contexts() -> Vec<Context> {
    let Some(context) = common::context() else { return Vec::new() };
    let driver = std::env::var("LOOKBACK_DRIVER").unwrap_or_default();
    if matches!(driver.as_str(), "lavapipe-4" | "lavapipe-16" | "lavapipe-validation") {
        return vec![context.clone()];
    }
    vec![context.clone(), common::without_subgroups(context)]
}

/// The device opened with no feature and the least limits, as a caller may have done.
fn least_context() -> Option<Context> {
    common::context()?;
    let wanted = std::env::var("LOOKBACK_ADAPTER").unwrap_or_default();
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12,
        flags: wgpu::InstanceFlags::empty().with_env(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    let chosen = |adapter: &wgpu::Adapter| {
        let name = &common::context().unwrap().capabilities().adapter;
        &adapter.get_info().name == name
    };
    let adapter = adapters.into_iter().find(chosen).unwrap_or_else(|| panic!("lost {wanted}"));
    let descriptor = wgpu::DeviceDescriptor {
        required_features: wgpu::Features::empty(),
        required_limits: wgpu::Limits::downlevel_defaults(),
        ..Default::default()
    };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    common::fail_on_uncaptured_errors(&device);
    Some(Context::from_device(device, queue))
}

/// The tile of a plan.
fn tile<I: lookback::Element>(scan: &Scan<I>) -> usize {
    scan.plan(1).unwrap().passes[0].kernel.tile_items() as usize
}

#[test]
fn a1_more_tiles_than_a_dispatch_has_workgroups() {
    let Some(context) = common::context() else { return };
    let scan = Scan::new(context, &Operator::<u32>::sum(), Kind::Inclusive).unwrap();
    let reduce = Reduce::new(context, &Operator::<u32>::sum()).unwrap();
    for n in [65535 * 64 - 1, 65535 * 64, 65535 * 64 + 1, 65535 * 256 + 1, 33_000_000] {
        let ones = context.upload(&vec![1u32; n]).unwrap();
        let output = context.upload(&vec![common::CANARY; n]).unwrap();
        scan.dispatch(&ones, &output).unwrap();
        let got = context.download(&output).unwrap();
        let wrong = got.iter().enumerate().find(|&(i, &y)| y != i as u32 + 1);
        assert_eq!(wrong, None, "n = {n}");
        let total = context.allocate::<u32>(1).unwrap();
        reduce.dispatch(&ones, &total).unwrap();
        assert_eq!(context.download(&total).unwrap(), [n as u32]);
    }
    // More tiles than 65,535 for certain.
    let scan =
        Scan::with_tuning(context, &Operator::<u32>::sum(), Kind::Inclusive, &small_tiles(context))
            .unwrap();
    let n = 65_536 * tile(&scan) + 1;
    let got = scan.run(&vec![1u32; n]).unwrap();
    assert_eq!((0..n).find(|&i| got[i] != i as u32 + 1), None);
}

/// lavapipe ends all loops of a kernel after 65,535 trips of a lane, silently: neither odd
/// tunings nor loops in a user's text may come near.
#[test]
fn kernels_stay_below_the_drivers_loop_budget() {
    let Some(context) = common::context() else { return };
    let n = 1 << 22;
    let input: Vec<u32> = (0..n).map(u32::any).collect();
    for (workgroups, single_tiles) in [(1, 1), (300, u32::MAX)] {
        let tuning = Tuning { words_per_lane: 1, workgroups, single_tiles, ..small_tiles(context) };
        let sum = Operator::<u32>::sum();
        let scan = Scan::with_tuning(context, &sum, Kind::Inclusive, &tuning).unwrap();
        check_scan(context, (&scan, &sum, Kind::Inclusive), &input, Place::Apart);
        let reduce = Reduce::with_tuning(context, &sum, &tuning).unwrap();
        check_reduce(context, (&reduce, &sum), &input, Place::Apart);
    }
    let slow_xor = "fn combine(a: u32, b: u32) -> u32 {
        var result = 0u;
        for (var bit = 0u; bit < 32u; bit += 1u) {
            result |= (((a >> bit) ^ (b >> bit)) & 1u) << bit;
        }
        return result;
    }";
    let slow_xor = Operator::from_wgsl(0u32, slow_xor).unwrap().with_host(|a, b| a ^ b);
    let scan = Scan::new(context, &slow_xor, Kind::Inclusive).unwrap();
    check_scan(context, (&scan, &slow_xor, Kind::Inclusive), &input, Place::Apart);
    let reduce = Reduce::new(context, &slow_xor).unwrap();
    check_reduce(context, (&reduce, &slow_xor), &input, Place::Apart);
}

#[test]
fn b1_nothing_and_one() {
    for context in contexts() {
        let sum = Operator::<u32>::sum();
        let reduce = Reduce::new(&context, &sum).unwrap();
        assert_eq!(reduce.run(&[]).unwrap(), 0);
        assert_eq!(reduce.with_init(5).run(&[]).unwrap(), 5);
        assert_eq!(reduce.run(&[7]).unwrap(), 7);
        assert_eq!(reduce.with_init(5).run(&[7]).unwrap(), 12);
        check_reduce(&context, (&reduce, &sum), &[], Place::Offset(3, 1));
        for kind in [Kind::Inclusive, Kind::Exclusive] {
            let scan = Scan::new(&context, &sum, kind).unwrap();
            assert_eq!(scan.run(&[]).unwrap(), []);
            check_scan(&context, (&scan, &sum, kind), &[], Place::Offset(5, 9));
            check_scan(&context, (&scan, &sum, kind), &[7], Place::Offset(5, 9));
        }
        let floats = context.reduce(&[], &Operator::<f32>::sum()).unwrap();
        assert_eq!(floats.to_bits(), 0, "the sum of nothing is 0, not -0");
        assert_eq!(context.reduce(&[], &Operator::<f32>::min()).unwrap(), f32::INFINITY);
        assert_eq!(context.reduce(&[], &Operator::<f32>::max()).unwrap(), f32::NEG_INFINITY);
        assert_eq!(context.reduce(&[], &Operator::<i32>::min()).unwrap(), i32::MAX);
        assert_eq!(context.reduce(&[], &Operator::<i32>::max()).unwrap(), i32::MIN);
        // A buffer of no byte can't be bound; the slice is empty all the same.
        let empty = context.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 0,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        let output = context.upload(&[common::CANARY]).unwrap();
        reduce.dispatch(&GpuSlice::whole(&empty), &output).unwrap();
        assert_eq!(context.download(&output).unwrap(), [0]);
    }
}

#[test]
fn b4_exactly_sized_buffers() {
    for context in contexts() {
        fn exact<T: Numeric + Exact>(context: &Context) {
            for n in 1..=9 {
                let input: Vec<T> = (0..n).map(T::any).collect();
                let source = context.upload(&input).unwrap();
                assert_eq!(source.buffer().size(), n as u64 * T::LAYOUT.size_bytes());
                let output = context.allocate::<T>(n as u64).unwrap();
                let sum = Operator::<T>::sum();
                let scan = Scan::new(context, &sum, Kind::Inclusive).unwrap();
                scan.dispatch(&source, &output).unwrap();
                let wanted = reference::scan(&input, &sum, Kind::Inclusive, None).unwrap();
                assert_eq!(context.download(&output).unwrap(), wanted);
                let total = context.allocate::<T>(1).unwrap();
                Reduce::new(context, &sum).unwrap().dispatch(&source, &total).unwrap();
                let wanted = reference::reduce(&input, &sum, None).unwrap();
                assert_eq!(context.download(&total).unwrap(), [wanted]);
            }
        }
        exact::<u32>(&context);
        exact::<i32>(&context);
        exact::<f32>(&context);
        exact::<[u32; 2]>(&context);
        exact::<[f32; 3]>(&context);
        assert_eq!(context.inclusive_scan(&[1u32, 2, 3], &Operator::sum()).unwrap(), [1, 3, 6]);
    }
}

#[test]
fn c1_tile_counts_that_no_workgroup_divides() {
    for context in contexts() {
        let sum = Operator::<u32>::sum();
        let tuning = small_tiles(&context);
        let scan = Scan::with_tuning(&context, &sum, Kind::Inclusive, &tuning).unwrap();
        for tiles in [1, 255, 256, 257, 511, 513, 1025] {
            for n in [tiles * tile(&scan), tiles * tile(&scan) - 3] {
                let input: Vec<u32> = (0..n as u32).map(|i| (i * 7 + 3) % 11).collect();
                check_scan(&context, (&scan, &sum, Kind::Inclusive), &input, Place::Apart);
            }
        }
    }
}

#[test]
fn c4_every_level_and_every_workgroup_width() {
    let Some(context) = common::context() else { return };
    let sum = Operator::<u32>::sum();
    for workgroup_size in [64, 128, 256] {
        for kind in [Kind::Inclusive, Kind::Exclusive] {
            let tuning = Tuning { workgroup_size, words_per_lane: 4, ..small_tiles(context) };
            let scan = Scan::with_tuning(context, &sum, kind, &tuning).unwrap();
            let t = tile(&scan);
            for n in [t * t + 1, t * t + t + 3, (1 << 22) + 1] {
                let input: Vec<u32> = (0..n as u32).map(|i| i % 13 + 1).collect();
                check_scan(context, (&scan, &sum, kind), &input, Place::Apart);
            }
        }
    }
}

/// The reduction of `n` copies is the value, and so is every running one.
fn all_alike<T: Numeric>(context: &Context, operator: &Operator<T>, value: T) {
    let reduce = Reduce::with_tuning(context, operator, &small_tiles(context)).unwrap();
    let parts =
        Scan::with_tuning(context, operator, Kind::Inclusive, &small_tiles(context)).unwrap();
    let t = tile(&parts);
    for n in [1, 10, 33, t + 1, 100_000] {
        let input = vec![value; n];
        let got = reduce.run(&input).unwrap();
        assert_eq!(first_difference(&[got], &[value]), None, "{reduce:?} n = {n}");
        let scanned = scan_at(context, &parts, &input, Place::Apart).unwrap();
        assert_eq!(first_difference(&scanned, &input), None, "{parts:?} n = {n}");
    }
}

#[test]
fn d1_identities_lose_to_every_value() {
    for context in contexts() {
        let (min, max) = (Operator::<f32>::min(), Operator::<f32>::max());
        all_alike(&context, &min, f32::INFINITY);
        all_alike(&context, &max, f32::NEG_INFINITY);
        all_alike(&context, &max, -3.0e38);
        all_alike(&context, &min, f32::MIN_POSITIVE / 8.0);
        all_alike(&context, &Operator::<i32>::min(), i32::MAX);
        all_alike(&context, &Operator::<i32>::max(), i32::MIN);
        all_alike(&context, &Operator::<u32>::min(), u32::MAX);
        all_alike(&context, &Operator::<u32>::max(), 0);
        for (input, least, greatest) in [
            ([32768.0, 32767.0], 32767.0, 32768.0),
            ([-32768.0, -32767.0], -32768.0, -32767.0),
            ([-2.0, -1.0], -2.0, -1.0),
            ([0.0, -0.0], -0.0, 0.0),
            ([-0.0, 0.0], -0.0, 0.0),
        ] {
            let got = [context.reduce(&input, &min), context.reduce(&input, &max)];
            let got = got.map(|value| value.unwrap().to_bits());
            assert_eq!(got, [f32::to_bits(least), f32::to_bits(greatest)], "{input:?}");
        }
        // The identity of a float sum changes no zero's sign.
        let negative_zero = context.reduce(&[-0.0f32; 70], &Operator::sum()).unwrap();
        assert_eq!(negative_zero.to_bits(), (-0.0f32).to_bits());
    }
}

const NAN: u32 = 0x7FC0_0000;

#[test]
fn d4_nan_wins_wherever_it_stands() {
    for context in contexts() {
        let n = 70_001;
        let operators = [
            Operator::<f32>::min(),
            Operator::<f32>::max(),
            Operator::<f32>::sum(),
            Operator::<f32>::product(),
        ];
        for (operator, tuning) in operators.iter().flat_map(|o| {
            [(o, small_tiles(&context)), (o, Tuning::for_device(context.capabilities()))]
        }) {
            let reduce = Reduce::with_tuning(&context, operator, &tuning).unwrap();
            let t = reduce.plan(1).unwrap().passes[0].kernel.tile_items() as usize;
            let mut input: Vec<f32> = (0..n).map(|i| (i % 97) as f32 - 48.0).collect();
            if operator.name() == "product" {
                input = (0..n).map(f32::factor).collect();
            }
            for place in [0, 1, 31, 32, t - 1, t, n / 2, n - 1] {
                for bits in [NAN, 0xFFC0_0001, 0x7F80_0001] {
                    let kept = std::mem::replace(&mut input[place], f32::from_bits(bits));
                    let got = reduce.run(&input).unwrap();
                    assert!(got.is_nan(), "{} with {bits:x} at {place}: {got}", operator.name());
                    input[place] = kept;
                }
            }
            let all = reduce.run(&vec![f32::from_bits(NAN); 1000]).unwrap();
            assert!(all.is_nan(), "{}", operator.name());
            assert!(!reduce.run(&input).unwrap().is_nan(), "{}", operator.name());
        }
        let sum = Operator::<f32>::sum();
        let both = context.reduce(&[f32::INFINITY, 1.0, f32::NEG_INFINITY], &sum).unwrap();
        assert!(both.is_nan(), "{both}");
        let min = context.reduce(&[1.0, f32::from_bits(0xFFC0_1234)], &Operator::min()).unwrap();
        assert_eq!(min.to_bits(), NAN, "one NaN comes out of min and max");
    }
}

#[test]
fn d5_running_min_and_max_keep_nan() {
    for context in contexts() {
        let nan = f32::from_bits(NAN);
        for operator in [Operator::<f32>::min(), Operator::<f32>::max()] {
            let scan =
                Scan::with_tuning(&context, &operator, Kind::Inclusive, &small_tiles(&context))
                    .unwrap();
            let t = tile(&scan);
            let short = scan.run(&[1.0, 3.0, nan, 5.0, 4.0]).unwrap();
            let first = if operator.name() == "max" { 3.0 } else { 1.0 };
            assert_eq!(short[..2], [1.0, first]);
            assert!(short[2..].iter().all(|y| y.is_nan()), "{short:?}");
            for place in [t - 1, t, 2 * t + 1] {
                let mut input: Vec<f32> = (0..3 * t).map(|i| (i % 50) as f32).collect();
                input[place] = nan;
                let got = scan.run(&input).unwrap();
                assert!(got[..place].iter().all(|y| !y.is_nan()), "NaN before {place}");
                assert!(got[place..].iter().all(|y| y.is_nan()), "no NaN after {place}");
            }
        }
    }
}

#[test]
fn e1_sums_of_ones_for_every_element() {
    fn ones<T: Numeric>(context: &Context, one: T, count: fn(usize) -> T) {
        for n in [300, 5_000, 70_000] {
            let input = vec![one; n];
            let sum = Operator::<T>::sum();
            assert_eq!(context.reduce(&input, &sum).unwrap(), count(n));
            let scanned = context.inclusive_scan(&input, &sum).unwrap();
            let wrong = (0..n).find(|&i| scanned[i] != count(i + 1));
            assert_eq!(wrong, None, "{} n = {n}", T::LAYOUT.wgsl());
        }
    }
    for context in contexts() {
        ones(&context, 1u32, |n| n as u32);
        ones(&context, 1i32, |n| n as i32);
        ones(&context, 1f32, |n| n as f32);
        ones(&context, [1u32; 2], |n| [n as u32; 2]);
        ones(&context, [1i32; 3], |n| [n as i32; 3]);
        ones(&context, [1f32; 4], |n| [n as f32; 4]);
        let wrapped = [0x8000_0000u32, 0x8000_0000, 5];
        let sums = context.inclusive_scan(&wrapped, &Operator::sum()).unwrap();
        assert_eq!(sums, [0x8000_0000, 0, 5]);
        // A sum that must not wrap has wider accumulators.
        assert_eq!(context.reduce(&wrapped, &operators::wide_sum()).unwrap(), [5, 1]);
    }
}

#[test]
fn e3_long_float_sums_stay_within_their_bound() {
    let Some(context) = common::context() else { return };
    let sum = Operator::<f32>::sum();
    let tenths = context.reduce(&vec![0.1f32; 1_000_000], &sum).unwrap();
    assert!((f64::from(tenths) - 100_000.001_5).abs() <= 0.05, "{tenths}");

    let n = (1 << 24) + 65_536;
    let ones = vec![1f32; n];
    let scanned = context.inclusive_scan(&ones, &sum).unwrap();
    let wrong =
        scanned.iter().enumerate().find(|&(i, &y)| (f64::from(y) - (i + 1) as f64).abs() > 2.0);
    assert_eq!(wrong, None);
    assert_eq!(scanned[n - 1], 16_842_752.0);
    assert_eq!(context.reduce(&ones, &sum).unwrap(), 16_842_752.0);

    // The documented bound, on data that meets it: one large item, then halves of its last
    // place, each at the start of a tile and lost when it is added alone.
    let scan = Scan::new(context, &sum, Kind::Inclusive).unwrap();
    let n: usize = 1 << 22;
    let mut input = vec![0f32; n];
    input[0] = 1.0;
    for first in (tile(&scan)..n).step_by(tile(&scan)) {
        input[first] = (-24f32).exp2();
    }
    let plan = scan.plan(n as u32).unwrap();
    let tiles = plan.passes.iter().map(|pass| pass.params.tiles_per_workgroup).max().unwrap();
    let exact: f64 = input.iter().copied().map(f64::from).sum();
    let bound = (f64::from(tiles) + 64.0 + (n as f64).log2()) * (-24f64).exp2() * exact;
    for got in [scan.run(&input).unwrap()[n - 1], context.reduce(&input, &sum).unwrap()] {
        let error = (f64::from(got) - exact).abs();
        assert!(error <= bound, "error {error:e}, bound {bound:e}");
    }

    let n = 4_000_003;
    let input: Vec<f32> = (0..n).map(|i| 0.5 + (hash(i, 3) & 0xFFFF) as f32 / 65536.0).collect();
    let bound = 4.0 * f64::from(n).log2() * (-24f64).exp2();
    let scanned = context.inclusive_scan(&input, &sum).unwrap();
    let mut exact = 0.0;
    for (i, (&x, &y)) in input.iter().zip(&scanned).enumerate() {
        exact += f64::from(x);
        let error = (f64::from(y) - exact).abs() / exact;
        assert!(error <= bound, "item {i}: relative error {error:e}, bound {bound:e}");
    }
    let error = (f64::from(context.reduce(&input, &sum).unwrap()) - exact).abs() / exact;
    assert!(error <= bound, "relative error {error:e}, bound {bound:e}");
}

/// Documented: the same from run to run on one device, whatever else it does.
#[test]
fn e4_float_results_do_not_change_from_run_to_run() {
    let Some(context) = common::context() else { return };
    let sum = Operator::<f32>::sum();
    let input: Vec<f32> = (0..1_000_003).map(|i| hash(i, 5) as f32 / 4294967296.0 - 0.5).collect();
    let source = context.upload(&input).unwrap();
    let busy = context.upload(&vec![1u32; 1 << 18]).unwrap();
    let scan = Scan::new(context, &sum, Kind::Inclusive).unwrap();
    let reduce = Reduce::new(context, &sum).unwrap();
    let other = Scan::new(context, &Operator::<u32>::sum(), Kind::Inclusive).unwrap();
    let mut first: Option<(Vec<f32>, Vec<f32>)> = None;
    for _ in 0..20 {
        let output = context.allocate::<f32>(source.len()).unwrap();
        let total = context.allocate::<f32>(1).unwrap();
        other.dispatch(&busy, &busy).unwrap();
        scan.dispatch(&source, &output).unwrap();
        other.dispatch(&busy, &busy).unwrap();
        reduce.dispatch(&source, &total).unwrap();
        let got = (context.download(&output).unwrap(), context.download(&total).unwrap());
        let (scanned, reduced) = first.get_or_insert_with(|| got.clone());
        assert_eq!(first_difference(&got.0, scanned), None);
        assert_eq!(first_difference(&got.1, reduced), None);
    }
}

#[test]
fn e5_exclusive_scans_subtract_nothing() {
    for context in contexts() {
        let inf = f32::INFINITY;
        let got = context.exclusive_scan(&[1.0, inf, 2.0, 3.0], &Operator::<f32>::sum()).unwrap();
        assert_eq!(first_difference(&got, &[0.0, 1.0, inf, inf]), None);
        let got = context.exclusive_scan(&[u32::MAX, 1, 1], &Operator::sum()).unwrap();
        assert_eq!(got, [0, u32::MAX, 0]);
        let got = context.exclusive_scan(&[1e8f32, 1.0, -1e8], &Operator::sum()).unwrap();
        assert_eq!(got, [0.0, 1e8, 1e8 + 1.0]);
    }
}

#[test]
fn f1_operators_combine_from_left_to_right() {
    let first = [
        [3, 0],
        [15, 2654435761],
        [105, 2415085369],
        [945, 3929271828],
        [10395, 2300125600],
        [135135, 224138645],
        [2027025, 2108825057],
        [34459425, 2891468744],
    ];
    for context in contexts() {
        let affine = operators::affine();
        let input: Vec<[u32; 2]> = (0..8).map(operators::affine_item).collect();
        assert_eq!(context.inclusive_scan(&input, &affine).unwrap(), first);
        for tuning in [small_tiles(&context), Tuning::for_device(context.capabilities())] {
            let scan = Scan::with_tuning(&context, &affine, Kind::Inclusive, &tuning).unwrap();
            let reduce = Reduce::with_tuning(&context, &affine, &tuning).unwrap();
            let t = tile(&scan);
            for n in [8, 33, 257, t + 1, 3 * t + 5, 1_000_003] {
                let input: Vec<[u32; 2]> = (0..n).map(operators::affine_item).collect();
                check_scan(&context, (&scan, &affine, Kind::Inclusive), &input, Place::Apart);
                check_reduce(&context, (&reduce, &affine), &input, Place::Apart);
            }
        }
        let input: Vec<u32> = (0..100_000).map(|i| if i % 37 == 0 { i } else { 0 }).collect();
        let last = context.inclusive_scan(&input, &operators::last_nonzero()).unwrap();
        assert_eq!((0..100_000).find(|&i| last[i] != 37 * (i as u32 / 37)), None);
    }
}

#[test]
fn f2_an_initial_value_counts_once() {
    for context in contexts() {
        let sum = Operator::<u32>::sum();
        let (inclusive, exclusive) = (Kind::Inclusive, Kind::Exclusive);
        let tuning = small_tiles(&context);
        let scan = Scan::with_tuning(&context, &sum, inclusive, &tuning).unwrap();
        let got = scan.with_init(100).run(&[1, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!(got, [101, 103, 106, 110, 115, 121]);
        // Few tiles, many tiles, and many chunks.
        for n in [3 * tile(&scan) + 1, 700 * tile(&scan) + 1] {
            let ones = vec![1u32; n];
            let got = scan.with_init(1000).run(&ones).unwrap();
            assert_eq!((0..n).find(|&i| got[i] != 1001 + i as u32), None);
            let scan = Scan::with_tuning(&context, &sum, exclusive, &tuning).unwrap();
            let got = scan.with_init(1000).run(&ones).unwrap();
            assert_eq!((0..n).find(|&i| got[i] != 1000 + i as u32), None);
            let reduce = Reduce::with_tuning(&context, &sum, &tuning).unwrap();
            assert_eq!(reduce.with_init(1000).run(&ones).unwrap(), 1000 + n as u32);
            let max = Operator::<u32>::max();
            let scan = Scan::with_tuning(&context, &max, inclusive, &tuning).unwrap();
            let input: Vec<u32> = (0..n as u32).map(|i| i % 5).collect();
            assert_eq!(scan.with_init(9).run(&input).unwrap(), vec![9; n]);
        }
        let floats = Scan::new(&context, &Operator::<f32>::sum(), exclusive).unwrap();
        assert_eq!(floats.with_init(0.0).run(&[0.5, 1.25, 2.5]).unwrap(), [0.0, 0.5, 1.75]);
    }
}

#[test]
fn g1_in_place() {
    for context in contexts() {
        let sum = Operator::<u32>::sum();
        for kind in [Kind::Inclusive, Kind::Exclusive] {
            for tuning in [small_tiles(&context), Tuning::for_device(context.capabilities())] {
                let scan = Scan::with_tuning(&context, &sum, kind, &tuning).unwrap();
                let digits = [3, 1, 4, 1, 5, 9, 2, 6];
                check_scan(&context, (&scan, &sum, kind), &digits, Place::Same);
                for n in [1_000, 1_000_003] {
                    let input: Vec<u32> = (0..n).map(|i| u32::from(i % 21 == 0)).collect();
                    check_scan(&context, (&scan, &sum, kind), &input, Place::Same);
                }
            }
        }
        // The whole of one buffer as both.
        let slice = context.upload(&[3u32, 1, 4, 1, 5, 9, 2, 6]).unwrap();
        let scan = Scan::new(&context, &sum, Kind::Exclusive).unwrap();
        scan.dispatch(&slice, &slice).unwrap();
        assert_eq!(context.download(&slice).unwrap(), [0, 3, 4, 8, 9, 14, 23, 25]);
    }
}

/// The same result at widths that the device does not have, and on it as it is.
#[test]
fn k1_k3_results_do_not_depend_on_the_width() {
    let Some(context) = common::context() else { return };
    let affine = operators::affine();
    for n in [257, 1_000_003] {
        let input: Vec<[u32; 2]> = (0..n).map(operators::affine_item).collect();
        let wanted = reference::scan(&input, &affine, Kind::Inclusive, None).unwrap();
        for emulated_lanes in [0, 4, 8, 16, 32, 64, 128] {
            // The first is the device's own subgroups.
            let context = match emulated_lanes {
                0 => context.clone(),
                _ => common::without_subgroups(context),
            };
            let tuning = Tuning {
                workgroup_size: 128,
                words_per_lane: 4,
                emulated_lanes,
                ..small_tiles(&context)
            };
            let scan = Scan::with_tuning(&context, &affine, Kind::Inclusive, &tuning).unwrap();
            let subgroup = scan.plan(1).unwrap().passes[0].kernel.subgroup;
            let expected = match emulated_lanes {
                0 if context.capabilities().subgroups => Subgroup::Native,
                0 => Subgroup::Emulated(4),
                lanes => Subgroup::Emulated(lanes),
            };
            assert_eq!(subgroup, expected);
            let got = scan.run(&input).unwrap();
            assert_eq!(first_difference(&got, &wanted), None, "{emulated_lanes} lanes");
        }
    }
}

#[test]
fn k4_a_device_with_no_features_and_the_least_limits() {
    let (Some(context), Some(least)) = (common::context(), least_context()) else { return };
    let capabilities = least.capabilities();
    assert!(!capabilities.subgroups && capabilities.storage_bindings == 4);
    let n = 1_000_003;
    let input: Vec<u32> = (0..n).map(u32::any).collect();
    let pairs: Vec<[u32; 2]> = (0..n).map(operators::affine_item).collect();
    let on = |context: &Context| {
        let affine = operators::affine();
        (
            context.reduce(&input, &Operator::sum()).unwrap(),
            context.inclusive_scan(&input, &Operator::sum()).unwrap(),
            context.exclusive_scan(&input, &Operator::max()).unwrap(),
            context.reduce(&pairs, &affine).unwrap(),
            context.inclusive_scan(&pairs, &affine).unwrap(),
        )
    };
    assert!(on(context) == on(&least), "the two devices differ");
    let scan = Scan::new(&least, &Operator::<u32>::sum(), Kind::Inclusive).unwrap();
    for place in [Place::Apart, Place::Same, Place::OneBuffer, Place::Offset(64, 3)] {
        let parts = (&scan, &Operator::<u32>::sum(), Kind::Inclusive);
        check_scan(&least, parts, &input[..10_000], place);
    }
    let floats: Vec<f32> = (0..n).map(f32::any).collect();
    let max = Operator::<f32>::max();
    assert_eq!(least.reduce(&floats, &max).unwrap(), context.reduce(&floats, &max).unwrap());
}

/// Runs that follow one another on other data: nothing of the last one is seen.
#[test]
fn j1_no_stale_partial_is_seen() {
    let Some(context) = common::context() else { return };
    let sum = Operator::<u32>::sum();
    let scan = Scan::with_tuning(context, &sum, Kind::Inclusive, &small_tiles(context)).unwrap();
    let n = 100_000;
    let inputs = [vec![1u32; n], (0..n as u32).map(|i| hash(i, 2) % 1000).collect()];
    let sources = inputs.each_ref().map(|input| context.upload(input).unwrap());
    let wanted =
        inputs.each_ref().map(|input| reference::scan(input, &sum, Kind::Inclusive, None).unwrap());
    let output = context.allocate::<u32>(n as u64).unwrap();
    for run in 0..200 {
        scan.dispatch(&sources[run % 2], &output).unwrap();
        if run % 10 >= 8 {
            let got = context.download(&output).unwrap();
            assert_eq!(first_difference(&got, &wanted[run % 2]), None, "run {run}");
        }
    }
}

#[test]
fn k6_no_lockstep_and_no_zeroed_memory_is_taken_for_granted() {
    for context in contexts() {
        let sum = Operator::<i32>::sum();
        let reduce = Reduce::new(&context, &sum).unwrap();
        let width = reduce.plan(1).unwrap().passes[0].kernel.workgroup_size as usize;
        let input: Vec<i32> = (1..=64).collect();
        let source = context.upload(&input).unwrap();
        let outputs = context.upload(&[0i32; 1000]).unwrap();
        for i in 0..1000 {
            let output = GpuSlice::new(outputs.buffer(), i..i + 1).unwrap();
            reduce.dispatch(&source, &output).unwrap();
        }
        assert_eq!(context.download(&outputs).unwrap(), [2080; 1000]);
        for n in [width, width + 1, 2 * width - 1] {
            assert_eq!(reduce.run(&vec![1; n]).unwrap(), n as i32);
        }
    }
}

#[test]
fn l3_ranges_of_a_larger_buffer() {
    for context in contexts() {
        let sum = Operator::<u32>::sum();
        let scan =
            Scan::with_tuning(&context, &sum, Kind::Inclusive, &small_tiles(&context)).unwrap();
        let large = context.upload(&vec![1u32; 1 << 20]).unwrap();
        let n = 10_000;
        for first in [0, 1, 3, 63, 64, 65, 1000] {
            for out in [0, 64, 65] {
                let output = context.upload(&vec![common::CANARY; 11_000]).unwrap();
                let dst = GpuSlice::<u32>::new(output.buffer(), out..out + n).unwrap();
                let src = GpuSlice::new(large.buffer(), first..first + n).unwrap();
                scan.dispatch(&src, &dst).unwrap();
                let got = context.download(&output).unwrap();
                let (out, n) = (out as usize, n as usize);
                assert!(got[..out].iter().chain(&got[out + n..]).all(|&w| w == common::CANARY));
                assert_eq!((0..n).find(|&i| got[out + i] != i as u32 + 1), None);
            }
        }
    }
}

#[test]
fn l4_the_largest_kernels_fit_the_least_limits() {
    let Some(least) = least_context() else { return };
    let tuning = Tuning {
        workgroup_size: 1024,
        words_per_lane: 64,
        workgroups: 65_535,
        single_tiles: 1,
        emulated_lanes: 128,
    };
    let operator = Operator::<[f32; 4]>::max();
    let scan = Scan::with_tuning(&least, &operator, Kind::Inclusive, &tuning).unwrap();
    for pass in scan.plan(1 << 20).unwrap().passes {
        let bytes = operator.workgroup_bytes(&pass.kernel);
        assert!(bytes <= least.capabilities().workgroup_bytes, "{bytes}");
        assert!(pass.kernel.workgroup_size <= 256);
    }
    let input: Vec<[f32; 4]> = (0..50_000).map(<[f32; 4]>::any).collect();
    check_scan(&least, (&scan, &operator, Kind::Inclusive), &input, Place::Apart);
    // Past the largest buffer there are two.
    let words = least.capabilities().buffer_bytes / 4;
    assert_eq!(least.allocate::<u32>(words + 1).unwrap().segments().len(), 2);
}

/// A fault planted below wgpu makes the layer speak, so silence elsewhere means something.
#[test]
fn the_validation_layer_is_heard() {
    let Some(context) = common::context() else { return };
    if !common::validation::is_on() {
        println!("skipped: LOOKBACK_VALIDATION is not 1");
        return;
    }
    let count = common::validation::messages_of(|| {
        // SAFETY: the call breaks a rule of Vulkan's that the layer reports (a buffer of no
        // byte); drivers make such a buffer without harm, and it is destroyed at once.
        unsafe {
            let device = context.device().as_hal::<wgpu::hal::api::Vulkan>().unwrap();
            let raw = device.raw_device();
            if let Ok(buffer) = raw.create_buffer(&ash::vk::BufferCreateInfo::default(), None) {
                raw.destroy_buffer(buffer, None);
            }
        }
    });
    assert!(count > 0, "the layer said nothing of a planted fault");
}
