//! The command line.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use lookback::Algorithm;

/// Reduce, scan and compact one-dimensional .npy arrays of uint32, int32 or float32 on a GPU.
#[derive(Debug, Parser)]
#[command(name = "lookback", version, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// What every command takes.
    #[command(flatten)]
    pub common: Common,
}

/// What every command takes.
#[derive(Debug, Args)]
pub struct Common {
    /// The GPU to use: an index that `info` shows, or a part of its name; default: the best
    #[arg(long, global = true, value_name = "NAME_OR_INDEX")]
    pub adapter: Option<String>,
    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    pub json: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the adapters of this machine and what the library chooses on them
    Info,
    /// Combine all items of an array into one value
    #[command(group = operator_group())]
    Reduce(ReduceArgs),
    /// Write the running combination of an array's items, of all or of each segment
    #[command(group = operator_group())]
    Scan(ScanArgs),
    /// Write the first key of each run of equal keys, and what its values combine to
    #[command(group = operator_group())]
    ReduceByKey(ReduceByKeyArgs),
    /// Write what the items of each segment combine to
    #[command(group = operator_group())]
    SegmentedReduce(SegmentedReduceArgs),
    /// Write the items that a condition or flags keep, in order
    #[command(group = selection_group())]
    Select(SelectArgs),
    /// Write the kept items, then the others, both in order
    #[command(group = selection_group())]
    Partition(PartitionArgs),
    /// Write the first item of each run of equal items
    Unique(UniqueArgs),
    /// Write the runs of equal items: first items and lengths
    Rle(RleArgs),
    /// Find the least item, the first of equal ones
    Argmin(ArgArgs),
    /// Find the greatest item, the first of equal ones
    Argmax(ArgArgs),
    /// Check every primitive against the host, byte for byte
    Verify(VerifyArgs),
}

/// Which items are kept.
#[derive(Debug, Args)]
pub struct SelectionArgs {
    /// A WGSL expression in the item x and its number i: u32, true for those to keep
    #[arg(long = "if", value_name = "WGSL", allow_hyphen_values = true)]
    pub condition: Option<String>,
    /// An array of uint32, as long as the items: not 0 for those to keep
    #[arg(long, value_name = "FLAGS.npy")]
    pub flags: Option<PathBuf>,
}

/// A condition, flags, or both.
fn selection_group() -> ArgGroup {
    ArgGroup::new("selection").args(["condition", "flags"]).required(true).multiple(true)
}

/// Arguments of `select`.
#[derive(Debug, Args)]
pub struct SelectArgs {
    /// The array
    #[arg(value_name = "IN.npy")]
    pub input: PathBuf,
    /// The file to write; may be the input
    #[arg(value_name = "OUT.npy")]
    pub output: PathBuf,
    /// Which items are kept.
    #[command(flatten)]
    pub selection: SelectionArgs,
}

/// Arguments of `partition`.
#[derive(Debug, Args)]
pub struct PartitionArgs {
    /// The array
    #[arg(value_name = "IN.npy")]
    pub input: PathBuf,
    /// The file to write; may be the input
    #[arg(value_name = "OUT.npy")]
    pub output: PathBuf,
    /// Which items are kept.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// A WGSL expression in x and i for those of the others that come next: a partition in three
    #[arg(long, value_name = "WGSL", allow_hyphen_values = true)]
    pub then: Option<String>,
}

/// Arguments of `unique`.
#[derive(Debug, Args)]
pub struct UniqueArgs {
    /// The array
    #[arg(value_name = "IN.npy")]
    pub input: PathBuf,
    /// The file to write; may be the input
    #[arg(value_name = "OUT.npy")]
    pub output: PathBuf,
}

/// Arguments of `rle`.
#[derive(Debug, Args)]
pub struct RleArgs {
    /// The array
    #[arg(value_name = "IN.npy")]
    pub input: PathBuf,
    /// The file for the first items; with --non-trivial for the runs' first places, as uint32
    #[arg(value_name = "VALUES.npy")]
    pub values: PathBuf,
    /// The file for the lengths, as uint32
    #[arg(value_name = "LENGTHS.npy")]
    pub lengths: PathBuf,
    /// Runs of two items or more only
    #[arg(long)]
    pub non_trivial: bool,
}

/// Arguments of `argmin` and `argmax`.
#[derive(Debug, Args)]
pub struct ArgArgs {
    /// The array
    #[arg(value_name = "IN.npy")]
    pub input: PathBuf,
}

/// Arguments of `reduce`.
#[derive(Debug, Args)]
pub struct ReduceArgs {
    /// The array
    #[arg(value_name = "IN.npy")]
    pub input: PathBuf,
    /// How to combine.
    #[command(flatten)]
    pub operator: OperatorArgs,
    /// A value to the left of the first item
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub init: Option<String>,
}

/// Arguments of `reduce-by-key`.
#[derive(Debug, Args)]
pub struct ReduceByKeyArgs {
    /// The array of keys
    #[arg(value_name = "KEYS.npy")]
    pub keys: PathBuf,
    /// The array of values, as long
    #[arg(value_name = "VALUES.npy")]
    pub values: PathBuf,
    /// The file for the first key of each run
    #[arg(value_name = "OUT_KEYS.npy")]
    pub out_keys: PathBuf,
    /// The file for what the values of each run combine to
    #[arg(value_name = "OUT_VALUES.npy")]
    pub out_values: PathBuf,
    /// How to combine.
    #[command(flatten)]
    pub operator: OperatorArgs,
}

/// Arguments of `segmented-reduce`.
#[derive(Debug, Args)]
pub struct SegmentedReduceArgs {
    /// The array
    #[arg(value_name = "IN.npy")]
    pub input: PathBuf,
    /// An ascending array of uint32, one more than segments: where each begins and the one before ends
    #[arg(value_name = "OFFSETS.npy")]
    pub offsets: PathBuf,
    /// The file to write, one item a segment; may be the input
    #[arg(value_name = "OUT.npy")]
    pub output: PathBuf,
    /// How to combine.
    #[command(flatten)]
    pub operator: OperatorArgs,
    /// A value to the left of the first item of each segment
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub init: Option<String>,
}

/// What begins segments, in each of which a scan starts anew.
#[derive(Debug, Args)]
#[group(id = "segments", multiple = false)]
pub struct SegmentArgs {
    /// An array as long as the items: where a key differs from the one before, a segment begins
    #[arg(long, value_name = "KEYS.npy")]
    pub by_key: Option<PathBuf>,
    /// An array of uint32 as long as the items: not 0 where a segment begins
    #[arg(long, value_name = "HEADS.npy")]
    pub heads: Option<PathBuf>,
    /// An ascending array of uint32: the number of each segment's first item
    #[arg(long, value_name = "OFFSETS.npy")]
    pub offsets: Option<PathBuf>,
}

/// Arguments of `scan`.
#[derive(Debug, Args)]
pub struct ScanArgs {
    /// The array
    #[arg(value_name = "IN.npy")]
    pub input: PathBuf,
    /// The file to write; may be the input
    #[arg(value_name = "OUT.npy")]
    pub output: PathBuf,
    /// How to combine.
    #[command(flatten)]
    pub operator: OperatorArgs,
    /// A value to the left of the first item, or of the first of each segment
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub init: Option<String>,
    /// What begins segments.
    #[command(flatten)]
    pub segments: SegmentArgs,
    /// Let each output cover the items before its own only
    #[arg(long)]
    pub exclusive: bool,
    /// How the scan comes about; `info` says what auto comes to, and why
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = algorithms())]
    pub algorithm: Algorithm,
}

/// The names of the algorithms.
fn algorithms() -> impl TypedValueParser<Value = Algorithm> {
    let named = |name: String| {
        let mut all = Algorithm::ALL.into_iter();
        // The parser lets no other name through.
        all.find(|algorithm| algorithm.name() == name).unwrap_or(Algorithm::Auto)
    };
    PossibleValuesParser::new(Algorithm::ALL.map(Algorithm::name)).map(named)
}

/// How to combine.
#[derive(Debug, Args)]
pub struct OperatorArgs {
    /// A built-in operator; and, or and xor are for integers
    #[arg(long, value_enum)]
    pub op: Option<Builtin>,
    /// An operator of your own: a WGSL expression in a (left) and b (right), associative
    #[arg(long, value_name = "WGSL", allow_hyphen_values = true, requires = "identity")]
    pub op_wgsl: Option<String>,
    /// The value that --op-wgsl leaves others alone with
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, conflicts_with = "op")]
    #[arg(requires = "op_wgsl")]
    pub identity: Option<String>,
}

/// Exactly one way to name an operator.
fn operator_group() -> ArgGroup {
    ArgGroup::new("operator").args(["op", "op_wgsl"]).required(true)
}

/// The built-in operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Builtin {
    /// a + b, integers modulo 2^32
    Sum,
    /// a * b, integers modulo 2^32
    Product,
    /// The lesser; NaN wins
    Min,
    /// The greater; NaN wins
    Max,
    /// Bitwise and
    And,
    /// Bitwise or
    Or,
    /// Bitwise exclusive or
    Xor,
}

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// Flip a word of one GPU result, to show that the check notices
    #[arg(long, hide = true)]
    pub corrupt: bool,
}
