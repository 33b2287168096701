//! `reduce` and `scan`: arrays from files through the GPU.

use lookback::{Algorithm, Kind, Operator, Reduce, Scan, Tuning};

use crate::cli::{Builtin, Common, OperatorArgs, ReduceArgs, ScanArgs};
use crate::dtype::{Dtype, Item, with_dtype};
use crate::gpu::{self, Timed};
use crate::json::{self, Object};
use crate::keys::{self, How};
use crate::npy::{self, Array};
use crate::output::Output;
use crate::{Result, print};

/// Prints the combination of all items.
pub fn reduce(common: &Common, args: &ReduceArgs) -> Result<()> {
    let array = Array::open(&args.input)?;
    with_dtype!(array.dtype, T => reduce_items::<T>(common, args, array))
}

/// Writes the running combination of the items.
pub fn scan(common: &Common, args: &ScanArgs) -> Result<()> {
    let array = Array::open(&args.input)?;
    with_dtype!(array.dtype, T => scan_items::<T>(common, args, array))
}

fn reduce_items<T: Item>(common: &Common, args: &ReduceArgs, mut array: Array) -> Result<()> {
    let (operator, init) = (operator::<T>(&args.operator)?, init::<T>(&args.init)?);
    let items = array.read::<T>()?;
    let context = gpu::open(common)?;
    let mut reduce = Reduce::new(&context, &operator)?;
    if let Some(init) = init {
        reduce = reduce.with_init(init);
    }
    let timed = gpu::timed(&context, &items, 1, |pass, input, output| {
        reduce.record_in_pass(pass, input, output)
    })?;
    let value = timed.items[0];
    if !common.json {
        return print(&format!("{}\n", value.show()));
    }
    let shown = match value.is_json_number() {
        true => value.show(),
        false => json::string(&value.show()),
    };
    let object = Object::default().raw("value", shown);
    print_report(object, T::DTYPE, items.len(), &context.capabilities().adapter, &timed)
}

fn scan_items<T: Item>(common: &Common, args: &ScanArgs, mut array: Array) -> Result<()> {
    let (operator, init) = (operator::<T>(&args.operator)?, init::<T>(&args.init)?);
    let output = Output::create(&args.output)?;
    let items = array.read::<T>()?;
    let kind = if args.exclusive { Kind::Exclusive } else { Kind::Inclusive };
    let context = gpu::open(common)?;
    let how = How { context: &context, operator: &operator, kind, algorithm: args.algorithm, init };
    let tuning = Tuning::for_device(context.capabilities());
    let timed = |algorithm| {
        let scan = Scan::with_algorithm(&context, &operator, kind, algorithm, &tuning)?;
        let scan = init.map_or(scan.clone(), |init| scan.with_init(init));
        gpu::timed_scan(&context, &scan, &items)
    };
    let timed = match keys::scan(&how, &args.segments, &items)? {
        Some(timed) => timed,
        None => match timed(args.algorithm)? {
            Some(timed) => timed,
            None => {
                log::warn!("the scan in a single pass gave up; it is done by reduce-then-scan");
                timed(Algorithm::ReduceThenScan)?.ok_or("the scan gave up")?
            }
        },
    };
    output.finish(|file| npy::write(file, T::DTYPE, &timed.items))?;
    let (adapter, path) = (&context.capabilities().adapter, args.output.display().to_string());
    if !common.json {
        return print(&format!(
            "{path}: {} items of {} in {:.6} s on {adapter}\n",
            items.len(),
            T::DTYPE.name(),
            timed.seconds,
        ));
    }
    let object = Object::default().text("output", &path);
    print_report(object, T::DTYPE, items.len(), adapter, &timed)
}

/// Completes and prints the JSON of one call.
fn print_report<O>(
    object: Object,
    dtype: Dtype,
    n_items: usize,
    adapter: &str,
    timed: &Timed<O>,
) -> Result<()> {
    let object = object
        .raw("n", n_items)
        .text("dtype", dtype.name())
        .text("adapter", adapter)
        .maybe("gpu_seconds", timed.gpu_seconds.map(json::seconds))
        .raw("seconds", json::seconds(timed.seconds));
    print(&format!("{}\n", object.finish()))
}

/// The operator that the command line gives for items of this type.
pub fn operator<T: Item>(args: &OperatorArgs) -> Result<Operator<T>> {
    Ok(match (args.op, &args.op_wgsl, &args.identity) {
        (Some(op), _, _) => builtin(op)?,
        (None, Some(text), Some(identity)) => {
            let identity = value("--identity", identity)?;
            Operator::from_wgsl(identity, text).map_err(|e| format!("--op-wgsl: {e}"))?
        }
        // The command line is read so that this can't come.
        _ => return Err("an operator is wanted: --op, or --op-wgsl with --identity".into()),
    })
}

/// The initial value that it gives.
pub fn init<T: Item>(text: &Option<String>) -> Result<Option<T>> {
    text.as_deref().map(|text| value("--init", text)).transpose()
}

fn builtin<T: Item>(op: Builtin) -> Result<Operator<T>> {
    let name = format!("{op:?}").to_lowercase();
    let dtype = T::DTYPE.name();
    T::builtin(op)
        .ok_or_else(|| format!("--op {name}: integers only, the items are {dtype}").into())
}

fn value<T: Item>(option: &str, text: &str) -> Result<T> {
    let dtype = T::DTYPE.name();
    T::parse(text).ok_or_else(|| format!("{option}: {text:?} is no value of {dtype}").into())
}
