//! The project's cases A5, B1, H2, H4, H8, L3 and their kinds; repetitions; chains without a readback.

use lookback::{
    Algorithm, Call, Equality, GpuSlice, Kind, LongRuns, Operator, Partition, PartitionThree,
    Predicate, Reduce, RunLengthDecode, RunLengths, Scan, Select, Tuning, Unique, UniqueByKey,
    reference,
};

use crate::common::operators::hash;
use crate::common::{self, small_tiles};
use crate::slices::{Output, input};
use crate::{WAYS, by_way, done, own};

fn odd() -> Predicate<u32> {
    Predicate::from_wgsl("(x & 1u) == 1u").unwrap().with_host(|x: u32, _| x & 1 == 1)
}

/// Case A5: more than one dispatch's workgroups, parts and pieces; what is at the seams.
#[test]
fn a5_selections_over_several_dispatches() {
    let Some(context) = own() else { return };
    let n = 1_500_003;
    let items: Vec<u32> = (0..n).map(|i| hash(i, 11)).collect();
    let wanted = reference::partition(&items, &[], &odd()).unwrap();
    // Few workgroups a dispatch, so there are rows of them; bindings of few items, so there are pieces.
    let context = common::pretend(&context, |c| {
        c.workgroups = 2000;
        c.binding_bytes = 5 << 20;
    });
    let tuning = Tuning { words_per_lane: 4, ..small_tiles(&context) };
    for algorithm in [Algorithm::ReduceThenScan, Algorithm::Fallback] {
        let partition = Partition::with_algorithm(&context, &odd(), algorithm, &tuning).unwrap();
        let outputs = wanted.each_ref().map(|w| Output::<u32>::new(&context, w.len()));
        let counts = Output::<u32>::new(&context, 2);
        let source = context.upload(&items[..400_001]).unwrap();
        let source = source.then(&context.upload(&items[400_001..]).unwrap()).unwrap();
        let slices = outputs.each_ref().map(|output| &output.slice);
        let call = partition.call(&source, None, slices, &counts.slice).unwrap();
        call.dispatch().unwrap().check().unwrap();
        assert_eq!(counts.first(&context, 2), wanted.each_ref().map(|w| w.len() as u32));
        for (output, wanted) in outputs.iter().zip(&wanted) {
            let got = output.first(&context, wanted.len());
            assert_eq!(common::first_difference(&got, wanted), None, "{algorithm}");
        }
    }
}

/// Case B1: nothing and one item, counts poisoned before.
#[test]
fn b1_nothing_and_one_item() {
    let Some(context) = own() else { return };
    let context = &context;
    let tuning = Tuning::for_device(context.capabilities());
    for way in WAYS {
        for n in [0usize, 1] {
            let items = vec![7u32; n];
            let source = input(context, &items, 1);
            let run = |call: Call<'_>, counts: &Output<u32>, wanted: &[usize]| {
                assert!(done(way, &call), "{way:?}");
                let wanted: Vec<u32> = wanted.iter().map(|&count| count as u32).collect();
                assert_eq!(counts.first(context, wanted.len()), wanted, "{way:?} n = {n}");
            };
            let out = || Output::<u32>::new(context, 2);
            let counts = |n| Output::<u32>::new(context, n);
            let (a, b, c) = (out(), out(), out());
            let equality = Equality::by_value();
            let make =
                |algorithm, tuning: &_| Select::with_algorithm(context, &odd(), algorithm, tuning);
            let Some(select) = by_way(way, &tuning, make) else { continue };
            let count = counts(1);
            run(select.call(&source, None, &a.slice, &count.slice).unwrap(), &count, &[n]);
            a.first(context, n);
            let make = |algorithm, tuning: &_| {
                PartitionThree::with_algorithm(context, &odd(), &odd(), algorithm, tuning)
            };
            let three = by_way(way, &tuning, make).unwrap();
            let count = counts(3);
            let outputs = [&a.slice, &b.slice, &c.slice];
            run(three.call(&source, None, outputs, &count.slice).unwrap(), &count, &[n, 0, 0]);
            let make = |algorithm, tuning: &_| {
                RunLengths::with_algorithm(context, &equality, algorithm, tuning)
            };
            let runs = by_way(way, &tuning, make).unwrap();
            let count = counts(1);
            run(runs.call(&source, &a.slice, &b.slice, &count.slice).unwrap(), &count, &[n]);
            assert_eq!(b.first(context, n), vec![1; n]);
            let make = |algorithm, tuning: &_| {
                LongRuns::with_algorithm(context, &equality, algorithm, tuning)
            };
            let long = by_way(way, &tuning, make).unwrap();
            let count = counts(1);
            let (a, b) = (out(), out());
            run(long.call(&source, &a.slice, &b.slice, &count.slice).unwrap(), &count, &[0]);
            a.first(context, 0);
            b.first(context, 0);
        }
    }
}

/// Case H2: distinct keys, then a run that begins at a tile's border.
#[test]
fn h2_runs_after_distinct_keys() {
    let Some(context) = own() else { return };
    let equality = Equality::by_value();
    for way in WAYS {
        let tuning = small_tiles(&context);
        let make = |algorithm, tuning: &_| {
            LongRuns::with_algorithm(&context, &equality, algorithm, tuning)
        };
        let Some(long) = by_way(way, &tuning, make) else { continue };
        for t in [64u32, 128, 256, 512, 1024, 1440, 2048, 4096] {
            let mut keys: Vec<u32> = (0..t).collect();
            for j in 0..t / 4 {
                keys.extend([t + 2 * j; 3]);
                keys.push(t + 2 * j + 1);
            }
            let (offsets, lengths) = (
                Output::<u32>::new(&context, t as usize),
                Output::<u32>::new(&context, t as usize),
            );
            let counts = Output::<u32>::new(&context, 1);
            let source = input(&context, &keys, 0);
            let call = long.call(&source, &offsets.slice, &lengths.slice, &counts.slice).unwrap();
            if !done(way, &call) {
                continue;
            }
            let count = t as usize / 4;
            assert_eq!(counts.first(&context, 1), [t / 4], "{way:?} T = {t}");
            let wanted: Vec<u32> = (0..t / 4).map(|j| t + 4 * j).collect();
            assert_eq!(offsets.first(&context, count), wanted, "{way:?} T = {t}");
            assert_eq!(lengths.first(&context, count), vec![3; count], "{way:?} T = {t}");
        }
    }
}

/// Case H4: which member of a run is told, and what equal means.
#[test]
fn h4_the_first_of_equal_keys() {
    let Some(context) = own() else { return };
    let (zero, minus, one) = (0x0000_0000u32, 0x8000_0000u32, 0x3F80_0000u32);
    let bits = [zero, minus, zero, one, one, minus, zero];
    let keys = bits.map(f32::from_bits);
    let runs = RunLengths::new(&context, &Equality::by_value()).unwrap();
    let (values, lengths) = runs.run(&keys).unwrap();
    assert_eq!(values.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), [zero, one, minus]);
    assert_eq!(lengths, [3, 2, 2]);
    let (_, lengths) = RunLengths::new(&context, &Equality::by_bits()).unwrap().run(&keys).unwrap();
    assert_eq!(lengths, [1, 1, 1, 2, 1, 1]);
    // A run of mixed signs across a tile's border, and NaNs.
    for way in WAYS {
        let tuning = small_tiles(&context);
        let make = |algorithm, tuning: &_| {
            UniqueByKey::<f32, u32>::with_algorithm(
                &context,
                &Equality::by_value(),
                algorithm,
                tuning,
            )
        };
        let Some(unique) = by_way(way, &tuning, make) else { continue };
        for t in [64usize, 128, 256, 512] {
            let mut keys: Vec<f32> =
                (0..t - 1).map(|i| if i % 2 == 0 { -0.0 } else { 0.0 }).collect();
            keys.extend([0.0, -0.0, f32::NAN, f32::NAN, 1.0]);
            let values: Vec<u32> = (0..keys.len() as u32).collect();
            let (keys, values) = unique.run(&keys, &values).unwrap();
            let t = t as u32;
            assert_eq!(values, [0, t + 1, t + 2, t + 3], "{way:?}");
            assert_eq!(keys[0].to_bits(), minus);
        }
    }
    let nans = [f32::NAN, f32::NAN, f32::from_bits(0x7FC0_0001)];
    assert_eq!(Unique::new(&context, &Equality::by_bits()).unwrap().run(&nans).unwrap().len(), 2);
}

/// Case H8: both sides keep their order.
#[test]
fn h8_partitions_are_stable() {
    let Some(context) = own() else { return };
    let n = 100_003;
    let items: Vec<u32> = (0..n).collect();
    let threes =
        Predicate::from_wgsl("x % 3u == 0u").unwrap().with_host(|x: u32, _| x.is_multiple_of(3));
    for algorithm in [Algorithm::Auto, Algorithm::Fallback] {
        let tuning = Tuning::for_device(context.capabilities());
        let partition = Partition::with_algorithm(&context, &threes, algorithm, &tuning).unwrap();
        let [kept, others] = partition.run(&items, &[]).unwrap();
        assert_eq!(kept, items.iter().copied().filter(|x| x % 3 == 0).collect::<Vec<_>>());
        assert_eq!(others, items.iter().copied().filter(|x| x % 3 != 0).collect::<Vec<_>>());
    }
}

/// Case L3: slices that start anywhere.
#[test]
fn l3_slices_within_larger_buffers() {
    let Some(context) = own() else { return };
    let n = 10_000;
    let whole: Vec<u32> = (0..20_000).map(|i| hash(i, 7)).collect();
    let buffer = context.upload(&whole).unwrap();
    let select = Select::new(&context, &odd()).unwrap();
    for start in [0usize, 1, 3, 63, 64, 65, 1000] {
        let source = GpuSlice::new(buffer.buffer(), start as u64..(start + n) as u64).unwrap();
        let wanted = reference::select(&whole[start..start + n], &[], &odd()).unwrap();
        let (output, counts) =
            (Output::<u32>::new(&context, wanted.len()), Output::<u32>::new(&context, 1));
        let call = select.call(&source, None, &output.slice, &counts.slice).unwrap();
        call.dispatch().unwrap().check().unwrap();
        assert_eq!(output.first(&context, wanted.len()), wanted, "start = {start}");
        assert_eq!(counts.first(&context, 1), [wanted.len() as u32]);
    }
}

/// Many calls, of other data by turns: 100 of 2^20 in a full run.
#[test]
fn repetitions_with_alternating_data() {
    let Some(context) = own() else { return };
    let full = std::env::var("LOOKBACK_FULL").is_ok_and(|value| value == "1");
    let (n, rounds) = if full { (1 << 20, 100) } else { (1 << 16, 10) };
    let inputs = [1, 2].map(|seed| (0..n).map(|i| hash(i, seed) % 3).collect::<Vec<u32>>());
    let equality = Equality::by_value();
    let mut given_up = 0;
    for way in WAYS {
        let tuning = Tuning::for_device(context.capabilities());
        let make = |algorithm, tuning: &_| {
            RunLengths::with_algorithm(&context, &equality, algorithm, tuning)
        };
        let Some(runs) = by_way(way, &tuning, make) else { continue };
        let wanted = inputs.each_ref().map(|items| reference::runs(items, &equality).unwrap());
        let sources = inputs.each_ref().map(|items| context.upload(items).unwrap());
        for round in 0..rounds {
            let wanted = &wanted[round % 2];
            let (values, lengths, counts) = (
                Output::<u32>::new(&context, n as usize),
                Output::<u32>::new(&context, n as usize),
                Output::<u32>::new(&context, 1),
            );
            let call = runs
                .call(&sources[round % 2], &values.slice, &lengths.slice, &counts.slice)
                .unwrap();
            if !done(way, &call) {
                given_up += 1;
                continue;
            }
            assert_eq!(counts.first(&context, 1), [wanted.len() as u32], "{way:?} {round}");
            let expected: Vec<u32> = wanted.iter().map(|run| run.1).collect();
            let got = lengths.first(&context, wanted.len());
            assert_eq!(common::first_difference(&got, &expected), None, "{way:?} {round}");
        }
    }
    println!("{given_up} calls gave up each time");
}

/// Five primitives in one encoder, each with the count of the one before: one submission, no readback.
#[test]
fn a_chain_whose_counts_stay_on_the_device() {
    let Some(context) = own() else { return };
    let n = 50_000;
    let items: Vec<u32> = (0..n).map(|i| hash(i, 9) % 100).collect();
    let small = Predicate::from_wgsl("x < 60u").unwrap().with_host(|x: u32, _| x < 60);
    let sum = Operator::<u32>::sum();
    let equality = Equality::by_value();
    for algorithm in [Algorithm::ReduceThenScan, Algorithm::Fallback] {
        let tuning = small_tiles(&context);
        let select = Select::with_algorithm(&context, &small, algorithm, &tuning).unwrap();
        let unique = Unique::with_algorithm(&context, &equality, algorithm, &tuning).unwrap();
        let partition = Partition::with_algorithm(&context, &odd(), algorithm, &tuning).unwrap();
        let scan =
            Scan::with_algorithm(&context, &sum, Kind::Inclusive, algorithm, &tuning).unwrap();
        let reduce = Reduce::new(&context, &Operator::<u32>::max()).unwrap();
        for indirect in [false, true] {
            let of = |slice: &GpuSlice<u32>, count: &GpuSlice<u32>| {
                let counted = slice.clone().counted_by(count).unwrap();
                if indirect { counted.dispatched_indirectly() } else { counted }
            };
            let slice = || context.allocate::<u32>(u64::from(n)).unwrap();
            let (kept, heads, ones, others, sums) = (slice(), slice(), slice(), slice(), slice());
            let (n_kept, n_heads, result) = (
                context.allocate::<u32>(1).unwrap(),
                context.allocate::<u32>(1).unwrap(),
                context.allocate::<u32>(1).unwrap(),
            );
            let n_kinds = context.allocate::<u32>(2).unwrap();
            let n_ones = GpuSlice::new(n_kinds.buffer(), 0..1).unwrap();
            let source = context.upload(&items).unwrap();
            let mut encoder = context.device().create_command_encoder(&Default::default());
            let calls = [
                select.call(&source, None, &kept, &n_kept).unwrap(),
                unique.call(&of(&kept, &n_kept), &heads, &n_heads).unwrap(),
                partition.call(&of(&heads, &n_heads), None, [&ones, &others], &n_kinds).unwrap(),
            ];
            calls.iter().for_each(|call| call.record(&mut encoder).unwrap());
            scan.record(&mut encoder, &of(&ones, &n_ones), &sums).unwrap();
            reduce.record(&mut encoder, &of(&sums, &n_ones), &result).unwrap();
            context.queue().submit([encoder.finish()]);

            let wanted = reference::select(&items, &[], &small).unwrap();
            let runs = reference::runs(&wanted, &equality).unwrap();
            let heads: Vec<u32> = runs.iter().map(|run| wanted[run.0 as usize]).collect();
            let [ones, others] = reference::partition(&heads, &[], &odd()).unwrap();
            assert_eq!(context.download(&n_kept).unwrap(), [wanted.len() as u32]);
            assert_eq!(context.download(&n_heads).unwrap(), [heads.len() as u32]);
            let kinds = [ones.len() as u32, others.len() as u32];
            assert_eq!(context.download(&n_kinds).unwrap(), kinds);
            let total = ones.iter().fold(0u32, |a, b| a.wrapping_add(*b));
            assert_eq!(context.download(&result).unwrap(), [total], "{algorithm} {indirect}");
        }
    }
}

/// Counts on the device from none to past the capacity.
#[test]
fn numbers_of_items_on_the_device() {
    let Some(context) = own() else { return };
    let items: Vec<u32> = (0..20_000).map(|i| hash(i, 4) % 4).collect();
    let source = context.upload(&items).unwrap();
    let equality = Equality::by_value();
    for algorithm in [Algorithm::ReduceThenScan, Algorithm::Fallback] {
        let tuning = small_tiles(&context);
        let runs = RunLengths::with_algorithm(&context, &equality, algorithm, &tuning).unwrap();
        for count in [0u32, 1, 777, 19_999, 20_000, u32::MAX] {
            let n = (count as usize).min(items.len());
            let one = context.upload(&[count]).unwrap();
            let counted = source.clone().counted_by(&one).unwrap();
            for counted in [counted.clone(), counted.dispatched_indirectly()] {
                let wanted = reference::runs(&items[..n], &equality).unwrap();
                let (values, lengths, counts) = (
                    Output::<u32>::new(&context, items.len()),
                    Output::<u32>::new(&context, items.len()),
                    Output::<u32>::new(&context, 1),
                );
                let call =
                    runs.call(&counted, &values.slice, &lengths.slice, &counts.slice).unwrap();
                call.dispatch().unwrap().check().unwrap();
                assert_eq!(counts.first(&context, 1), [wanted.len() as u32], "{count}");
                let expected: Vec<u32> = wanted.iter().map(|run| run.1).collect();
                assert_eq!(lengths.first(&context, wanted.len()), expected, "{count}");
            }
        }
    }
}

/// Narrow devices: the same results with few bindings, and an error with fewer.
#[test]
fn devices_with_few_bindings() {
    let (Some(context), Some(least)) = (own(), common::least_context()) else { return };
    let items: Vec<u32> = (0..10_000).map(|i| hash(i, 8) % 3).collect();
    let values: Vec<u32> = (0..10_000).collect();
    let equality = Equality::by_value();
    let eight = common::pretend(&context, |c| c.storage_bindings = 8);
    for context in [eight, least] {
        let Ok(unique) = UniqueByKey::new(&context, &equality) else {
            assert!(context.capabilities().storage_bindings < 8);
            println!("skipped: {} storage bindings", context.capabilities().storage_bindings);
            continue;
        };
        let runs = reference::runs(&items, &equality).unwrap();
        match unique.run(&items, &values) {
            Ok((_, values)) => {
                assert_eq!(values, runs.iter().map(|run| run.0).collect::<Vec<_>>());
            }
            Err(error) => {
                assert!(context.capabilities().storage_bindings < 8, "{error}");
                assert!(matches!(error, lookback::Error::Limit { .. }), "{error}");
            }
        }
    }
}

/// Decoding is the inverse of encoding; lengths of 0 and of very much, less room than there is to write,
/// and counts on the device.
#[test]
fn runs_are_decoded() {
    let Some(context) = own() else { return };
    for context in [context.clone(), common::without_subgroups(&context)] {
        for algorithm in [Algorithm::ReduceThenScan, Algorithm::Fallback] {
            let tuning = small_tiles(&context);
            let decode =
                RunLengthDecode::<[f32; 3]>::with_algorithm(&context, algorithm, &tuning).unwrap();
            for n in [0usize, 1, 2, 1000, 5003] {
                let values: Vec<[f32; 3]> = (0..n).map(|i| [i as f32, 1.0, -(i as f32)]).collect();
                let mut lengths: Vec<u32> = (0..n as u32).map(|i| hash(i, 2) % 4).collect();
                if n == 1000 {
                    lengths[700] = 50_000;
                }
                let wanted: Vec<[f32; 3]> = (0..n)
                    .flat_map(|i| std::iter::repeat_n(values[i], lengths[i] as usize))
                    .collect();
                assert!(decode.run(&values, &lengths).unwrap() == wanted, "{algorithm} {n}");
                // Half the room, and of the runs on the device's word only some.
                let some = n / 3;
                let part: usize = lengths[..some].iter().map(|&length| length as usize).sum();
                let room = wanted.len() / 2;
                let output = Output::<[f32; 3]>::new(&context, room);
                let counts = Output::<u32>::new(&context, 1);
                let number = context.upload(&[some as u32]).unwrap();
                let source = input(&context, &values, 1).counted_by(&number).unwrap();
                let lengths = input(&context, &lengths, 2);
                let call = decode.call(&source, &lengths, &output.slice, &counts.slice).unwrap();
                call.dispatch().unwrap().check().unwrap();
                assert_eq!(counts.first(&context, 1), [part as u32], "{algorithm} {n}");
                let written = part.min(room);
                assert!(output.first(&context, written) == wanted[..written], "{algorithm} {n}");
            }
        }
    }
}

/// Texts of as many trips as they may take: a driver that ends loops silently must not have to.
#[test]
fn texts_that_loop_stay_below_the_drivers_budget() {
    let Some(context) = own() else { return };
    let items: Vec<u32> = (0..300_000).map(|i| hash(i / 3, 6)).collect();
    let bits = "var n = 0u;
        for (var i = 0u; i < 100u; i += 1u) { n += select(0u, (x >> (i & 31u)) & 1u, i < 32u); }";
    let keep = format!("fn keep(x: u32) -> bool {{ {bits} return n % 2u == 0u; }}");
    let even = Predicate::from_wgsl(&keep)
        .unwrap()
        .with_host(|x: u32, _| x.count_ones().is_multiple_of(2));
    let own = Tuning::for_device(context.capabilities());
    let few = [1, 4].map(|words_per_lane| Tuning { words_per_lane, ..own });
    for (tuning, n) in few.iter().flat_map(|few| [(few, 2048), (few, 4096)]) {
        // One workgroup's chunk: calls of more items have shorter ones.
        let select = Select::with_algorithm(&context, &even, Algorithm::Auto, tuning).unwrap();
        let wanted = reference::select(&items[..n], &[], &even).unwrap();
        assert_eq!(select.run(&items[..n], &[]).unwrap(), wanted, "{tuning:?} {n}");
        let wide = keep.replace("x: u32", "x: vec3<u32>").replace("(x >>", "(x.y >>");
        let wide = Predicate::<[u32; 3]>::from_wgsl(&wide)
            .unwrap()
            .with_host(|x, _| x[1].count_ones().is_multiple_of(2));
        let vectors: Vec<[u32; 3]> = items[..n].iter().map(|&x| [1, x, 2]).collect();
        let select = Select::with_algorithm(&context, &wide, Algorithm::Auto, tuning).unwrap();
        let wanted = reference::select(&vectors, &[], &wide).unwrap();
        assert!(select.run(&vectors, &[]).unwrap() == wanted, "{tuning:?} {n}");
    }
    let tuning = own;
    for algorithm in [Algorithm::Auto, Algorithm::Fallback] {
        let select = Select::with_algorithm(&context, &even, algorithm, &tuning).unwrap();
        let wanted = reference::select(&items, &[], &even).unwrap();
        let got = select.run(&items, &[]).unwrap();
        assert_eq!(common::first_difference(&got, &wanted), None);
        let same = format!(
            "fn count(x: u32) -> u32 {{ {bits} return n; }}
fn same(a: u32, b: u32) -> bool {{ return count(a) == count(b); }}"
        );
        let equality = Equality::from_wgsl(&same)
            .unwrap()
            .with_host(|a: u32, b: u32| a.count_ones() == b.count_ones());
        let long = LongRuns::with_algorithm(&context, &equality, algorithm, &tuning).unwrap();
        let runs = reference::runs(&items[..100_000], &equality).unwrap();
        let wanted: Vec<u32> = runs.iter().filter(|run| run.1 > 1).map(|run| run.1).collect();
        let (_, lengths) = long.run(&items[..100_000]).unwrap();
        assert_eq!(common::first_difference(&lengths, &wanted), None);
    }
}

/// Lanes of more rows than CPUs get, whose kinds take several words.
#[test]
fn lanes_of_many_rows() {
    let Some(context) = own() else { return };
    if std::env::var("LOOKBACK_DRIVER").is_ok_and(|driver| driver == "swiftshader") {
        println!("skipped: its compiler takes minutes for so many rows");
        return;
    }
    let context = common::pretend(&context, |c| c.device_type = wgpu::DeviceType::Other);
    let items: Vec<u32> = (0..20_011).map(|i| hash(i / 3, 6) % 5).collect();
    for words_per_lane in [17, 33] {
        let tuning = Tuning { words_per_lane, ..small_tiles(&context) };
        let auto = Algorithm::Auto;
        let small = Predicate::from_wgsl("x < 2u").unwrap().with_host(|x: u32, _| x < 2);
        let partition = Partition::with_algorithm(&context, &small, auto, &tuning).unwrap();
        let wanted = reference::partition(&items, &[], &small).unwrap();
        assert_eq!(partition.run(&items, &[]).unwrap(), wanted, "{words_per_lane}");
        let equality = Equality::by_value();
        let runs = LongRuns::with_algorithm(&context, &equality, auto, &tuning).unwrap();
        // Of one item a lane's other rows stand for it.
        for n in [1, 2, 1000, items.len()] {
            let mut wanted = reference::runs(&items[..n], &equality).unwrap();
            wanted.retain(|run| run.1 > 1);
            let (starts, lengths) = runs.run(&items[..n]).unwrap();
            assert_eq!(starts.into_iter().zip(lengths).collect::<Vec<_>>(), wanted, "{n}");
        }
    }
}
