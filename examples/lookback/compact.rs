//! `select`, `partition`, `unique`, `rle`, `argmin`, `argmax`: some of an array's items through the GPU.

use std::path::Path;
use std::time::Instant;

use lookback::{
    Equality, LongRuns, Operator, Ordered, Partition, PartitionThree, Predicate, Reduce,
    RunLengths, Select, Unique,
};

use crate::cli::{ArgArgs, Common, PartitionArgs, RleArgs, SelectArgs, SelectionArgs, UniqueArgs};
use crate::dtype::{Dtype, Item, with_dtype};
use crate::gpu;
use crate::json::{self, Object};
use crate::npy::{self, Array};
use crate::output::Output;
use crate::{Result, print};

/// Writes the kept items.
pub fn select(common: &Common, args: &SelectArgs) -> Result<()> {
    let array = Array::open(&args.input)?;
    with_dtype!(array.dtype, T => {
        let (items, predicate, flags) = selection::<T>(array, &args.selection)?;
        let output = Output::create(&args.output)?;
        let context = gpu::open(common)?;
        let select = Select::new(&context, &predicate)?;
        let start = Instant::now();
        let kept = select.run(&items, &flags)?;
        let counts = Counts { counts: vec![kept.len()], n_items: items.len(), start };
        output.finish(|file| npy::write(file, T::DTYPE, &kept))?;
        counts.report(common, &args.output, T::DTYPE, &context.capabilities().adapter)
    })
}

/// Writes the kept items and the others.
pub fn partition(common: &Common, args: &PartitionArgs) -> Result<()> {
    let array = Array::open(&args.input)?;
    with_dtype!(array.dtype, T => {
        let (items, predicate, flags) = selection::<T>(array, &args.selection)?;
        let then = args.then.as_deref().map(|text| condition::<T>("--then", text)).transpose()?;
        let output = Output::create(&args.output)?;
        let context = gpu::open(common)?;
        let (start, kinds);
        match then {
            None => {
                let partition = Partition::new(&context, &predicate)?;
                start = Instant::now();
                kinds = partition.run(&items, &flags)?.to_vec();
            }
            Some(then) => {
                let partition = PartitionThree::new(&context, &predicate, &then)?;
                start = Instant::now();
                kinds = partition.run(&items, &flags)?.to_vec();
            }
        }
        let counts = kinds.iter().map(Vec::len).collect();
        let counts = Counts { counts, n_items: items.len(), start };
        output.finish(|file| npy::write(file, T::DTYPE, &kinds.concat()))?;
        counts.report(common, &args.output, T::DTYPE, &context.capabilities().adapter)
    })
}

/// Writes the first item of each run.
pub fn unique(common: &Common, args: &UniqueArgs) -> Result<()> {
    let mut array = Array::open(&args.input)?;
    with_dtype!(array.dtype, T => {
        let output = Output::create(&args.output)?;
        let items = array.read::<T>()?;
        let context = gpu::open(common)?;
        let unique = Unique::<T>::new(&context, &Equality::by_value())?;
        let start = Instant::now();
        let heads = unique.run(&items)?;
        let counts = Counts { counts: vec![heads.len()], n_items: items.len(), start };
        output.finish(|file| npy::write(file, T::DTYPE, &heads))?;
        counts.report(common, &args.output, T::DTYPE, &context.capabilities().adapter)
    })
}

/// Writes runs: first items or places, and lengths.
pub fn rle(common: &Common, args: &RleArgs) -> Result<()> {
    let mut array = Array::open(&args.input)?;
    with_dtype!(array.dtype, T => {
        let (values, lengths) = (Output::create(&args.values)?, Output::create(&args.lengths)?);
        values.check_apart_from(&lengths)?;
        let items = array.read::<T>()?;
        let context = gpu::open(common)?;
        let equality = Equality::<T>::by_value();
        let (start, counted);
        if args.non_trivial {
            let runs = LongRuns::new(&context, &equality)?;
            start = Instant::now();
            let (places, counts) = runs.run(&items)?;
            values.finish(|file| npy::write(file, Dtype::Uint32, &places))?;
            counted = counts;
        } else {
            let runs = RunLengths::new(&context, &equality)?;
            start = Instant::now();
            let (heads, counts) = runs.run(&items)?;
            values.finish(|file| npy::write(file, T::DTYPE, &heads))?;
            counted = counts;
        }
        let counts = Counts { counts: vec![counted.len()], n_items: items.len(), start };
        lengths.finish(|file| npy::write(file, Dtype::Uint32, &counted))?;
        counts.report(common, &args.values, T::DTYPE, &context.capabilities().adapter)
    })
}

/// Prints where the least or the greatest item stands.
pub fn arg(common: &Common, args: &ArgArgs, greatest: bool) -> Result<()> {
    let array = Array::open(&args.input)?;
    with_dtype!(array.dtype, T => arg_items::<T>(common, array, greatest))
}

fn arg_items<T: Item + Ordered>(common: &Common, mut array: Array, greatest: bool) -> Result<()> {
    let items = array.read::<T>()?;
    if items.is_empty() {
        return Err("an array of no items has no least or greatest one".into());
    }
    let context = gpu::open(common)?;
    let operator = if greatest { Operator::<T>::arg_max()? } else { Operator::<T>::arg_min()? };
    let reduce = Reduce::new(&context, &operator)?;
    let start = Instant::now();
    let [index, bits] = reduce.run(&items)?;
    let seconds = start.elapsed().as_secs_f64();
    let value: T = bytemuck::cast_slice::<u32, T>(&[bits])[0];
    if !common.json {
        return print(&format!("{index} {}\n", value.show()));
    }
    let shown = match value.is_json_number() {
        true => value.show(),
        false => json::string(&value.show()),
    };
    let object = Object::default()
        .raw("index", index)
        .raw("value", shown)
        .raw("n", items.len())
        .text("dtype", T::DTYPE.name())
        .text("adapter", &context.capabilities().adapter)
        .raw("seconds", json::seconds(seconds));
    print(&format!("{}\n", object.finish()))
}

/// The items, which of them are kept, and the flags for it.
fn selection<T: Item>(
    mut array: Array,
    args: &SelectionArgs,
) -> Result<(Vec<T>, Predicate<T>, Vec<u32>)> {
    let predicate =
        args.condition.as_deref().map(|text| condition::<T>("--if", text)).transpose()?;
    let items = array.read::<T>()?;
    let Some(path) = &args.flags else {
        return Ok((items, predicate.ok_or("--if or --flags is wanted")?, Vec::new()));
    };
    let mut file = Array::open(path)?;
    let shown = path.display();
    if file.dtype != Dtype::Uint32 {
        return Err(format!("{shown}: flags are uint32, these are {}", file.dtype.name()).into());
    }
    if file.n_items != items.len() as u64 {
        return Err(format!("{shown}: {} flags for {} items", file.n_items, items.len()).into());
    }
    let flags = file.read::<u32>()?;
    Ok((items, predicate.map_or_else(Predicate::flags, Predicate::and_flags), flags))
}

fn condition<T: Item>(option: &str, text: &str) -> Result<Predicate<T>> {
    Predicate::from_wgsl(text).map_err(|e| format!("{option}: {e}").into())
}

/// What a command has written.
pub struct Counts {
    /// How many, of each kind.
    pub counts: Vec<usize>,
    /// Of how many.
    pub n_items: usize,
    /// When it began.
    pub start: Instant,
}

impl Counts {
    /// Prints it.
    pub fn report(self, common: &Common, path: &Path, dtype: Dtype, adapter: &str) -> Result<()> {
        self.report_as("", common, path, dtype, adapter)
    }

    /// Prints it, where what is written are not some of the items: the text says of what there are so many.
    pub fn report_as(
        self,
        what: &str,
        common: &Common,
        path: &Path,
        dtype: Dtype,
        adapter: &str,
    ) -> Result<()> {
        let seconds = self.start.elapsed().as_secs_f64();
        let path = path.display().to_string();
        let counts: Vec<String> = self.counts.iter().map(usize::to_string).collect();
        if !common.json {
            return print(&format!(
                "{path}: {}{}{what} of {} items of {} in {seconds:.6} s on {adapter}\n",
                counts.join(" + "),
                if what.is_empty() { "" } else { " " },
                self.n_items,
                dtype.name(),
            ));
        }
        let object = Object::default().text("output", &path);
        let object = match &counts[..] {
            [count] => object.raw("count", count),
            _ => object.raw("counts", json::array(counts)),
        };
        let object = object
            .raw("n", self.n_items)
            .text("dtype", dtype.name())
            .text("adapter", adapter)
            .raw("seconds", json::seconds(seconds));
        print(&format!("{}\n", object.finish()))
    }
}
