//! What is done once so that later calls, or later processes, need not do it.

mod common;

use lookback::{Context, Error, Kind, Operator, Reduce, Scan, reference};

/// A context on a device of its own: nothing is compiled for it yet.
fn own_context() -> Option<Context> {
    let shared = common::context()?;
    let name = shared.capabilities().adapter.clone();
    let context = pollster::block_on(Context::open(Some(&name))).unwrap();
    common::fail_on_uncaptured_errors(context.device());
    Some(context)
}

/// A cache with what an earlier one held; `None`, with the reason printed, where there are none.
fn pipeline_cache(context: &Context, data: Option<&[u8]>) -> Option<wgpu::PipelineCache> {
    if !context.device().features().contains(wgpu::Features::PIPELINE_CACHE) {
        println!("skipped: {} has no caches for pipelines", context.capabilities().adapter);
        return None;
    }
    let descriptor = wgpu::PipelineCacheDescriptor { label: None, data, fallback: true };
    // SAFETY: the data is another cache's of this process.
    Some(unsafe { context.device().create_pipeline_cache(&descriptor) })
}

#[test]
fn pipelines_are_made_with_the_callers_cache() {
    let Some(first) = own_context() else { return };
    let Some(cache) = pipeline_cache(&first, None) else { return };
    let items: Vec<u32> = (0..100_000).map(|i| i * 7 + 3).collect();
    let (sum, kind) = (Operator::<u32>::sum(), Kind::Exclusive);
    let wanted = reference::scan(&items, &sum, kind, None).unwrap();
    let size = || cache.get_data().expect("a cache on Vulkan has data").len();
    let before = size();
    first.set_pipeline_cache(cache.clone());
    assert_eq!(first.clone().exclusive_scan(&items, &sum).unwrap(), wanted);
    // Drivers with a cache of their own may keep nothing in this one but a heading.
    println!("the cache: {before} bytes before, {} after", size());
    assert!(size() >= before && size() > 0);

    // What it holds serves another context, as it does another process.
    let Some(second) = own_context() else { return };
    let Some(loaded) = pipeline_cache(&second, cache.get_data().as_deref()) else { return };
    second.set_pipeline_cache(loaded);
    assert_eq!(second.exclusive_scan(&items, &sum).unwrap(), wanted);

    // That every pipeline is made with it shows where it can't be: on another device.
    let reduce = Reduce::new(&second, &sum).unwrap();
    second.set_pipeline_cache(cache);
    for refused in [
        Reduce::new(&second, &Operator::<i32>::min()).map(drop),
        Scan::new(&second, &Operator::<i32>::min(), kind).map(drop),
    ] {
        assert!(matches!(refused, Err(Error::Refused { .. })), "{refused:?}");
    }
    // What was compiled before goes on.
    assert_eq!(reduce.run(&items[..3]).unwrap(), 3 + 10 + 17);
}
