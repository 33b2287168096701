//! Opening a GPU, and one timed call on it.

use std::time::Instant;

use lookback::{Context, Element, Error, GpuSlice, Scan};

use crate::Result;
use crate::cli::Common;

/// Opens the adapter that the command line names, else the one of `LOOKBACK_ADAPTER`, else the
/// best.
pub fn open(common: &Common) -> Result<Context> {
    Ok(match common.adapter.as_deref() {
        Some(wanted) => pollster::block_on(Context::open(Some(wanted)))?,
        None => Context::new()?,
    })
}

/// The results of a call and what it took.
#[derive(Debug)]
pub struct Timed<O> {
    /// The items that came back.
    pub items: Vec<O>,
    /// From the start of the upload to the result on the host, without compiling; but a driver
    /// that puts compiling off until a kernel runs (lavapipe, the first time) does it in here.
    pub seconds: f64,
    /// On the GPU, from the first pass's start to the last one's end, where it keeps time.
    pub gpu_seconds: Option<f64>,
}

/// Uploads items, has a call recorded that makes `n_outputs` of them, runs it and downloads.
pub fn timed<I: Element, O: Element>(
    context: &Context,
    input: &[I],
    n_outputs: u64,
    record: impl Fn(
        &mut wgpu::ComputePass<'_>,
        &GpuSlice<I>,
        &GpuSlice<O>,
    ) -> std::result::Result<(), Error>,
) -> Result<Timed<O>> {
    let start = Instant::now();
    let items = context.upload(input)?;
    let output = context.allocate(n_outputs)?;

    // A recording that is thrown away compiles the kernels, so that no time below is a compiler's.
    let compile_start = Instant::now();
    scoped(context, |device| {
        let mut encoder = device.create_command_encoder(&Default::default());
        record(&mut encoder.begin_compute_pass(&Default::default()), &items, &output)
    })??;
    let compile_time = compile_start.elapsed();

    // A pass of no work may leave timestamps unwritten.
    let clock = (context.capabilities().timestamps && !input.is_empty()).then(|| {
        scoped(context, |device| {
            let set = device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("lookback.clock"),
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            });
            let ticks = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("lookback.ticks"),
                size: 16,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            (set, ticks)
        })
    });
    let clock = clock.transpose()?;
    scoped(context, |device| {
        let mut encoder = device.create_command_encoder(&Default::default());
        let timestamp_writes = clock.as_ref().map(|(set, _)| wgpu::ComputePassTimestampWrites {
            query_set: set,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        });
        let descriptor = wgpu::ComputePassDescriptor { label: None, timestamp_writes };
        record(&mut encoder.begin_compute_pass(&descriptor), &items, &output)?;
        if let Some((set, ticks)) = &clock {
            encoder.resolve_query_set(set, 0..2, ticks, 0);
        }
        context.queue().submit([encoder.finish()]);
        Ok::<(), Error>(())
    })??;
    let items = context.download(&output)?;
    let seconds = (start.elapsed() - compile_time).as_secs_f64();

    let gpu_seconds = match &clock {
        None => None,
        Some((_, ticks)) => {
            let ticks = context.download(&GpuSlice::<[u32; 2]>::whole(ticks))?;
            let wide = |[low, high]: [u32; 2]| u64::from(high) << 32 | u64::from(low);
            let period_ns = f64::from(context.queue().get_timestamp_period());
            let elapsed = wide(ticks[1]).checked_sub(wide(ticks[0]));
            elapsed.map(|elapsed| elapsed as f64 * period_ns * 1e-9)
        }
    };
    Ok(Timed { items, seconds, gpu_seconds })
}

/// [`timed`] of a scan; `None` if it was a single pass that gave up.
pub fn timed_scan<T: Element>(
    context: &Context,
    scan: &Scan<T>,
    input: &[T],
) -> Result<Option<Timed<T>>> {
    let given_up = || -> Result<Option<Vec<u32>>> {
        Ok(scan.status()?.map(|status| context.download(&status)).transpose()?)
    };
    let before = given_up()?;
    let timed = timed(context, input, input.len() as u64, |pass, input, output| {
        scan.record_in_pass(pass, input, output)
    })?;
    Ok((given_up()? == before).then_some(timed))
}

/// Does work on the device so that what wgpu finds wrong is an error here, not a panic.
fn scoped<R>(context: &Context, work: impl FnOnce(&wgpu::Device) -> R) -> Result<R> {
    let device = context.device();
    let filters = [
        wgpu::ErrorFilter::Validation,
        wgpu::ErrorFilter::OutOfMemory,
        wgpu::ErrorFilter::Internal,
    ];
    let scopes = filters.map(|filter| device.push_error_scope(filter));
    let result = work(device);
    // Last in, first out.
    for scope in scopes.into_iter().rev() {
        if let Some(error) = pollster::block_on(scope.pop()) {
            return Err(error.to_string().into());
        }
    }
    Ok(result)
}
