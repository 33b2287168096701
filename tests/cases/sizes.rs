//! Sizes: none, one, exact buffers, edges of tiles, past dispatches and loops.

use super::*;

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
    // As many trips as a text may take.
    let text = "fn combine(a: u32, b: u32) -> u32 {
        var result = a;
        for (var i = 0u; i < 100u; i += 1u) { result += select(0u, b, i == 7u); }
        return result;
    }";
    let slow_sum = Operator::from_wgsl(0u32, text).unwrap().with_host(u32::wrapping_add);
    let scan = Scan::new(context, &slow_sum, Kind::Inclusive).unwrap();
    check_scan(context, (&scan, &slow_sum, Kind::Inclusive), &input[..60_000], Place::Apart);
    let reduce = Reduce::new(context, &slow_sum).unwrap();
    check_reduce(context, (&reduce, &slow_sum), &input[..60_000], Place::Apart);
    // A wide element with a long loop: the spine keeps below too, and says so where it can't.
    let text = "fn combine(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
        var result = a;
        for (var i = 0u; i < 120u; i += 1u) { result += select(vec4<u32>(), b, i == 7u); }
        return result;
    }";
    let add = |a: [u32; 4], b: [u32; 4]| std::array::from_fn(|i| a[i].wrapping_add(b[i]));
    let slow_sum = Operator::from_wgsl([0u32; 4], text).unwrap().with_host(add);
    let scan = Scan::new(context, &slow_sum, Kind::Inclusive).unwrap();
    let items: Vec<[u32; 4]> = (0..500_000).map(<[u32; 4]>::any).collect();
    check_scan(context, (&scan, &slow_sum, Kind::Inclusive), &items, Place::Apart);
    if context.capabilities().device_type == wgpu::DeviceType::Cpu {
        let error = scan.plan(1 << 24).unwrap_err();
        assert!(matches!(error, lookback::Error::Length { .. }), "{error}");
    }
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
