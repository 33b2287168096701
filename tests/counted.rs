//! Numbers of items that live on the device.

mod common;

use common::operators::{self, Exact, Visit};
use common::{CANARY, small_tiles};
use lookback::{Context, Element, Error, GpuSlice, Kind, Operator, Reduce, Scan, reference};

const CAPACITY: usize = 40_000;

struct Counts<'a> {
    context: &'a Context,
}

impl Visit for Counts<'_> {
    fn visit<I: Element, A: Element, O: Element>(
        &mut self,
        name: &str,
        operator: &Operator<I, A, O>,
        make: fn(usize) -> I,
    ) {
        // Two elements and an order that matters: the rest is no other text.
        if !["u32 sum", "f32 max", "affine maps", "threes"].contains(&name) {
            return;
        }
        let context = self.context;
        let tuning = small_tiles(context);
        let input: Vec<I> = (0..CAPACITY).map(make).collect();
        let source = context.upload(&input).unwrap();
        let counts: Vec<u32> = vec![0, 1, 2, 63, 777, 20_001, 39_999, 40_000, 40_001, u32::MAX];
        let count_buffer = context.upload(&counts).unwrap();
        for (index, &count) in counts.iter().enumerate() {
            let at = index as u64;
            let one = GpuSlice::new(count_buffer.buffer(), at..at + 1).unwrap();
            let counted = source.clone().counted_by(&one).unwrap();
            let n = (count as usize).min(CAPACITY);
            for counted in [counted.clone(), counted.dispatched_indirectly()] {
                let reduce = Reduce::with_tuning(context, operator, &tuning).unwrap();
                let total = context.allocate::<O>(1).unwrap();
                reduce.dispatch(&counted, &total).unwrap();
                let wanted = reference::reduce(&input[..n], operator, None).unwrap();
                let got = context.download(&total).unwrap();
                let difference = common::first_difference(&got, &[wanted]);
                assert_eq!(difference, None, "{name} count = {count}");
                for kind in [Kind::Inclusive, Kind::Exclusive] {
                    let scan = Scan::with_tuning(context, operator, kind, &tuning).unwrap();
                    let words = CAPACITY * O::LAYOUT.words() as usize;
                    let poisoned = context.upload(&vec![CANARY; words]).unwrap();
                    let output = GpuSlice::<O>::whole(poisoned.buffer());
                    scan.dispatch(&counted, &output).unwrap();
                    let got = context.download(&poisoned).unwrap();
                    let (got, rest) = got.split_at(n * O::LAYOUT.words() as usize);
                    assert!(rest.iter().all(|&word| word == CANARY), "{name} count = {count}");
                    let got: Vec<O> = bytemuck::pod_collect_to_vec(got);
                    let wanted = reference::scan(&input[..n], operator, kind, None).unwrap();
                    let difference = common::first_difference(&got, &wanted);
                    assert_eq!(difference, None, "{name} {kind:?} count = {count}");
                }
            }
        }
    }
}

#[test]
fn counts_on_the_device_from_none_to_past_the_capacity() {
    let Some(context) = common::context() else { return };
    operators::some(&mut Counts { context });
    let emulated = common::without_subgroups(context);
    operators::some(&mut Counts { context: &emulated });
}

/// Partials that another call left are no items: with a sum by increments, combining them would
/// take more steps than a driver grants.
#[test]
fn partials_of_another_call_are_not_combined() {
    let Some(context) = common::context() else { return };
    let tuning = small_tiles(context);
    let text = "fn combine(a: u32, b: u32) -> u32 {
        var r = a;
        for (var i = 0u; i < b; i += 1u) { r += 1u; }
        return r;
    }";
    let by_ones = Operator::from_wgsl(0u32, text).unwrap().with_host(|a: u32, b: u32| a + b);
    let sum = Operator::<u32>::sum();
    let other = Scan::with_tuning(context, &sum, Kind::Inclusive, &tuning).unwrap();
    let scan = Scan::with_tuning(context, &by_ones, Kind::Inclusive, &tuning).unwrap();
    other.run(&vec![1000u32; 60_000]).unwrap();
    let items: Vec<u32> = (0..60_000).map(|i| u32::from(i % 5 == 0)).collect();
    let count = context.upload(&[1000u32]).unwrap();
    let source = context.upload(&items).unwrap().counted_by(&count).unwrap();
    let output = context.allocate::<u32>(60_000).unwrap();
    scan.dispatch(&source.dispatched_indirectly(), &output).unwrap();
    let wanted = reference::scan(&items[..1000], &by_ones, Kind::Inclusive, None).unwrap();
    assert_eq!(context.download(&output).unwrap()[..1000], wanted);
}

/// The sum of nothing is 0.0, and with an initial value that value, sign and all.
#[test]
fn nothing_keeps_the_sign_of_the_initial_value() {
    let Some(context) = common::context() else { return };
    let none = context.upload(&[0u32]).unwrap();
    let total = context.allocate::<f32>(1).unwrap();
    let plain = Reduce::new(context, &Operator::<f32>::sum()).unwrap();
    for capacity in [10, 1_000_000] {
        let source = context.allocate::<f32>(capacity).unwrap().counted_by(&none).unwrap();
        for source in [source.clone(), source.dispatched_indirectly()] {
            for (reduce, wanted) in [(plain.with_init(-0.0), -0.0f32), (plain.clone(), 0.0)] {
                reduce.dispatch(&source, &total).unwrap();
                let got = context.download(&total).unwrap()[0];
                assert_eq!(got.to_bits(), wanted.to_bits(), "{capacity}: {got}, wanted {wanted}");
            }
        }
    }
}

/// A count that one call writes feeds the next, in one submission, without a readback.
#[test]
fn a_count_feeds_the_next_call() {
    let Some(context) = common::context() else { return };
    let flags: Vec<u32> = (0..10_000).map(|i| u32::any(i) % 2).collect();
    let values: Vec<i32> = (0..10_000).map(i32::any).collect();
    let flag_slice = context.upload(&flags).unwrap();
    let value_slice = context.upload(&values).unwrap();
    let count = context.allocate::<u32>(1).unwrap();
    let total = context.allocate::<i32>(1).unwrap();
    let counter = Reduce::new(context, &Operator::<u32>::sum()).unwrap();
    let sum = Reduce::new(context, &Operator::<i32>::sum()).unwrap();
    let mut encoder = context.device().create_command_encoder(&Default::default());
    counter.record(&mut encoder, &flag_slice, &count).unwrap();
    let counted = value_slice.counted_by(&count).unwrap();
    sum.record(&mut encoder, &counted, &total).unwrap();
    context.queue().submit([encoder.finish()]);
    let n = flags.iter().sum::<u32>() as usize;
    let wanted = reference::reduce(&values[..n], &Operator::<i32>::sum(), None).unwrap();
    assert_eq!(context.download(&total).unwrap(), [wanted]);
}

#[test]
fn what_a_count_can_not_be_is_a_typed_error() {
    let Some(context) = common::context() else { return };
    let items = context.allocate::<u32>(100).unwrap();
    let output = context.allocate::<u32>(100).unwrap();
    let scan = Scan::new(context, &Operator::<u32>::sum(), Kind::Inclusive).unwrap();
    let error = items.clone().counted_by(&output).unwrap_err();
    assert!(matches!(error, Error::Length { wanted: 1, got: 100, .. }), "{error}");
    let inside = GpuSlice::new(output.buffer(), 0..1).unwrap();
    let error = scan.dispatch(&items.clone().counted_by(&inside).unwrap(), &output).unwrap_err();
    assert!(matches!(error, Error::Aliased { .. }), "{error}");
    let count = context.upload(&[3u32]).unwrap();
    let two =
        items.clone().then(&context.allocate(100).unwrap()).unwrap().counted_by(&count).unwrap();
    let long = output.clone().then(&context.allocate(100).unwrap()).unwrap();
    let error = scan.dispatch(&two, &long).unwrap_err();
    assert!(matches!(error, Error::Length { wanted: 1, got: 2, .. }), "{error}");
    // A count of a part, or of an output, would be dropped.
    let counted = items.clone().counted_by(&count).unwrap();
    for joined in [counted.clone().then(&items), items.clone().then(&counted)] {
        assert!(matches!(joined.unwrap_err(), Error::Length { wanted: 0, got: 1, .. }));
    }
    let error = scan.dispatch(&items, &output.clone().counted_by(&count).unwrap()).unwrap_err();
    assert!(matches!(error, Error::Length { wanted: 0, got: 1, .. }), "{error}");
    // An empty segment beside the count is none of its items.
    let empty = GpuSlice::new(count.buffer(), 0..0).unwrap();
    let joined = empty.then(&count).unwrap();
    scan.dispatch(&items.clone().counted_by(&joined).unwrap(), &output).unwrap();
    // A device with room for the kernel but not for its count.
    let narrow = common::pretend(context, |c| c.storage_bindings = 3);
    let scan = Scan::new(&narrow, &Operator::<u32>::sum(), Kind::Inclusive).unwrap();
    let many = context.allocate::<u32>(1_000_000).unwrap();
    let counted = many.clone().counted_by(&count).unwrap();
    let error = scan.dispatch(&counted, &context.allocate(1_000_000).unwrap()).unwrap_err();
    assert!(matches!(error, Error::Limit { wanted: 4, got: 3, .. }), "{error}");
}
