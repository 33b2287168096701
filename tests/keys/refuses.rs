//! Bad arguments: typed errors before any work, and nothing written.

use lookback::{
    Algorithm, Equality, Error, GpuSlice, Kind, Operator, ReduceByKey, ScanByKey, SegmentBounds,
    SegmentStarts, SegmentedReduce, SegmentedScan, Tuning,
};

use crate::ways::own;

#[test]
fn arguments_that_do_not_fit_are_told_before_any_work() {
    let Some(context) = own() else { return };
    let out = || context.allocate::<u32>(8).unwrap();
    let (keys, values, output, totals) = (out(), out(), out(), out());
    let (count, counts) =
        (context.allocate::<u32>(1).unwrap(), context.allocate::<u32>(2).unwrap());
    let few = context.allocate::<u32>(7).unwrap();
    let (equality, sum) = (Equality::<u32>::by_value(), Operator::<u32>::sum());
    let reduction = ReduceByKey::new(&context, &equality, &sum).unwrap();
    let scan = ScanByKey::new(&context, &equality, &sum, Kind::Inclusive).unwrap();
    let by = |starts| SegmentedScan::new(&context, starts, &sum, Kind::Inclusive).unwrap();
    let (flagged, packed) = (by(SegmentStarts::Flags), by(SegmentStarts::PackedFlags));
    let none = GpuSlice::new(few.buffer(), 0..0).unwrap();
    let two = out().then(&out()).unwrap();
    let sixteen = context.allocate::<u32>(16).unwrap();
    let counted = keys.clone().counted_by(&count).unwrap();
    for (what, result) in [
        ("few keys", scan.call(&few, &values, &output)),
        ("few outputs", scan.call(&keys, &values, &few)),
        ("keys of two segments", scan.call(&two, &sixteen, &two)),
        ("keys with a count", scan.call(&counted, &values, &output)),
        ("few flags", flagged.call(&few, &values, &output)),
        ("no bits", packed.call(&none, &values, &output)),
        ("few keys to reduce", reduction.call(&few, &values, &output, &totals, &count)),
        ("two counts", reduction.call(&keys, &values, &output, &totals, &counts)),
        ("outputs of two segments", reduction.call(&keys, &values, &two, &totals, &count)),
        ("keys of two segments", reduction.call(&two, &sixteen, &output, &totals, &count)),
    ] {
        let error = result.map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::Length { .. }), "{what}: {error}");
    }
    let part = |slice: &GpuSlice<u32>, from, to| GpuSlice::new(slice.buffer(), from..to).unwrap();
    let both = context.allocate::<u32>(16).unwrap();
    let (left, right) = (part(&both, 0, 8), part(&both, 8, 16));
    for (what, result) in [
        ("keys as output", scan.call(&keys, &values, &keys)),
        ("keys beside the output", scan.call(&left, &values, &right)),
        ("flags as output", flagged.call(&keys, &values, &keys)),
        ("shifted in place", scan.call(&keys, &part(&both, 0, 8), &part(&both, 1, 9))),
        ("G3 keys in place", reduction.call(&keys, &values, &keys, &totals, &count)),
        ("G3 values in place", reduction.call(&keys, &values, &output, &values, &count)),
        ("keys where values were", reduction.call(&keys, &values, &values, &totals, &count)),
        ("one output twice", reduction.call(&keys, &values, &output, &output, &count)),
        ("keys beside the keys", reduction.call(&left, &values, &right, &totals, &count)),
        (
            "a count in the output",
            reduction.call(&keys, &values, &output, &totals, &part(&output, 0, 1)),
        ),
        (
            "a count in the keys",
            reduction.call(&keys, &values, &output, &totals, &part(&keys, 0, 1)),
        ),
    ] {
        let error = result.map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::Aliased { .. }), "{what}: {error}");
    }
    let tuning = Tuning::for_device(context.capabilities());
    let fallback = ScanByKey::with_algorithm(
        &context,
        &equality,
        &sum,
        Kind::Inclusive,
        Algorithm::Fallback,
        &tuning,
    );
    let error = fallback.unwrap().call(&keys, &values, &values).unwrap_err();
    assert!(matches!(error, Error::Aliased { .. }), "{error}");
    let usage = wgpu::BufferUsages::COPY_DST;
    let copies = wgpu::BufferDescriptor { label: None, size: 32, usage, mapped_at_creation: false };
    let copies = GpuSlice::whole(&context.device().create_buffer(&copies));
    let error = scan.call(&copies, &values, &output).unwrap_err();
    assert!(matches!(error, Error::Usage { role: "keys", .. }), "{error}");
    let error = reduction.call(&keys, &values, &copies, &totals, &count).unwrap_err();
    assert!(matches!(error, Error::Usage { role: "output of keys", .. }), "{error}");
    // Values and their totals in one buffer do.
    let call = reduction.call(&keys, &left, &output, &right, &count).unwrap();
    call.dispatch().unwrap().check().unwrap();
    assert_eq!(context.download(&count).unwrap(), [1]);
    let error = packed.run(&[1, 2], &[1u32; 32]).unwrap_err();
    assert!(matches!(error, Error::Length { wanted: 1, got: 2, .. }), "{error}");
    assert!(matches!(scan.run(&[1], &[1u32; 2]).unwrap_err(), Error::Length { .. }));
    assert!(matches!(reduction.run(&[1], &[1u32; 2]).unwrap_err(), Error::Length { .. }));
}

/// Bounds of segments: those that the host sees, and slices that do not fit.
#[test]
fn bounds_that_do_not_fit_are_told_before_any_work() {
    let Some(context) = own() else { return };
    let sum = Operator::<u32>::sum();
    let by = |bounds| SegmentedReduce::new(&context, bounds, &sum).unwrap();
    let (rows, windows) = (by(SegmentBounds::Offsets), by(SegmentBounds::Pairs));
    let input = [1u32; 8];
    for (what, error, wanted, got) in [
        ("descend", rows.run(&[0, 5, 4], &input).unwrap_err(), 5, 4),
        ("past the items", rows.run(&[0, 9], &input).unwrap_err(), 8, 9),
        ("end before it begins", windows.run(&[5, 4], &input).unwrap_err(), 5, 4),
        ("pairs past the items", windows.run(&[9, 9], &input).unwrap_err(), 8, 9),
        ("half a pair", windows.run(&[0, 3, 4], &input).unwrap_err(), 4, 3),
    ] {
        match error {
            Error::Length { wanted: w, got: g, .. } => assert_eq!((w, g), (wanted, got), "{what}"),
            error => panic!("{what}: {error}"),
        }
    }
    assert_eq!(rows.run(&[], &input).unwrap(), []);
    assert_eq!(rows.run(&[3], &input).unwrap(), []);
    assert_eq!(rows.run(&[8, 8], &input).unwrap(), [0]);
    assert_eq!(windows.run(&[], &[]).unwrap(), []);
    assert_eq!(windows.run(&[0, 0, 0, 0], &[]).unwrap(), [0, 0]);

    let out = || context.allocate::<u32>(8).unwrap();
    let (items, nine, output) = (out(), context.allocate::<u32>(9).unwrap(), out());
    let part = |slice: &GpuSlice<u32>, from, to| GpuSlice::new(slice.buffer(), from..to).unwrap();
    let two = part(&nine, 0, 4).then(&part(&out(), 0, 5)).unwrap();
    let both = context.allocate::<u32>(32).unwrap();
    let counted = nine.clone().counted_by(&part(&out(), 0, 1)).unwrap();
    for (what, result) in [
        ("few offsets", rows.call(&items, &items, &output)),
        ("few pairs", windows.call(&nine, &items, &output)),
        ("offsets of two segments", rows.call(&two, &items, &output)),
        ("offsets with a count", rows.call(&counted, &items, &output)),
        ("input of two segments", rows.call(&nine, &out().then(&items).unwrap(), &output)),
    ] {
        let error = result.map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::Length { .. }), "{what}: {error}");
    }
    for (what, result) in [
        ("in place", rows.call(&nine, &output, &output)),
        ("offsets beside the output", rows.call(&part(&both, 0, 9), &items, &part(&both, 9, 17))),
    ] {
        let error = result.map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::Aliased { .. }), "{what}: {error}");
    }
    let usage = wgpu::BufferUsages::COPY_DST;
    let copies = wgpu::BufferDescriptor { label: None, size: 32, usage, mapped_at_creation: false };
    let copies = GpuSlice::whole(&context.device().create_buffer(&copies));
    let error = rows.call(&nine, &copies, &output).unwrap_err();
    assert!(matches!(error, Error::Usage { role: "input", .. }), "{error}");
    let error = rows.call(&nine, &items, &copies).unwrap_err();
    assert!(matches!(error, Error::Usage { role: "output", .. }), "{error}");
}

/// Texts of keys and operator that declare one name, and texts in every style.
#[test]
fn texts_that_go_together_and_that_do_not() {
    let Some(context) = own() else { return };
    let nearest = "fn near(d: u32) -> u32 { return min(d, 9u); }\n";
    let combine = format!("{nearest}fn combine(a: u32, b: u32) -> u32 {{ return near(a + b); }}");
    let same = format!("{nearest}fn same(a: u32, b: u32) -> bool {{ return near(a) == near(b); }}");
    let operator = Operator::from_wgsl(0u32, &combine).unwrap();
    let equality = Equality::<u32>::from_wgsl(&same).unwrap();
    let error = ReduceByKey::new(&context, &equality, &operator).unwrap_err();
    assert!(matches!(error, Error::InvalidWgsl { role: "same", .. }), "{error}");
    for combine in [
        "min(a + b, 9u)",
        "fn recombine(a: u32, b: u32) -> u32 { return a + b; }
        fn combine (a: u32, b: u32) -> u32 { let combine = recombine(a, b); return min(combine, 9u); }",
        "fn combine(a: u32, b: u32) -> u32 { if (a + b > 9u) { return 9u; } return a + b; }",
    ] {
        let operator = Operator::from_wgsl(0u32, combine).unwrap();
        let by_parity = Equality::<u32>::from_wgsl("(a ^ b) % 2u == 0u").unwrap();
        let reduction = ReduceByKey::new(&context, &by_parity, &operator).unwrap();
        let (firsts, totals) = reduction.run(&[1, 3, 4, 6, 5], &[1u32, 2, 7, 7, 4]).unwrap();
        assert_eq!((firsts, totals), (vec![1, 4, 5], vec![3, 9, 4]), "{combine}");
    }
}
