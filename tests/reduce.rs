//! The property set of reduce: whatever the variant, element, operator, place and size, the
//! result is the reference's, bit for bit, and nothing else is written.

mod common;
#[path = "common/pairwise.rs"]
mod pairwise;

use common::operators::{self, Visit};
use common::{Place, check_reduce, ladder, small_tiles, with_files};
use lookback::{Context, Element, Operator, Reduce, Tuning};
use proptest::prelude::*;

const PLACES: [Place; 4] =
    [Place::Apart, Place::Offset(1, 0), Place::Offset(4, 1), Place::OneBuffer];

struct Properties<'a> {
    contexts: [&'a Context; 2],
    checked: usize,
}

impl Visit for Properties<'_> {
    fn visit<I: Element, A: Element, O: Element>(
        &mut self,
        name: &str,
        operator: &Operator<I, A, O>,
        make: fn(usize) -> I,
    ) {
        for [variant, place] in pairwise::rows([4, PLACES.len()]) {
            // Elements take turns with the places, so that a quarter of the product is run.
            if !(variant + place + self.checked).is_multiple_of(4) {
                continue;
            }
            let context = self.contexts[variant % 2];
            let tuning = match variant / 2 {
                0 => small_tiles(context),
                _ => Tuning::for_device(context.capabilities()),
            };
            let tuning = with_files(tuning, self.checked + place);
            let reduce = Reduce::with_tuning(context, operator, &tuning)
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            let kernel = reduce.plan(1).unwrap().passes[0].kernel;
            let lanes = context.capabilities().subgroup_lanes_max.max(4);
            let tile = kernel.tile_items();
            let mut sizes = ladder(lanes, kernel.workgroup_size, tile);
            sizes.extend([tile as usize * 299 + 7, tile as usize * 601 + 1]);
            for n in sizes {
                let input: Vec<I> = (0..n).map(make).collect();
                check_reduce(context, (&reduce, operator), &input, PLACES[place]);
            }
        }
        self.checked += 1;
    }
}

#[test]
fn every_variant_equals_the_reference() {
    let Some(context) = common::context() else { return };
    let emulated = common::without_subgroups(context);
    let mut properties = Properties { contexts: [context, &emulated], checked: 0 };
    operators::some(&mut properties);
    assert!(properties.checked >= 12);
}

/// Every n from one tile to two, with an operator whose order matters.
#[test]
fn every_size_from_one_tile_to_two() {
    let Some(context) = common::context() else { return };
    for context in [context.clone(), common::without_subgroups(context)] {
        let operator = operators::affine();
        let reduce = Reduce::with_tuning(&context, &operator, &small_tiles(&context)).unwrap();
        let tile = reduce.plan(1).unwrap().passes[0].kernel.tile_items() as usize;
        let input: Vec<[u32; 2]> = (0..2 * tile).map(operators::affine_item).collect();
        for n in tile..2 * tile {
            check_reduce(&context, (&reduce, &operator), &input[..n], Place::Apart);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any data, size and place.
    #[test]
    fn any_data_at_any_place(
        input in prop::collection::vec(any::<i32>(), 0..5000),
        src in 0u64..300,
        dst in 0u64..300,
    ) {
        if let Some(context) = common::context() {
            let operator = Operator::<i32>::max();
            let reduce =
                Reduce::with_tuning(context, &operator, &small_tiles(context)).unwrap();
            check_reduce(context, (&reduce, &operator), &input, Place::Offset(src, dst));
        }
    }
}
