//! The command line.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use lookback::{Algorithm, Shape, Tuning};

/// A primitive and its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Primitive {
    Reduce,
    /// Inclusive scan.
    Inclusive,
    /// Exclusive scan.
    Exclusive,
    Select,
    Partition,
    Unique,
    /// Run-length encoding.
    Rle,
    ReduceByKey,
    ScanByKey,
    SegmentedReduce,
    /// Several, each on what the one before has left.
    #[value(skip)]
    Chain,
}

impl Primitive {
    /// Those whose outputs have as many items as the input, or one.
    pub const REGULAR: [Primitive; 3] =
        [Primitive::Reduce, Primitive::Inclusive, Primitive::Exclusive];

    /// Its name and kind, as in the rows.
    pub fn names(self) -> (&'static str, Option<&'static str>) {
        match self {
            Primitive::Reduce => ("reduce", None),
            Primitive::Inclusive => ("scan", Some("inclusive")),
            Primitive::Exclusive => ("scan", Some("exclusive")),
            Primitive::Select => ("select", None),
            Primitive::Partition => ("partition", None),
            Primitive::Unique => ("unique", None),
            Primitive::Rle => ("rle", None),
            Primitive::ReduceByKey => ("reduce-by-key", None),
            Primitive::ScanByKey => ("scan-by-key", Some("inclusive")),
            Primitive::SegmentedReduce => ("segmented-reduce", None),
            Primitive::Chain => ("chain", None),
        }
    }
}

impl fmt::Display for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.names() {
            (name, Some(kind)) => write!(f, "{kind} {name}"),
            (name, None) => f.write_str(name),
        }
    }
}

/// A number of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is neither N nor 2^K nor 2^K+N");
        let number = |text: &str| text.replace('_', "").parse::<u64>().map_err(|_| wrong());
        let n = match text.strip_prefix("2^") {
            None => number(text)?,
            Some(rest) => {
                let (log2, more) = rest.split_once('+').unwrap_or((rest, "0"));
                let power = 1u64.checked_shl(number(log2)? as u32).ok_or_else(wrong)?;
                power.checked_add(number(more)?).ok_or_else(wrong)?
            }
        };
        match n {
            0 => Err("no items take no time".to_owned()),
            n if n > u64::from(u32::MAX) => Err(format!("{text} is past 2^32 - 1")),
            n => Ok(Size(n)),
        }
    }
}

/// Lanes of a workgroup and words of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair(pub u32, pub u32);

impl FromStr for Pair {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('x').map(|(lanes, words)| (lanes.parse(), words.parse()));
        match numbers {
            Some((Ok(lanes), Ok(words))) => Ok(Pair(lanes, words)),
            _ => Err(format!("{text:?} is not LANESxWORDS")),
        }
    }
}

impl Pair {
    /// As the shape of single passes, and a tuning with it.
    pub fn tuning(self, own: &Tuning) -> (Shape, Tuning) {
        let Pair(workgroup_size, words_per_lane) = self;
        let shape = Shape { from_items: 0, workgroup_size, words_per_lane };
        let shapes: &[Shape] = vec![shape].leak();
        let tuning = Tuning {
            // These are the sizes of everything but single passes.
            workgroup_size,
            words_per_lane,
            single_pass: shapes,
            compactions: shapes,
            scans_by_key: shapes,
            reductions_by_key: shapes,
            split_words_max: 128,
            ..*own
        };
        (shape, tuning)
    }
}

/// Calls in one encoder: enough for the clock where a call is short.
pub const SMALL: u64 = 1 << 20;

/// What the benches of primitives have in common.
#[derive(clap::Args, Clone, Debug)]
pub struct Common {
    /// Numbers of items: N, 2^K or 2^K+N.
    pub sizes: Vec<Size>,
    /// Only these.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub primitive: Vec<Primitive>,
    /// Only cases with one of these in their names, which are such as sum-u32.
    #[arg(long, value_delimiter = ',')]
    pub operator: Vec<String>,
    /// How scans and compactions come about; several are measured side by side.
    #[arg(long, value_parser = algorithm, value_delimiter = ',')]
    pub algorithm: Vec<Algorithm>,
    /// Appends a JSON object a measurement to this file.
    #[arg(long)]
    pub json: Option<PathBuf>,
    /// Fewer and smaller sizes, fewer rounds and calls: to see that it works.
    #[arg(long)]
    pub quick: bool,
    /// Measurements of each; the median counts. By default 40, or 10 with --quick.
    #[arg(long)]
    pub rounds: Option<usize>,
    /// Calls of a measurement, for every n. By default 100 below 2^20 items (10 with --quick),
    /// else 1.
    #[arg(long)]
    pub calls: Option<u32>,
    /// cargo says so.
    #[arg(long, hide = true)]
    bench: bool,
}

impl Common {
    pub fn sizes(&self, default: &[u64], quick: &[u64]) -> Vec<u64> {
        let mut sizes: Vec<u64> = match (self.sizes.is_empty(), self.quick) {
            (false, _) => self.sizes.iter().map(|size| size.0).collect(),
            (true, false) => default.to_vec(),
            (true, true) => quick.to_vec(),
        };
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// The regular ones that are asked for.
    pub fn primitives(&self, default: &[Primitive]) -> Vec<Primitive> {
        let all = if self.primitive.is_empty() { default } else { &self.primitive };
        let is_regular = |primitive: &&Primitive| Primitive::REGULAR.contains(primitive);
        all.iter().filter(is_regular).copied().collect()
    }

    pub fn wants_primitive(&self, primitive: Primitive) -> bool {
        self.primitive.is_empty() || self.primitive.contains(&primitive)
    }

    pub fn wants_operator(&self, name: &str) -> bool {
        self.operator.is_empty() || self.operator.iter().any(|part| name.contains(part.as_str()))
    }

    pub fn algorithms(&self, default: &[Algorithm]) -> Vec<Algorithm> {
        if self.algorithm.is_empty() { default.to_vec() } else { self.algorithm.clone() }
    }

    pub fn rounds(&self) -> usize {
        self.rounds.unwrap_or(if self.quick { 10 } else { 40 }).max(1)
    }

    pub fn calls(&self, n: u64) -> u32 {
        let small = if self.quick { 10 } else { 100 };
        self.calls.unwrap_or(if n < SMALL { small } else { 1 }).max(1)
    }
}

fn algorithm(text: &str) -> Result<Algorithm, String> {
    let mut all = Algorithm::ALL.into_iter();
    all.find(|algorithm| algorithm.name() == text).ok_or_else(|| {
        let names: Vec<&str> = Algorithm::ALL.iter().map(|algorithm| algorithm.name()).collect();
        format!("one of {}", names.join(", "))
    })
}
