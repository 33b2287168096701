//! What times and shows kernels of any kind: the device's clock, a copy shader as the measure of
//! all, turns, and one line a measurement.
#![allow(dead_code, unused_imports, reason = "not every bench uses all of it")]

mod clock;
mod copy;
mod line;
mod turns;

pub use clock::{Clock, Record};
pub use copy::Copy;
pub use line::{Line, heading};
pub use turns::{Summary, Timed, Turns};

use lookback::Context;

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

/// The pipeline of a text with one entry point.
pub fn pipeline(context: &Context, text: &str, constants: &[(&str, f64)]) -> wgpu::ComputePipeline {
    let device = context.device();
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(text.into()),
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions {
            constants,
            zero_initialize_workgroup_memory: false,
        },
        cache: None,
    })
}

/// The bind group 0 of a pipeline: bindings from 0 on.
pub fn bind_group(
    context: &Context,
    pipeline: &wgpu::ComputePipeline,
    bindings: &[wgpu::BufferBinding<'_>],
) -> wgpu::BindGroup {
    let resources = bindings.iter().cloned().map(wgpu::BindingResource::Buffer);
    let entries: Vec<_> = (0..)
        .zip(resources)
        .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
        .collect();
    context.device().create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    })
}

/// A range of bytes of a buffer, for [`bind_group`].
pub fn range(buffer: &wgpu::Buffer, offset: u64, bytes: u64) -> wgpu::BufferBinding<'_> {
    wgpu::BufferBinding { buffer, offset, size: std::num::NonZeroU64::new(bytes) }
}
