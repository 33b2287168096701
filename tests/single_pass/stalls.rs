//! Tiles that publish nothing, as if their workgroups were never run again.

use crate::common::{Place, small_tiles};
use crate::*;

#[test]
fn stalled_tiles_are_reduced_by_others_or_end_the_call() {
    let Some(context) = own() else { return };
    let affine = operators::affine();
    let input: Vec<[u32; 2]> = (0..20_000).map(operators::affine_item).collect();
    let wanted = reference::scan(&input, &affine, Kind::Inclusive, None).unwrap();
    for (turn, context) in [context.clone(), common::without_subgroups(&context)].iter().enumerate()
    {
        for (index, way) in single_passes().into_iter().enumerate() {
            for every in [2, 3, 17] {
                // Forms take turns but for the first device.
                if turn == 1 && index % 3 != every as usize % 3 {
                    continue;
                }
                let tuning = small_tiles(context);
                let scan = scan_by(context, &affine, Kind::Inclusive, way, &tuning);
                let Some(scan) = scan.map(|scan| scan.with_stalls(every)) else { continue };
                let start = std::time::Instant::now();
                let result = common::scan_at(context, &scan, &input, Place::Apart);
                assert!(start.elapsed().as_secs() < 30, "{way:?} takes too long");
                match (way.0, result) {
                    (Algorithm::Fallback, Ok(got)) => {
                        let difference = common::first_difference(&got, &wanted);
                        assert_eq!(difference, None, "{way:?} every {every}");
                    }
                    (Algorithm::Chained | Algorithm::LookBack, Err(Error::Stalled)) => {}
                    (_, other) => panic!("{way:?}, every {every}: {:?}", other.map(|_| ())),
                }
                // The host layer has a result in any case, and the next call starts clean.
                assert!(scan.run(&input).unwrap() == wanted, "{way:?}, every {every}");
                let whole = scan.with_stalls(0);
                assert!(whole.run(&input).unwrap() == wanted, "{way:?}, every {every}");
            }
        }
    }
}

/// What passes with counters have done: tiles without a word of their own are reduced by others.
#[test]
fn counters_tell_what_happened() {
    let Some(context) = own() else { return };
    let sum = Operator::<u32>::sum();
    let tuning = small_tiles(&context);
    let way = (Algorithm::Fallback, Some(Descriptor::Split32));
    let scan = scan_by(&context, &sum, Kind::Inclusive, way, &tuning).unwrap();
    let input = vec![1u32; 20_000];
    let counted = || scan.counters().unwrap().unwrap();
    let before = counted();
    scan.run(&input).unwrap();
    assert_eq!(counted(), before, "a call without counters was counted");
    scan.with_counters().run(&input).unwrap();
    let after = counted();
    let n_tiles = scan.plan(20_000).unwrap().passes[0].params.n_tiles;
    // Each walk ends with a window that it combines.
    assert!(after.windows - before.windows >= n_tiles, "{after:?}");
    scan.with_counters().with_stalls(2).run(&input).unwrap();
    let stalled = counted();
    assert!(stalled.fallbacks > after.fallbacks, "{stalled:?}");
    assert!(stalled.looks_in_vain > after.looks_in_vain, "{stalled:?}");
    let whole =
        Scan::with_algorithm(&context, &sum, Kind::Inclusive, Algorithm::ReduceThenScan, &tuning);
    assert_eq!(whole.unwrap().counters().unwrap(), None);
}
