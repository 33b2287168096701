//! Devices with less: the same integer results.

use crate::common::operators::{Exact, hash};
use crate::common::small_tiles;
use crate::*;

#[test]
fn lesser_devices_have_the_same_results() {
    let (Some(context), Some(least)) = (own(), common::least_context()) else { return };
    let affine = operators::affine();
    let input: Vec<[u32; 2]> = (0..100_003).map(operators::affine_item).collect();
    let wanted = reference::scan(&input, &affine, Kind::Inclusive, None).unwrap();
    let as_gpu = |change: fn(&mut lookback::Capabilities)| {
        common::pretend(&context, |capabilities| {
            // A single pass is chosen on GPUs only.
            capabilities.device_type = wgpu::DeviceType::DiscreteGpu;
            capabilities.vendor = 0;
            change(capabilities);
        })
    };
    let least = common::pretend(&least, |capabilities| {
        (capabilities.device_type, capabilities.vendor) = (wgpu::DeviceType::DiscreteGpu, 0);
    });
    for (name, context, form) in [
        ("all", as_gpu(|_| {}), None),
        ("no 64-bit atomics", as_gpu(|c| c.atomics_64 = false), Some(Descriptor::Split32)),
        ("no coherent memory", as_gpu(|c| c.coherent_memory = false), None),
        ("no subgroups", as_gpu(|c| c.subgroups = false), None),
        ("no feature, least limits", least, Some(Descriptor::Split32)),
    ] {
        let tuning = small_tiles(&context);
        let scan = Scan::with_tuning(&context, &affine, Kind::Inclusive, &tuning).unwrap();
        let kernel = scan.plan(input.len() as u32).unwrap().passes[0].kernel;
        let single_pass = kernel.single_pass.unwrap_or_else(|| panic!("{name}: {kernel:?}"));
        assert!(form.is_none_or(|form| form == single_pass.descriptor), "{name}: {kernel:?}");
        assert!(scan.run(&input).unwrap() == wanted, "{name}");
        let source = context.upload(&input).unwrap();
        // In place nothing reads what another has written, if the vendor is not known.
        assert_eq!(scan.choice(true).algorithm, Algorithm::ReduceThenScan, "{name}");
        scan.dispatch(&source, &source).unwrap().check().unwrap();
        assert!(context.download(&source).unwrap() == wanted, "{name} in place");
    }
}

/// Descriptors by name that a device does not have are refused with what they need.
#[test]
fn missing_features_are_named() {
    let Some(least) = common::least_context() else { return };
    let sum = Operator::<u32>::sum();
    for (form, feature) in [
        (Descriptor::Packed64, wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS),
        (Descriptor::Fenced, wgpu::Features::MEMORY_DECORATION_COHERENT),
    ] {
        let tuning = Tuning { descriptor: Some(form), ..small_tiles(&least) };
        let fallback = Algorithm::Fallback;
        let error = Scan::with_algorithm(&least, &sum, Kind::Inclusive, fallback, &tuning);
        let error = error.unwrap_err();
        assert!(
            matches!(error, Error::Feature { wanted, .. } if wanted.contains(feature)),
            "{error}"
        );
    }
}

/// A status that took bits of the value would break these: sums past 2^30, any bits of a float.
#[test]
fn values_keep_all_their_bits() {
    let Some(context) = own() else { return };
    let tuning = small_tiles(&context);
    let n = 5_000;
    let high: Vec<u32> = (0..n).map(|i| 0xC000_0000 | u32::any(i)).collect();
    let bits: Vec<f32> = (0..n).map(|i| f32::from_bits(hash(i as u32, 9))).collect();
    let sum = Operator::<u32>::sum();
    // Every NaN but the quiet one, infinities, subnormals: all pass as they are.
    let last = Operator::from_wgsl(0u32, "b").unwrap().with_host(|_, b: u32| b);
    let words: Vec<u32> = bits.iter().map(|bits| bits.to_bits()).collect();
    let wanted = reference::scan(&high, &sum, Kind::Inclusive, None).unwrap();
    let max = Operator::<f32>::max();
    let finite: Vec<f32> = bits.iter().map(|x| if x.is_nan() { -1e30 } else { *x }).collect();
    let greatest = reference::scan(&finite, &max, Kind::Inclusive, None).unwrap();
    for way in ways() {
        let check = |scan: Option<Scan<u32>>, input: &[u32], wanted: &[u32]| {
            let Some(scan) = scan else { return };
            let source = context.upload(input).unwrap();
            let output = context.allocate::<u32>(n as u64).unwrap();
            let got = insisted(&context, &scan, way, &source, &output);
            assert_eq!(common::first_difference(&got, wanted), None, "{way:?}");
        };
        check(scan_by(&context, &sum, Kind::Inclusive, way, &tuning), &high, &wanted);
        // The last of them: not neutral on the right, but every item is there.
        check(scan_by(&context, &last, Kind::Inclusive, way, &tuning), &words, &words);
        if let Some(scan) = scan_by(&context, &max, Kind::Inclusive, way, &tuning) {
            let source = context.upload(&finite).unwrap();
            let output = context.allocate::<f32>(n as u64).unwrap();
            let got = insisted(&context, &scan, way, &source, &output);
            assert_eq!(common::first_difference(&got, &greatest), None, "{way:?}");
        }
    }
}
