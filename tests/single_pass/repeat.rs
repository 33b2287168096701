//! Many calls with alternating data, so that what an earlier call has left is a wrong number.

use crate::common::operators::{Exact, hash};
use crate::*;

/// Items of few tiles.
const FEW: usize = 2048;

/// Calls that gave up, of `rounds`; every other word is compared.
fn repeat(context: &Context, way: Way, n: usize, rounds: usize) -> Option<usize> {
    let sum = Operator::<u32>::sum();
    let tuning = Tuning::for_device(context.capabilities());
    let scan = scan_by(context, &sum, Kind::Inclusive, way, &tuning)?;
    let inputs: [Vec<u32>; 2] =
        [(0..n).map(|i| hash(i as u32, 2) % 1000).collect(), (0..n).map(u32::any).collect()];
    let wanted =
        inputs.each_ref().map(|input| reference::scan(input, &sum, Kind::Inclusive, None).unwrap());
    let sources = inputs.each_ref().map(|input| context.upload(input).unwrap());
    let output = context.allocate::<u32>(n as u64).unwrap();
    let mut gave_up = 0;
    for round in 0..rounds {
        match checked(context, &scan, way, &sources[round % 2], &output) {
            Some(got) => {
                let difference = common::first_difference(&got, &wanted[round % 2]);
                assert_eq!(difference, None, "{way:?} round {round}");
            }
            None => gave_up += 1,
        }
    }
    // How many of its calls give up is the driver's affair, but of a few tiles not all do.
    assert!(n > FEW || gave_up < rounds, "{way:?} gave up in all {rounds} calls");
    Some(gave_up)
}

/// Case J1 and its kind. Calls that give up wait long before they do, so there are fewer of them.
#[test]
fn j1_many_calls_with_alternating_data() {
    let Some(context) = own() else { return };
    let only = std::env::var("LOOKBACK_ALGORITHM").ok();
    for way in single_passes() {
        if only.as_ref().is_some_and(|only| only != way.0.name()) {
            continue;
        }
        let sizes = match (is_full(), may_give_up(way.0)) {
            (true, _) => vec![(FEW, 10), (1 << 20, 500), (1 << 24, 50)],
            (false, true) => vec![(FEW, 10), (1 << 18, 10)],
            (false, false) => vec![(1 << 19, 50)],
        };
        for (n, rounds) in sizes {
            let Some(gave_up) = repeat(&context, way, n, rounds) else { continue };
            println!("{way:?}, n = {n}: {gave_up} of {rounds} calls gave up, no word was wrong");
        }
    }
}

/// Case J2: sizes past 2^24 while other work is pending. A single pass of the device's own choice
/// finishes with the right answer.
#[test]
fn j2_other_work_is_pending() {
    let Some(context) = own() else { return };
    // Taken for a GPU, so that the choice is a single pass.
    let context = common::pretend(&context, |c| c.device_type = wgpu::DeviceType::DiscreteGpu);
    let sum = Operator::<u32>::sum();
    let scan = Scan::new(&context, &sum, Kind::Inclusive).unwrap();
    assert_eq!(scan.choice(false).algorithm, Algorithm::Fallback);
    let n = if is_full() { 33_000_000 } else { 1 << 22 };
    let input = vec![1u32; n];
    let source = context.upload(&input).unwrap();
    let outputs = [0, 1, 2].map(|_| context.allocate::<u32>(n as u64).unwrap());
    let start = std::time::Instant::now();
    let calls = outputs.each_ref().map(|output| scan.dispatch(&source, output).unwrap());
    for (call, output) in calls.iter().zip(&outputs) {
        call.check().unwrap();
        let got = context.download(output).unwrap();
        assert_eq!((0..n).find(|&i| got[i] != i as u32 + 1), None);
    }
    assert!(start.elapsed().as_secs() < 60, "it takes too long");
}
