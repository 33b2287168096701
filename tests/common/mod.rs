//! What the tests that need a device share: contexts, poisoned buffers, the property check.
#![allow(dead_code, reason = "not every test binary uses all of it")]

pub mod operators;

use std::sync::{Arc, OnceLock};

use lookback::wgsl::{SectionScan, WorkgroupScan};
use lookback::{
    Builtins, Capabilities, Context, Element, Error, GpuSlice, Kind, Operator, Reduce, Scan,
    Tuning, reference,
};

/// Written to outputs and slack before every run.
pub const CANARY: u32 = 0xDEAD_BEEF;

/// The context that a test binary shares; `None`, with the reason printed, where the run was told
/// to do without a GPU. No adapter is a failure.
pub fn context() -> Option<&'static Context> {
    static CONTEXT: OnceLock<Option<Context>> = OnceLock::new();
    let context = CONTEXT.get_or_init(|| {
        if std::env::var("LOOKBACK_NO_GPU").is_ok_and(|value| value == "1") {
            return None;
        }
        validation::install();
        let context = Context::new().unwrap_or_else(|e| panic!("{e}"));
        fail_on_uncaptured_errors(context.device());
        println!("device: {:?}", context.capabilities());
        Some(context)
    });
    if context.is_none() {
        println!("skipped: LOOKBACK_NO_GPU=1");
    }
    context.as_ref()
}

/// Nothing of the library may reach this handler.
pub fn fail_on_uncaptured_errors(device: &wgpu::Device) {
    device.on_uncaptured_error(Arc::new(|error: wgpu::Error| {
        eprintln!("uncaptured wgpu error: {error}");
        std::process::exit(101);
    }));
}

/// The same device, taken for one that differs.
pub fn pretend(context: &Context, change: impl FnOnce(&mut Capabilities)) -> Context {
    let mut capabilities = context.capabilities().clone();
    change(&mut capabilities);
    let (device, queue) = (context.device().clone(), context.queue().clone());
    Context::with_capabilities(device, queue, capabilities)
}

/// The same device without subgroups: the emulated files.
pub fn without_subgroups(context: &Context) -> Context {
    pretend(context, |capabilities| capabilities.subgroups = false)
}

/// The device opened with no feature and the least limits, as a caller may have done.
pub fn least_context() -> Option<Context> {
    opened(|_| (wgpu::Features::empty(), wgpu::Limits::downlevel_defaults()))
}

/// The device opened with all but immediates: parameters go by uniforms.
pub fn context_without_immediates() -> Option<Context> {
    opened(|adapter| {
        let (features, limits) = lookback::requirements(adapter);
        let limits = wgpu::Limits { max_immediate_size: 0, ..limits };
        (features - wgpu::Features::IMMEDIATES, limits)
    })
}

/// The device opened anew by a caller.
fn opened(with: impl FnOnce(&wgpu::Adapter) -> (wgpu::Features, wgpu::Limits)) -> Option<Context> {
    let shared = context()?;
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12,
        flags: wgpu::InstanceFlags::empty().with_env(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    let name = &shared.capabilities().adapter;
    let chosen = adapters.into_iter().find(|adapter| &adapter.get_info().name == name);
    let adapter = chosen.unwrap_or_else(|| panic!("{name} is gone"));
    let (required_features, required_limits) = with(&adapter);
    let descriptor =
        wgpu::DeviceDescriptor { required_features, required_limits, ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    fail_on_uncaptured_errors(&device);
    Some(Context::from_device(device, queue))
}

/// A tuning with small tiles, so that few items make many tiles and many workgroups.
pub fn small_tiles(context: &Context) -> Tuning {
    let lanes = context.capabilities().subgroup_lanes_max.clamp(4, 128);
    Tuning {
        workgroup_size: if context.capabilities().subgroups { lanes.max(16) } else { 16 },
        words_per_lane: 8,
        words_per_group: 4,
        workgroups: 300,
        single_tiles: 1,
        emulated_lanes: 8,
        builtins: Builtins::None,
        single_pass: &[],
        compactions: &[],
        scans_by_key: &[],
        reductions_by_key: &[],
        descriptor: None,
        split_words_max: 128,
        checked: false,
        whole_tiles: false,
        workgroup_scan: None,
    }
}

/// Each file that can scan a workgroup's totals, the subgroup builtins, and wgpu's checks, two sizes of groups, and passes
/// of whole tiles, by turns.
pub fn with_files(tuning: Tuning, turn: usize) -> Tuning {
    let (workgroup_scan, builtins) = [
        (None, Builtins::None),
        (Some(WorkgroupScan::KoggeStone), Builtins::All),
        (Some(WorkgroupScan::BrentKung), Builtins::Reductions),
        (Some(WorkgroupScan::Coarsened(SectionScan::BrentKung)), Builtins::None),
        (None, Builtins::All),
    ][turn % 5];
    let words_per_group = [4, 8][turn / 2 % 2];
    let (checked, whole_tiles) = (turn % 2 == 1, turn % 3 == 2);
    Tuning { workgroup_scan, builtins, checked, whole_tiles, words_per_group, ..tuning }
}

/// The data of a validation layer's run; see `.ci/drivers`.
pub mod validation {
    use std::sync::atomic::{AtomicUsize, Ordering};

    static MESSAGES: AtomicUsize = AtomicUsize::new(0);
    static EXPECTED: AtomicUsize = AtomicUsize::new(0);

    struct Counter;

    impl log::Log for Counter {
        fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
            metadata.level() <= log::Level::Warn
        }
        fn log(&self, record: &log::Record<'_>) {
            let is_driver = record.target().starts_with("wgpu_hal");
            if !is_driver || record.level() > log::Level::Error {
                return;
            }
            eprintln!("{}: {}", record.target(), record.args());
            let count = 1 + MESSAGES.fetch_add(1, Ordering::SeqCst);
            if count > EXPECTED.load(Ordering::SeqCst) {
                eprintln!("a message of the validation layer fails the run");
                std::process::exit(101);
            }
        }
        fn flush(&self) {}
    }

    /// Whether this run is one with the layer.
    pub fn is_on() -> bool {
        std::env::var("LOOKBACK_VALIDATION").is_ok_and(|value| value == "1")
    }

    /// Any message of the layer ends the process from here on.
    pub fn install() {
        if is_on() && log::set_logger(&Counter).is_ok() {
            log::set_max_level(log::LevelFilter::Warn);
        }
    }

    /// Runs what must make the layer speak, and returns how often it did.
    pub fn messages_of(planted: impl FnOnce()) -> usize {
        EXPECTED.store(usize::MAX, Ordering::SeqCst);
        let before = MESSAGES.load(Ordering::SeqCst);
        planted();
        let count = MESSAGES.load(Ordering::SeqCst) - before;
        EXPECTED.store(before + count, Ordering::SeqCst);
        count
    }
}

/// Where input and output of a call lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Buffers of their own, from item 0.
    Apart,
    /// Buffers of their own, from these items on.
    Offset(u64, u64),
    /// One slice.
    Same,
    /// Two ranges of one buffer, the output first.
    OneBuffer,
}

/// `n_words` canaries.
fn canaries(n_words: u64) -> Vec<u32> {
    vec![CANARY; n_words as usize]
}

/// Scans `input` on the device; checks that nothing but the output was written.
pub fn scan_at<I: Element, A: Element, O: Element>(
    context: &Context,
    scan: &Scan<I, A, O>,
    input: &[I],
    place: Place,
) -> Result<Vec<O>, Error> {
    let n = input.len() as u64;
    let (in_words, out_words) = (u64::from(I::LAYOUT.words()), u64::from(O::LAYOUT.words()));
    let slack = 37;
    let (src_item, dst_item) = match place {
        Place::Apart | Place::Same => (0, 0),
        Place::Offset(src, dst) => (src, dst),
        // Both element types must fit the buffer's words: past the output and its slack.
        Place::OneBuffer => (((n + slack) * out_words).div_ceil(in_words), 0),
    };
    let one_buffer = matches!(place, Place::Same | Place::OneBuffer);
    let src_words = canaries(src_item * in_words);
    let mut words: Vec<u32> = src_words;
    words.extend_from_slice(bytemuck::cast_slice::<I, u32>(input));
    let end = (words.len() as u64).max((dst_item + n) * out_words);
    words.resize((end + slack) as usize, CANARY);
    let src = context.upload(&words)?;
    let dst = match one_buffer {
        true => src.clone(),
        false => context.upload(&canaries((dst_item + n) * out_words + slack))?,
    };
    let input_slice = GpuSlice::new(src.buffer(), src_item..src_item + n)?;
    let output_slice = GpuSlice::<O>::new(dst.buffer(), dst_item..dst_item + n)?;
    assert_eq!(one_buffer, input_slice.buffer() == output_slice.buffer());
    scan.dispatch(&input_slice, &output_slice)?.check()?;

    let after = context.download(&dst)?;
    let written = (dst_item * out_words) as usize..((dst_item + n) * out_words) as usize;
    for (index, &word) in after.iter().enumerate() {
        let expected = if one_buffer { words[index] } else { CANARY };
        let is_output = written.contains(&index);
        assert!(is_output || word == expected, "word {index} beside the output was written");
    }
    Ok(bytemuck::pod_collect_to_vec(&after[written]))
}

/// Reduces `input` on the device; checks that nothing but the one item was written.
pub fn reduce_at<I: Element, A: Element, O: Element>(
    context: &Context,
    reduce: &Reduce<I, A, O>,
    input: &[I],
    place: Place,
) -> Result<O, Error> {
    let n = input.len() as u64;
    let (in_words, out_words) = (u64::from(I::LAYOUT.words()), u64::from(O::LAYOUT.words()));
    let (src_item, dst_item) = match place {
        Place::Offset(src, dst) => (src, dst),
        Place::OneBuffer => (5 * out_words, 2),
        _ => (0, 2),
    };
    let mut words = canaries(src_item * in_words);
    words.extend_from_slice(bytemuck::cast_slice::<I, u32>(input));
    words.resize(words.len() + 64, CANARY);
    let src = context.upload(&words)?;
    let dst = match place {
        Place::OneBuffer => src.clone(),
        _ => context.upload(&canaries((dst_item + 3) * out_words))?,
    };
    let input_slice = GpuSlice::new(src.buffer(), src_item..src_item + n)?;
    let output_slice = GpuSlice::<O>::new(dst.buffer(), dst_item..dst_item + 1)?;
    reduce.dispatch(&input_slice, &output_slice)?;

    let after = context.download(&dst)?;
    let written = (dst_item * out_words) as usize..((dst_item + 1) * out_words) as usize;
    for (index, &word) in after.iter().enumerate() {
        let expected = if place == Place::OneBuffer { words[index] } else { CANARY };
        let is_output = written.contains(&index);
        assert!(is_output || word == expected, "word {index} beside the output was written");
    }
    Ok(bytemuck::pod_collect_to_vec::<u32, O>(&after[written])[0])
}

/// The first item in which two results differ in any bit.
pub fn first_difference<O: Element>(got: &[O], wanted: &[O]) -> Option<String> {
    assert_eq!(got.len(), wanted.len());
    // All at once first: item by item takes a hundred times as long.
    if bytemuck::cast_slice::<O, u8>(got) == bytemuck::cast_slice::<O, u8>(wanted) {
        return None;
    }
    let bytes = |item: &O| bytemuck::bytes_of(item).to_vec();
    let differs = |(g, w): (&O, &O)| bytes(g) != bytes(w);
    let index = got.iter().zip(wanted).position(differs)?;
    Some(format!("item {index} is {:?}, wanted {:?}", got[index], wanted[index]))
}

/// A scan, its operator and its kind.
type ScanParts<'a, I, A, O> = (&'a Scan<I, A, O>, &'a Operator<I, A, O>, Kind);

/// The scan of `input` equals the reference in every bit, wherever it lies.
pub fn check_scan<I: Element, A: Element, O: Element>(
    context: &Context,
    (scan, operator, kind): ScanParts<'_, I, A, O>,
    input: &[I],
    place: Place,
) {
    let what = || format!("{scan:?} n = {} {place:?}", input.len());
    let got = scan_at(context, scan, input, place).unwrap_or_else(|e| panic!("{}: {e}", what()));
    let wanted = reference::scan(input, operator, kind, None).unwrap();
    if let Some(difference) = first_difference(&got, &wanted) {
        panic!("{}: {difference}", what());
    }
}

/// The reduction of `input` equals the reference in every bit, wherever it lies.
pub fn check_reduce<I: Element, A: Element, O: Element>(
    context: &Context,
    (reduce, operator): (&Reduce<I, A, O>, &Operator<I, A, O>),
    input: &[I],
    place: Place,
) {
    let what = || format!("{reduce:?} n = {} {place:?}", input.len());
    let got =
        reduce_at(context, reduce, input, place).unwrap_or_else(|e| panic!("{}: {e}", what()));
    let wanted = reference::reduce(input, operator, None).unwrap();
    if let Some(difference) = first_difference(&[got], &[wanted]) {
        panic!("{}: {difference}", what());
    }
}

/// The sizes that a tile of `tile` items, `lanes` lanes and chunks make interesting.
pub fn ladder(lanes: u32, workgroup: u32, tile: u32) -> Vec<usize> {
    let mut sizes = vec![0, 1, 2, 3, 5];
    for edge in [lanes, workgroup, tile, 2 * tile] {
        sizes.extend([edge - 1, edge, edge + 1]);
    }
    sizes.sort_unstable();
    sizes.dedup();
    sizes.into_iter().map(|n| n as usize).collect()
}
