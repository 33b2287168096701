//! What the benches share: a copy shader as the measure of all, the device's clock, and turns.
#![allow(dead_code, reason = "not every bench uses all of it")]

use lookback::{Context, GpuSlice};

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
pub type Record<'a> = dyn Fn(&mut wgpu::ComputePass<'_>) + 'a;

/// What is timed: its name, how it is recorded, and the bytes it must move for each item.
pub type Candidate<'a> = (String, &'a Record<'a>, u64);

/// A device, two arrays of n items, and a clock.
pub struct Bench {
    pub context: Context,
    pub input: GpuSlice<u32>,
    pub output: GpuSlice<u32>,
    n: u64,
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    times: GpuSlice<[u32; 2]>,
}

/// A context with timestamps; `None`, with the reason printed, without.
pub fn context() -> Option<Context> {
    let context = Context::new().unwrap_or_else(|e| panic!("{e}"));
    if !context.capabilities().timestamps {
        println!("skipped: {} has no timestamps", context.capabilities().adapter);
        return None;
    }
    println!("{}, {}", context.capabilities().adapter, context.capabilities().driver);
    Some(context)
}

/// The binary logarithms of n that the command line asks for.
pub fn sizes(default: &[u32]) -> Vec<u32> {
    let sizes: Vec<u32> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    if sizes.is_empty() { default.to_vec() } else { sizes }
}

/// Median and the middle half's width, relative to it.
pub fn summary(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    let at = |quarter: usize| times[(times.len() - 1) * quarter / 4];
    (at(2), (at(3) - at(1)) / at(2))
}

impl Bench {
    pub fn new(context: &Context, items: &[u32]) -> Self {
        let device = context.device();
        Bench {
            context: context.clone(),
            input: context.upload(items).unwrap(),
            output: context.allocate(items.len() as u64).unwrap(),
            n: items.len() as u64,
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
        }
    }

    /// The pipeline of a text, and the bind group of input and output for it.
    pub fn pipeline(
        &self,
        text: &str,
        constants: &[(&str, f64)],
    ) -> (wgpu::ComputePipeline, wgpu::BindGroup) {
        let device = self.context.device();
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions {
                constants,
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        });
        let entries = [(0, &self.input), (1, &self.output)].map(|(binding, slice)| {
            wgpu::BindGroupEntry { binding, resource: slice.buffer().as_entire_binding() }
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        (pipeline, group)
    }

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

    /// Times candidates and the copy by turns, and prints a line for each.
    pub fn compare(&self, candidates: &[Candidate<'_>]) {
        let (copy, group) = self.pipeline(COPY, &[]);
        let record_copy = |pass: &mut wgpu::ComputePass<'_>| {
            pass.set_pipeline(&copy);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(self.n.div_ceil(8192) as u32, 1, 1);
        };
        // Clocks fall while a device idles: warm up, then take turns without pauses.
        let start = std::time::Instant::now();
        while start.elapsed().as_secs_f64() < 1.5 {
            self.time(&record_copy);
        }
        let mut copies = Vec::new();
        let mut times = vec![Vec::new(); candidates.len()];
        for _ in 0..40 {
            for (times, (_, record, _)) in times.iter_mut().zip(candidates) {
                // The copy before each of them leaves the same in the caches for all.
                copies.push(self.time(&record_copy));
                times.push(self.time(record));
            }
        }
        let rate = |seconds: f64, bytes: u64| (self.n * bytes) as f64 / seconds * 1e-9;
        let copies = summary(copies);
        let line = |name: &str, (median, spread): (f64, f64), bytes: u64| {
            println!(
                "{} | {name} | {:.1} | {:.0} % | {:.2} | {:.0} | {:.2}",
                self.n.ilog2(),
                median * 1e6,
                spread * 100.0,
                self.n as f64 / median * 1e-9,
                rate(median, bytes),
                rate(median, bytes) / rate(copies.0, 8)
            );
        };
        println!("log2 n | what | median us | spread | Gitem/s | GB/s | of copy's GB/s");
        line("copy", copies, 8);
        for (times, (name, _, bytes)) in times.into_iter().zip(candidates) {
            line(name, summary(times), *bytes);
        }
    }
}
