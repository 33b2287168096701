//! Inside a wgpu program: its own device, its own passes before and after, one submission, and one
//! result read at the end.
use lookback::{Context, GpuSlice, Operator, Reduce};

const N: u32 = 1 << 16;

const SHADER: &str = "
@group(0) @binding(0) var<storage, read_write> values: array<f32>;
@group(0) @binding(1) var<storage, read_write> total: array<f32>;

@compute @workgroup_size(64)
fn fill(@builtin(global_invocation_id) id: vec3<u32>) {
    values[id.x] = f32(id.x % 4u) + total[0] * 0.0;
}

@compute @workgroup_size(64)
fn normalise(@builtin(global_invocation_id) id: vec3<u32>) {
    values[id.x] = values[id.x] / total[0];
}
";

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    // The program opens its device as it likes, and adds what makes lookback fast.
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = instance.request_adapter(&Default::default()).await?;
    let (features, limits) = lookback::requirements(&adapter);
    let (device, queue) = adapter
        .request_device(&wgpu::DeviceDescriptor {
            required_features: features,
            required_limits: limits,
            ..Default::default()
        })
        .await?;

    let buffer = |size: u64| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        })
    };
    let (values, total) = (buffer(u64::from(N) * 4), buffer(4));
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(SHADER.into()),
    });
    let pipeline = |entry_point| {
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some(entry_point),
            compilation_options: Default::default(),
            cache: None,
        })
    };
    let bind = |pipeline: &wgpu::ComputePipeline| {
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: values.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: total.as_entire_binding() },
            ],
        })
    };
    let (fill, normalise) = (pipeline("fill"), pipeline("normalise"));

    // lookback takes the device as it is, and plans once.
    let context = Context::from_device(device.clone(), queue.clone());
    let sum = Reduce::new(&context, &Operator::<f32>::sum())?;

    let mut encoder = device.create_command_encoder(&Default::default());
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&fill);
        pass.set_bind_group(0, &bind(&fill), &[]);
        pass.dispatch_workgroups(N / 64, 1, 1);
        // In the middle of the program's own pass.
        sum.record_in_pass(&mut pass, &GpuSlice::whole(&values), &GpuSlice::whole(&total))?;
        pass.set_pipeline(&normalise);
        pass.set_bind_group(0, &bind(&normalise), &[]);
        pass.dispatch_workgroups(N / 64, 1, 1);
    }
    queue.submit([encoder.finish()]);

    let normalised = context.download_async(&GpuSlice::<f32>::whole(&values)).await?;
    let expected = 3.0 / (N as f32 * 1.5);
    println!("value 3 is {} of the total", normalised[3]);
    assert!((normalised[3] - expected).abs() < 1e-9);
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    pollster::block_on(run())
}
