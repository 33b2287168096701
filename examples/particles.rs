//! Particles that live and die on the device: each step moves them, keeps those alive, and feeds their number
//! to the next step, which never comes to the host.
use lookback::{Context, Element, GpuSlice, Layout, Predicate, Select};

/// A particle: 16 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
struct Particle {
    place: [f32; 2],
    speed: f32,
    steps_left: u32,
}

impl Element for Particle {
    const LAYOUT: Layout = Layout::structure(
        "Particle",
        "struct Particle { place: vec2<f32>, speed: f32, steps_left: u32 }",
        &[
            ("place", std::mem::offset_of!(Particle, place)),
            ("speed", std::mem::offset_of!(Particle, speed)),
            ("steps_left", std::mem::offset_of!(Particle, steps_left)),
        ],
        size_of::<Particle>(),
    );
}

const N: u64 = 100_000;
const STEPS: u32 = 12;

/// The program's own kernel: it reads how many particles there are from the count of a selection.
const MOVE: &str = "
struct Particle { place: vec2<f32>, speed: f32, steps_left: u32 }
@group(0) @binding(0) var<storage, read_write> particles: array<Particle>;
@group(0) @binding(1) var<storage, read> n_particles: array<u32>;

@compute @workgroup_size(64)
fn step(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < n_particles[0]; i += groups.x * 64u) {
        particles[i].place.y += particles[i].speed;
        particles[i].steps_left -= 1u;
    }
}
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::new()?;
    let born = |i: u32| Particle {
        place: [i as f32, 0.0],
        speed: (i % 8) as f32,
        steps_left: 1 + i * 7 % 20,
    };
    let born: Vec<Particle> = (0..N as u32).map(born).collect();

    let alive = Predicate::<Particle>::from_wgsl("x.steps_left != 0u")?;
    let select = Select::new(&context, &alive)?;
    let (module, device) = (wgpu::ShaderSource::Wgsl(MOVE.into()), context.device());
    let module =
        device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source: module });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("step"),
        compilation_options: Default::default(),
        cache: None,
    });

    // Two buffers and two counts by turns.
    let particles: [GpuSlice<Particle>; 2] = [context.upload(&born)?, context.allocate(N)?];
    let counts: [GpuSlice<u32>; 2] = [context.upload(&[N as u32])?, context.allocate(1)?];
    let mut encoder = device.create_command_encoder(&Default::default());
    for step in 0..STEPS as usize {
        let (now, next) = (step % 2, (step + 1) % 2);
        let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry {
                    binding: 0,
                    resource: particles[now].buffer().as_entire_binding(),
                },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: counts[now].buffer().as_entire_binding(),
                },
            ],
        });
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bindings, &[]);
        pass.dispatch_workgroups(256, 1, 1);
        // Those alive go to the other buffer, and their number to the other count.
        let here = particles[now].clone().counted_by(&counts[now])?;
        select.call(&here, None, &particles[next], &counts[next])?.record_in_pass(&mut pass)?;
    }
    // One submission for all steps, one readback at the end.
    context.queue().submit([encoder.finish()]);
    let last = STEPS as usize % 2;
    let n_alive = context.download(&counts[last])?[0];
    let left = GpuSlice::<Particle>::new(particles[last].buffer(), 0..u64::from(n_alive))?;
    let left = context.download(&left)?;

    let wanted: Vec<Particle> = born
        .iter()
        .filter(|particle| particle.steps_left > STEPS)
        .map(|particle| Particle {
            place: [particle.place[0], particle.speed * STEPS as f32],
            steps_left: particle.steps_left - STEPS,
            ..*particle
        })
        .collect();
    println!("{n_alive} of {N} particles are alive after {STEPS} steps");
    assert_eq!(left, wanted);
    Ok(())
}
