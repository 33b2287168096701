//! Segmented reductions: the property set, lengths of every class, bounds on the device, case F6.

use lookback::{
    Context, Element, Equality, GpuSlice, Operator, ReduceByKey, SegmentBounds, SegmentedReduce,
    Tuning, reference,
};

use crate::common::operators::{Visit, hash};
use crate::common::{self, small_tiles, with_files};
use crate::pairwise;
use crate::property::{OPERATORS, init_of, visit};
use crate::slices::{Output, input};
use crate::ways::own;

const BOUNDS: [SegmentBounds; 2] = [SegmentBounds::Offsets, SegmentBounds::Pairs];

const LENGTHS: [&str; 6] = ["one", "short and none", "at lanes", "middle", "long", "mixed"];

/// Length of segment `s`, of those of a kind. The classes end at 16, 4,096 and 65,536 items.
fn length(kind: &str, s: u32) -> u32 {
    let random = hash(s, 17);
    match kind {
        "one" => 1,
        "short and none" => random % 20 * (random >> 16 & 1),
        "at lanes" => [3, 4, 5, 15, 16, 17, 31, 32, 33, 0][random as usize % 10],
        "middle" => 17 + random % 300,
        "long" => [4095, 4096, 4097, 9000, 0][s as usize % 5],
        _ if s == 7 => 70_001,
        _ if s % 50 == 9 => 4097 + random % 5000,
        _ => random % 40,
    }
}

/// Offsets of segments of a kind of up to so many items, a gap before the first.
fn offsets(kind: &str, n_items: u32) -> Vec<u32> {
    let mut offsets = vec![2.min(n_items)];
    for s in 0.. {
        let end = offsets[offsets.len() - 1] + length(kind, s);
        if end > n_items || s > 3000 {
            return offsets;
        }
        offsets.push(end);
    }
    offsets
}

/// The same segments in another order, and some that share items.
fn pairs(offsets: &[u32]) -> Vec<u32> {
    let n = offsets.len() - 1;
    let at = |s: usize| s * 7919 % n;
    (0..n).flat_map(|s| [offsets[at(s)], offsets[at(s) + usize::from(s % 9 != 3)]]).collect()
}

struct Row<'a> {
    context: &'a Context,
    bounds: SegmentBounds,
    lengths: &'static str,
    with_init: bool,
    tuning: Tuning,
    checked: usize,
}

impl Visit for Row<'_> {
    fn visit<I: Element, A: Element, O: Element>(
        &mut self,
        name: &str,
        operator: &Operator<I, A, O>,
        make: fn(usize) -> I,
    ) {
        let Row { context, bounds, lengths, .. } = *self;
        let plan = SegmentedReduce::with_tuning(context, bounds, operator, &self.tuning).unwrap();
        let init = self.with_init.then(|| init_of(operator));
        let plan = init.map_or(plan.clone(), |init| plan.with_init(init));
        for (turn, n) in [0, 1, 40, 5000, 100_000].into_iter().enumerate() {
            let mut words = offsets(lengths, n);
            if bounds == SegmentBounds::Pairs {
                words = pairs(&words.repeat(1 + usize::from(words.len() == 1)));
            }
            let values: Vec<I> = (0..n as usize).map(make).collect();
            let wanted = reference::segmented_reduce(&values, bounds, &words, operator, init);
            let wanted = wanted.unwrap();
            let (source, told) = (input(context, &values, turn % 3), input(context, &words, turn));
            let output = Output::<O>::new(context, wanted.len());
            let call = plan.call(&told, &source, &output.slice).unwrap();
            call.dispatch().unwrap().check().unwrap();
            let got = output.first(context, wanted.len());
            let what = format!("{name} by {bounds:?}, {lengths}, n = {n}, init {}", self.with_init);
            assert_eq!(common::first_difference(&got, &wanted), None, "{what}");
            self.checked += wanted.len();
        }
    }
}

#[test]
fn every_segment_equals_the_reference() {
    let Some(context) = own() else { return };
    let emulated = common::without_subgroups(&context);
    let rows = pairwise::rows([OPERATORS, BOUNDS.len(), LENGTHS.len(), 2, 2]);
    let n_rows = rows.len();
    let mut checked = 0;
    for (index, [operator, bounds, lengths, with_init, variant]) in rows.into_iter().enumerate() {
        let context = if variant == 1 { &emulated } else { &context };
        let mut row = Row {
            context,
            bounds: BOUNDS[bounds],
            lengths: LENGTHS[lengths],
            with_init: with_init == 1,
            tuning: with_files(small_tiles(context), index),
            checked: 0,
        };
        visit(&mut row, operator);
        checked += row.checked;
    }
    println!("{n_rows} rows, {checked} segments compared");
    assert!(checked > 100 * n_rows, "{checked} segments of {n_rows} rows");
}

/// Sums of segments of these lengths, side by side, equal the reference with the device's own sizes.
fn check(context: &Context, lengths: impl Iterator<Item = u32>, what: &str) {
    let mut offsets = vec![0u32];
    offsets.extend(lengths.scan(0, |end, length| {
        *end += length;
        Some(*end)
    }));
    let n = *offsets.last().unwrap();
    let values: Vec<u32> = (0..n).map(|i| hash(i, 3)).collect();
    let sum = Operator::<u32>::sum();
    let reduce = SegmentedReduce::new(context, SegmentBounds::Offsets, &sum).unwrap();
    let got = reduce.run(&offsets, &values).unwrap();
    let wanted =
        reference::segmented_reduce(&values, SegmentBounds::Offsets, &offsets, &sum, None).unwrap();
    assert_eq!(common::first_difference(&got, &wanted), None, "{what}");
}

/// Case F6 and its kind: many tiny ones, and a huge one among them, first, in the middle or last.
#[test]
fn f6_many_segments_of_few_items() {
    let Some(context) = own() else { return };
    check(&context, [3].into_iter().cycle().take(65_543), "65,543 of 3");
    check(&context, [1].into_iter().cycle().take(200_003), "200,003 of 1");
    check(&context, (0..100_000).map(|s| s % 5), "lengths s mod 5");
    check(&context, [0].into_iter().cycle().take(70_000), "nothing but empty ones");
    let full = std::env::var("LOOKBACK_FULL").is_ok_and(|value| value == "1");
    let (many, huge) = if full { (1_000_000, 1 << 24) } else { (50_000, 1 << 20) };
    for place in [0, many / 2, many] {
        let of = |s| if s == place { huge } else { 1 };
        check(&context, (0..=many).map(of), &format!("{huge} among {many} of 1, {place}"));
    }
    // As many of the longest as are queued, and more that share items with them.
    let n = 66_000u32;
    let values: Vec<u32> = (0..n).map(|i| hash(i, 3)).collect();
    let (sum, kind) = (Operator::<u32>::sum(), SegmentBounds::Pairs);
    let pairs: Vec<u32> = (0..300).flat_map(|s| [s, n - s % 7]).collect();
    let reduce = SegmentedReduce::new(&context, kind, &sum).unwrap();
    let wanted = reference::segmented_reduce(&values, kind, &pairs, &sum, None).unwrap();
    assert_eq!(reduce.run(&pairs, &values).unwrap(), wanted);
    // Few workgroups, whatever the tuning: each has shares of many segments.
    for workgroups in [1, 3, 7] {
        let tuning = Tuning { workgroups, ..small_tiles(&context) };
        let reduce = SegmentedReduce::with_tuning(&context, kind, &sum, &tuning).unwrap();
        assert_eq!(reduce.run(&pairs, &values).unwrap(), wanted, "{workgroups} workgroups");
        assert_eq!(reduce.run(&pairs[..500], &values).unwrap(), wanted[..250]);
    }
}

/// Bounds that the host never sees: past the items, in disorder; a number of items on the device.
#[test]
fn bounds_on_the_device() {
    let Some(context) = own() else { return };
    let n = 6000u32;
    let values: Vec<u32> = (0..n).map(|i| hash(i, 8)).collect();
    let sum = Operator::<u32>::sum();
    let source = input(&context, &values, 1);
    let lots = u32::MAX;
    for kind in BOUNDS {
        let reduce = SegmentedReduce::new(&context, kind, &sum).unwrap().with_init(5);
        for bounds in [
            vec![0, 10, 5, n, 0, lots, lots, 3, n - 1, lots - 1],
            vec![lots; 6],
            vec![n, n, 0, 0, n, 0],
            (0..4000).map(|i| hash(i, 2)).collect(),
            (0..4000).map(|i| hash(i, 2) % (n + 50)).collect(),
        ] {
            let room = match kind {
                SegmentBounds::Offsets => bounds.len() - 1,
                SegmentBounds::Pairs => bounds.len() / 2,
            };
            for count in [None, Some(n), Some(0), Some(5000), Some(lots)] {
                let length = count.unwrap_or(n).min(n) as usize;
                let wanted =
                    reference::segmented_reduce(&values[..length], kind, &bounds, &sum, Some(5));
                let counted = count.map(|count| context.upload(&[count]).unwrap());
                let source = match &counted {
                    None => source.clone(),
                    Some(counted) => source.clone().counted_by(counted).unwrap(),
                };
                let (told, output) = (input(&context, &bounds, 2), Output::new(&context, room));
                let call = reduce.call(&told, &source, &output.slice).unwrap();
                call.dispatch().unwrap().check().unwrap();
                let got = output.first(&context, room);
                let what = format!("{kind:?} {count:?} {:?}", &bounds[..6]);
                assert_eq!(common::first_difference(&got, &wanted.unwrap()), None, "{what}");
            }
        }
    }
}

/// Runs of keys by their lengths: what one primitive leaves on the device another reads.
#[test]
fn segments_are_what_runs_are() {
    let Some(context) = own() else { return };
    let keys: Vec<u32> = (0..50_000).map(|i| i / 9 + hash(i >> 12, 1)).collect();
    let values: Vec<u32> = (0..50_000).map(|i| hash(i, 6)).collect();
    let (sum, equality) = (Operator::sum(), Equality::by_value());
    let (_, wanted) =
        ReduceByKey::new(&context, &equality, &sum).unwrap().run(&keys, &values).unwrap();
    let runs = reference::runs(&keys, &equality).unwrap();
    let offsets: Vec<u32> = runs.iter().map(|run| run.0).chain([50_000]).collect();
    let (told, source) = (context.upload(&offsets).unwrap(), context.upload(&values).unwrap());
    let output = context.allocate::<u32>(runs.len() as u64).unwrap();
    let reduce = SegmentedReduce::new(&context, SegmentBounds::Offsets, &sum).unwrap();
    // Input and output in one buffer do, and a call is good for any number of times.
    let both = context.allocate::<u32>(50_000 + runs.len() as u64).unwrap();
    let part = |from, to| GpuSlice::<u32>::new(both.buffer(), from..to).unwrap();
    let (left, right) = (part(0, 50_000), part(50_000, both.len()));
    context.queue().write_buffer(both.buffer(), 0, bytemuck::cast_slice(&values));
    for (source, output) in [(&source, &output), (&left, &right)] {
        let call = reduce.call(&told, source, output).unwrap();
        for _ in 0..3 {
            call.dispatch().unwrap().check().unwrap();
            assert_eq!(common::first_difference(&context.download(output).unwrap(), &wanted), None);
        }
    }
}

/// The order in which segments are queued is no part of what they combine to.
#[test]
fn float_sums_are_the_same_from_run_to_run() {
    let Some(context) = own() else { return };
    let lengths = (0..420u32).map(|s| if s % 6 == 0 { 66_001 } else { 3 });
    let offsets: Vec<u32> = [0]
        .into_iter()
        .chain(lengths.scan(0, |end, length| {
            *end += length;
            Some(*end)
        }))
        .collect();
    let values: Vec<f32> = (0..offsets[420]).map(|i| hash(i, 5) as f32 / 7.0).collect();
    let (told, source) = (context.upload(&offsets).unwrap(), context.upload(&values).unwrap());
    let sum = Operator::<f32>::sum();
    let reduce = SegmentedReduce::new(&context, SegmentBounds::Offsets, &sum).unwrap();
    let sums = [(); 5].map(|()| {
        let output = context.allocate::<f32>(420).unwrap();
        reduce.call(&told, &source, &output).unwrap().dispatch().unwrap().check().unwrap();
        context.download(&output).unwrap()
    });
    for (place, &sum) in sums[0].iter().enumerate() {
        let items = &values[offsets[place] as usize..offsets[place + 1] as usize];
        let wanted: f64 = items.iter().map(|&item| f64::from(item)).sum();
        assert!((f64::from(sum) - wanted).abs() < 1e-5 * wanted, "{place}: {sum} and not {wanted}");
    }
    assert!(sums.iter().all(|again| *again == sums[0]));
}

/// Few, more and listed segments that workgroups share, by turns, and some that none do, in a submission
/// of two calls each.
struct Shares<'a>(&'a Context);

impl Visit for Shares<'_> {
    fn visit<I: Element, A: Element, O: Element>(
        &mut self,
        name: &str,
        operator: &Operator<I, A, O>,
        make: fn(usize) -> I,
    ) {
        let (n, kind) = (66_000u32, SegmentBounds::Pairs);
        let reduce = SegmentedReduce::new(self.0, kind, operator).unwrap();
        let values: Vec<I> = (0..n as usize).map(make).collect();
        let long = |s: u32| [s, n - s % 7];
        let listed = |s: u32| if s % 15 == 2 { long(s) } else { [s, s + s % 50] };
        for (n_items, bounds) in [
            (n, (0..3).flat_map(long).collect::<Vec<_>>()),
            (n, (0..300).flat_map(listed).collect()),
            (n, (0..40).flat_map(long).collect()),
            (3000, (0..600).flat_map(|s| [s, s + s % 1000]).collect()),
            (n, (0..270).flat_map(listed).collect()),
            (n, vec![0, n]),
        ] {
            let values = &values[..n_items as usize];
            let wanted = reference::segmented_reduce(values, kind, &bounds, operator, None);
            let wanted = wanted.unwrap();
            let told = self.0.upload(&bounds).unwrap();
            let source = self.0.upload(values).unwrap();
            let outputs = [(); 2].map(|()| Output::<O>::new(self.0, wanted.len()));
            let mut encoder = self.0.device().create_command_encoder(&Default::default());
            for output in &outputs {
                let call = reduce.call(&told, &source, &output.slice).unwrap();
                call.record(&mut encoder).unwrap();
            }
            self.0.queue().submit([encoder.finish()]);
            for output in outputs {
                let got = output.first(self.0, wanted.len());
                let difference = common::first_difference(&got, &wanted);
                assert_eq!(difference, None, "{name}, {} bounds", bounds.len());
            }
        }
    }
}

/// A call leaves no share and no count behind: accumulators of all widths, from wide to narrow and back.
#[test]
fn shares_of_segments_are_zero_between_calls() {
    let Some(context) = own() else { return };
    for operator in [0, 5, 0, 3, 7, 4, 5, 4, 0] {
        visit(&mut Shares(&context), operator);
    }
}

/// 10 repetitions of 2^20 items of two mixtures by turns; with `LOOKBACK_FULL=1` 100.
#[test]
fn segmented_repetitions_at_2_20_items() {
    let Some(context) = own() else { return };
    let full = std::env::var("LOOKBACK_FULL").is_ok_and(|value| value == "1");
    let n = 1u32 << 20;
    let values: Vec<u32> = (0..n).map(|i| hash(i, 7)).collect();
    let source = context.upload(&values).unwrap();
    let (sum, kind) = (Operator::<u32>::sum(), SegmentBounds::Offsets);
    let reduce = SegmentedReduce::new(&context, kind, &sum).unwrap();
    let bounds = [
        (0..=n / 8).map(|s| s * 8).collect::<Vec<u32>>(),
        [0, 5, 70_000, 70_000, 75_001, 300_000, 300_100, n - 1, n].to_vec(),
    ];
    let wanted = bounds
        .each_ref()
        .map(|bounds| reference::segmented_reduce(&values, kind, bounds, &sum, None).unwrap());
    let told = bounds.each_ref().map(|bounds| context.upload(bounds).unwrap());
    for round in 0..if full { 100 } else { 10 } {
        let (wanted, told) = (&wanted[round % 2], &told[round % 2]);
        let output = Output::<u32>::new(&context, wanted.len());
        reduce.call(told, &source, &output.slice).unwrap().dispatch().unwrap().check().unwrap();
        let got = output.first(&context, wanted.len());
        assert_eq!(common::first_difference(&got, wanted), None, "{round}");
    }
}

/// Texts of as many trips as they may take: a driver that ends loops silently must not have to.
#[test]
fn segments_of_texts_that_loop() {
    let Some(context) = own() else { return };
    let sum = "fn combine(a: u32, b: u32) -> u32 { var c = a;
        for (var i = 0u; i < 100u; i += 1u) { c += select(0u, b, i == 7u); } return c; }";
    let sum = Operator::from_wgsl(0u32, sum).unwrap().with_host(|a: u32, b| a.wrapping_add(b));
    let kind = SegmentBounds::Offsets;
    let reduce = SegmentedReduce::new(&context, kind, &sum).unwrap();
    let most = 786_432u32;
    let values: Vec<u32> = (0..most).map(|i| hash(i, 6)).collect();
    let many =
        [(16, 20_000), (511, 900), (512, 900), (513, 1500), (3072, 256), (3073, 128), (3073, 255)];
    for (lengths, count) in
        many.into_iter().chain([(most, 1), (most / 2, 2), (most / 16, 16), (most / 300, 300)])
    {
        let bounds: Vec<u32> = (0..=count).map(|s| s * lengths).collect();
        let wanted = reference::segmented_reduce(&values, kind, &bounds, &sum, None).unwrap();
        assert_eq!(reduce.run(&bounds, &values).unwrap(), wanted, "{count} of {lengths}");
    }
}
