//! The state between calls: numbers of items on the device, pieces, any order of submissions, and
//! what single passes refuse.

use crate::common::operators::Exact;
use crate::common::small_tiles;
use crate::*;

/// Numbers of items on the device, from none to past the capacity.
#[test]
fn counts_on_the_device() {
    let Some(context) = own() else { return };
    let affine = operators::affine();
    let tuning = small_tiles(&context);
    let input: Vec<[u32; 2]> = (0..20_000).map(operators::affine_item).collect();
    let source = context.upload(&input).unwrap();
    let wanted = reference::scan(&input, &affine, Kind::Inclusive, None).unwrap();
    let fallback = Algorithm::Fallback;
    let scan = Scan::with_algorithm(&context, &affine, Kind::Inclusive, fallback, &tuning).unwrap();
    for count in [0u32, 1, 777, 19_999, 20_000, u32::MAX] {
        let n = (count as usize).min(input.len());
        let one = context.upload(&[count]).unwrap();
        let counted = source.clone().counted_by(&one).unwrap();
        for counted in [counted.clone(), counted.dispatched_indirectly()] {
            let poisoned = context.upload(&vec![common::CANARY; 2 * input.len()]).unwrap();
            let output = GpuSlice::<[u32; 2]>::whole(poisoned.buffer());
            scan.dispatch(&counted, &output).unwrap().check().unwrap();
            let got = context.download(&output).unwrap();
            let difference = common::first_difference(&got[..n], &wanted[..n]);
            assert_eq!(difference, None, "count = {count}");
            assert!(got[n..].iter().all(|item| *item == [common::CANARY; 2]), "count = {count}");
        }
    }
}

/// Pieces of several buffers and of small bindings: what stands before each is left on the device.
#[test]
fn pieces_carry_on() {
    let Some(context) = own() else { return };
    let context = common::pretend(&context, |c| c.binding_bytes = 5 << 20);
    let affine = operators::affine();
    let tuning = small_tiles(&context);
    let input: Vec<[u32; 2]> = (0..1_000_003).map(operators::affine_item).collect();
    let parts = |cuts: [usize; 2]| {
        let part = |from, to| context.upload(&input[from..to]).unwrap();
        let first = part(0, cuts[0]).then(&part(cuts[0], cuts[1])).unwrap();
        first.then(&part(cuts[1], input.len())).unwrap()
    };
    for algorithm in [Algorithm::LookBack, Algorithm::Fallback] {
        for kind in [Kind::Inclusive, Kind::Exclusive] {
            let scan = Scan::with_algorithm(&context, &affine, kind, algorithm, &tuning).unwrap();
            let scan = scan.with_init([5, 7]);
            let wanted = reference::scan(&input, &affine, kind, Some([5, 7])).unwrap();
            let output = parts([10, 800_000]);
            // Asked again where it gives up, as in `every_algorithm_equals_the_reference`.
            for _ in 0..3 {
                let call = scan.dispatch(&parts([20_001, 20_003]), &output).unwrap();
                match call.check() {
                    Ok(()) => {
                        let got = context.download(&output).unwrap();
                        let difference = common::first_difference(&got, &wanted);
                        assert_eq!(difference, None, "{algorithm:?} {kind:?}");
                    }
                    Err(Error::Stalled) if algorithm == Algorithm::LookBack => {}
                    Err(error) => panic!("{algorithm:?} {kind:?}: {error}"),
                }
            }
        }
    }
}

/// An operator that loops, a payload that is too wide, slices that overlap.
#[test]
fn what_single_passes_do_not_take() {
    let Some(context) = own() else { return };
    let tuning = small_tiles(&context);
    let fallback = Algorithm::Fallback;
    let text = "fn combine(a: u32, b: u32) -> u32 {
        var r = a;
        for (var i = 0u; i < 100u; i += 1u) { r += select(0u, b, i == 7u); }
        return r;
    }";
    let looping = Operator::from_wgsl(0u32, text).unwrap();
    let looping = looping.with_host(|a: u32, b: u32| a.wrapping_add(b));
    let scan =
        Scan::with_algorithm(&context, &looping, Kind::Inclusive, fallback, &tuning).unwrap();
    let input: Vec<u32> = (0..100_000).map(u32::any).collect();
    let wanted = reference::scan(&input, &looping, Kind::Inclusive, None).unwrap();
    assert_eq!(common::first_difference(&scan.run(&input).unwrap(), &wanted), None);
    let sum = Operator::<u32>::sum();
    let scan = Scan::with_algorithm(&context, &sum, Kind::Inclusive, fallback, &tuning).unwrap();
    let slice = context.upload(&input).unwrap();
    let error = scan.dispatch(&slice, &slice).unwrap_err();
    assert!(matches!(error, Error::Aliased { .. }), "{error}");
}

/// One state over changing n and two plans of other widths, encoders dropped or submitted the other
/// way round.
#[test]
fn the_state_serves_any_order_of_calls() {
    let Some(context) = own() else { return };
    let context = &context;
    let (sum, affine) = (Operator::<u32>::sum(), operators::affine());
    let tuning = small_tiles(context);
    let fallback = Algorithm::Fallback;
    let sums = Scan::with_algorithm(context, &sum, Kind::Inclusive, fallback, &tuning).unwrap();
    let maps = Scan::with_algorithm(context, &affine, Kind::Inclusive, fallback, &tuning).unwrap();
    let items: Vec<u32> = (0..100_000).map(u32::any).collect();
    let pairs: Vec<[u32; 2]> = (0..50_000).map(operators::affine_item).collect();
    let (items_slice, pairs_slice) =
        (context.upload(&items).unwrap(), context.upload(&pairs).unwrap());
    let all_sums = reference::scan(&items, &sum, Kind::Inclusive, None).unwrap();
    let all_maps = reference::scan(&pairs, &affine, Kind::Inclusive, None).unwrap();
    for round in 0..if is_full() { 1000 } else { 20 } {
        let mut recorded = Vec::new();
        for n in [100_000u64, 1_000, 99_999, 1, 0, 50_000] {
            let mut encoder = context.device().create_command_encoder(&Default::default());
            let output = context.allocate::<u32>(n).unwrap();
            let part = GpuSlice::new(items_slice.buffer(), 0..n).unwrap();
            sums.record(&mut encoder, &part, &output).unwrap();
            let n = n / 2;
            let other = context.allocate::<[u32; 2]>(n).unwrap();
            let part = GpuSlice::new(pairs_slice.buffer(), 0..n).unwrap();
            maps.record(&mut encoder, &part, &other).unwrap();
            recorded.push((encoder, output, other));
        }
        if round % 2 == 0 {
            recorded.reverse();
        }
        let mut outputs = Vec::new();
        for (index, (encoder, output, other)) in recorded.into_iter().enumerate() {
            if (index + round) % 4 != 0 {
                context.queue().submit([encoder.finish()]);
                outputs.push((output, other));
            }
        }
        for (output, other) in outputs {
            let got = context.download(&output).unwrap();
            assert_eq!(common::first_difference(&got, &all_sums[..got.len()]), None);
            let got = context.download(&other).unwrap();
            assert_eq!(common::first_difference(&got, &all_maps[..got.len()]), None);
        }
    }
}
