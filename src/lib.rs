//! Device-wide parallel primitives for any GPU that wgpu reaches: reduce, scan, select, partition, runs,
//! and scans and reductions by key, written in WGSL with subgroup operations, dispatched from Rust.
//!
//! ```
//! use lookback::{Context, Operator};
//!
//! let context = Context::new()?;
//! let items = [3u32, 1, 4, 1, 5, 9, 2, 6];
//! assert_eq!(context.reduce(&items, &Operator::sum())?, 31);
//! assert_eq!(context.inclusive_scan(&items, &Operator::max())?, [3, 3, 4, 4, 5, 9, 9, 9]);
//! # Ok::<(), lookback::Error>(())
//! ```
//!
//! # Layers
//!
//! | layer | on | submits | waits | allocates |
//! |---|---|---|---|---|
//! | host: [`Context::reduce`], [`Reduce::run`], [`Scan::run`] and their `_async` forms, [`Select::run`], [`ReduceByKey::run`], … | slices of the host | yes | yes (`_async`: no thread) | buffers for items |
//! | immediate: [`Reduce::dispatch`], [`Scan::dispatch`], [`Call::dispatch`] | [`GpuSlice`] | yes | no | nothing; without immediates a small uniform |
//! | record: [`Reduce::record`], [`Scan::record_in_pass`], [`Call::record`], … | [`GpuSlice`], the caller's encoder or pass | no | no | nothing; without immediates a small uniform |
//!
//! A plan ([`Reduce`], [`Scan`], [`Select`], …) is made once and used for any number of calls, on any number of
//! items, several in one encoder. Errors of types, operators and limits show when it is made.
//!
//! Kernels are compiled when a plan first needs them: [`Reduce::warm_up`] and [`Scan::warm_up`] do
//! it beforehand, [`Context::set_pipeline_cache`] keeps the result from one process to the next.
//!
//! Below these lie the layers that the kernels are made of, for shaders of your own: shuffles,
//! votes, scans and reductions of a subgroup or a workgroup, for any element and operator
//! ([`wgsl`]).
//!
//! # Guarantees
//!
//! | primitive | algorithm | data moved | in place | float results |
//! |---|---|---|---|---|
//! | [`Reduce`] | chunked two-pass reduction | n | | same from run to run on one device |
//! | [`Scan`] | [`Algorithm::Auto`]: one of those below; one workgroup for few items | 2n or 3n | yes | as the one it comes to |
//! | | [`Algorithm::ScanThenPropagate`] | 4n | yes | same from run to run on one device |
//! | | [`Algorithm::ReduceThenScan`] | 3n | yes | same from run to run on one device |
//! | | [`Algorithm::LookBack`], [`Algorithm::Chained`] | 2n | yes, but a call that gives up has lost its input | may differ in the last bits from run to run |
//! | | [`Algorithm::Fallback`] | 2n | | may differ in the last bits from run to run |
//! | [`Select`], [`Unique`], [`UniqueByKey`] | [`Algorithm::Auto`]: a single pass, or on CPUs reduce-then-scan | n or 2n read, what is kept written | | as the items are |
//! | [`Partition`], [`PartitionThree`] | the same | n or 2n read, n written | | as the items are |
//! | [`RunLengths`], [`LongRuns`] | the same | n or 2n read, the runs written | | as the items are |
//! | [`ScanByKey`], [`SegmentedScan`] | as [`Scan`], but never [`Algorithm::ScanThenPropagate`] | as [`Scan`], and keys or flags as often as the values are read | as [`Scan`] | as [`Scan`] |
//! | [`ReduceByKey`] | [`Algorithm::Auto`]: a single pass, or on CPUs and of more than 3 words reduce-then-scan | n or 2n values and keys read, the runs written | | as [`Scan`] |
//! | [`SegmentedReduce`] | a lane, a subgroup, a workgroup or all of them for a segment, by its length | items n, bounds once or twice, an output a segment | | same from run to run on one device |
//! | [`RunLengthDecode`] | a scan of the lengths, then a search for each output | lengths as [`Scan`], outputs written | | as the items are |
//!
//! Single passes of selections, partitions and runs read each item twice, the second time from a cache.
//! Lengths, counts and flags are u32. What variable outputs have no room for is not written, and the counts
//! are true all the same.
//!
//! Integer results are exact, modulo 2^32, and the same on every device; so are float minima and
//! maxima. Devices may flush subnormal floats in sums and products. Operators are combined in item
//! order, see nothing past the last item, and need no commutativity.
//!
//! [`guide`] explains the look-back of a single pass, with a picture: what it asks of a device, and
//! what happens where that is not given.
//!
//! # Words
//!
//! A *lane* is CUDA's thread, a *subgroup* its warp, a *workgroup* its block. A *tile* is the
//! items that one workgroup handles at a time, a *partial* a reduction of some tiles, the
//! *spine* the scan over partials.

/// The wgpu that the types of this crate are of.
pub use wgpu;

mod algorithm;
mod arg;
mod capabilities;
mod compaction;
mod context;
mod definition;
mod dispatched;
mod element;
mod error;
mod geometry;
pub mod guide;
mod layout;
mod operator;
mod partition;
mod pieces;
mod pipeline;
mod plan;
mod prepared;
mod record;
mod reduce;
mod reduce_by_key;
pub mod reference;
mod run_length;
mod scan;
mod scan_by_key;
mod scratch;
mod segmented_reduce;
mod segmented_scan;
mod segments;
mod select;
mod selection;
mod self_test;
mod shader;
mod slice;
mod transfer;
mod tuning;
mod unique;
mod warm_up;
pub mod wgsl;

pub use algorithm::{Algorithm, Choice};
pub use arg::Ordered;
pub use capabilities::{Capabilities, requirements};
pub use compaction::Call;
pub use context::{Adapter, Context, adapters};
pub use dispatched::Dispatched;
pub use element::{Element, Integer, Numeric};
pub use error::Error;
pub use layout::{Layout, Scalar};
pub use operator::Operator;
pub use partition::{Partition, PartitionThree};
pub use plan::{Params, Pass, Plan, Resource};
pub use reduce::Reduce;
pub use reduce_by_key::ReduceByKey;
pub use run_length::{LongRuns, RunLengthDecode, RunLengths};
pub use scan::{Counters, Kind, Scan};
pub use scan_by_key::ScanByKey;
pub use segmented_reduce::{SegmentBounds, SegmentedReduce};
pub use segmented_scan::{SegmentStarts, SegmentedScan};
pub use select::Select;
pub use selection::{Equality, Predicate};
pub use self_test::SelfTest;
pub use shader::kernel::{
    Carry, Descriptor, Extent, Flags, Kernel, Keys, LookBack, Memory, ParamsSpace, Part, Payload,
    Queue, Root, SinglePass, Stalled, Tile,
};
pub use slice::{GpuSlice, Segment};
pub use tuning::{Builtins, Shape, Tuning};
pub use unique::{Unique, UniqueByKey};

impl Context {
    /// Reduces items of the host in one call; [`Reduce`] serves repeated use.
    pub fn reduce<I: Element, A: Element, O: Element>(
        &self,
        input: &[I],
        operator: &Operator<I, A, O>,
    ) -> Result<O, Error> {
        Reduce::new(self, operator)?.run(input)
    }

    /// Scans items of the host in one call, each output covering its own item; [`Scan`] serves
    /// repeated use.
    pub fn inclusive_scan<I: Element, A: Element, O: Element>(
        &self,
        input: &[I],
        operator: &Operator<I, A, O>,
    ) -> Result<Vec<O>, Error> {
        Scan::new(self, operator, Kind::Inclusive)?.run(input)
    }

    /// Scans items of the host in one call, each output covering the items before its own;
    /// [`Scan`] serves repeated use.
    pub fn exclusive_scan<I: Element, A: Element, O: Element>(
        &self,
        input: &[I],
        operator: &Operator<I, A, O>,
    ) -> Result<Vec<O>, Error> {
        Scan::new(self, operator, Kind::Exclusive)?.run(input)
    }
}

/// The README's example, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
