//! The work of each workgroup scan: the combines that its formula promises, the combines counted
//! on the device, and the steps they take. What is counted are the library's own shaders, with a
//! `combine` that counts its calls; no model. `cargo run --release --example work_efficiency`
//!
//! Sources: Kogge & Stone 1973; Brent & Kung 1982; Blelloch 1990; the worked examples of Kirk &
//! Hwu, "Programming Massively Parallel Processors", for 32 execution units.
use lookback::wgsl::{Layers, SectionScan, WorkgroupScan};
use lookback::{Context, Operator};

const SHADER: &str = "
import package::section::{section_get, section_set};
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE};
import package::workgroup_scan::{workgroup_SCAN};

override N: u32 = 1u;
var<private> counted: u32;

@group(0) @binding(0) var<storage, read_write> combines: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn count(group: Group, lane: Lane) {
    for (var i = lane.index; i < N; i += WORKGROUP_SIZE) {
        section_set(i, i + 1u);
    }
    _ = workgroup_SCAN(group, lane, N);
    for (var i = lane.index; i < N; i += WORKGROUP_SIZE) {
        output[i] = section_get(i);
    }
    atomicAdd(&combines, counted);
}
";

const HEAD: &str = "\
scan                              N     T  combines by the formula            counted  steps    steps at P = 32:
                                                                                              textbook    in step
";

/// Stands for the operator's own `combine`, which it calls.
const COUNTING: &str = "
fn combine(a: T, b: T) -> T {
    counted += 1u;
    return combine_uncounted(a, b);
}
";

/// One line of the table.
struct Row {
    name: &'static str,
    scan: WorkgroupScan,
    exclusive: bool,
    /// Entries of the section.
    n: u32,
    lanes: u32,
}

/// What the shaders must do, step by step: how many combines each step has at once.
fn steps(row: &Row) -> Vec<u32> {
    let kogge_stone = |n: u32| (0..n.ilog2()).map(|k| n - (1 << k)).collect::<Vec<_>>();
    let up = |n: u32| (1..=n.ilog2()).map(|k| n >> k).collect::<Vec<_>>();
    let brent_kung = |n: u32| {
        let down = (1..n.ilog2()).map(|k| (1 << k) - 1);
        [up(n), down.collect()].concat()
    };
    match (row.scan, row.exclusive) {
        (WorkgroupScan::KoggeStone, _) => kogge_stone(row.n),
        (WorkgroupScan::BrentKung, false) => brent_kung(row.n),
        // Blelloch's down-sweep has a combine at each node of the tree.
        (WorkgroupScan::BrentKung, true) => {
            [up(row.n), up(row.n).into_iter().rev().collect()].concat()
        }
        (WorkgroupScan::Coarsened(runs), _) => {
            let (run, t) = (row.n / row.lanes, row.lanes);
            let between = match runs {
                SectionScan::KoggeStone => kogge_stone(t),
                SectionScan::BrentKung => brent_kung(t),
            };
            // The first run has nothing to its left to add. Of each other run, one entry needs no
            // combine: inclusive, the last, which the scan of the runs has made right;
            // exclusive, the first, which takes what stands before the run.
            [vec![t; run as usize - 1], between, vec![t - 1; run as usize - 1]].concat()
        }
    }
}

/// The textbooks' formula, and why the counted number differs from it, if it does.
fn formula(row: &Row) -> (String, u32, &'static str) {
    let (n, t) = (row.n, row.lanes);
    match (row.scan, row.exclusive) {
        (WorkgroupScan::KoggeStone, _) => {
            ("N log N - (N - 1)".to_owned(), n * n.ilog2() - (n - 1), "")
        }
        (WorkgroupScan::BrentKung, false) => {
            ("2N - 2 - log N".to_owned(), 2 * n - 2 - n.ilog2(), "")
        }
        (WorkgroupScan::BrentKung, true) => ("2(N - 1)".to_owned(), 2 * (n - 1), ""),
        (WorkgroupScan::Coarsened(SectionScan::KoggeStone), _) => (
            "2(N - T) + T log T".to_owned(),
            2 * (n - t) + t * t.ilog2(),
            "Kogge-Stone takes T - 1 fewer than T log T, and the first run, N / T - 1 entries, \
             has nothing to its left to add",
        ),
        (WorkgroupScan::Coarsened(SectionScan::BrentKung), _) => (
            "2(N - T) + 2T - 2 - log T".to_owned(),
            2 * (n - t) + 2 * t - 2 - t.ilog2(),
            "the first run, N / T - 1 entries, has nothing to its left to add",
        ),
    }
}

/// The combines that the device counts; its result is checked too.
fn counted(context: &Context, row: &Row) -> Result<u32, Box<dyn std::error::Error>> {
    let device = context.device();
    let kind = if row.exclusive { "exclusive_scan" } else { "inclusive_scan" };
    let layers = Layers { scan: row.scan, ..Layers::for_capabilities(context.capabilities()) };
    let linked = layers.link(&Operator::<u32>::sum(), &SHADER.replace("SCAN", kind))?;
    let text = linked.native().replacen("fn combine(", "fn combine_uncounted(", 1) + COUNTING;
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("count"),
        source: wgpu::ShaderSource::Wgsl(text.into()),
    });
    let mut constants = linked.overrides(context.capabilities(), row.lanes, row.n)?;
    constants.push(("N", f64::from(row.n)));
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("count"),
        layout: None,
        module: &module,
        entry_point: Some("count"),
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: &constants,
            ..Default::default()
        },
        cache: None,
    });
    let combines = context.allocate::<u32>(1)?;
    let output = context.allocate::<u32>(u64::from(row.n))?;
    let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("count"),
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: combines.buffer().as_entire_binding() },
            wgpu::BindGroupEntry { binding: 1, resource: output.buffer().as_entire_binding() },
        ],
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &bindings, &[]);
    pass.dispatch_workgroups(1, 1, 1);
    drop(pass);
    context.queue().submit([encoder.finish()]);

    let mut running = 0;
    for (i, got) in (0..).zip(context.download(&output)?) {
        let before = running;
        running += i + 1;
        let wanted = if row.exclusive { before } else { running };
        assert_eq!(got, wanted, "{} is wrong at entry {i}", row.name);
    }
    Ok(context.download(&combines)?[0])
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::new()?;
    println!("{}", context.capabilities().adapter);
    print!("{HEAD}");
    let mut notes = Vec::new();
    let row = |name, scan, exclusive, n, lanes| Row { name, scan, exclusive, n, lanes };
    let coarsened = WorkgroupScan::Coarsened;
    let mut rows = Vec::new();
    for n in [256, 1024] {
        rows.push(row("Kogge-Stone", WorkgroupScan::KoggeStone, false, n, n));
        rows.push(row("Brent-Kung", WorkgroupScan::BrentKung, false, n, n / 2));
        rows.push(row("Blelloch, exclusive", WorkgroupScan::BrentKung, true, n, n / 2));
        for (name, runs) in [
            ("coarsened over Kogge-Stone", SectionScan::KoggeStone),
            ("coarsened over Brent-Kung", SectionScan::BrentKung),
        ] {
            rows.push(row(name, coarsened(runs), false, n, 64));
        }
        rows.push(row("coarsened, exclusive", coarsened(SectionScan::KoggeStone), true, n, 64));
    }
    for row in &rows {
        if row.lanes > context.capabilities().workgroup_lanes {
            let most = context.capabilities().workgroup_lanes;
            println!("{:<29} skipped: {} lanes, the device has {most}", row.name, row.lanes);
            continue;
        }
        let (text, promised, why) = formula(row);
        let counted = counted(&context, row)?;
        let steps = steps(row);
        let exact: u32 = steps.iter().sum();
        assert_eq!(counted, exact, "{}: the shaders do other work than their steps", row.name);
        assert!(counted == promised || !why.is_empty(), "{}: {promised}, {counted}", row.name);
        // The textbook divides the work by the units; Brent-Kung's narrow steps, log P in each
        // half, it adds. Kogge-Stone it takes as N lanes busy in each step.
        let units = 32;
        let textbook = match (row.scan, row.exclusive) {
            (WorkgroupScan::KoggeStone, _) => f64::from(row.n * row.n.ilog2()) / 32.0,
            (WorkgroupScan::BrentKung, _) => f64::from(promised) / 32.0 + 10.0,
            _ => f64::from(promised) / 32.0,
        };
        let in_step: u32 = steps.iter().map(|active| active.div_ceil(units)).sum();
        let mark = if counted == promised { "" } else { "*" };
        println!(
            "{:<29} {:>5} {:>5}  {text:<26} {promised:>7} {:>7} {:>6} {textbook:>10.1} {in_step:>10}",
            row.name,
            row.n,
            row.lanes,
            format!("{counted}{mark}"),
            steps.len()
        );
        if counted != promised && !notes.contains(&(text.clone(), why)) {
            notes.push((text, why));
        }
    }
    println!(
        "N entries, T lanes, P execution units; log to base 2. A step's combines are done at once."
    );
    for (text, why) in notes {
        println!("* {text}: {why}.");
    }
    Ok(())
}
