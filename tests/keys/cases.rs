//! The project's cases B1, F5 and their kinds; what must not leak; counts on the device.

use lookback::{
    Algorithm, Context, Equality, Kind, Operator, ReduceByKey, ScanByKey, Tuning, reference,
};

use crate::common::operators::{Moment, add_moments, affine, affine_item, hash};
use crate::common::{self, small_tiles};
use crate::slices::{Output, input};
use crate::ways::{WAYS, Way, by_way, done, own};

pub const KINDS: [Kind; 2] = [Kind::Inclusive, Kind::Exclusive];

/// A reduction and both scans of values by keys equal the reference.
fn check(context: &Context, way: Way, tuning: &Tuning, keys: &[u32], what: &str) -> bool {
    let (equality, sum) = (Equality::by_value(), Operator::<u32>::sum());
    let n = keys.len();
    let values: Vec<u32> = (0..n as u32).map(|i| hash(i, 4)).collect();
    let (source, tags) = (input(context, &values, 1), input(context, keys, 2));
    let make = |algorithm, tuning: &_| {
        ReduceByKey::with_algorithm(context, &equality, &sum, algorithm, tuning)
    };
    let Some(reduction) = by_way(way, tuning, make) else { return true };
    let (firsts, totals) = reference::reduce_by_key(keys, &values, &equality, &sum).unwrap();
    let outputs = [(); 2].map(|()| Output::<u32>::new(context, n));
    let count = Output::<u32>::new(context, 1);
    let [out_keys, out_values] = outputs.each_ref().map(|output| &output.slice);
    let call = reduction.call(&tags, &source, out_keys, out_values, &count.slice).unwrap();
    if !done(way, &call) {
        return false;
    }
    assert_eq!(count.first(context, 1), [firsts.len() as u32], "{what}");
    assert!(outputs[0].first(context, firsts.len()) == firsts, "keys of {what}");
    assert!(outputs[1].first(context, firsts.len()) == totals, "{what}");
    for kind in KINDS {
        let make = |algorithm, tuning: &_| {
            ScanByKey::with_algorithm(context, &equality, &sum, kind, algorithm, tuning)
        };
        let scan = by_way(way, tuning, make).unwrap();
        let wanted = reference::scan_by_key(keys, &values, &equality, &sum, kind, None).unwrap();
        let output = Output::<u32>::new(context, n);
        if !done(way, &scan.call(&tags, &source, &output.slice).unwrap()) {
            return false;
        }
        let got = output.first(context, n);
        assert_eq!(common::first_difference(&got, &wanted), None, "{kind:?} of {what}");
    }
    true
}

/// Case F5: short last runs, and one run over all tiles.
#[test]
fn f5_last_runs_are_whole() {
    let Some(context) = own() else { return };
    let runs = [4000, 1000, 2680];
    let keys: Vec<u32> = (0..3).flat_map(|key| vec![key; runs[key as usize]]).collect();
    let ones = vec![1u32; keys.len()];
    let equality = Equality::<u32>::by_value();
    let reduction = ReduceByKey::new(&context, &equality, &Operator::<u32>::sum()).unwrap();
    let (firsts, totals) = reduction.run(&keys, &ones).unwrap();
    assert_eq!((firsts, totals), (vec![0, 1, 2], runs.map(|run| run as u32).to_vec()));
    for way in WAYS {
        let tuning = small_tiles(&context);
        let tile = 4 * tuning.workgroup_size as usize;
        check(&context, way, &tuning, &vec![7; 5 * tile + 3], "one key");
        for n in [2, tile, tile + 1, 130_884] {
            let keys: Vec<u32> = (0..n as u32).map(|i| i.min(n as u32 - 2)).collect();
            check(&context, way, &tuning, &keys, &format!("{way:?} {n}"));
        }
    }
}

/// Case B1: nothing and one item, counts poisoned before.
#[test]
fn b1_nothing_and_one_item() {
    let Some(context) = own() else { return };
    for way in WAYS {
        let tuning = Tuning::for_device(context.capabilities());
        for n in [0, 1] {
            check(&context, way, &tuning, &vec![7; n], &format!("{way:?} {n}"));
        }
    }
}

/// What is next to a run does not reach it: NaN, infinities, signs of zeros.
#[test]
fn nothing_leaks_over_a_border() {
    let Some(context) = own() else { return };
    let runs: [&[f32]; 7] = [
        &[f32::NAN],
        &[1.0, 2.0],
        &[f32::INFINITY],
        &[f32::NEG_INFINITY, 1.0],
        &[-0.0],
        &[-0.0, -0.0, -0.0],
        &[f32::INFINITY, f32::NEG_INFINITY],
    ];
    let turns = 700;
    let (mut keys, mut values) = (Vec::new(), Vec::new());
    for turn in 0..turns {
        for (number, run) in runs.iter().enumerate() {
            keys.extend(vec![(turn * runs.len() + number) as u32; run.len()]);
            values.extend_from_slice(run);
        }
    }
    let bits = |items: &[f32]| -> Vec<u32> {
        let one = |x: &f32| if x.is_nan() { 0x7FC0_0000 } else { x.to_bits() };
        items.iter().map(one).collect()
    };
    let equality = Equality::<u32>::by_value();
    for (name, operator) in [("sum", Operator::<f32>::sum()), ("max", Operator::<f32>::max())] {
        for way in [WAYS[0], WAYS[4]] {
            let tuning = small_tiles(&context);
            let make = |algorithm, tuning: &_| {
                ReduceByKey::with_algorithm(&context, &equality, &operator, algorithm, tuning)
            };
            let Some(reduction) = by_way(way, &tuning, make) else { continue };
            let (_, totals) = reduction.run(&keys, &values).unwrap();
            let wanted = reference::reduce_by_key(&keys, &values, &equality, &operator).unwrap().1;
            assert_eq!(bits(&totals), bits(&wanted), "{name} {way:?}");
            for kind in KINDS {
                let make = |algorithm, tuning: &_| {
                    ScanByKey::with_algorithm(
                        &context, &equality, &operator, kind, algorithm, tuning,
                    )
                };
                let scan = by_way(way, &tuning, make).unwrap();
                let wanted =
                    reference::scan_by_key(&keys, &values, &equality, &operator, kind, None);
                let got = scan.run(&keys, &values).unwrap();
                assert_eq!(bits(&got), bits(&wanted.unwrap()), "{name} {kind:?} {way:?}");
            }
        }
    }
}

/// Rows of workgroups, parts, pieces and segments of values; what is at the seams, in order.
#[test]
fn values_over_several_dispatches() {
    let Some(context) = own() else { return };
    let context = common::pretend(&context, |c| {
        c.workgroups = 2000;
        c.binding_bytes = 5 << 20;
    });
    let n = 1_100_003;
    let keys: Vec<u32> = (0..n as u32).map(|i| i / 1000 * 2 / 3).collect();
    let values: Vec<[u32; 2]> = (0..n).map(affine_item).collect();
    let (equality, affine) = (Equality::<u32>::by_value(), affine());
    let tags = context.upload(&keys).unwrap();
    let source = context.upload(&values[..300_001]).unwrap();
    let source = source.then(&context.upload(&values[300_001..]).unwrap()).unwrap();
    let tuning = Tuning { words_per_lane: 4, ..small_tiles(&context) };
    for algorithm in [Algorithm::ReduceThenScan, Algorithm::Fallback] {
        let reduction =
            ReduceByKey::with_algorithm(&context, &equality, &affine, algorithm, &tuning).unwrap();
        let (firsts, totals) =
            reference::reduce_by_key(&keys, &values, &equality, &affine).unwrap();
        let (out_keys, out_values) = (
            Output::<u32>::new(&context, firsts.len()),
            Output::<[u32; 2]>::new(&context, firsts.len()),
        );
        let count = Output::<u32>::new(&context, 1);
        let call = reduction
            .call(&tags, &source, &out_keys.slice, &out_values.slice, &count.slice)
            .unwrap();
        call.dispatch().unwrap().check().unwrap();
        assert_eq!(count.first(&context, 1), [firsts.len() as u32]);
        assert!(out_keys.first(&context, firsts.len()) == firsts);
        assert!(out_values.first(&context, firsts.len()) == totals, "{algorithm}");
        for kind in KINDS {
            let scan =
                ScanByKey::with_algorithm(&context, &equality, &affine, kind, algorithm, &tuning);
            let scan = scan.unwrap().with_init([5, 6]);
            let wanted =
                reference::scan_by_key(&keys, &values, &equality, &affine, kind, Some([5, 6]));
            let (a, b) = (context.allocate(500_000).unwrap(), context.allocate(600_003).unwrap());
            let output = a.clone().then(&b).unwrap();
            scan.call(&tags, &source, &output).unwrap().dispatch().unwrap().check().unwrap();
            let got = [context.download(&a).unwrap(), context.download(&b).unwrap()].concat();
            assert_eq!(common::first_difference(&got, &wanted.unwrap()), None, "{algorithm}");
        }
    }
}

/// Numbers of values on the device, from none to past the capacity; then the runs' number itself.
#[test]
fn numbers_of_values_on_the_device() {
    let Some(context) = own() else { return };
    let n = 20_000;
    let keys: Vec<u32> = (0..n).map(|i| i / 7 % 5).collect();
    let values: Vec<u32> = (0..n).map(|i| hash(i, 4)).collect();
    let (source, tags) = (context.upload(&values).unwrap(), context.upload(&keys).unwrap());
    let (equality, sum) = (Equality::by_value(), Operator::<u32>::sum());
    for algorithm in [Algorithm::ReduceThenScan, Algorithm::Fallback] {
        let tuning = small_tiles(&context);
        let reduction =
            ReduceByKey::with_algorithm(&context, &equality, &sum, algorithm, &tuning).unwrap();
        let kind = Kind::Exclusive;
        let scan =
            ScanByKey::with_algorithm(&context, &equality, &sum, kind, algorithm, &tuning).unwrap();
        for count in [0u32, 1, 777, 19_999, 20_000, u32::MAX] {
            let m = count.min(n) as usize;
            let one = context.upload(&[count]).unwrap();
            let counted = source.clone().counted_by(&one).unwrap();
            for counted in [counted.clone(), counted.dispatched_indirectly()] {
                let outputs = [(); 3].map(|()| Output::<u32>::new(&context, n as usize));
                let n_runs = Output::<u32>::new(&context, 1);
                let [first, second, third] = outputs.each_ref().map(|output| &output.slice);
                let call = reduction.call(&tags, &counted, first, second, &n_runs.slice).unwrap();
                call.dispatch().unwrap().check().unwrap();
                let (keys, values) = (&keys[..m], &values[..m]);
                let wanted = reference::reduce_by_key(keys, values, &equality, &sum).unwrap();
                assert_eq!(n_runs.first(&context, 1), [wanted.0.len() as u32], "{count}");
                assert_eq!(outputs[0].first(&context, wanted.0.len()), wanted.0, "{count}");
                assert_eq!(outputs[1].first(&context, wanted.1.len()), wanted.1, "{count}");
                let call = scan.call(&tags, &counted, third).unwrap();
                call.dispatch().unwrap().check().unwrap();
                let wanted =
                    reference::scan_by_key(keys, values, &equality, &sum, kind, None).unwrap();
                let got = outputs[2].first(&context, m);
                assert_eq!(common::first_difference(&got, &wanted), None, "{count}");
                // The totals of runs, by their own number, reduced once more.
                let totals = second.clone().counted_by(&n_runs.slice).unwrap();
                let again = [(); 2].map(|()| Output::<u32>::new(&context, n as usize));
                let n_again = Output::<u32>::new(&context, 1);
                let call = reduction
                    .call(first, &totals, &again[0].slice, &again[1].slice, &n_again.slice)
                    .unwrap();
                call.dispatch().unwrap().check().unwrap();
                assert_eq!(n_again.first(&context, 1), n_runs.first(&context, 1), "{count}");
            }
        }
    }
}

/// Outputs where the values were.
#[test]
fn scans_in_place() {
    let Some(context) = own() else { return };
    let n = 30_011;
    let keys: Vec<u32> = (0..n).map(|i| i / 100).collect();
    let values: Vec<u32> = (0..n).map(|i| hash(i, 4)).collect();
    let tags = context.upload(&keys).unwrap();
    let (equality, sum) = (Equality::by_value(), Operator::<u32>::sum());
    let on_nvidia = common::pretend(&context, |c| {
        (c.device_type, c.vendor) = (wgpu::DeviceType::DiscreteGpu, 0x10de);
    });
    for (context, algorithm) in [
        (&context, Algorithm::ReduceThenScan),
        (&context, Algorithm::LookBack),
        (&context, Algorithm::Auto),
        (&on_nvidia, Algorithm::Auto),
    ] {
        for kind in KINDS {
            let tuning = small_tiles(context);
            let scan =
                ScanByKey::with_algorithm(context, &equality, &sum, kind, algorithm, &tuning)
                    .unwrap();
            let wanted =
                reference::scan_by_key(&keys, &values, &equality, &sum, kind, None).unwrap();
            for _ in 0..5 {
                let both = context.upload(&values).unwrap();
                let call = scan.call(&tags, &both, &both).unwrap();
                if call.dispatch().unwrap().check().is_ok() {
                    assert!(context.download(&both).unwrap() == wanted, "{algorithm} {kind:?}");
                    break;
                }
            }
        }
    }
}

/// Accumulators of 4 words, with which the number of segments makes one too many for descriptors.
#[test]
fn wide_values_go_by_reduce_then_scan() {
    let Some(context) = own() else { return };
    let gpu = common::pretend(&context, |c| {
        (c.device_type, c.vendor) = (wgpu::DeviceType::DiscreteGpu, 0);
    });
    let (equality, add) = (Equality::<u32>::by_value(), add_moments());
    let n = 5003;
    let keys: Vec<u32> = (0..n).map(|i| i / 9).collect();
    let values: Vec<Moment> =
        (0..n as i32).map(|i| Moment { position: [i, -i], mass: 1, padding: 0 }).collect();
    let tuning = small_tiles(&gpu);
    let auto = Algorithm::Auto;
    let reduction = ReduceByKey::with_algorithm(&gpu, &equality, &add, auto, &tuning).unwrap();
    let wanted = reference::reduce_by_key(&keys, &values, &equality, &add).unwrap();
    assert!(reduction.run(&keys, &values).unwrap() == wanted);
    let named = ReduceByKey::with_algorithm(
        &gpu,
        &equality,
        &add,
        Algorithm::LookBack,
        &Tuning { descriptor: Some(lookback::Descriptor::Split32), ..tuning },
    );
    assert!(matches!(named.unwrap_err(), lookback::Error::Length { wanted: 4, got: 5, .. }));
}

/// Devices with few bindings: scans in those of scans and one more, reductions in 8.
#[test]
fn devices_with_few_bindings() {
    let (Some(context), Some(least)) = (own(), common::least_context()) else { return };
    let (equality, sum) = (Equality::<u32>::by_value(), Operator::<u32>::sum());
    let keys: Vec<u32> = (0..10_000).map(|i| i / 11).collect();
    let values: Vec<u32> = (0..10_000).map(|i| hash(i, 8)).collect();
    let eight = common::pretend(&context, |c| c.storage_bindings = 8);
    let four = common::pretend(&context, |c| c.storage_bindings = 4);
    let as_gpu = |c: &Context| {
        common::pretend(c, |c| (c.device_type, c.vendor) = (wgpu::DeviceType::DiscreteGpu, 0))
    };
    for context in [as_gpu(&eight), as_gpu(&four), eight, four, least] {
        for kind in KINDS {
            let scan = ScanByKey::new(&context, &equality, &sum, kind).unwrap();
            let wanted = reference::scan_by_key(&keys, &values, &equality, &sum, kind, None);
            assert!(scan.run(&keys, &values).unwrap() == wanted.unwrap());
        }
        match ReduceByKey::new(&context, &equality, &sum) {
            Ok(reduction) => {
                let wanted = reference::reduce_by_key(&keys, &values, &equality, &sum).unwrap();
                assert!(reduction.run(&keys, &values).unwrap() == wanted);
            }
            Err(error) => {
                assert!(context.capabilities().storage_bindings < 8, "{error}");
                assert!(matches!(error, lookback::Error::Limit { .. }), "{error}");
            }
        }
    }
}
