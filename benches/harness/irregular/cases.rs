//! The cases, as data: a new one is a line in [`all`], and a new primitive a few more.

use std::rc::Rc;

use lookback::{
    Algorithm, Call, Context, Equality, Error, GpuSlice, Kind, Operator, Partition, Predicate,
    ReduceByKey, RunLengths, ScanByKey, SegmentBounds, SegmentedReduce, Select, Tuning, Unique,
};

use super::arrays::{Plan, Slices};
use super::parts::{self, Make};
use crate::harness::cases::Subject;
use crate::harness::options::Primitive;

/// Makes a primitive.
type MakePlan = dyn Fn(&Context, Algorithm, &Tuning) -> Result<Rc<dyn Plan>, Error>;

/// A primitive over items of some kind.
pub struct Irregular {
    pub primitive: Primitive,
    /// What the items are like, as "50 %" or "runs of 4".
    pub operator: &'static str,
    /// The primitive counts the items of so many of its outputs.
    pub counts: usize,
    pub make: Box<Make>,
    pub plan: Box<MakePlan>,
}

impl Subject for Irregular {
    fn operator(&self) -> &'static str {
        self.operator
    }

    fn element(&self) -> &'static str {
        "u32"
    }

    fn bytes(&self) -> u64 {
        4
    }

    fn name(&self) -> String {
        format!("{} {}", self.operator, self.element())
    }
}

impl Plan for Select<u32> {
    fn call(&self, on: &Slices) -> Result<Call<'_>, Error> {
        self.call(&on.inputs[0], None, &on.outputs[0], &on.counts)
    }
}

impl Plan for Partition<u32> {
    fn call(&self, on: &Slices) -> Result<Call<'_>, Error> {
        self.call(&on.inputs[0], None, [&on.outputs[0], &on.outputs[1]], &on.counts)
    }
}

impl Plan for Unique<u32> {
    fn call(&self, on: &Slices) -> Result<Call<'_>, Error> {
        self.call(&on.inputs[0], &on.outputs[0], &on.counts)
    }
}

impl Plan for RunLengths<u32> {
    fn call(&self, on: &Slices) -> Result<Call<'_>, Error> {
        self.call(&on.inputs[0], &on.outputs[0], &on.outputs[1], &on.counts)
    }
}

impl Plan for ReduceByKey<u32, u32> {
    fn call(&self, on: &Slices) -> Result<Call<'_>, Error> {
        let (inputs, outputs) = (&on.inputs, &on.outputs);
        self.call(&inputs[0], &inputs[1], &outputs[0], &outputs[1], &on.counts)
    }
}

impl Plan for ScanByKey<u32, u32> {
    fn call(&self, on: &Slices) -> Result<Call<'_>, Error> {
        self.call(&on.inputs[0], &on.inputs[1], &on.outputs[0])
    }
}

impl Plan for SegmentedReduce<u32> {
    fn call(&self, on: &Slices) -> Result<Call<'_>, Error> {
        let offsets = &on.inputs[1];
        let output = GpuSlice::new(on.outputs[0].buffer(), 0..offsets.len() - 1)?;
        self.call(offsets, &on.inputs[0], &output)
    }
}

/// All cases; the peers have the same.
pub fn all() -> Vec<Irregular> {
    vec![
        select("10 %", 429_496_730),
        select("50 %", 1 << 31),
        select("90 %", 3_865_470_566),
        partition("50 %", 1 << 31),
        unique("runs of 4", 4),
        unique("runs of 1000", 1000),
        rle("runs of 4", 4),
        rle("runs of 1000", 1000),
        reduce_by_key("runs of 4", 4),
        reduce_by_key("runs of 1000", 1000),
        scan_by_key("runs of 4", 4),
        scan_by_key("runs of 1000", 1000),
        segmented_reduce("segments of 8", |i, _| i.is_multiple_of(8)),
        segmented_reduce("segments of 100", |i, _| i.is_multiple_of(100)),
        segmented_reduce("segments of 10,000", |i, _| i.is_multiple_of(10_000)),
        // All but a sixteenth of the items.
        segmented_reduce("one huge among ones", |i, n| i <= n / 32 || i >= n - n / 32),
    ]
}

/// Keeps the hashes below a threshold.
fn select(operator: &'static str, threshold: u32) -> Irregular {
    Irregular {
        primitive: Primitive::Select,
        operator,
        counts: 1,
        make: Box::new(move |range, _| parts::selected(range, threshold)),
        plan: Box::new(move |context, algorithm, tuning| {
            let predicate = below(threshold)?;
            Ok(Rc::new(Select::with_algorithm(context, &predicate, algorithm, tuning)?))
        }),
    }
}

fn partition(operator: &'static str, threshold: u32) -> Irregular {
    Irregular {
        primitive: Primitive::Partition,
        operator,
        counts: 2,
        make: Box::new(move |range, _| parts::partitioned(range, threshold)),
        plan: Box::new(move |context, algorithm, tuning| {
            let predicate = below(threshold)?;
            Ok(Rc::new(Partition::with_algorithm(context, &predicate, algorithm, tuning)?))
        }),
    }
}

fn unique(operator: &'static str, mean: u32) -> Irregular {
    Irregular {
        primitive: Primitive::Unique,
        operator,
        counts: 1,
        make: Box::new(move |range, _| parts::unique(range, mean)),
        plan: Box::new(|context, algorithm, tuning| {
            let equality = Equality::by_value();
            Ok(Rc::new(Unique::with_algorithm(context, &equality, algorithm, tuning)?))
        }),
    }
}

fn rle(operator: &'static str, mean: u32) -> Irregular {
    Irregular {
        primitive: Primitive::Rle,
        operator,
        counts: 1,
        make: Box::new(move |range, n| parts::run_lengths(range, n, mean)),
        plan: Box::new(|context, algorithm, tuning| {
            let equality = Equality::by_value();
            Ok(Rc::new(RunLengths::with_algorithm(context, &equality, algorithm, tuning)?))
        }),
    }
}

/// Sums.
fn reduce_by_key(operator: &'static str, mean: u32) -> Irregular {
    Irregular {
        primitive: Primitive::ReduceByKey,
        operator,
        counts: 1,
        make: Box::new(move |range, n| parts::sums_by_key(range, n, mean)),
        plan: Box::new(|context, algorithm, tuning| {
            let (equality, sum) = (Equality::by_value(), Operator::<u32>::sum());
            Ok(Rc::new(ReduceByKey::with_algorithm(context, &equality, &sum, algorithm, tuning)?))
        }),
    }
}

/// Inclusive sums.
fn scan_by_key(operator: &'static str, mean: u32) -> Irregular {
    Irregular {
        primitive: Primitive::ScanByKey,
        operator,
        counts: 0,
        make: Box::new(move |range, _| parts::running_by_key(range, mean)),
        plan: Box::new(|context, algorithm, tuning| {
            let (equality, sum) = (Equality::by_value(), Operator::<u32>::sum());
            let kind = Kind::Inclusive;
            let scan =
                ScanByKey::with_algorithm(context, &equality, &sum, kind, algorithm, tuning)?;
            Ok(Rc::new(scan))
        }),
    }
}

/// Sums of segments that begin at some items of n.
fn segmented_reduce(operator: &'static str, begins: fn(u32, u32) -> bool) -> Irregular {
    Irregular {
        primitive: Primitive::SegmentedReduce,
        operator,
        counts: 0,
        make: Box::new(move |range, n| parts::segment_sums(range, n, begins)),
        plan: Box::new(|context, _, tuning| {
            let (sum, offsets) = (Operator::<u32>::sum(), SegmentBounds::Offsets);
            Ok(Rc::new(SegmentedReduce::with_tuning(context, offsets, &sum, tuning)?))
        }),
    }
}

fn below(threshold: u32) -> Result<Predicate<u32>, Error> {
    Predicate::from_wgsl(&format!("x < {threshold}u"))
}
