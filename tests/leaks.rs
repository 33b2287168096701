//! A thousand contexts, in a process of their own since its memory is measured.

mod common;

use lookback::{Context, Kind, Operator, Scan};

#[test]
fn a_thousand_contexts_are_made_and_dropped() {
    let Some(shared) = common::context() else { return };
    // A caller's device, taken and given up again and again.
    let (device, queue) = (shared.device().clone(), shared.queue().clone());
    let resident = || {
        let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        let pages = status.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
        pages.unwrap_or(0) * 4096
    };
    let mut before = 0;
    for round in 0..1000 {
        let context = Context::from_device(device.clone(), queue.clone());
        let items = context.upload(&[round as u32; 100]).unwrap();
        // Kernels take their time to compile: every tenth context has some.
        if round % 10 == 0 {
            let scan = Scan::new(&context, &Operator::<u32>::max(), Kind::Inclusive).unwrap();
            scan.dispatch(&items, &items).unwrap();
        }
        let got = match round % 2 {
            0 => context.download(&items),
            _ => pollster::block_on(context.download_async(&items)),
        };
        assert_eq!(got.unwrap(), [round as u32; 100]);
        if round == 100 {
            before = resident();
        }
    }
    let grown = resident().saturating_sub(before);
    assert!(grown < 64 << 20, "{} MiB more after 900 contexts", grown >> 20);
}
