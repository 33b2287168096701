//! Scans in a single pass: the property set over algorithms, and what happens when tiles stall.

mod common;
#[path = "common/pairwise.rs"]
mod pairwise;

use common::operators::{self, Exact, Visit};
use common::{Place, ladder, small_tiles, with_files};
use lookback::{Algorithm, Context, Element, Error, GpuSlice, Kind, Operator, Scan, reference};

const ALGORITHMS: [Algorithm; 3] = [Algorithm::Chained, Algorithm::LookBack, Algorithm::Fallback];
const PLACES: [Place; 4] = [Place::Apart, Place::Offset(1, 0), Place::Same, Place::OneBuffer];

/// A context with a state of its own: tests run side by side, and a call takes a tile that gives up
/// beside it for its own.
fn own() -> Option<Context> {
    common::context().map(|context| common::pretend(context, |_| {}))
}

/// What the property set runs over.
const CHECKED: [&str; 5] = ["u32 sum", "f32 max", "affine maps", "vec4<f32> min", "threes"];

struct Properties<'a> {
    context: &'a Context,
    emulated: &'a Context,
    rows: Vec<[usize; 4]>,
    next: usize,
    gave_up: usize,
}

impl Visit for Properties<'_> {
    fn visit<I: Element, A: Element, O: Element>(
        &mut self,
        name: &str,
        operator: &Operator<I, A, O>,
        make: fn(usize) -> I,
    ) {
        // Two elements, two orders that matter, the widest payload: the rest is no other text.
        if !CHECKED.contains(&name) {
            return;
        }
        let rows: Vec<_> = self.rows.iter().filter(|row| row[0] == self.next).copied().collect();
        for [_, algorithm, place, variant] in rows {
            let context = if variant == 1 { self.emulated } else { self.context };
            let algorithm = ALGORITHMS[algorithm];
            let kind = [Kind::Inclusive, Kind::Exclusive][(place + variant) % 2];
            let tuning = with_files(small_tiles(context), self.next + place);
            let place = match (PLACES[place], I::LAYOUT.words() == O::LAYOUT.words(), algorithm) {
                (Place::Same, false, _) | (Place::Same, _, Algorithm::Fallback) => Place::Apart,
                (place, _, _) => place,
            };
            let scan = Scan::with_algorithm(context, operator, kind, algorithm, &tuning)
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            let kernel = scan.plan(1).unwrap().passes[0].kernel;
            let tile = kernel.tile_items() as usize;
            let lanes = context.capabilities().subgroup_lanes_max.max(4);
            let mut sizes = ladder(lanes, kernel.workgroup_size, kernel.tile_items());
            sizes.extend([tile * 33, tile * 299 + 7]);
            for n in sizes {
                let input: Vec<I> = (0..n).map(make).collect();
                // A pass that may give up is asked again a few times: right or nothing.
                for _ in 0..3 {
                    let wanted = reference::scan(&input, operator, kind, None).unwrap();
                    match common::scan_at(context, &scan, &input, place) {
                        Ok(got) => {
                            let difference = common::first_difference(&got, &wanted);
                            assert_eq!(difference, None, "{name} {algorithm:?} n = {n}");
                            break;
                        }
                        Err(Error::Stalled) if algorithm != Algorithm::Fallback => {
                            self.gave_up += 1;
                        }
                        Err(error) => panic!("{name} {algorithm:?} n = {n}: {error}"),
                    }
                }
            }
        }
        self.next += 1;
    }
}

#[test]
fn every_algorithm_equals_the_reference() {
    let Some(context) = own() else { return };
    let context = &context;
    let emulated = common::without_subgroups(context);
    let names = operators::names();
    let checked = names.iter().filter(|name| CHECKED.contains(&name.as_str())).count();
    assert_eq!(checked, CHECKED.len());
    let rows = pairwise::rows([checked, ALGORITHMS.len(), PLACES.len(), 2]);
    let mut properties = Properties { context, emulated: &emulated, rows, next: 0, gave_up: 0 };
    operators::some(&mut properties);
    assert_eq!(properties.next, checked);
    println!("{} calls gave up and were asked again", properties.gave_up);
}

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
    let wide = operators::wide();
    let error =
        Scan::with_algorithm(&context, &wide, Kind::Inclusive, fallback, &tuning).unwrap_err();
    assert!(matches!(error, Error::Length { wanted: 4, got: 5, .. }), "{error}");
}

/// Runs with alternating inputs, so that what a call before has left is a different number.
fn repeat(context: &Context, algorithm: Algorithm, n: usize, rounds: usize) -> usize {
    let sum = Operator::<u32>::sum();
    let tuning = lookback::Tuning::for_device(context.capabilities());
    let scan = Scan::with_algorithm(context, &sum, Kind::Inclusive, algorithm, &tuning).unwrap();
    let inputs: [Vec<u32>; 2] = [
        (0..n).map(|i| operators::hash(i as u32, 2) % 1000).collect(),
        (0..n).map(u32::any).collect(),
    ];
    let wanted =
        inputs.each_ref().map(|input| reference::scan(input, &sum, Kind::Inclusive, None).unwrap());
    let sources = inputs.each_ref().map(|input| context.upload(input).unwrap());
    let output = context.allocate::<u32>(n as u64).unwrap();
    let mut gave_up = 0;
    for round in 0..rounds {
        let call = scan.dispatch(&sources[round % 2], &output).unwrap();
        match call.check() {
            Ok(()) => {
                let got = context.download(&output).unwrap();
                let difference = common::first_difference(&got, &wanted[round % 2]);
                assert_eq!(difference, None, "{algorithm:?} round {round}");
            }
            Err(Error::Stalled) => gave_up += 1,
            Err(error) => panic!("{error}"),
        }
    }
    gave_up
}

#[test]
fn j1_many_calls_with_alternating_data() {
    let Some(context) = own() else { return };
    let context = &context;
    for algorithm in ALGORITHMS {
        // Those that may give up wait long before they do: fewer of them.
        let rounds = if algorithm == Algorithm::Fallback { 50 } else { 15 };
        let gave_up = repeat(context, algorithm, 1 << 19, rounds);
        println!("{algorithm:?}: {gave_up} of {rounds} calls gave up");
        assert!(algorithm != Algorithm::Fallback || gave_up == 0);
    }
}

#[test]
fn stalled_tiles_are_reduced_by_others_or_end_the_call() {
    let Some(context) = own() else { return };
    let context = &context;
    let affine = operators::affine();
    for context in [context.clone(), common::without_subgroups(context)] {
        for every in [2, 3, 17] {
            for algorithm in ALGORITHMS {
                let tuning = small_tiles(&context);
                let scan =
                    Scan::with_algorithm(&context, &affine, Kind::Inclusive, algorithm, &tuning);
                let scan = scan.unwrap().with_stalls(every);
                let input: Vec<[u32; 2]> = (0..20_000).map(operators::affine_item).collect();
                let start = std::time::Instant::now();
                let result = common::scan_at(&context, &scan, &input, Place::Apart);
                assert!(start.elapsed().as_secs() < 30, "{algorithm:?} takes too long");
                match (algorithm, result) {
                    (Algorithm::Fallback, Ok(got)) => {
                        let wanted = reference::scan(&input, &affine, Kind::Inclusive, None);
                        let difference = common::first_difference(&got, &wanted.unwrap());
                        assert_eq!(difference, None, "every {every}");
                    }
                    (Algorithm::Chained | Algorithm::LookBack, Err(Error::Stalled)) => {}
                    (_, other) => panic!("{algorithm:?}, every {every}: {:?}", other.map(|_| ())),
                }
                // The host layer has a result in any case, and the next call starts clean.
                let wanted = reference::scan(&input, &affine, Kind::Inclusive, None).unwrap();
                assert!(scan.run(&input).unwrap() == wanted, "{algorithm:?}, every {every}");
                let whole = scan.with_stalls(0);
                assert!(whole.run(&input).unwrap() == wanted, "{algorithm:?}, every {every}");
            }
        }
    }
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
    for round in 0..20 {
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
