//! Devices: widths, few features, least limits, ranges of buffers, the validation layer.

use super::*;

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
            let subgroup = scan.plan(1).unwrap().passes[0].kernel.layers.subgroup;
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
    let (Some(context), Some(least)) = (common::context(), common::least_context()) else { return };
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
    let Some(least) = common::least_context() else { return };
    let tuning = Tuning {
        workgroup_size: 1024,
        words_per_lane: 64,
        words_per_group: 4,
        workgroups: 65_535,
        single_tiles: 1,
        emulated_lanes: 128,
        builtins: Builtins::All,
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
