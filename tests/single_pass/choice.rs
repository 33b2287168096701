//! What `Algorithm::Auto` comes to, and the self-test that may change it.

use lookback::{Capabilities, SelfTest};

use crate::common::small_tiles;
use crate::*;

fn as_device(context: &Context, device_type: wgpu::DeviceType, vendor: u32) -> Context {
    common::pretend(context, |capabilities: &mut Capabilities| {
        (capabilities.device_type, capabilities.vendor) = (device_type, vendor);
    })
}

#[test]
fn the_choice_follows_device_operator_and_place() {
    use wgpu::DeviceType::{Cpu, DiscreteGpu, IntegratedGpu};
    let Some(context) = own() else { return };
    const NVIDIA: u32 = 0x10de;
    const APPLE: u32 = 0x106b;
    let sum = Operator::<u32>::sum();
    for (device_type, vendor, out_of_place, in_place) in [
        (DiscreteGpu, NVIDIA, Algorithm::Fallback, Algorithm::LookBack),
        (IntegratedGpu, APPLE, Algorithm::Fallback, Algorithm::ReduceThenScan),
        (DiscreteGpu, 0, Algorithm::Fallback, Algorithm::ReduceThenScan),
        (Cpu, 0, Algorithm::ReduceThenScan, Algorithm::ReduceThenScan),
    ] {
        let context = as_device(&context, device_type, vendor);
        let scan = Scan::new(&context, &sum, Kind::Inclusive).unwrap();
        for (choice, wanted) in [(scan.choice(false), out_of_place), (scan.choice(true), in_place)]
        {
            assert_eq!(choice.algorithm, wanted, "{device_type:?} {vendor:x}");
            assert!(!choice.reason.is_empty());
        }
        let wide = Scan::new(&context, &operators::wide(), Kind::Inclusive).unwrap();
        assert_eq!(wide.choice(false).algorithm, Algorithm::ReduceThenScan);
    }
    // A looping text is a single pass on a GPU.
    let text = "fn combine(a: u32, b: u32) -> u32 {
        var r = a;
        for (var i = 0u; i < 2u; i += 1u) { r += select(0u, b, i == 1u); }
        return r;
    }";
    let looping = Operator::from_wgsl(0u32, text).unwrap();
    let gpu = as_device(&context, DiscreteGpu, 0);
    let scan = Scan::new(&gpu, &looping, Kind::Inclusive).unwrap();
    assert_eq!(scan.choice(false).algorithm, Algorithm::Fallback);
}

/// In place and out of place by one plan: the right words by what was chosen for each.
#[test]
fn auto_serves_both_places() {
    let Some(context) = own() else { return };
    let context = as_device(&context, wgpu::DeviceType::DiscreteGpu, 0);
    let affine = operators::affine();
    let scan =
        Scan::with_tuning(&context, &affine, Kind::Exclusive, &small_tiles(&context)).unwrap();
    let input: Vec<[u32; 2]> = (0..50_001).map(operators::affine_item).collect();
    let wanted = reference::scan(&input, &affine, Kind::Exclusive, None).unwrap();
    let source = context.upload(&input).unwrap();
    let output = context.allocate(input.len() as u64).unwrap();
    scan.dispatch(&source, &output).unwrap().check().unwrap();
    assert_eq!(common::first_difference(&context.download(&output).unwrap(), &wanted), None);
    scan.dispatch(&source, &source).unwrap().check().unwrap();
    assert_eq!(common::first_difference(&context.download(&source).unwrap(), &wanted), None);
}

#[test]
fn the_self_test_passes_and_demotes() {
    let Some(context) = own() else { return };
    let cpu = context.self_test().unwrap();
    if context.capabilities().device_type == wgpu::DeviceType::Cpu {
        assert_eq!((cpu.calls, &cpu.demoted[..]), (0, &[][..]), "no single pass is chosen");
    }
    let gpu = as_device(&context, wgpu::DeviceType::DiscreteGpu, 0);
    let sum = Operator::<u32>::sum();
    let scan = Scan::new(&gpu, &sum, Kind::Inclusive).unwrap();
    let report = gpu.self_test().unwrap();
    assert!(report.calls > 0);
    assert_eq!(report.demoted, []);
    assert_eq!(scan.choice(false).algorithm, Algorithm::Fallback);

    // A wrong word in its results demotes the algorithm, in plans made before too.
    let report = gpu.run_self_test(true).unwrap();
    assert!(matches!(&report.demoted[..], [(Algorithm::Fallback, _)]), "{report:?}");
    assert_eq!(scan.choice(false).algorithm, Algorithm::ReduceThenScan);
    assert_eq!(scan.plan(1 << 20).unwrap().passes.len(), 3);
    assert_eq!(gpu.self_test().unwrap(), report, "the report is kept");

    // A report can be given to another context of the same adapter and driver, and to no other.
    let other = as_device(&context, wgpu::DeviceType::DiscreteGpu, 0);
    other.set_self_test(SelfTest { driver: "another".to_owned(), ..report.clone() });
    assert_eq!(other.last_self_test(), None);
    other.set_self_test(report.clone());
    assert_eq!(other.last_self_test(), Some(report));
}
