//! The project's cases F1, C1 and C4 for every algorithm.

use crate::common::operators::hash;
use crate::common::small_tiles;
use crate::*;

fn check<T: Element>(
    context: &Context,
    operator: &Operator<T>,
    way: Way,
    tuning: &Tuning,
    inputs: &[Vec<T>],
) {
    let Some(scan) = scan_by(context, operator, Kind::Inclusive, way, tuning) else { return };
    for (index, input) in inputs.iter().enumerate() {
        let source = context.upload(input).unwrap();
        let output = context.allocate::<T>(input.len() as u64).unwrap();
        let start = std::time::Instant::now();
        // Of the first input's few tiles some call is right; larger ones may give up.
        let got = match index {
            0 => Some(insisted(context, &scan, way, &source, &output)),
            _ => checked(context, &scan, way, &source, &output),
        };
        // The driver compiles in here, and other drivers' tests may run beside.
        assert!(start.elapsed().as_secs() < 60, "{way:?} takes too long");
        let Some(got) = got else { continue };
        let wanted = reference::scan(input, operator, Kind::Inclusive, None).unwrap();
        let difference = common::first_difference(&got, &wanted);
        assert_eq!(difference, None, "{operator:?} {way:?} n = {}", input.len());
    }
}

fn tile(context: &Context, tuning: &Tuning) -> usize {
    let sum = Operator::<u32>::sum();
    let scan = Scan::with_tuning(context, &sum, Kind::Inclusive, tuning).unwrap();
    scan.plan(1).unwrap().passes[0].kernel.tile_items() as usize
}

#[test]
fn f1_operators_combine_from_left_to_right() {
    let Some(context) = own() else { return };
    let tuning = small_tiles(&context);
    let affine = operators::affine();
    let t = tile(&context, &tuning);
    let sizes = [8, 33, 257, t + 1, 3 * t + 5, 100_003];
    let maps: Vec<Vec<[u32; 2]>> =
        sizes.iter().map(|&n| (0..n).map(operators::affine_item).collect()).collect();
    let kept: Vec<Vec<u32>> = sizes
        .iter()
        .map(|&n| (0..n as u32).map(|i| if i % 37 == 0 { i } else { 0 }).collect())
        .collect();
    for way in ways() {
        check(&context, &affine, way, &tuning, &maps);
        check(&context, &operators::last_nonzero(), way, &tuning, &kept);
    }
}

#[test]
fn c1_tile_counts_that_no_workgroup_divides() {
    let Some(context) = own() else { return };
    let tuning = small_tiles(&context);
    let t = tile(&context, &tuning);
    let items = |n: usize| (0..n as u32).map(|i| (i * 7 + 3) % 11).collect::<Vec<u32>>();
    let inputs: Vec<Vec<u32>> = [1, 255, 256, 257, 511, 513, 1025]
        .iter()
        .flat_map(|tiles| [items(tiles * t), items(tiles * t - 3)])
        .collect();
    for way in ways() {
        check(&context, &Operator::<u32>::sum(), way, &tuning, &inputs);
    }
}

/// Every workgroup width; past the square of the tile, and a large n by turns.
#[test]
fn c4_every_level_and_every_workgroup_width() {
    let Some(context) = own() else { return };
    for workgroup_size in [64, 128, 256] {
        let tuning = Tuning { workgroup_size, words_per_lane: 4, ..small_tiles(&context) };
        let t = tile(&context, &tuning);
        let items = |n: usize| (0..n as u32).map(|i| i % 13 + 1).collect::<Vec<u32>>();
        for (index, way) in ways().into_iter().enumerate() {
            let mut inputs = vec![items(3 * t + 1), items(t * t + 1 + index % 2 * t)];
            // Thousands of tiles of a pass that waits take a time slice each where cores are fewer
            // than threads.
            if !may_give_up(way.0) && index % 3 == hash(workgroup_size, 0) as usize % 3 {
                inputs.push(items((1 << 22) + 1));
            }
            check(&context, &Operator::<u32>::sum(), way, &tuning, &inputs);
        }
    }
}
