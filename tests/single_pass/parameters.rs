//! How a call's parameters reach its kernels: as immediates, or as a uniform. The results are the same.

use lookback::{Layout, ParamsSpace, Partition, Predicate, Reduce, SegmentStarts, SegmentedScan};

use crate::common::small_tiles;
use crate::*;

/// The most words that an accumulator has: those of the initial value lie in all quads of parameters
/// that are there for it.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
struct Sixteen([u32; 16]);

impl Element for Sixteen {
    const LAYOUT: Layout = Layout::structure(
        "Sixteen",
        "struct Sixteen { a: vec4<u32>, b: vec4<u32>, c: vec4<u32>, d: vec4<u32> }",
        &[("a", 0), ("b", 16), ("c", 32), ("d", 48)],
        size_of::<Sixteen>(),
    );
}

fn sixteen(i: usize) -> Sixteen {
    Sixteen(std::array::from_fn(|word| operators::hash(i as u32, word as u32)))
}

/// A device with immediates, the same taken for one without, and one that was opened without.
#[test]
fn parameters_as_immediates_and_as_a_uniform() {
    let (Some(context), Some(without)) = (own(), common::context_without_immediates()) else {
        return;
    };
    let has = context.capabilities().immediate_bytes >= 128;
    println!("immediates: {has}");
    assert_eq!(without.capabilities().immediate_bytes, 0);
    let taken = common::pretend(&context, |capabilities| capabilities.immediate_bytes = 0);
    for (context, immediate) in [(&*context, has), (&taken, false), (&without, false)] {
        let space = if immediate { ParamsSpace::Immediate } else { ParamsSpace::Uniform };
        println!("{space:?}");
        scans_and_reductions(context, space);
        places_and_segments(context);
    }
}

fn scans_and_reductions(context: &Context, space: ParamsSpace) {
    let tuning = small_tiles(context);
    let affine = operators::affine();
    let items: Vec<[u32; 2]> = (0..10_007).map(operators::affine_item).collect();
    let reduce = Reduce::with_tuning(context, &affine, &tuning).unwrap().with_init([5, 7]);
    let wanted = reference::reduce(&items, &affine, Some([5, 7])).unwrap();
    assert_eq!(reduce.run(&items).unwrap(), wanted);
    for algorithm in [Algorithm::ReduceThenScan, Algorithm::ScanThenPropagate, Algorithm::Fallback]
    {
        for kind in [Kind::Inclusive, Kind::Exclusive] {
            let scan = Scan::with_algorithm(context, &affine, kind, algorithm, &tuning).unwrap();
            let plan = scan.plan(items.len() as u32).unwrap();
            assert!(plan.passes.iter().all(|pass| pass.kernel.params == space), "{algorithm}");
            let got = scan.with_init([5, 7]).run(&items).unwrap();
            let wanted = reference::scan(&items, &affine, kind, Some([5, 7])).unwrap();
            assert_eq!(common::first_difference(&got, &wanted), None, "{algorithm} {kind:?}");
        }
    }
    let zero = Sixteen([0; 16]);
    let sums = "Sixteen(a.a + b.a, a.b + b.b, a.c + b.c, a.d + b.d)";
    let host = |a: Sixteen, b: Sixteen| {
        Sixteen(std::array::from_fn(|word| a.0[word].wrapping_add(b.0[word])))
    };
    let sum = Operator::from_wgsl(zero, sums).unwrap().with_host(host);
    let items: Vec<Sixteen> = (0..3000).map(sixteen).collect();
    let (kind, init) = (Kind::Exclusive, sixteen(1 << 20));
    let wanted = reference::scan(&items, &sum, kind, Some(init)).unwrap();
    let scan = Scan::with_tuning(context, &sum, kind, &tuning).unwrap().with_init(init);
    assert_eq!(common::first_difference(&scan.run(&items).unwrap(), &wanted), None);
}

fn places_and_segments(context: &Context) {
    let tuning = small_tiles(context);
    let items: Vec<u32> = (0..10_007).map(|i| operators::hash(i, 3)).collect();
    let odd = Predicate::<u32>::from_wgsl("(x & 1u) == 1u").unwrap();
    let odd = odd.with_host(|x: u32, _| x & 1 == 1);
    let halves = reference::partition(&items, &[], &odd).unwrap();
    let (sum, kind) = (Operator::<u32>::sum(), Kind::Exclusive);
    let offsets: Vec<u32> =
        (0..).zip(&items).filter(|(_, x)| *x % 100 == 0).map(|(i, _)| i).collect();
    let scanned = reference::segmented_scan(&items, &offsets, &sum, kind, Some(9)).unwrap();
    for algorithm in [Algorithm::ReduceThenScan, Algorithm::Fallback] {
        let partition = Partition::with_algorithm(context, &odd, algorithm, &tuning).unwrap();
        assert!(partition.run(&items, &[]).unwrap() == halves, "{algorithm}");
        let starts = SegmentStarts::Offsets;
        let within = SegmentedScan::with_algorithm(context, starts, &sum, kind, algorithm, &tuning);
        let got = within.unwrap().with_init(9).run(&offsets, &items).unwrap();
        assert_eq!(common::first_difference(&got, &scanned), None, "{algorithm}");
    }
}
