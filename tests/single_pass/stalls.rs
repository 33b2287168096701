//! Tiles that publish nothing, as if their workgroups were never run again.

use crate::common::{Place, small_tiles};
use crate::*;

#[test]
fn stalled_tiles_are_reduced_by_others_or_end_the_call() {
    let Some(context) = own() else { return };
    let affine = operators::affine();
    let input: Vec<[u32; 2]> = (0..8_000).map(operators::affine_item).collect();
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

/// No tile publishes: walks reduce all tiles and tell one another. One that needs too many gives up,
/// but not one of those with few enough before them. The next calls find a clean state.
#[test]
fn no_tile_publishes() {
    let Some(context) = own() else { return };
    let sum = Operator::<u32>::sum();
    let input: Vec<u32> = (0..40_000).map(|i| i * 7 % 11 + 1).collect();
    let wanted = reference::scan(&input, &sum, Kind::Inclusive, None).unwrap();
    for context in [context.clone(), common::without_subgroups(&context)] {
        for form in FORMS {
            let way = (Algorithm::Fallback, Some(form));
            let tuning = small_tiles(&context);
            let scan = scan_by(&context, &sum, Kind::Inclusive, way, &tuning);
            let Some(scan) = scan else { continue };
            let pass = scan.plan(40_000).unwrap().passes[0].clone();
            let kernel = pass.kernel;
            let most = kernel.single_pass.unwrap().reduced_max;
            let (tiles, tile) = (pass.params.n_tiles, kernel.tile_items() as usize);
            // On a CPU walks need more tiles than they may reduce; on a GPU they may reduce all.
            assert!(tiles > 130, "{tiles} tiles, {most} at most");
            let source = context.upload(&input).unwrap();
            let output = context.allocate::<u32>(input.len() as u64).unwrap();
            let stalled = scan.with_stalls(1).with_counters();
            let before = scan.counters().unwrap().unwrap();
            let done = match stalled.dispatch(&source, &output).unwrap().check() {
                Ok(()) => input.len(),
                Err(Error::Stalled) => (most as usize * tile).min(input.len()),
                Err(error) => panic!("{way:?}: {error}"),
            };
            let got = context.download(&output).unwrap();
            assert_eq!(common::first_difference(&got[..done], &wanted[..done]), None, "{way:?}");
            let after = scan.counters().unwrap().unwrap();
            let reduced = after.fallbacks - before.fallbacks;
            assert!(reduced >= tiles - 1 && reduced <= tiles * most, "{reduced}, {way:?}");
            for _ in 0..3 {
                scan.dispatch(&source, &output).unwrap().check().unwrap();
                let got = context.download(&output).unwrap();
                assert_eq!(common::first_difference(&got, &wanted), None, "{way:?}");
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
    let fallbacks = stalled.fallbacks - after.fallbacks;
    // Each tile at least once for those that wait for it, and at most once by each of them.
    assert!(fallbacks >= n_tiles / 2 - 1 && fallbacks < n_tiles * n_tiles, "{stalled:?}");
    assert!(stalled.looks_in_vain > after.looks_in_vain, "{stalled:?}");
    let whole =
        Scan::with_algorithm(&context, &sum, Kind::Inclusive, Algorithm::ReduceThenScan, &tuning);
    assert_eq!(whole.unwrap().counters().unwrap(), None);
}
