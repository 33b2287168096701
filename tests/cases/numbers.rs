//! Numbers: identities, NaN, signed zeros, rounding, determinism.

use super::*;

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

/// Documented: the same from run to run on one device, whatever else it does, by reduce-then-scan and
/// for reductions. By a single pass sums may differ within their bound, while integers do not.
#[test]
fn e4_float_results_do_not_change_from_run_to_run() {
    let Some(context) = common::context() else { return };
    let sum = Operator::<f32>::sum();
    let input: Vec<f32> = (0..1_000_003).map(|i| hash(i, 5) as f32 / 4294967296.0 - 0.5).collect();
    let source = context.upload(&input).unwrap();
    let busy = context.upload(&vec![1u32; 1 << 18]).unwrap();
    let tuning = Tuning::for_device(context.capabilities());
    let by = |algorithm| {
        Scan::with_algorithm(context, &sum, Kind::Inclusive, algorithm, &tuning).unwrap()
    };
    let (scan, single_pass) = (by(Algorithm::ReduceThenScan), by(Algorithm::Fallback));
    let reduce = Reduce::new(context, &sum).unwrap();
    let other = Scan::new(context, &Operator::<u32>::sum(), Kind::Inclusive).unwrap();
    let counts: Vec<u32> = (0..1_000_003).map(|i| hash(i, 6)).collect();
    let wanted_counts = reference::scan(&counts, &Operator::sum(), Kind::Inclusive, None).unwrap();
    let passes = single_pass.plan(input.len() as u32).unwrap().passes;
    let tiles: u32 = passes.iter().map(|pass| pass.workgroups * pass.rows).sum();
    let ulps = f64::from(tiles) + 64.0 + 20.0;
    let (mut exact, mut absolute) = (0.0, 0.0);
    let bounds: Vec<(f64, f64)> = input
        .iter()
        .map(|&x| {
            (exact, absolute) = (exact + f64::from(x), absolute + f64::from(x.abs()));
            (exact, absolute * ulps * (-24f64).exp2())
        })
        .collect();
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
        for (i, (got, (exact, bound))) in
            single_pass.run(&input).unwrap().into_iter().zip(&bounds).enumerate()
        {
            let error = (f64::from(got) - exact).abs();
            assert!(error <= *bound, "item {i}: error {error:e}, bound {bound:e}");
        }
        assert_eq!(first_difference(&other.run(&counts).unwrap(), &wanted_counts), None);
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
