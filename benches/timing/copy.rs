//! The copy that everything is measured against.

use lookback::Context;

use super::{bind_group, pipeline, range};

/// Moves 16 bytes a lane and step; a workgroup moves 32 KiB.
const TEXT: &str = "
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

/// Bytes that a workgroup moves.
const GROUP: u64 = 32 << 10;

/// Bytes of a dispatch at most, so that its workgroups fit one axis.
const DISPATCH: u64 = 1 << 30;

/// A copy from one buffer to another.
pub struct Copy {
    pipeline: wgpu::ComputePipeline,
    /// One dispatch for each binding's worth.
    dispatches: Vec<(wgpu::BindGroup, u32)>,
}

impl Copy {
    /// Copies the first `bytes`, but for up to 15 at the end.
    pub fn new(context: &Context, from: &wgpu::Buffer, to: &wgpu::Buffer, bytes: u64) -> Self {
        let pipeline = pipeline(context, TEXT, &[]);
        let most = context.capabilities().binding_bytes / GROUP * GROUP;
        let most = most.min(DISPATCH);
        let dispatch = |index: u64| {
            let (first, end) = (index * most, bytes.min((index + 1) * most));
            let part = (end - first) / 16 * 16;
            let bindings = [range(from, first, part), range(to, first, part)];
            let groups = part.div_ceil(GROUP) as u32;
            (part > 0).then(|| (bind_group(context, &pipeline, &bindings), groups))
        };
        let dispatches = (0..bytes.div_ceil(most)).filter_map(dispatch).collect();
        Copy { pipeline, dispatches }
    }

    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(&self.pipeline);
        for (group, groups) in &self.dispatches {
            pass.set_bind_group(0, group, &[]);
            pass.dispatch_workgroups(*groups, 1, 1);
        }
    }
}
