//! Items, and what primitives should make of them. Every part of the items can be made for itself,
//! so that several threads make many of them.

use std::ops::Range;
use std::thread;

use crate::harness::cases::mixed;

/// Items of a part.
const PART: u32 = 1 << 22;

/// Some of the items, and what they come to. The arrays of all parts one after the other are the
/// arrays of all items.
#[derive(Clone, Debug, Default)]
pub struct Part {
    pub inputs: Vec<Vec<u32>>,
    pub outputs: Vec<Vec<u32>>,
}

/// Makes the part of a range of `n` items.
pub type Make = dyn Fn(Range<u32>, u32) -> Part + Sync;

/// Makes the parts of n items, and takes each, in order.
pub fn each(n: u32, make: &Make, mut take: impl FnMut(Part)) {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let starts: Vec<u32> = (0..n).step_by(PART as usize).collect();
    for starts in starts.chunks(threads) {
        let parts: Vec<Part> = thread::scope(|scope| {
            let start = |&first: &u32| {
                let range = first..n.min(first.saturating_add(PART));
                scope.spawn(move || make(range, n))
            };
            let started: Vec<_> = starts.iter().map(start).collect();
            started.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        parts.into_iter().for_each(&mut take);
    }
}

/// Hashes; those below a threshold are kept.
pub fn selected(range: Range<u32>, threshold: u32) -> Part {
    let items: Vec<u32> = range.map(mixed).collect();
    let kept = items.iter().copied().filter(|&item| item < threshold).collect();
    Part { inputs: vec![items], outputs: vec![kept] }
}

/// The same with the others in an output of their own.
pub fn partitioned(range: Range<u32>, threshold: u32) -> Part {
    let items: Vec<u32> = range.map(mixed).collect();
    let (kept, others) = items.iter().partition(|&&item| item < threshold);
    Part { inputs: vec![items], outputs: vec![kept, others] }
}

/// The first item of each run.
pub fn unique(range: Range<u32>, mean: u32) -> Part {
    let heads = heads(range.clone(), mean).map(value).collect();
    Part { inputs: vec![items_in_runs(range, mean)], outputs: vec![heads] }
}

/// The same with the runs' lengths.
pub fn run_lengths(range: Range<u32>, n: u32, mean: u32) -> Part {
    let next = heads(range.end..n, mean).next().unwrap_or(n);
    let heads: Vec<u32> = heads(range.clone(), mean).collect();
    let ends = heads.iter().skip(1).chain([&next]);
    let lengths = heads.iter().zip(ends).map(|(head, end)| end - head).collect();
    let values = heads.iter().copied().map(value).collect();
    Part { inputs: vec![items_in_runs(range, mean)], outputs: vec![values, lengths] }
}

/// The first key of each run, and the sum of its values.
pub fn sums_by_key(range: Range<u32>, n: u32, mean: u32) -> Part {
    let next = heads(range.end..n, mean).next().unwrap_or(n);
    let heads: Vec<u32> = heads(range.clone(), mean).collect();
    let ends = heads.iter().skip(1).chain([&next]);
    let sum =
        |(&head, &end): (&u32, &u32)| (head..end).map(value_of_key).fold(0, u32::wrapping_add);
    let sums = heads.iter().zip(ends).map(sum).collect();
    let keys = heads.iter().copied().map(value).collect();
    let inputs = vec![items_in_runs(range.clone(), mean), range.map(value_of_key).collect()];
    Part { inputs, outputs: vec![keys, sums] }
}

/// The sums of each run's values up to each.
pub fn running_by_key(range: Range<u32>, mean: u32) -> Part {
    let head = (0..=range.start).rev().find(|&i| is_head(i, mean)).unwrap_or(0);
    let mut sum = (head..range.start).map(value_of_key).fold(0, u32::wrapping_add);
    let next = |i| {
        sum = if is_head(i, mean) { value_of_key(i) } else { sum.wrapping_add(value_of_key(i)) };
        sum
    };
    let sums = range.clone().map(next).collect();
    let inputs = vec![items_in_runs(range.clone(), mean), range.map(value_of_key).collect()];
    Part { inputs, outputs: vec![sums] }
}

/// The sum of each segment's values, and where the segments begin and end.
pub fn segment_sums(range: Range<u32>, n: u32, begins: fn(u32, u32) -> bool) -> Part {
    let heads = |range: Range<u32>| range.filter(move |&i| begins(i, n));
    let next = heads(range.end..n).next().unwrap_or(n);
    let mut offsets: Vec<u32> = heads(range.clone()).collect();
    let ends = offsets.iter().skip(1).chain([&next]);
    let sum =
        |(&head, &end): (&u32, &u32)| (head..end).map(value_of_key).fold(0, u32::wrapping_add);
    let sums = offsets.iter().zip(ends).map(sum).collect();
    offsets.extend((range.end == n).then_some(n));
    Part { inputs: vec![range.map(value_of_key).collect(), offsets], outputs: vec![sums] }
}

/// The value that goes with a key.
fn value_of_key(i: u32) -> u32 {
    mixed(!i) >> 7
}

/// Where runs begin, of `mean` items on average: a hash of the place says so, and lengths are as
/// irregular as it is.
fn heads(range: Range<u32>, mean: u32) -> impl Iterator<Item = u32> {
    range.filter(move |&i| is_head(i, mean))
}

fn is_head(i: u32, mean: u32) -> bool {
    i == 0 || mixed(i) < u32::MAX / mean
}

/// The item of a run that begins there: no two have the same.
fn value(head: u32) -> u32 {
    head.wrapping_mul(2654435761)
}

fn items_in_runs(range: Range<u32>, mean: u32) -> Vec<u32> {
    let before = (0..=range.start).rev().find(|&i| is_head(i, mean));
    let mut item = before.map_or(0, value);
    let next = |i| {
        if is_head(i, mean) {
            item = value(i);
        }
        item
    };
    range.map(next).collect()
}
