//! The device's own clock.

use lookback::Context;

/// Records what is timed into a compute pass.
pub type Record<'a> = dyn Fn(&mut wgpu::ComputePass<'_>) + 'a;

/// Two timestamps, and the way of them to the host.
pub struct Clock {
    context: Context,
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    staging: wgpu::Buffer,
}

impl Clock {
    pub fn new(context: &Context) -> Self {
        let device = context.device();
        let buffer = |usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 16,
                usage,
                mapped_at_creation: false,
            })
        };
        Clock {
            context: context.clone(),
            queries: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: None,
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            }),
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            staging: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
        }
    }

    /// Seconds of a call, of `calls` recorded in one pass.
    pub fn time_calls(&self, calls: u32, record: &Record<'_>) -> f64 {
        let mut encoder = self.context.device().create_command_encoder(&Default::default());
        let mut pass = self.begin(&mut encoder, Some(0), Some(1));
        for _ in 0..calls {
            record(&mut pass);
        }
        drop(pass);
        self.finish(encoder) / f64::from(calls)
    }

    /// Seconds of a call, of `calls` that begin passes of their own in one encoder.
    pub fn time_passes(&self, calls: u32, record: impl Fn(&mut wgpu::CommandEncoder)) -> f64 {
        let mut encoder = self.context.device().create_command_encoder(&Default::default());
        drop(self.begin(&mut encoder, Some(0), None));
        for _ in 0..calls {
            record(&mut encoder);
        }
        drop(self.begin(&mut encoder, None, Some(1)));
        self.finish(encoder) / f64::from(calls)
    }

    fn begin<'a>(
        &'a self,
        encoder: &'a mut wgpu::CommandEncoder,
        first: Option<u32>,
        last: Option<u32>,
    ) -> wgpu::ComputePass<'a> {
        encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                query_set: &self.queries,
                beginning_of_pass_write_index: first,
                end_of_pass_write_index: last,
            }),
        })
    }

    /// Submits, waits, and reads the seconds between the two. The wait keeps measurements apart:
    /// kernels that share no written buffer would else run side by side.
    fn finish(&self, mut encoder: wgpu::CommandEncoder) -> f64 {
        encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.staging, 0, 16);
        let index = self.context.queue().submit([encoder.finish()]);
        self.staging.map_async(wgpu::MapMode::Read, .., |mapped| mapped.unwrap());
        let wait = wgpu::PollType::Wait { submission_index: Some(index), timeout: None };
        self.context.device().poll(wait).unwrap();
        let view = self.staging.get_mapped_range(..).unwrap();
        let ticks: Vec<u64> = bytemuck::pod_collect_to_vec(&view);
        drop(view);
        self.staging.unmap();
        let period = f64::from(self.context.queue().get_timestamp_period());
        ticks[1].saturating_sub(ticks[0]).max(1) as f64 * period * 1e-9
    }
}
