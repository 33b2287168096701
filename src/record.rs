//! The only creator of bind groups and dispatches: turns a plan into commands of a pass.

use crate::context::Context;
use crate::error::Error;
use crate::pieces::{Call, Span};
use crate::pipeline::Kernels;
use crate::plan::{Params, Pass, Plan, Resource};
use crate::scratch::STATE_WORDS;
use crate::scratch::Scratch;
use crate::shader::kernel::{ParamsSpace, Slot};

/// Uniform bindings start at multiples of this; it is WebGPU's upper bound of the alignment.
const UNIFORM_STRIDE: u64 = 256;

/// Records a plan's passes. Their parameters go by immediates, or else by one small uniform buffer,
/// which the submission keeps alive. Pipelines not yet compiled are compiled first.
pub(crate) fn record(
    context: &Context,
    kernels: &Kernels,
    scratch: &Scratch,
    plan: &Plan,
    call: &Call,
    compute_pass: &mut wgpu::ComputePass<'_>,
) -> Result<(), Error> {
    if plan.passes.is_empty() {
        return Ok(());
    }
    let pipelines = plan.passes.iter().map(|pass| kernels.get(context, pass.kernel));
    let pipelines = pipelines.collect::<Result<Vec<_>, _>>()?;
    // Nothing is recorded unless all of it is good.
    let groups = context
        .scoped("the bindings", |device| bind_groups(device, &pipelines, scratch, plan, call))??;
    for ((pass, pipeline), group) in plan.passes.iter().zip(&pipelines).zip(&groups) {
        compute_pass.set_pipeline(pipeline);
        compute_pass.set_bind_group(0, group, &[]);
        if pass.kernel.params == ParamsSpace::Immediate {
            compute_pass.set_immediates(0, bytemuck::bytes_of(&pass.params));
        }
        match pass.indirect {
            true => compute_pass.dispatch_workgroups_indirect(&scratch.arguments, 0),
            false => compute_pass.dispatch_workgroups(pass.workgroups, pass.rows, 1),
        }
    }
    Ok(())
}

/// The bind group of each pass.
fn bind_groups(
    device: &wgpu::Device,
    pipelines: &[wgpu::ComputePipeline],
    scratch: &Scratch,
    plan: &Plan,
    call: &Call,
) -> Result<Vec<wgpu::BindGroup>, Error> {
    // One device made all kernels of a plan, so they agree.
    let in_uniform = |pass: &Pass| pass.kernel.params == ParamsSpace::Uniform;
    let uniform = match plan.passes.iter().any(in_uniform) {
        true => Some(params_buffer(device, plan)?),
        false => None,
    };
    let partials = Span::whole(&scratch.partials);
    let arguments = Span::whole(&scratch.arguments);
    // Only plans with a single pass ask for it.
    let state = Span::whole(scratch.state.as_ref().unwrap_or(&scratch.partials));
    let descriptors = state.starting_at(4 * STATE_WORDS);
    // Only segmented reductions ask for it.
    let shares = Span::whole(scratch.shares.as_ref().unwrap_or(&scratch.partials));
    // Only compactions ask for it.
    let tally = call.others[3].as_ref().unwrap_or(&partials);
    let group = |(index, (pass, pipeline)): (usize, (&Pass, &wgpu::ComputePipeline))| {
        let mut entries = Vec::new();
        if let Some(buffer) = &uniform {
            let params = wgpu::BufferBinding {
                buffer,
                offset: index as u64 * UNIFORM_STRIDE,
                size: wgpu::BufferSize::new(u64::from(Params::BYTES)),
            };
            let resource = wgpu::BindingResource::Buffer(params);
            entries.push(wgpu::BindGroupEntry { binding: 0, resource });
        }
        for (binding, resource) in bindings(pass) {
            let span = match resource {
                // Nothing of an empty input is read, and nothing of it could be bound: what stands for
                // it is read besides, or nothing.
                Resource::Input if pass.params.n_items == 0 => {
                    call.others[0].as_ref().unwrap_or(&partials)
                }
                Resource::Input => &call.pieces[pass.piece].input,
                Resource::Output => &call.pieces[pass.piece].output,
                Resource::Partials => &partials,
                Resource::Arguments => &arguments,
                Resource::State => &state,
                Resource::Descriptors => &descriptors,
                // Only kernels of a call with a count ask for it.
                Resource::Count => call.count.as_ref().unwrap_or(&arguments),
                // Nothing of an empty slice is read or written, and nothing of it could be bound: a
                // buffer that is read, or written, besides stands for it.
                Resource::SecondInput => call.others[0].as_ref().unwrap_or(&arguments),
                Resource::SecondOutput => call.others[1].as_ref().unwrap_or(tally),
                Resource::ThirdOutput => call.others[2].as_ref().unwrap_or(tally),
                Resource::Tally => tally,
                Resource::Shares => &shares,
            };
            entries.push(wgpu::BindGroupEntry { binding, resource: span.binding() });
        }
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("lookback.bindings"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        })
    };
    Ok(plan.passes.iter().zip(pipelines).enumerate().map(group).collect())
}

/// The storage bindings that a pass uses.
pub(crate) fn bindings(pass: &Pass) -> Vec<(u32, Resource)> {
    let resource = |(number, slot): (u32, Slot)| {
        let resource = match slot {
            Slot::Src => pass.src,
            Slot::Dst => pass.dst,
            Slot::Partials => Resource::Partials,
            Slot::Count => pass.count,
            Slot::State => Resource::State,
            Slot::Descriptors => Resource::Descriptors,
            Slot::SecondSrc => Resource::SecondInput,
            Slot::SecondDst => Resource::SecondOutput,
            Slot::ThirdDst => Resource::ThirdOutput,
            Slot::Tally => Resource::Tally,
            Slot::Shares => Resource::Shares,
        };
        (number, resource)
    };
    pass.kernel.bindings().into_iter().map(resource).collect()
}

/// One uniform buffer with the parameters of every pass, written before it is first used.
fn params_buffer(device: &wgpu::Device, plan: &Plan) -> Result<wgpu::Buffer, Error> {
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("lookback.params"),
        size: plan.passes.len() as u64 * UNIFORM_STRIDE,
        usage: wgpu::BufferUsages::UNIFORM,
        mapped_at_creation: true,
    });
    let mut view = buffer
        .get_mapped_range_mut(..)
        .map_err(|e| Error::DeviceLost { reason: format!("parameters can't be written: {e}") })?;
    for (index, pass) in plan.passes.iter().enumerate() {
        let start = index * UNIFORM_STRIDE as usize;
        let bytes = bytemuck::bytes_of(&pass.params);
        view.slice(start..start + bytes.len()).copy_from_slice(bytes);
    }
    drop(view);
    buffer.unmap();
    Ok(buffer)
}

/// Records one pass of its own and submits it. What wgpu finds wrong comes back as an error.
pub(crate) fn dispatch(
    context: &Context,
    record: impl FnOnce(&mut wgpu::ComputePass<'_>) -> Result<(), Error>,
) -> Result<wgpu::SubmissionIndex, Error> {
    context.scoped("a dispatch", |device| {
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor {
            label: Some("lookback.dispatch"),
        });
        in_encoder(&mut encoder, record)?;
        let submission = context.queue().submit([encoder.finish()]);
        // A lost device takes nothing, and wgpu does not say so; it would have made no uniform.
        let immediates = context.capabilities().params_space() == ParamsSpace::Immediate;
        match immediates && context.is_lost() {
            true => Err(Error::DeviceLost { reason: "it took no dispatch".to_owned() }),
            false => Ok(submission),
        }
    })?
}

/// Records a compute pass into an encoder.
pub(crate) fn in_encoder(
    encoder: &mut wgpu::CommandEncoder,
    record: impl FnOnce(&mut wgpu::ComputePass<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let descriptor =
        wgpu::ComputePassDescriptor { label: Some("lookback"), timestamp_writes: None };
    record(&mut encoder.begin_compute_pass(&descriptor))
}
