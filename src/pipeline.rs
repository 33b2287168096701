//! The only creator of shader modules and pipelines.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::context::Context;
use crate::definition::Definition;
use crate::error::Error;
use crate::shader::kernel::Kernel;

/// What makes a kernel what it is: the module's text, the bits of its overrides, and whether it is
/// checked.
type Key = (String, Vec<(&'static str, u64)>, bool);

/// Compiled kernels, shared by all plans of a context.
#[derive(Default)]
pub(crate) struct Cache(Mutex<HashMap<Key, wgpu::ComputePipeline>>);

/// The kernels of one plan's operator, compiled when first used.
pub(crate) struct Kernels {
    operator: Arc<Definition>,
    compiled: Mutex<HashMap<Kernel, wgpu::ComputePipeline>>,
}

impl Kernels {
    pub fn new(operator: Arc<Definition>) -> Self {
        Kernels { operator, compiled: Mutex::default() }
    }

    /// The pipeline of a kernel. Compiles it, waiting for the driver, if it is the first call.
    pub fn get(&self, context: &Context, kernel: Kernel) -> Result<wgpu::ComputePipeline, Error> {
        // A panic while the lock was held leaves no half-made entry behind.
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = compiled.get(&kernel) {
            return Ok(pipeline.clone());
        }
        let pipeline = context.pipelines().get(context, kernel, &self.operator)?;
        compiled.insert(kernel, pipeline.clone());
        Ok(pipeline)
    }
}

impl Cache {
    fn get(
        &self,
        context: &Context,
        kernel: Kernel,
        operator: &Definition,
    ) -> Result<wgpu::ComputePipeline, Error> {
        let label = format!("{kernel}");
        let refused =
            |message: String| Error::Refused { what: format!("the kernel {label}"), message };
        let text = kernel.link(operator).map_err(refused)?;
        let overrides = kernel.overrides();
        let bits = overrides.iter().map(|&(name, v)| (name, v.to_bits())).collect();
        let key: Key = (text, bits, kernel.checked);
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = cache.get(&key) {
            return Ok(pipeline.clone());
        }
        let pipeline_cache = context.pipeline_cache();
        log::debug!("compiling {label} for {:?}", operator.name);
        let pipeline = context.scoped(&format!("the kernel {label}"), |device| {
            let descriptor = wgpu::ShaderModuleDescriptor {
                label: Some(&label),
                source: wgpu::ShaderSource::Wgsl(key.0.as_str().into()),
            };
            let checks = wgpu::ShaderRuntimeChecks {
                bounds_checks: kernel.checked,
                force_loop_bounding: kernel.checked,
                ..wgpu::ShaderRuntimeChecks::checked()
            };
            // SAFETY: in an unchecked kernel every index is bound by sizes that the host has checked
            // against the bindings, or is clamped to them, and every loop ends; a user's text in it
            // has no loop, no index known at run time only, no pointer to anything but its own
            // variables, and touches no variable of the module (`user_text::check`).
            let module = unsafe { device.create_shader_module_trusted(descriptor, checks) };
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(&label),
                layout: None,
                module: &module,
                entry_point: Some(kernel.root.entry_point()),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: &overrides,
                    // Every kernel writes its workgroup memory before it reads it.
                    zero_initialize_workgroup_memory: false,
                },
                cache: pipeline_cache.as_ref(),
            })
        })?;
        if context.is_lost() {
            let reason = format!("{label} could not be compiled");
            return Err(Error::DeviceLost { reason });
        }
        cache.insert(key, pipeline.clone());
        Ok(pipeline)
    }
}
