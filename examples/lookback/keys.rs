//! `reduce-by-key`, `segmented-reduce`, and `scan` by keys, heads or offsets.

use std::path::Path;
use std::time::Instant;

use lookback::{
    Algorithm, Context, Equality, Kind, Operator, ReduceByKey, ScanByKey, SegmentBounds,
    SegmentStarts, SegmentedReduce, SegmentedScan, Tuning,
};

use crate::Result;
use crate::cli::{Common, ReduceByKeyArgs, SegmentArgs, SegmentedReduceArgs};
use crate::compact::Counts;
use crate::dtype::{Dtype, Item, with_dtype};
use crate::gpu::{self, Timed};
use crate::npy::{self, Array};
use crate::output::Output;
use crate::run::{init, operator};

/// Writes the first key of each run, and what its values combine to.
pub fn reduce(common: &Common, args: &ReduceByKeyArgs) -> Result<()> {
    let (tags, values) = (Array::open(&args.keys)?, Array::open(&args.values)?);
    with_dtype!(tags.dtype, K => with_dtype!(values.dtype, V => {
        reduce_values::<K, V>(common, args, tags, values)
    }))
}

fn reduce_values<K: Item, V: Item>(
    common: &Common,
    args: &ReduceByKeyArgs,
    mut tags: Array,
    mut values: Array,
) -> Result<()> {
    let operator = operator::<V>(&args.operator)?;
    check_number(&args.keys, "keys", tags.n_items, values.n_items)?;
    let (out_keys, out_values) =
        (Output::create(&args.out_keys)?, Output::create(&args.out_values)?);
    out_keys.check_apart_from(&out_values)?;
    let (tags, values) = (tags.read::<K>()?, values.read::<V>()?);
    let context = gpu::open(common)?;
    let reduction = ReduceByKey::new(&context, &Equality::by_value(), &operator)?;
    let start = Instant::now();
    let (firsts, totals) = reduction.run(&tags, &values)?;
    let counts = Counts { counts: vec![totals.len()], n_items: values.len(), start };
    out_keys.finish(|file| npy::write(file, K::DTYPE, &firsts))?;
    out_values.finish(|file| npy::write(file, V::DTYPE, &totals))?;
    counts.report(common, &args.out_values, V::DTYPE, &context.capabilities().adapter)
}

/// Writes what the items of each segment combine to.
pub fn segmented_reduce(common: &Common, args: &SegmentedReduceArgs) -> Result<()> {
    let array = Array::open(&args.input)?;
    with_dtype!(array.dtype, T => reduce_segments::<T>(common, args, array))
}

fn reduce_segments<T: Item>(
    common: &Common,
    args: &SegmentedReduceArgs,
    mut array: Array,
) -> Result<()> {
    let (operator, init) = (operator::<T>(&args.operator)?, init::<T>(&args.init)?);
    let mut offsets = open_words(&args.offsets, "offsets")?;
    let output = Output::create(&args.output)?;
    let (offsets, items) = (offsets.read::<u32>()?, array.read::<T>()?);
    let context = gpu::open(common)?;
    let reduce = SegmentedReduce::new(&context, SegmentBounds::Offsets, &operator)?;
    let reduce = init.map_or(reduce.clone(), |init| reduce.with_init(init));
    let start = Instant::now();
    let totals = reduce.run(&offsets, &items);
    let totals = totals.map_err(|e| format!("{}: {e}", args.offsets.display()))?;
    let counts = Counts { counts: vec![totals.len()], n_items: items.len(), start };
    output.finish(|file| npy::write(file, T::DTYPE, &totals))?;
    let adapter = &context.capabilities().adapter;
    counts.report_as("segments", common, &args.output, T::DTYPE, adapter)
}

/// How a scan within segments is to be done.
pub struct How<'a, T: Item> {
    pub context: &'a Context,
    pub operator: &'a Operator<T>,
    pub kind: Kind,
    pub algorithm: Algorithm,
    pub init: Option<T>,
}

/// Scans within the segments that the command line tells, if it tells any.
pub fn scan<T: Item>(
    how: &How<'_, T>,
    segments: &SegmentArgs,
    items: &[T],
) -> Result<Option<Timed<T>>> {
    let (path, starts) = match (&segments.by_key, &segments.heads, &segments.offsets) {
        (Some(path), _, _) => {
            let mut tags = Array::open(path)?;
            check_number(path, "keys", tags.n_items, items.len() as u64)?;
            return with_dtype!(tags.dtype, K => {
                scan_by_key::<K, T>(how, &tags.read::<K>()?, items).map(Some)
            });
        }
        (None, Some(path), _) => (path, SegmentStarts::Flags),
        (None, None, Some(path)) => (path, SegmentStarts::Offsets),
        (None, None, None) => return Ok(None),
    };
    let what = if starts == SegmentStarts::Flags { "heads" } else { "offsets" };
    let mut array = open_words(path, what)?;
    if starts == SegmentStarts::Flags {
        check_number(path, what, array.n_items, items.len() as u64)?;
    }
    let words = array.read::<u32>()?;
    let How { context, operator, kind, algorithm, init } = *how;
    let tuning = Tuning::for_device(context.capabilities());
    let scan = SegmentedScan::with_algorithm(context, starts, operator, kind, algorithm, &tuning)?;
    let scan = init.map_or(scan.clone(), |init| scan.with_init(init));
    let scanned = timed(|| scan.run(&words, items));
    scanned.map(Some).map_err(|e| format!("{}: {e}", path.display()).into())
}

fn scan_by_key<K: Item, T: Item>(how: &How<'_, T>, tags: &[K], items: &[T]) -> Result<Timed<T>> {
    let How { context, operator, kind, algorithm, init } = *how;
    let (tuning, equality) = (Tuning::for_device(context.capabilities()), Equality::by_value());
    let scan = ScanByKey::with_algorithm(context, &equality, operator, kind, algorithm, &tuning)?;
    let scan = init.map_or(scan.clone(), |init| scan.with_init(init));
    timed(|| scan.run(tags, items))
}

/// Runs it by the host's clock.
pub fn timed<T>(
    run: impl FnOnce() -> std::result::Result<Vec<T>, lookback::Error>,
) -> Result<Timed<T>> {
    let start = Instant::now();
    let items = run()?;
    Ok(Timed { items, seconds: start.elapsed().as_secs_f64(), gpu_seconds: None })
}

/// An array of uint32, of what it is called.
fn open_words(path: &Path, what: &str) -> Result<Array> {
    let array = Array::open(path)?;
    if array.dtype == Dtype::Uint32 {
        return Ok(array);
    }
    let (shown, dtype) = (path.display(), array.dtype.name());
    Err(format!("{shown}: {what} are uint32, these are {dtype}").into())
}

fn check_number(path: &Path, what: &str, got: u64, wanted: u64) -> Result<()> {
    match got == wanted {
        true => Ok(()),
        false => Err(format!("{}: {got} {what} for {wanted} items", path.display()).into()),
    }
}
