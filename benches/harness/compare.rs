//! Comparing arrays on the device, which takes a millisecond where a download takes a second.

use lookback::{Context, Error, GpuSlice};

use crate::timing::{bind_group, pipeline, range};

const TEXT: &str = "
@group(0) @binding(0) var<storage, read> got: array<u32>;
@group(0) @binding(1) var<storage, read> wanted: array<u32>;
/// How many words differ, and the first of them.
@group(0) @binding(2) var<storage, read_write> found: array<atomic<u32>, 2>;
/// Words to compare, where they start in both, and the number of the first.
@group(0) @binding(3) var<uniform> window: vec4<u32>;
@compute @workgroup_size(256)
fn compare(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    for (var i = 0u; i < 8u; i += 1u) {
        let at = (group.x * 8u + i) * 256u + lane;
        if (at < window.x && got[at + window.y] != wanted[at + window.z]) {
            atomicAdd(&found[0], 1u);
            atomicMin(&found[1], window.w + at);
        }
    }
}";

/// Words of a dispatch: a binding of them fits every device, and their offset any alignment.
const WINDOW: u64 = 1 << 24;

/// Words that differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    pub words: u32,
    pub first: u32,
}

/// The comparing kernel.
pub struct Comparison {
    context: Context,
    pipeline: wgpu::ComputePipeline,
}

impl Comparison {
    /// Compiles the kernel, and sees whether it finds a planted fault.
    pub fn new(context: &Context) -> Result<Self, Error> {
        let comparison =
            Comparison { context: context.clone(), pipeline: pipeline(context, TEXT, &[]) };
        let right: Vec<u32> = (0..5000).collect();
        let mut wrong = right.clone();
        wrong[4321] = 0;
        let (right, wrong) = (context.upload(&right)?, context.upload(&wrong)?);
        let [right, wrong] = [right.buffer(), wrong.buffer()];
        let planted = comparison.compare((wrong, 2), (right, 2), 4998)?;
        assert_eq!(planted, Some(Difference { words: 1, first: 4319 }), "the comparison is wrong");
        assert_eq!(comparison.compare((right, 1), (right, 1), 4999)?, None);
        Ok(comparison)
    }

    /// Compares `words` words of two buffers, each from a word on of less than a few.
    pub fn compare(
        &self,
        (got, got_start): (&wgpu::Buffer, u64),
        (wanted, wanted_start): (&wgpu::Buffer, u64),
        words: u64,
    ) -> Result<Option<Difference>, Error> {
        let found = self.context.upload(&[0u32, u32::MAX])?;
        let mut encoder = self.context.device().create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        for first in (0..words).step_by(WINDOW as usize) {
            let part = WINDOW.min(words - first);
            let window = [part, got_start, wanted_start, first].map(|word| word as u32);
            let window = uniform(&self.context, window);
            let binding = |buffer, start| range(buffer, first * 4, (part + start) * 4);
            let bindings = [
                binding(got, got_start),
                binding(wanted, wanted_start),
                range(found.buffer(), 0, 8),
                range(&window, 0, 16),
            ];
            pass.set_bind_group(0, &bind_group(&self.context, &self.pipeline, &bindings), &[]);
            pass.dispatch_workgroups(part.div_ceil(2048) as u32, 1, 1);
        }
        drop(pass);
        self.context.queue().submit([encoder.finish()]);
        let found = self.context.download(&found)?;
        Ok((found[0] > 0).then_some(Difference { words: found[0], first: found[1] }))
    }
}

fn uniform(context: &Context, words: [u32; 4]) -> wgpu::Buffer {
    let buffer = context.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 16,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    context.queue().write_buffer(&buffer, 0, bytemuck::bytes_of(&words));
    buffer
}

/// Writes zeros to all of a slice's first buffer, so that nothing of an earlier call is left.
pub fn clear<T: lookback::Element>(context: &Context, slice: &GpuSlice<T>) {
    let mut encoder = context.device().create_command_encoder(&Default::default());
    encoder.clear_buffer(slice.buffer(), 0, None);
    context.queue().submit([encoder.finish()]);
}
