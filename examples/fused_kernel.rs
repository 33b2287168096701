//! A kernel of one's own made from the library's workgroup layer: a thousand rows of weights become
//! cumulative distributions in one dispatch, without an array in between. Each workgroup scans a
//! row and divides by its total while both are in registers.
use lookback::wgsl::Layers;
use lookback::{Context, Operator};

const ROWS: usize = 1000;
const ROW: usize = 256;

const SHADER: &str = "
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE, workgroup_lane};
import package::workgroup_lanes::{workgroup_lanes_scan};

@group(0) @binding(0) var<storage, read> weights: array<f32>;
@group(0) @binding(1) var<storage, read_write> distribution: array<f32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn rows(group: Group, lane: Lane) {
    // Items go to lanes in item order, which is the order of subgroups.
    let at = group.workgroup.x * WORKGROUP_SIZE + workgroup_lane(group, lane);
    let weight = enter(lift(weights[at]));
    let totals = workgroup_lanes_scan(group, lane, weight);
    let running = lower(leave(combine(totals.prefix, weight)));
    distribution[at] = running / lower(leave(totals.total));
}";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::new()?;
    let device = context.device();
    let layers = Layers::for_capabilities(context.capabilities());
    let linked = layers.link(&Operator::<f32>::sum(), SHADER)?;
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("rows"),
        source: wgpu::ShaderSource::Wgsl(linked.native().into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("rows"),
        layout: None,
        module: &module,
        entry_point: Some("rows"),
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: &linked.overrides(context.capabilities(), ROW as u32, ROW as u32)?,
            ..Default::default()
        },
        cache: None,
    });

    let weights: Vec<f32> = (0..ROWS * ROW).map(|i| (1 + i * i % 97) as f32).collect();
    let input = context.upload(&weights)?;
    let output = context.allocate::<f32>(weights.len() as u64)?;
    let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("rows"),
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: input.buffer().as_entire_binding() },
            wgpu::BindGroupEntry { binding: 1, resource: output.buffer().as_entire_binding() },
        ],
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &bindings, &[]);
    pass.dispatch_workgroups(ROWS as u32, 1, 1);
    drop(pass);
    context.queue().submit([encoder.finish()]);

    let distribution = context.download(&output)?;
    for (row, got) in distribution.chunks(ROW).enumerate() {
        let weights = &weights[row * ROW..][..ROW];
        let total: f32 = weights.iter().sum();
        let mut running = 0.0;
        for (i, (weight, got)) in weights.iter().zip(got).enumerate() {
            running += weight;
            // Sums of whole numbers are exact; a division may be off by a few last bits.
            let wanted = running / total;
            assert!((got - wanted).abs() <= 1e-6, "row {row}, item {i}: {got}, wanted {wanted}");
        }
    }
    println!("{ROWS} rows of {ROW} weights, the first of them: {:?} …", &distribution[..4]);
    Ok(())
}
