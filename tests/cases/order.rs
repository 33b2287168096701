//! Order: operators that do not commute, initial values, in place, stale data.

use super::*;

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
