//! Reduce and scan against a copy shader on the same buffers, timed alternately by the device's
//! own clock: `cargo bench --bench throughput [-- LOG2_N…]`. Results are verified first.

use lookback::{Context, GpuSlice, Kind, Operator, Reduce, Scan, reference};

/// Moves 16 bytes a lane and step; each workgroup strides over the whole array.
const COPY: &str = "
@group(0) @binding(0) var<storage, read> src: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> dst: array<vec4<u32>>;
@compute @workgroup_size(256)
fn copy(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let first = group.x * 2048u + lane;
    for (var i = 0u; i < 8u; i += 1u) {
        let at = first + i * 256u;
        if (at < arrayLength(&src)) { dst[at] = src[at]; }
    }
}";

/// Records what is timed.
type Record<'a> = dyn Fn(&mut wgpu::ComputePass<'_>) + 'a;

struct Bench {
    context: Context,
    input: GpuSlice<u32>,
    output: GpuSlice<u32>,
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    times: GpuSlice<[u32; 2]>,
}

impl Bench {
    /// Seconds of one recorded pass.
    fn time(&self, record: &Record<'_>) -> f64 {
        let device = self.context.device();
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                query_set: &self.queries,
                beginning_of_pass_write_index: Some(0),
                end_of_pass_write_index: Some(1),
            }),
        });
        record(&mut pass);
        drop(pass);
        encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, self.times.buffer(), 0, 16);
        self.context.queue().submit([encoder.finish()]);
        let ticks = self.context.download(&self.times).unwrap();
        let ticks = ticks.iter().map(|&[low, high]| u64::from(high) << 32 | u64::from(low));
        let ticks: Vec<u64> = ticks.collect();
        let period = f64::from(self.context.queue().get_timestamp_period());
        (ticks[1] - ticks[0]) as f64 * period * 1e-9
    }
}

/// The host's time for recording a warm scan, and for the encoder's `finish`.
fn record_time(bench: &Bench, scan: &Scan<u32>) {
    let mut times = [vec![], vec![]];
    for _ in 0..500 {
        let mut encoder = bench.context.device().create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        let start = std::time::Instant::now();
        scan.record_in_pass(&mut pass, &bench.input, &bench.output).unwrap();
        times[0].push(start.elapsed().as_secs_f64());
        drop(pass);
        let start = std::time::Instant::now();
        drop(encoder.finish());
        times[1].push(start.elapsed().as_secs_f64());
    }
    let [record, finish] = times.map(summary);
    println!(
        "host: record {:.1} us, spread {:.0} %; finish {:.1} us",
        record.0 * 1e6,
        record.1 * 100.0,
        finish.0 * 1e6
    );
}

fn entry(binding: u32, slice: &GpuSlice<u32>) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry { binding, resource: slice.buffer().as_entire_binding() }
}

/// Median and the middle half's width, relative to it.
fn summary(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    let at = |quarter: usize| times[(times.len() - 1) * quarter / 4];
    (at(2), (at(3) - at(1)) / at(2))
}

fn main() {
    let context = Context::new().unwrap_or_else(|e| panic!("{e}"));
    if !context.capabilities().timestamps {
        println!("skipped: {} has no timestamps", context.capabilities().adapter);
        return;
    }
    println!("{}, {}", context.capabilities().adapter, context.capabilities().driver);
    let sizes: Vec<u32> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![16, 20, 24] } else { sizes };
    println!("log2 n | what | median us | spread | Gitem/s | GB/s | of copy's GB/s");
    for log2_n in sizes {
        run(&context, 1 << log2_n);
    }
}

fn run(context: &Context, n: u64) {
    let device = context.device();
    let items: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2654435761) >> 7).collect();
    let bench = Bench {
        context: context.clone(),
        input: context.upload(&items).unwrap(),
        output: context.allocate(n).unwrap(),
        queries: device.create_query_set(&wgpu::QuerySetDescriptor {
            label: None,
            ty: wgpu::QueryType::Timestamp,
            count: 2,
        }),
        resolved: device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 16,
            usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        }),
        times: context.allocate(2).unwrap(),
    };
    let total = context.allocate::<u32>(1).unwrap();
    let sum = Operator::<u32>::sum();
    let reduce = Reduce::new(context, &sum).unwrap();
    let scan = Scan::new(context, &sum, Kind::Inclusive).unwrap();
    reduce.dispatch(&bench.input, &total).unwrap();
    assert_eq!(
        context.download(&total).unwrap()[0],
        reference::reduce(&items, &sum, None).unwrap(),
        "reduce is wrong"
    );
    scan.dispatch(&bench.input, &bench.output).unwrap();
    let wanted = reference::scan(&items, &sum, Kind::Inclusive, None).unwrap();
    assert!(context.download(&bench.output).unwrap() == wanted, "scan is wrong");

    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(COPY.into()),
    });
    let copy = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: Default::default(),
        cache: None,
    });
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &copy.get_bind_group_layout(0),
        entries: &[entry(0, &bench.input), entry(1, &bench.output)],
    });
    let record_copy = |pass: &mut wgpu::ComputePass<'_>| {
        pass.set_pipeline(&copy);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(n.div_ceil(8192) as u32, 1, 1);
    };
    let record_reduce = |pass: &mut wgpu::ComputePass<'_>| {
        reduce.record_in_pass(pass, &bench.input, &total).unwrap();
    };
    let record_scan = |pass: &mut wgpu::ComputePass<'_>| {
        scan.record_in_pass(pass, &bench.input, &bench.output).unwrap();
    };
    let candidates: [(&str, &Record<'_>, u64); 3] =
        [("copy", &record_copy, 8), ("reduce", &record_reduce, 4), ("scan", &record_scan, 8)];
    // Clocks fall while a device idles: warm up, then take turns without pauses.
    record_time(&bench, &scan);
    let start = std::time::Instant::now();
    while start.elapsed().as_secs_f64() < 0.4 {
        bench.time(&record_copy);
    }
    let mut times = [vec![], vec![], vec![]];
    for _ in 0..40 {
        for (times, (_, record, _)) in times.iter_mut().zip(&candidates) {
            times.push(bench.time(record));
        }
    }
    let summaries = times.map(summary);
    let rate = |seconds: f64, bytes: u64| (n * bytes) as f64 / seconds * 1e-9;
    let copy_rate = rate(summaries[0].0, 8);
    for ((median, spread), (name, _, bytes)) in summaries.into_iter().zip(&candidates) {
        println!(
            "{} | {name} | {:.1} | {:.0} % | {:.2} | {:.0} | {:.2}",
            n.ilog2(),
            median * 1e6,
            spread * 100.0,
            n as f64 / median * 1e-9,
            rate(median, *bytes),
            rate(median, *bytes) / copy_rate
        );
    }
}
