//! Slices of several segments, arrays past a binding, and many calls in one submission.

mod common;

use common::operators::{self, Exact};
use common::small_tiles;
use lookback::{Context, Element, GpuSlice, Kind, Operator, Reduce, Scan, reference};

/// A slice with these items, in buffers cut at `cuts`, each from an odd item of its buffer on.
fn cut<T: Element>(context: &Context, items: &[T], cuts: &[usize]) -> GpuSlice<T> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (index, &end) in cuts.iter().chain([&items.len()]).enumerate() {
        let skipped = 1 + 2 * index;
        let mut words = vec![common::CANARY; skipped * T::LAYOUT.words() as usize];
        words.extend_from_slice(bytemuck::cast_slice(&items[start..end]));
        words.push(common::CANARY);
        let buffer = context.upload(&words).unwrap();
        let (first, last) = (skipped as u64, (skipped + end - start) as u64);
        parts.push(GpuSlice::new(buffer.buffer(), first..last).unwrap());
        start = end;
    }
    parts[1..].iter().fold(parts[0].clone(), |slice, part| slice.then(part).unwrap())
}

fn check<T: Element>(
    context: &Context,
    operator: &Operator<T>,
    input: &[T],
    in_cuts: &[usize],
    out_cuts: &[usize],
) {
    let tuning = small_tiles(context);
    let what = format!("{} n = {} {in_cuts:?} {out_cuts:?}", operator.name(), input.len());
    let source = cut(context, input, in_cuts);
    assert_eq!(source.len(), input.len() as u64);
    for kind in [Kind::Inclusive, Kind::Exclusive] {
        let wanted = reference::scan(input, operator, kind, None).unwrap();
        let scan = Scan::with_tuning(context, operator, kind, &tuning).unwrap();
        let output = cut(context, input, out_cuts);
        scan.dispatch(&source, &output).unwrap();
        let got = context.download(&output).unwrap();
        assert_eq!(common::first_difference(&got, &wanted), None, "{what}");
        // In place, segment by segment.
        scan.dispatch(&output, &output).unwrap();
        let twice = reference::scan(&wanted, operator, kind, None).unwrap();
        let got = context.download(&output).unwrap();
        assert_eq!(common::first_difference(&got, &twice), None, "in place {what}");
    }
    let reduce = Reduce::with_tuning(context, operator, &tuning).unwrap();
    let total = context.allocate::<T>(1).unwrap();
    reduce.dispatch(&source, &total).unwrap();
    let wanted = reference::reduce(input, operator, None).unwrap();
    assert_eq!(context.download(&total).unwrap(), [wanted], "{what}");
}

#[test]
fn a_slice_over_three_buffers() {
    let Some(context) = common::context() else { return };
    let affine = operators::affine();
    let input: Vec<[u32; 2]> = (0..50_000).map(operators::affine_item).collect();
    check(context, &affine, &input, &[20_001, 20_003], &[1, 49_999]);
    check(context, &affine, &input, &[16_384, 32_768], &[16_384, 32_768]);
    // Empty segments, single items, fewer items than segments.
    check(context, &affine, &input[..3], &[0, 1, 1, 2, 3], &[3]);
    check(context, &affine, &input[..0], &[0, 0], &[0]);
    check(context, &affine, &input[..1], &[0], &[1, 1]);
    let sum = Operator::<f32>::sum();
    let input: Vec<f32> = (0..70_000).map(f32::any).collect();
    check(context, &sum, &input, &[333, 40_000], &[333, 334, 69_000]);
}

/// As many segments as chunks: no chunk grows past what a lane's loops may take.
#[test]
fn a_large_segment_beside_thousands_of_single_items() {
    let Some(context) = common::context() else { return };
    let (tiny, large) = (4095, 1 << 22);
    let items: Vec<u32> = (0..tiny + large).map(u32::any).collect();
    let (few, many) = items.split_at(tiny);
    let (few, many) = (context.upload(few).unwrap(), context.upload(many).unwrap());
    let single = |i| GpuSlice::<u32>::new(few.buffer(), i..i + 1).unwrap();
    let source = (1..tiny as u64).fold(single(0), |slice, i| slice.then(&single(i)).unwrap());
    let source = source.then(&many).unwrap();
    let sum = Operator::<u32>::sum();
    let output = context.allocate::<u32>(items.len() as u64).unwrap();
    let scan = Scan::new(context, &sum, Kind::Inclusive).unwrap();
    scan.dispatch(&source, &output).unwrap();
    let wanted = reference::scan(&items, &sum, Kind::Inclusive, None).unwrap();
    let got = context.download(&output).unwrap();
    assert_eq!(common::first_difference(&got, &wanted), None);
    // Empty segments overlap nothing, wherever they stand.
    let empty = GpuSlice::<u32>::new(output.buffer(), 3..3).unwrap();
    scan.dispatch(&empty.then(&source).unwrap(), &output).unwrap();
    assert_eq!(common::first_difference(&context.download(&output).unwrap(), &wanted), None);
}

/// What comes back to the host may take several buffers too.
#[test]
fn arrays_past_a_buffer() {
    let Some(context) = common::context() else { return };
    let small = common::pretend(context, |c| c.buffer_bytes = (256 << 10) + 4);
    let input: Vec<[u32; 2]> = (0..40_000).map(operators::affine_item).collect();
    let affine = operators::affine();
    let got = small.inclusive_scan(&input, &affine).unwrap();
    let wanted = reference::scan(&input, &affine, Kind::Inclusive, None).unwrap();
    assert_eq!(common::first_difference(&got, &wanted), None);
    let none = common::pretend(context, |c| c.buffer_bytes = 8);
    let error = none.allocate::<[u32; 4]>(3).unwrap_err();
    assert!(matches!(error, lookback::Error::Limit { wanted: 16, got: 8, .. }), "{error}");
}

/// One word past the binding of lavapipe, and of every device that has its limit.
#[test]
fn a4_arrays_past_a_binding() {
    let Some(context) = common::context() else { return };
    let context = common::pretend(context, |c| c.binding_bytes = c.binding_bytes.min(128 << 20));
    for n in [1 << 25, (1 << 25) + 1, (1 << 25) + 65] {
        let input: Vec<u32> = (0..n).map(u32::any).collect();
        let source = context.upload(&input).unwrap();
        let output = context.allocate::<u32>(n as u64).unwrap();
        let scan = Scan::new(&context, &Operator::<u32>::sum(), Kind::Inclusive).unwrap();
        scan.dispatch(&source, &output).unwrap();
        let got = context.download(&output).unwrap();
        let wanted = reference::scan(&input, &Operator::sum(), Kind::Inclusive, None).unwrap();
        assert_eq!(common::first_difference(&got, &wanted), None, "n = {n}");
        let total = context.reduce(&input, &Operator::sum()).unwrap();
        assert_eq!(total, wanted[n - 1], "n = {n}");
    }
}

/// 300 calls of two plans and three elements in one encoder, forwards and backwards.
#[test]
fn many_calls_in_one_submission_keep_their_own_parameters() {
    let Some(context) = common::context() else { return };
    fn recorded<T: Element>(
        context: &Context,
        operator: &Operator<T>,
        make: fn(usize) -> T,
        encoder: &mut wgpu::CommandEncoder,
        sizes: &[usize],
    ) -> Vec<(GpuSlice<T>, Vec<T>)> {
        let tuning = small_tiles(context);
        let inclusive = Scan::with_tuning(context, operator, Kind::Inclusive, &tuning).unwrap();
        let exclusive = Scan::with_tuning(context, operator, Kind::Exclusive, &tuning).unwrap();
        let input: Vec<T> = (0..300).map(make).collect();
        let source = context.upload(&input).unwrap();
        let call = |&n: &usize| {
            let (scan, kind) = match n % 2 {
                0 => (&inclusive, Kind::Inclusive),
                _ => (&exclusive, Kind::Exclusive),
            };
            let output = context.allocate(n as u64).unwrap();
            let part = GpuSlice::new(source.buffer(), 0..n as u64).unwrap();
            scan.record(encoder, &part, &output).unwrap();
            (output, reference::scan(&input[..n], operator, kind, None).unwrap())
        };
        sizes.iter().map(call).collect()
    }
    let mut sizes: Vec<usize> = (1..=300).collect();
    for _ in 0..2 {
        let mut encoder = context.device().create_command_encoder(&Default::default());
        let sums = recorded(context, &Operator::sum(), u32::any, &mut encoder, &sizes);
        let maxima = recorded(context, &Operator::max(), f32::any, &mut encoder, &sizes);
        let affine = operators::affine();
        let maps = recorded(context, &affine, operators::affine_item, &mut encoder, &sizes);
        context.queue().submit([encoder.finish()]);
        for (output, wanted) in &sums {
            assert_eq!(&context.download(output).unwrap(), wanted);
        }
        for (output, wanted) in &maxima {
            assert_eq!(&context.download(output).unwrap(), wanted);
        }
        for (output, wanted) in &maps {
            assert_eq!(&context.download(output).unwrap(), wanted);
        }
        sizes.reverse();
    }
}

/// One plan and its scratch over changing n, encoders dropped or submitted the other way round.
#[test]
fn scratch_serves_any_order_of_calls() {
    let Some(context) = common::context() else { return };
    let sum = Operator::<u32>::sum();
    let scan = Scan::with_tuning(context, &sum, Kind::Inclusive, &small_tiles(context)).unwrap();
    let input: Vec<u32> = (0..100_000).map(u32::any).collect();
    let source = context.upload(&input).unwrap();
    for round in 0..20 {
        let mut recorded = Vec::new();
        for n in [100_000, 1_000, 99_999, 1, 0, 50_000] {
            let mut encoder = context.device().create_command_encoder(&Default::default());
            let output = context.allocate::<u32>(n).unwrap();
            let part = GpuSlice::new(source.buffer(), 0..n).unwrap();
            scan.record(&mut encoder, &part, &output).unwrap();
            recorded.push((n, encoder, output));
        }
        if round % 2 == 0 {
            recorded.reverse();
        }
        let mut outputs = Vec::new();
        for (index, (n, encoder, output)) in recorded.into_iter().enumerate() {
            // Every fourth is dropped unsubmitted.
            if (index + round) % 4 != 0 {
                context.queue().submit([encoder.finish()]);
                outputs.push((n, output));
            }
        }
        let wanted = reference::scan(&input, &sum, Kind::Inclusive, None).unwrap();
        for (n, output) in outputs {
            let got = context.download(&output).unwrap();
            assert_eq!(common::first_difference(&got, &wanted[..n as usize]), None, "n = {n}");
        }
    }
}

/// A warm plan makes no pipeline, no shader module, no scratch and, where the device has immediates,
/// no buffer; else one small uniform a call.
#[test]
fn recording_a_warm_plan_makes_no_buffer_or_one_uniform() {
    let Some(shared) = common::context() else { return };
    // Devices of its own: other tests run beside this one.
    let name = shared.capabilities().adapter.clone();
    let own = pollster::block_on(Context::open(Some(&name))).unwrap();
    let immediates = own.capabilities().immediate_bytes >= 128;
    println!("immediates: {immediates}");
    // wgpu writes a fresh uniform through a staging buffer: two a call.
    assert_eq!(buffers_of_ten_calls(&own), if immediates { 0 } else { 20 });
    let without = common::context_without_immediates().unwrap();
    assert_eq!(without.capabilities().immediate_bytes, 0);
    assert_eq!(buffers_of_ten_calls(&without), 20);
}

/// Buffers that ten recorded scans make, which must make nothing else.
fn buffers_of_ten_calls(context: &Context) -> isize {
    let scan = Scan::new(context, &Operator::<u32>::sum(), Kind::Inclusive).unwrap();
    let source = context.upload(&vec![1u32; 1 << 20]).unwrap();
    let output = context.allocate::<u32>(1 << 20).unwrap();
    scan.dispatch(&source, &output).unwrap();
    let counters = || {
        let hal = context.device().get_internal_counters().hal;
        (hal.buffers.read(), hal.compute_pipelines.read(), hal.shader_modules.read())
    };
    let mut encoder = context.device().create_command_encoder(&Default::default());
    let before = counters();
    assert!(before.1 > 0, "nothing is counted");
    for _ in 0..10 {
        scan.record(&mut encoder, &source, &output).unwrap();
    }
    let after = counters();
    assert_eq!((after.1, after.2), (before.1, before.2));
    context.queue().submit([encoder.finish()]);
    assert_eq!(context.download(&output).unwrap()[(1 << 20) - 1], 1 << 20);
    after.0 - before.0
}
