//! Reduce and scan against a copy shader on the same buffers, timed by turns by the device's own
//! clock: `cargo bench --bench throughput [-- LOG2_N…]`. Results are verified first.

mod timing;

use lookback::{
    Algorithm, Builtins, Context, Descriptor, Kind, Operator, Reduce, Scan, Shape, Tuning,
    reference,
};
use timing::{Bench, Candidate, summary};

/// The host's time for recording a warm scan, and for the encoder's `finish`.
fn record_time(bench: &Bench, scan: &Scan<u32>) {
    let mut times = [vec![], vec![]];
    for _ in 0..500 {
        let mut encoder = bench.context.device().create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        let start = std::time::Instant::now();
        scan.record_in_pass(&mut pass, &bench.input, &bench.output).unwrap();
        times[0].push(start.elapsed().as_secs_f64());
        drop(pass);
        let start = std::time::Instant::now();
        drop(encoder.finish());
        times[1].push(start.elapsed().as_secs_f64());
    }
    let [record, finish] = times.map(summary);
    println!(
        "host: record {:.1} us, spread {:.0} %; finish {:.1} us",
        record.0 * 1e6,
        record.1 * 100.0,
        finish.0 * 1e6
    );
}

fn main() {
    let Some(context) = timing::context() else { return };
    for log2_n in timing::sizes(&[16, 20, 24]) {
        run(&context, 1 << log2_n);
    }
}

fn run(context: &Context, n: usize) {
    let items: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2654435761) >> 7).collect();
    let bench = Bench::new(context, &items);
    let total = context.allocate::<u32>(1).unwrap();
    let sum = Operator::<u32>::sum();

    let mut tuning = Tuning::for_device(context.capabilities());
    let set = |name: &str, value: &mut u32| {
        if let Ok(v) = std::env::var(name) {
            *value = v.parse().unwrap()
        }
    };
    set("WPL", &mut tuning.words_per_lane);
    set("WPG", &mut tuning.words_per_group);
    set("WG", &mut tuning.workgroup_size);
    set("WGS", &mut tuning.workgroups);
    let reduce = Reduce::with_tuning(context, &sum, &tuning).unwrap();
    let scan = Scan::with_tuning(context, &sum, Kind::Inclusive, &tuning).unwrap();
    let (builtins, other_name) = match tuning.builtins {
        Builtins::None => (Builtins::All, "with builtins"),
        Builtins::Reductions | Builtins::All => (Builtins::None, "with ladders"),
    };
    let other = Tuning { builtins, ..tuning };
    let other_reduce = Reduce::with_tuning(context, &sum, &other).unwrap();
    let other_scan = Scan::with_tuning(context, &sum, Kind::Inclusive, &other).unwrap();

    let wanted = reference::scan(&items, &sum, Kind::Inclusive, None).unwrap();
    for reduce in [&reduce, &other_reduce] {
        reduce.dispatch(&bench.input, &total).unwrap();
        let got = context.download(&total).unwrap()[0];
        assert_eq!(got, wanted[n - 1], "reduce is wrong");
    }
    for scan in [&scan, &other_scan] {
        scan.dispatch(&bench.input, &bench.output).unwrap();
        assert!(context.download(&bench.output).unwrap() == wanted, "scan is wrong");
    }

    // The single passes, in the device's own shape, or in those that `--shapes` tries.
    let mut single = Vec::new();
    let forms = [Descriptor::Packed64, Descriptor::Split32, Descriptor::Fenced];
    let shapes: &[[u32; 2]] = match std::env::args().any(|arg| arg == "--shapes") {
        true => &[
            [256, 16],
            [512, 16],
            [512, 32],
            [512, 48],
            [512, 56],
            [1024, 24],
            [1024, 32],
            [1024, 40],
            [1024, 44],
            [1024, 48],
            [1024, 56],
        ],
        false => &[[0, 0]],
    };
    for &[workgroup_size, words_per_lane] in shapes {
        for (algorithm, descriptor) in [
            (Algorithm::LookBack, forms[0]),
            (Algorithm::LookBack, forms[1]),
            (Algorithm::Fallback, forms[0]),
        ] {
            let shape = Shape { from_items: 0, workgroup_size, words_per_lane };
            let mut tuning = Tuning { descriptor: Some(descriptor), ..tuning };
            if workgroup_size > 0 {
                tuning.single_pass = vec![shape].leak();
            }
            let name =
                format!("scan {algorithm} {descriptor:?} {workgroup_size} x {words_per_lane}");
            let scan = Scan::with_algorithm(context, &sum, Kind::Inclusive, algorithm, &tuning);
            let checked = scan.and_then(|scan| {
                scan.dispatch(&bench.input, &bench.output)?.check()?;
                Ok(scan)
            });
            match checked {
                Ok(scan) => {
                    assert!(context.download(&bench.output).unwrap() == wanted, "{name} is wrong");
                    single.push((name, scan));
                }
                Err(error) => println!("{name} left out: {error}"),
            }
        }
    }

    record_time(&bench, &scan);
    let record_reduce = |reduce: &Reduce<u32>, pass: &mut wgpu::ComputePass<'_>| {
        reduce.record_in_pass(pass, &bench.input, &total).unwrap();
    };
    let record_scan = |scan: &Scan<u32>, pass: &mut wgpu::ComputePass<'_>| {
        scan.record_in_pass(pass, &bench.input, &bench.output).unwrap();
    };
    let records: Vec<_> = single
        .iter()
        .map(|(name, scan)| (name, move |pass: &mut wgpu::ComputePass<'_>| record_scan(scan, pass)))
        .collect();
    let own_reduce = |pass: &mut wgpu::ComputePass<'_>| record_reduce(&reduce, pass);
    let alike_reduce = |pass: &mut wgpu::ComputePass<'_>| record_reduce(&other_reduce, pass);
    let own_scan = |pass: &mut wgpu::ComputePass<'_>| record_scan(&scan, pass);
    let alike_scan = |pass: &mut wgpu::ComputePass<'_>| record_scan(&other_scan, pass);
    let mut candidates: Vec<Candidate<'_>> = vec![
        ("reduce".to_owned(), &own_reduce, 4),
        (format!("reduce {other_name}"), &alike_reduce, 4),
        ("scan".to_owned(), &own_scan, 8),
        (format!("scan {other_name}"), &alike_scan, 8),
    ];
    for (name, record) in &records {
        candidates.push(((*name).clone(), record, 8));
    }
    bench.compare(&candidates);
}
