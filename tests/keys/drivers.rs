//! What drivers do: tiles that never answer, repetitions, loops that are ended.

use lookback::{Algorithm, Equality, Kind, Operator, ReduceByKey, ScanByKey, Tuning, reference};

use crate::cases::KINDS;
use crate::common::operators::{hash, last_nonzero};
use crate::common::{self, small_tiles};
use crate::slices::Output;
use crate::ways::{done, own};

/// Tiles that publish nothing are reduced by others, heads and all; without that, calls say so.
#[test]
fn tiles_that_never_answer() {
    let Some(context) = own() else { return };
    let tuning = small_tiles(&context);
    let n = 37 * 4 * tuning.workgroup_size;
    let (equality, last) = (Equality::<u32>::by_value(), last_nonzero());
    let values: Vec<u32> = (0..n).map(|i| hash(i, 4) % 3).collect();
    for context in [context.clone(), common::without_subgroups(&context)] {
        for length in [3, 100, n] {
            let keys: Vec<u32> = (0..n).map(|i| i / length).collect();
            for algorithm in [Algorithm::Fallback, Algorithm::LookBack] {
                let reduction =
                    ReduceByKey::with_algorithm(&context, &equality, &last, algorithm, &tuning);
                let reduction = reduction.unwrap().with_stalls(3);
                let kind = Kind::Exclusive;
                let scan =
                    ScanByKey::with_algorithm(&context, &equality, &last, kind, algorithm, &tuning);
                let scan = scan.unwrap().with_stalls(2);
                let (source, tags) =
                    (context.upload(&values).unwrap(), context.upload(&keys).unwrap());
                let outputs = [(); 3].map(|()| context.allocate::<u32>(u64::from(n)).unwrap());
                let count = context.allocate::<u32>(1).unwrap();
                let calls = [
                    reduction.call(&tags, &source, &outputs[0], &outputs[1], &count).unwrap(),
                    scan.call(&tags, &source, &outputs[2]).unwrap(),
                ];
                for call in calls {
                    let checked = call.dispatch().unwrap().check();
                    let gave_up = matches!(checked, Err(lookback::Error::Stalled));
                    assert_eq!(gave_up, algorithm == Algorithm::LookBack, "{algorithm} {length}");
                }
                // On the host's side a call that gave up is done another way.
                let (firsts, totals) =
                    reference::reduce_by_key(&keys, &values, &equality, &last).unwrap();
                let scanned =
                    reference::scan_by_key(&keys, &values, &equality, &last, kind, None).unwrap();
                assert!(reduction.run(&keys, &values).unwrap() == (firsts, totals.clone()));
                assert!(scan.run(&keys, &values).unwrap() == scanned);
                if algorithm == Algorithm::Fallback {
                    let got = context.download(&outputs[1]).unwrap();
                    assert_eq!(common::first_difference(&got[..totals.len()], &totals), None);
                    let got = context.download(&outputs[2]).unwrap();
                    assert_eq!(common::first_difference(&got, &scanned), None);
                }
            }
        }
    }
}

/// 10 repetitions of 2^20 items with two data by turns; with `LOOKBACK_FULL=1` 100.
#[test]
fn repetitions_at_2_20_items() {
    let Some(context) = own() else { return };
    let full = std::env::var("LOOKBACK_FULL").is_ok_and(|value| value == "1");
    let rounds = if full { 100 } else { 10 };
    let n = 1u32 << 20;
    let tuning = Tuning::for_device(context.capabilities());
    let equality = Equality::<u32>::by_value();
    let sum = Operator::<u32>::sum();
    // Short runs, and long ones of which some begin at each border.
    let keys =
        [3, 12].map(|bits| (0..n).map(|i| (i + hash(i >> 9, 1) % 2) >> bits).collect::<Vec<_>>());
    let values: Vec<u32> = (0..n).map(|i| hash(i, 7)).collect();
    let source = context.upload(&values).unwrap();
    let tags = keys.each_ref().map(|keys| context.upload(keys).unwrap());
    let mut given_up = 0;
    for algorithm in [Algorithm::ReduceThenScan, Algorithm::Fallback] {
        let way = (algorithm, None);
        let reduction =
            ReduceByKey::with_algorithm(&context, &equality, &sum, algorithm, &tuning).unwrap();
        let kind = Kind::Exclusive;
        let scan =
            ScanByKey::with_algorithm(&context, &equality, &sum, kind, algorithm, &tuning).unwrap();
        let wanted = keys.each_ref().map(|keys| {
            let scanned = reference::scan_by_key(keys, &values, &equality, &sum, kind, None);
            let reduced = reference::reduce_by_key(keys, &values, &equality, &sum).unwrap();
            (scanned.unwrap(), reduced.1)
        });
        for round in 0..rounds {
            let ((scanned, reduced), tags) = (&wanted[round % 2], &tags[round % 2]);
            let outputs = [(); 3].map(|()| Output::<u32>::new(&context, n as usize));
            let count = Output::<u32>::new(&context, 1);
            let [first, second, third] = outputs.each_ref().map(|output| &output.slice);
            let calls = [
                reduction.call(tags, &source, first, second, &count.slice).unwrap(),
                scan.call(tags, &source, third).unwrap(),
            ];
            if !calls.iter().all(|call| done(way, call)) {
                given_up += 1;
                continue;
            }
            assert_eq!(count.first(&context, 1), [reduced.len() as u32], "{algorithm} {round}");
            let got = outputs[1].first(&context, reduced.len());
            assert_eq!(common::first_difference(&got, reduced), None, "{algorithm} {round}");
            let got = outputs[2].first(&context, n as usize);
            assert_eq!(common::first_difference(&got, scanned), None, "{algorithm} {round}");
        }
    }
    println!("{given_up} calls gave up each time");
}

/// Texts of as many trips as they may take: a driver that ends loops silently must not have to.
#[test]
fn texts_that_loop_stay_below_the_drivers_budget() {
    let Some(context) = own() else { return };
    let bits = "fn count(x: u32) -> u32 { var n = 0u;
        for (var i = 0u; i < 100u; i += 1u) { n += select(0u, (x >> (i & 31u)) & 1u, i < 32u); }
        return n; }";
    let same = format!("{bits} fn same(a: u32, b: u32) -> bool {{ return count(a ^ b) < 2u; }}");
    let near = Equality::<u32>::from_wgsl(&same).unwrap();
    let near = near.with_host(|a: u32, b: u32| (a ^ b).count_ones() < 2);
    let sum = "fn combine(a: u32, b: u32) -> u32 { var c = a;
        for (var i = 0u; i < 100u; i += 1u) { c += select(0u, b, i == 7u); } return c; }";
    let sum = Operator::from_wgsl(0u32, sum).unwrap().with_host(|a: u32, b| a.wrapping_add(b));
    let keys: Vec<u32> = (0..100_003).map(|i| i / 9).collect();
    let values: Vec<u32> = (0..100_003).map(|i| hash(i, 6)).collect();
    for (equality, operator) in [(&near, &Operator::sum()), (&Equality::by_value(), &sum)] {
        let wanted = reference::reduce_by_key(&keys, &values, equality, operator).unwrap();
        let reduction = ReduceByKey::new(&context, equality, operator).unwrap();
        assert!(reduction.run(&keys, &values).unwrap() == wanted);
        for kind in KINDS {
            let scan = ScanByKey::new(&context, equality, operator, kind).unwrap();
            let wanted = reference::scan_by_key(&keys, &values, equality, operator, kind, None);
            let got = scan.run(&keys, &values).unwrap();
            assert_eq!(common::first_difference(&got, &wanted.unwrap()), None, "{kind:?}");
        }
    }
}
