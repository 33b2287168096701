//! Parallel allocation: records of different sizes get their places in one buffer by an exclusive scan, and all
//! are written side by side. The scan's last output says how much room they take.
use lookback::{Context, Kind, Operator, RunLengthDecode, Scan};

const N: u32 = 50_000;

/// Each record writes its number as often as it has words.
const FILL: &str = "
@group(0) @binding(0) var<storage, read> sizes: array<u32>;
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
@group(0) @binding(2) var<storage, read_write> memory: array<u32>;

@compute @workgroup_size(64)
fn fill(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&sizes)) {
        for (var word = 0u; word < sizes[id.x]; word += 1u) {
            memory[offsets[id.x] + word] = id.x;
        }
    }
}
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::new()?;
    let sizes: Vec<u32> = (0..N).map(|record| record * 7 % 11).collect();
    let size_slice = context.upload(&sizes)?;
    let offsets = context.allocate::<u32>(u64::from(N))?;
    let scan = Scan::new(&context, &Operator::<u32>::sum(), Kind::Exclusive)?;
    scan.dispatch(&size_slice, &offsets)?.check()?;

    let last = N as usize - 1;
    let n_words = context.download(&offsets)?[last] + sizes[last];
    let memory = context.allocate::<u32>(u64::from(n_words))?;
    let device = context.device();
    let source = wgpu::ShaderSource::Wgsl(FILL.into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("fill"),
        compilation_options: Default::default(),
        cache: None,
    });
    let buffers = [size_slice.buffer(), offsets.buffer(), memory.buffer()];
    let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..)
        .zip(buffers)
        .map(|(binding, buffer)| wgpu::BindGroupEntry {
            binding,
            resource: buffer.as_entire_binding(),
        })
        .collect();
    let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bindings, &[]);
        pass.dispatch_workgroups(N.div_ceil(64), 1, 1);
    }
    context.queue().submit([encoder.finish()]);

    let filled = context.download(&memory)?;
    let wanted = sizes.iter().zip(0..).flat_map(|(&size, i)| std::iter::repeat_n(i, size as usize));
    println!("{N} records take {n_words} words");
    assert!(filled.iter().copied().eq(wanted));
    // What a record fills with one word is run-length decoding, which shares long records among lanes.
    let numbers: Vec<u32> = (0..N).collect();
    assert_eq!(RunLengthDecode::new(&context)?.run(&numbers, &sizes)?, filled);
    Ok(())
}
