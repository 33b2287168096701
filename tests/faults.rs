//! What happens when things go wrong: an error in bounded time, no panic, nothing in wgpu's
//! uncaptured-error handler, nothing left behind.

mod common;

use std::future::Future;
use std::sync::mpsc;
use std::time::Duration;

use common::operators::Exact;
use lookback::{Context, Error, GpuSlice, Kind, Operator, Reduce, Scan};

/// A context on a device of its own, which the test may destroy.
fn own_context() -> Option<Context> {
    let shared = common::context()?;
    let name = shared.capabilities().adapter.clone();
    let context = pollster::block_on(Context::open(Some(&name))).unwrap();
    common::fail_on_uncaptured_errors(context.device());
    Some(context)
}

/// Runs `work` on a thread; fails if it takes longer than 30 s.
fn bounded<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> R {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(Duration::from_secs(30)).expect("it hangs")
}

fn is_lost(error: &Error) -> bool {
    matches!(error, Error::DeviceLost { .. })
}

#[test]
fn l5_a_device_destroyed_before_during_and_after_is_an_error() {
    let Some(context) = own_context() else { return };
    bounded(move || {
        let sum = Operator::<u32>::sum();
        let reduce = Reduce::new(&context, &sum).unwrap();
        let input = context.upload(&[1u32; 10_000]).unwrap();
        let output = context.allocate::<u32>(1).unwrap();
        reduce.dispatch(&input, &output).unwrap();
        let mut encoder = context.device().create_command_encoder(&Default::default());
        reduce.record(&mut encoder, &input, &output).unwrap();
        let pending = context.download_async(&output);
        context.device().destroy();
        // Before: what starts on the lost device.
        let error = reduce.run(&[1, 2, 3]).unwrap_err();
        assert!(is_lost(&error), "{error}");
        let error = context.upload(&[1u32]).and_then(|s| context.download(&s)).unwrap_err();
        assert!(is_lost(&error), "{error}");
        let error = Reduce::new(&context, &Operator::<i32>::max()).unwrap_err();
        assert!(is_lost(&error), "{error}");
        let error = reduce.dispatch(&input, &output).unwrap_err();
        assert!(is_lost(&error), "{error}");
        // During: what was recorded or not yet polled.
        let error = pollster::block_on(pending).unwrap_err();
        assert!(is_lost(&error), "{error}");
        // After: what was done is gone.
        let error = context.download(&output).unwrap_err();
        assert!(is_lost(&error), "{error}");
        let error = pollster::block_on(reduce.run_async(&[1, 2, 3])).unwrap_err();
        assert!(is_lost(&error), "{error}");
        drop(encoder);
    });
}

#[test]
fn l5_a_device_destroyed_under_a_pending_future() {
    let Some(context) = own_context() else { return };
    bounded(move || {
        let scan = Scan::new(&context, &Operator::<u32>::sum(), Kind::Inclusive).unwrap();
        let input: Vec<u32> = (0..1_000_000).map(u32::any).collect();
        let mut future = Box::pin(scan.run_async(&input));
        let mut task = std::task::Context::from_waker(std::task::Waker::noop());
        let first = future.as_mut().poll(&mut task);
        context.device().destroy();
        // Done before the loss, or an error; never a wrong result and never a hang.
        let result = match first {
            std::task::Poll::Ready(result) => result,
            std::task::Poll::Pending => pollster::block_on(future),
        };
        match result {
            Ok(got) => {
                let wanted = lookback::reference::scan(
                    &input,
                    &Operator::<u32>::sum(),
                    Kind::Inclusive,
                    None,
                );
                assert_eq!(got, wanted.unwrap());
            }
            Err(error) => assert!(is_lost(&error), "{error}"),
        }
    });
}

#[test]
fn l1_readbacks_back_to_back_dropped_and_in_a_loop() {
    let Some(context) = common::context() else { return };
    let reduce = Reduce::new(context, &Operator::<u32>::sum()).unwrap();
    let first = context.upload(&[1u32, 2, 3]).unwrap();
    let second = context.upload(&[4u32]).unwrap();
    // Two at once, polled in the other order.
    let (one, two) = (context.download_async(&first), context.download_async(&second));
    assert_eq!(pollster::block_on(two).unwrap(), [4]);
    assert_eq!(pollster::block_on(one).unwrap(), [1, 2, 3]);
    for i in 0..1000u32 {
        // Every third result is dropped, polled once or not at all; the plan goes on.
        if i % 3 == 0 {
            let input = [i];
            let mut future = Box::pin(reduce.run_async(&input));
            if i % 2 == 0 {
                let mut task = std::task::Context::from_waker(std::task::Waker::noop());
                let _ = future.as_mut().poll(&mut task);
            }
            continue;
        }
        assert_eq!(reduce.run(&[i, 1]).unwrap(), i + 1);
    }
    for n in [1, 3, 5, 1001] {
        let items: Vec<u32> = (0..n).map(u32::any).collect();
        let slice = context.upload(&items).unwrap();
        assert_eq!(pollster::block_on(context.download_async(&slice)).unwrap(), items);
        let part = GpuSlice::<u32>::new(slice.buffer(), 0..1).unwrap();
        assert_eq!(context.download(&part).unwrap(), items[..1]);
    }
}

/// Buffers that were destroyed, or are another device's or another instance's.
#[test]
fn buffers_that_can_not_be_bound_are_errors_of_record_too() {
    let (Some(context), Some(other)) = (own_context(), own_context()) else { return };
    let scan = Scan::new(&context, &Operator::<u32>::sum(), Kind::Inclusive).unwrap();
    let good = context.allocate::<u32>(100).unwrap();
    let destroyed = context.upload(&[1u32; 100]).unwrap();
    destroyed.buffer().destroy();
    let foreign = other.upload(&[1u32; 100]).unwrap();
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapter = pollster::block_on(instance.request_adapter(&Default::default())).unwrap();
    let (device, queue) = pollster::block_on(adapter.request_device(&Default::default())).unwrap();
    let outside = Context::from_device(device, queue);
    // More buffers than this instance has given out numbers for.
    let strangers: Vec<_> = (0..200).map(|_| outside.allocate::<u32>(100).unwrap()).collect();
    for bad in [&destroyed, &foreign, &strangers[199]] {
        let mut encoder = context.device().create_command_encoder(&Default::default());
        for result in [scan.dispatch(bad, &good).map(drop), scan.record(&mut encoder, bad, &good)] {
            assert!(matches!(result, Err(Error::Refused { .. })), "{result:?}");
        }
        // Nothing was recorded, so the encoder is as good as new.
        context.queue().submit([encoder.finish()]);
    }
    assert_eq!(scan.run(&[1, 2, 3]).unwrap(), [1, 3, 6]);
}

#[test]
fn the_polling_thread_ends_when_nothing_is_pending() {
    let Some(context) = own_context() else { return };
    let threads = || {
        let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return None };
        let names = tasks.filter_map(|t| std::fs::read_to_string(t.ok()?.path().join("comm")).ok());
        Some(names.filter(|name| name.trim() == "lookback.poller").count())
    };
    let slice = context.upload(&[7u32]).unwrap();
    for _ in 0..20 {
        assert_eq!(pollster::block_on(context.download_async(&slice)).unwrap(), [7]);
    }
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    // Other tests of this process may have one of their own for a while.
    while threads().is_some_and(|count| count > 0) {
        assert!(std::time::Instant::now() < deadline, "the thread stays");
        std::thread::sleep(Duration::from_millis(20));
    }
}
