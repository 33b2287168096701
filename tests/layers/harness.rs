//! Runs a shader of the layers: links it, compiles it, and calls it with arguments.

use lookback::wgsl::Layers;
use lookback::{Context, Element, GpuSlice, Kind, Operator, reference};

/// A compiled shader with an entry point `layer`.
pub struct Shader {
    context: Context,
    pipeline: wgpu::ComputePipeline,
}

impl Shader {
    pub fn new<T: Element>(
        context: &Context,
        layers: Layers,
        operator: &Operator<T>,
        source: &str,
        [workgroup_size, section_size]: [u32; 2],
    ) -> Self {
        Self::edited(context, layers, operator, source, [workgroup_size, section_size], |text| {
            text.to_owned()
        })
    }

    /// [`Shader::new`] with a last word on the linked text.
    pub fn edited<T: Element>(
        context: &Context,
        layers: Layers,
        operator: &Operator<T>,
        source: &str,
        [workgroup_size, section_size]: [u32; 2],
        edit: impl Fn(&str) -> String,
    ) -> Self {
        let linked = layers.link(operator, source).unwrap_or_else(|e| panic!("{layers:?}: {e}"));
        let device = context.device();
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(edit(linked.native()).into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("layer"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &linked
                    .overrides(context.capabilities(), workgroup_size, section_size)
                    .unwrap(),
                // What a function reads of workgroup memory it must have written.
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        });
        Shader { context: context.clone(), pipeline }
    }

    /// Runs one workgroup with 4 words of arguments as binding 0 and these slices after it.
    pub fn run(&self, arguments: [u32; 4], slices: &[&GpuSlice<u32>]) {
        let device = self.context.device();
        let uniform = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 16,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.context.queue().write_buffer(&uniform, 0, bytemuck::cast_slice(&arguments));
        let buffers = [&uniform].into_iter().chain(slices.iter().map(|slice| slice.buffer()));
        let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &bindings, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        drop(pass);
        self.context.queue().submit([encoder.finish()]);
    }
}

/// The words of items.
pub fn words<T: Element>(items: &[T]) -> Vec<u32> {
    bytemuck::cast_slice(items).to_vec()
}

/// Items of words.
pub fn items<T: Element>(words: &[u32]) -> Vec<T> {
    bytemuck::pod_collect_to_vec(words)
}

/// The inclusive scan.
pub fn inclusive<T: Element>(input: &[T], operator: &Operator<T>) -> Vec<T> {
    reference::scan(input, operator, Kind::Inclusive, None).unwrap()
}

/// Whether two values have the same bits.
pub fn same<T: Element>(a: &T, b: &T) -> bool {
    bytemuck::bytes_of(a) == bytemuck::bytes_of(b)
}
