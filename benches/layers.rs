//! The rungs of the reduction ladder and the workgroup scans, each a kernel of its own made from
//! the files below `shaders/`, against a copy shader: `cargo bench --bench layers [-- LOG2_N…]`.
//! Each workgroup handles one tile, and nothing goes from tile to tile, so that what differs is
//! the workgroup's part. Results are verified first.

mod rows;
mod timing;

use lookback::wgsl::{Layers, SectionScan, WorkgroupReduce, WorkgroupScan};
use lookback::{Context, Kind, Operator, reference};
use timing::{Clock, Copy, Line, Turns};

/// Reduces a tile of ITEMS a lane, which are combined while they are loaded.
const REDUCE: &str = "
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE};
import package::workgroup_reduce::{workgroup_reduce};
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(WORKGROUP_SIZE)
fn rung(group: Group, lane: Lane) {
    let tile = group.workgroup.y * 32768u + group.workgroup.x;
    let first = tile * (ITEMS * WORKGROUP_SIZE) + lane.index;
    var value = identity();
    for (var i = 0u; i < ITEMS; i += 1u) { // unroll
        value = combine(value, input[first + i * WORKGROUP_SIZE]);
    }
    let total = workgroup_reduce(group, lane, value);
    if (lane.index == 0u) {
        output[tile] = total;
    }
}";

/// Scans a tile of ITEMS a lane: loaded by turns, scanned in the section, stored by turns.
const SCAN: &str = "
import package::section::{section_get, section_set};
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE};
import package::workgroup_scan::{workgroup_inclusive_scan};
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(WORKGROUP_SIZE)
fn scan_sections(group: Group, lane: Lane) {
    let tile = group.workgroup.y * 32768u + group.workgroup.x;
    let first = tile * (ITEMS * WORKGROUP_SIZE);
    for (var i = 0u; i < ITEMS; i += 1u) { // unroll
        let at = i * WORKGROUP_SIZE + lane.index;
        section_set(at, input[first + at]);
    }
    _ = workgroup_inclusive_scan(group, lane, ITEMS * WORKGROUP_SIZE);
    for (var i = 0u; i < ITEMS; i += 1u) { // unroll
        let at = i * WORKGROUP_SIZE + lane.index;
        output[first + at] = section_get(at);
    }
}";

/// Scans a tile of one item a lane by shuffles.
const LANES: &str = "
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE, workgroup_lane};
import package::workgroup_lanes::{workgroup_lanes_scan};
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(WORKGROUP_SIZE)
fn scan_lanes(group: Group, lane: Lane) {
    let tile = group.workgroup.y * 32768u + group.workgroup.x;
    let at = tile * WORKGROUP_SIZE + workgroup_lane(group, lane);
    let value = input[at];
    output[at] = combine(workgroup_lanes_scan(group, lane, value).prefix, value);
}";

/// A kernel to time.
struct Kernel {
    name: String,
    layers: Layers,
    source: &'static str,
    workgroup_size: u32,
    items_per_lane: u32,
}

impl Kernel {
    fn tile(&self) -> usize {
        (self.workgroup_size * self.items_per_lane) as usize
    }
}

fn kernels(context: &Context) -> Vec<Kernel> {
    use WorkgroupReduce::{Interleaved, Sequential, Strided, SubgroupTail, Subgroups, Unrolled};
    let own = Layers::for_capabilities(context.capabilities());
    let mut kernels = Vec::new();
    let rungs = [
        ("1 interleaved", Interleaved, 1),
        ("2 strided", Strided, 1),
        ("3 sequential", Sequential, 1),
        ("4 add on load", Sequential, 2),
        ("5 subgroup tail", SubgroupTail, 2),
        ("6 unrolled", Unrolled, 2),
        ("7 several items", Unrolled, 16),
        ("8 shuffles alone", Subgroups, 16),
    ];
    for (name, reduce, items_per_lane) in rungs {
        let layers = Layers { reduce, ..own };
        let name = format!("reduce {name}, 256 x {items_per_lane}");
        kernels.push(Kernel { name, layers, source: REDUCE, workgroup_size: 256, items_per_lane });
    }
    let name = "reduce 9 builtins, 256 x 16".to_owned();
    let layers = Layers { builtins: true, ..own };
    kernels.push(Kernel { name, layers, source: REDUCE, workgroup_size: 256, items_per_lane: 16 });
    for workgroup_size in [256, 1024] {
        for (name, scan, items_per_lane) in [
            ("Kogge-Stone", WorkgroupScan::KoggeStone, 1),
            ("Brent-Kung", WorkgroupScan::BrentKung, 2),
            ("coarsened over Kogge-Stone", WorkgroupScan::Coarsened(SectionScan::KoggeStone), 8),
            ("coarsened over Brent-Kung", WorkgroupScan::Coarsened(SectionScan::BrentKung), 8),
            ("coarsened over Kogge-Stone", WorkgroupScan::Coarsened(SectionScan::KoggeStone), 7),
        ] {
            let layers = Layers { scan, ..own };
            let name = format!("scan {name}, {workgroup_size} x {items_per_lane}");
            kernels.push(Kernel { name, layers, source: SCAN, workgroup_size, items_per_lane });
        }
        for builtins in [false, true] {
            let layers = Layers { builtins, ..own };
            let what = if builtins { "builtins" } else { "shuffles" };
            let name = format!("scan {what}, {workgroup_size} x 1");
            kernels.push(Kernel { name, layers, source: LANES, workgroup_size, items_per_lane: 1 });
        }
    }
    let most = context.capabilities().workgroup_lanes;
    kernels.retain(|kernel| kernel.workgroup_size <= most);
    kernels
}

fn main() {
    let Some(context) = timing::context() else { return };
    let sizes: Vec<u32> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    for log2_n in if sizes.is_empty() { vec![20] } else { sizes } {
        run(&context, 1 << log2_n);
    }
}

fn run(context: &Context, n: usize) {
    let items: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2654435761) >> 7).collect();
    let input = context.upload(&items).unwrap();
    let output = context.allocate::<u32>(n as u64).unwrap();
    let sum = Operator::<u32>::sum();
    let kernels = kernels(context);
    let compile = |kernel: &Kernel| {
        let source = kernel.source.replace("ITEMS", &format!("{}u", kernel.items_per_lane));
        let linked = kernel.layers.link(&sum, &source).unwrap_or_else(|e| panic!("{e}"));
        let overrides = linked
            .overrides(context.capabilities(), kernel.workgroup_size, kernel.tile() as u32)
            .unwrap();
        let pipeline = timing::pipeline(context, linked.native(), &overrides);
        let bindings = [&input, &output].map(|slice| slice.buffer().as_entire_buffer_binding());
        let group = timing::bind_group(context, &pipeline, &bindings);
        // Whole tiles only; the rest of n is left out.
        let tiles = (n / kernel.tile()) as u32;
        move |pass: &mut wgpu::ComputePass<'_>| {
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(tiles.min(32768), tiles.div_ceil(32768), 1);
        }
    };
    let records: Vec<_> = kernels.iter().map(compile).collect();
    for (kernel, record) in kernels.iter().zip(&records) {
        let mut encoder = context.device().create_command_encoder(&Default::default());
        record(&mut encoder.begin_compute_pass(&Default::default()));
        context.queue().submit([encoder.finish()]);
        let got = context.download(&output).unwrap();
        for (tile, input) in items.chunks_exact(kernel.tile()).enumerate() {
            let wanted = reference::scan(input, &sum, Kind::Inclusive, None).unwrap();
            let is_right = match kernel.source == REDUCE {
                true => got[tile] == wanted[wanted.len() - 1],
                false => got[tile * kernel.tile()..][..wanted.len()] == wanted,
            };
            assert!(is_right, "{}: tile {tile} is wrong", kernel.name);
        }
    }

    let clock = Clock::new(context);
    let copy = Copy::new(context, input.buffer(), output.buffer(), n as u64 * 4);
    let time_copy = || clock.time_calls(1, &|pass| copy.record(pass));
    let timers: Vec<_> = records.iter().map(|record| || clock.time_calls(1, record)).collect();
    let timers: Vec<&dyn Fn() -> f64> = timers.iter().map(|timer| timer as _).collect();
    let turns = Turns { warm_up: std::time::Duration::from_millis(1500), rounds: 40 };
    timing::heading();
    for (kernel, timed) in kernels.iter().zip(turns.time(&time_copy, &timers)) {
        let name = &kernel.name;
        let n = n as u64;
        let bytes = n * if kernel.source == REDUCE { 4 } else { 8 };
        Line { name, n, bytes, copy_bytes: n * 8, timed }.print();
    }
}
