//! Faults that people have hit in libraries like this one, each with its input and its right
//! result. The names are those of the project's cases.

#[path = "../common/mod.rs"]
mod common;
mod devices;
mod numbers;
mod order;
mod sizes;

use common::operators::{self, Exact, hash};
use common::{Place, check_reduce, check_scan, first_difference, scan_at, small_tiles};
use lookback::{
    Algorithm, Builtins, Context, GpuSlice, Kind, Numeric, Operator, Reduce, Scan, Tuning,
    reference, wgsl::Subgroup,
};

/// The device as it is, and without subgroups. The second runs the emulated files, which know
/// nothing of the device's lanes: of lavapipe's three widths one is enough, and `tests/scan.rs`
/// and `tests/reduce.rs` run them on all.
fn contexts() -> Vec<Context> {
    let Some(context) = common::context() else { return Vec::new() };
    let driver = std::env::var("LOOKBACK_DRIVER").unwrap_or_default();
    if matches!(driver.as_str(), "lavapipe-4" | "lavapipe-16" | "lavapipe-validation") {
        return vec![context.clone()];
    }
    vec![context.clone(), common::without_subgroups(context)]
}
/// The tile of a plan.
fn tile<I: lookback::Element>(scan: &Scan<I>) -> usize {
    scan.plan(1).unwrap().passes[0].kernel.tile_items() as usize
}
