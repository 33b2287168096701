//! The property set of scan: whatever the variant, element, operator, place and size, the
//! result is the reference's, bit for bit, and nothing else is written.

mod common;
#[path = "common/pairwise.rs"]
mod pairwise;

use common::operators::{self, Exact, Visit};
use common::{Place, check_scan, ladder, small_tiles, with_files};
use lookback::{Context, Element, Kind, Operator, Scan, Tuning};
use proptest::prelude::*;

const PLACES: [Place; 4] = [Place::Apart, Place::Offset(1, 0), Place::Same, Place::OneBuffer];

struct Properties<'a> {
    context: &'a Context,
    emulated: &'a Context,
    /// One row of choices for each visit, taken in turn.
    rows: Vec<[usize; 4]>,
    next: usize,
}

impl Visit for Properties<'_> {
    fn visit<I: Element, A: Element, O: Element>(
        &mut self,
        name: &str,
        operator: &Operator<I, A, O>,
        make: fn(usize) -> I,
    ) {
        let pairs = self.rows.iter().filter(|row| row[0] == self.next).copied();
        for [_, variant, place, kind] in pairs.collect::<Vec<_>>() {
            // Small tiles on native and emulated subgroups, the device's own sizes on native ones.
            let context = if variant == 1 { self.emulated } else { self.context };
            let kind = [Kind::Inclusive, Kind::Exclusive][kind];
            let tuning = match variant {
                2 => Tuning::for_device(context.capabilities()),
                _ => small_tiles(context),
            };
            // Each file that can scan the totals takes its turn, and so do the builtins.
            let tuning = with_files(tuning, self.next + place);
            // In place needs items of one size.
            let place = match (PLACES[place], I::LAYOUT.words() == O::LAYOUT.words()) {
                (Place::Same, false) => Place::Apart,
                (place, _) => place,
            };
            let scan = Scan::with_tuning(context, operator, kind, &tuning)
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            let kernel = scan.plan(1).unwrap().passes[0].kernel;
            let mut sizes = ladder(
                context.capabilities().subgroup_lanes_max.max(4),
                kernel.workgroup_size,
                kernel.tile_items(),
            );
            // Many chunks; more chunks than a spine's tile has items; chunks of several tiles.
            sizes.push(kernel.tile_items() as usize * 299 + 7);
            sizes.push(kernel.tile_items() as usize * 601 + 1);
            if variant == 2 {
                sizes.truncate(sizes.len() - 1);
            }
            for n in sizes {
                let input: Vec<I> = (0..n).map(make).collect();
                check_scan(context, (&scan, operator, kind), &input, place);
            }
        }
        self.next += 1;
    }
}

/// What `Auto` chooses on GPUs, single passes, with operators whose types differ. One driver's lanes
/// are enough: `tests/single_pass` runs on all.
#[test]
fn single_passes_of_users_operators() {
    let Some(context) = common::context() else { return };
    let driver = std::env::var("LOOKBACK_DRIVER").unwrap_or_default();
    if matches!(driver.as_str(), "lavapipe-4" | "lavapipe-16" | "swiftshader") {
        println!("skipped: {driver} is left to tests/single_pass");
        return;
    }
    let context = &common::pretend(context, |capabilities| {
        capabilities.device_type = wgpu::DeviceType::DiscreteGpu;
        // No vendor whose devices are trusted in place, as this one need not be.
        capabilities.vendor = 0;
    });
    let emulated = &common::without_subgroups(context);
    let rows = pairwise::rows([8, 3, PLACES.len(), 2]);
    let mut properties = Properties { context, emulated, rows, next: 0 };
    operators::own(&mut properties);
    assert_eq!(properties.next, 8);
}

#[test]
fn every_variant_equals_the_reference() {
    let Some(context) = common::context() else { return };
    let emulated = common::without_subgroups(context);
    let count = operators::names().len();
    let rows = pairwise::rows([count, 3, PLACES.len(), 2]);
    println!("{} rows of element and operator, variant, place, kind", rows.len());
    let mut properties = Properties { context, emulated: &emulated, rows, next: 0 };
    operators::some(&mut properties);
    assert_eq!(properties.next, count);
}

/// Every n from one tile to two, with an operator whose order matters.
#[test]
fn every_size_from_one_tile_to_two() {
    let Some(context) = common::context() else { return };
    for context in [context.clone(), common::without_subgroups(context)] {
        let operator = operators::affine();
        let tuning = small_tiles(&context);
        let scan = Scan::with_tuning(&context, &operator, Kind::Inclusive, &tuning).unwrap();
        let tile = scan.plan(1).unwrap().passes[0].kernel.tile_items() as usize;
        let input: Vec<[u32; 2]> = (0..2 * tile).map(operators::affine_item).collect();
        for n in tile..2 * tile {
            let parts = (&scan, &operator, Kind::Inclusive);
            check_scan(&context, parts, &input[..n], Place::Apart);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any data, size and place.
    #[test]
    fn any_data_at_any_place(
        input in prop::collection::vec(any::<u32>(), 0..5000),
        src in 0u64..300,
        dst in 0u64..300,
        exclusive: bool,
    ) {
        if let Some(context) = common::context() {
            let operator = Operator::<u32>::sum();
            let kind = if exclusive { Kind::Exclusive } else { Kind::Inclusive };
            let scan =
                Scan::with_tuning(context, &operator, kind, &small_tiles(context)).unwrap();
            check_scan(context, (&scan, &operator, kind), &input, Place::Offset(src, dst));
        }
    }
}

/// Two plans and two threads share a context; calls follow one another without waiting.
#[test]
fn calls_without_waits_between_keep_their_own_parameters() {
    let Some(context) = common::context() else { return };
    std::thread::scope(|scope| {
        for seed in 0..2 {
            scope.spawn(move || {
                let operator = Operator::<u32>::sum();
                let tuning = small_tiles(context);
                let scan = Scan::with_tuning(context, &operator, Kind::Inclusive, &tuning).unwrap();
                let sizes = [3000, 1, 40_000, 127, 2048];
                let input: Vec<u32> = (0..40_000).map(|i| u32::any(i + seed)).collect();
                let outputs: Vec<_> = sizes
                    .iter()
                    .map(|&n| {
                        let src = context.upload(&input[..n]).unwrap();
                        let dst = context.allocate(n as u64).unwrap();
                        scan.dispatch(&src, &dst).unwrap();
                        dst
                    })
                    .collect();
                for (n, output) in sizes.into_iter().zip(outputs) {
                    let wanted =
                        lookback::reference::scan(&input[..n], &operator, Kind::Inclusive, None);
                    assert_eq!(context.download(&output).unwrap(), wanted.unwrap(), "n = {n}");
                }
            });
        }
    });
}
