//! Segments told by flags and offsets: where they lie, what is wrong with them, case F6.

use lookback::{
    Algorithm, Error, GpuSlice, Kind, Operator, SegmentStarts, SegmentedScan, Tuning, reference,
};

use crate::common::operators::hash;
use crate::common::{self, small_tiles};
use crate::slices::{Output, input};
use crate::ways::own;

/// Flags on the device of more items than there are, and bits of a slice's first word.
#[test]
fn flags_at_any_place() {
    let Some(context) = own() else { return };
    let n = 1000;
    let values: Vec<u32> = (0..n).map(|i| hash(i, 8)).collect();
    let offsets: Vec<u32> = (0..n).filter(|&i| hash(i, 9).is_multiple_of(50)).collect();
    let mut words = vec![0u32; (n / 32 + 9) as usize];
    for &at in &offsets {
        words[2 + at as usize / 32] |= 1 << (at % 32);
    }
    // Past the items all are set.
    words[2 + n as usize / 32] |= u32::MAX << (n % 32);
    let words = context.upload(&words).unwrap();
    let flags = GpuSlice::new(words.buffer(), 2..words.len()).unwrap();
    let sum = Operator::<u32>::sum();
    let by_bits =
        SegmentedScan::new(&context, SegmentStarts::PackedFlags, &sum, Kind::Inclusive).unwrap();
    let output = Output::<u32>::new(&context, n as usize);
    let source = input(&context, &values, 1);
    let call = by_bits.call(&flags, &source, &output.slice).unwrap();
    call.dispatch().unwrap().check().unwrap();
    let wanted = reference::segmented_scan(&values, &offsets, &sum, Kind::Inclusive, None).unwrap();
    assert_eq!(output.first(&context, n as usize), wanted);
}

/// Workgroups of fewer lanes than a group has items, where subgroups are emulated.
#[test]
fn workgroups_of_few_lanes() {
    let Some(context) = own() else { return };
    let context = common::without_subgroups(&context);
    let values: Vec<u32> = (0..999).map(|i| hash(i, 8)).collect();
    let flags: Vec<u32> = (0..999).map(|i| u32::from(hash(i, 9).is_multiple_of(3))).collect();
    let offsets: Vec<u32> = (0..999).filter(|&i| flags[i as usize] == 1).collect();
    let (sum, kind) = (Operator::<u32>::sum(), Kind::Inclusive);
    let wanted = reference::segmented_scan(&values, &offsets, &sum, kind, None).unwrap();
    for workgroup_size in [1, 2, 4] {
        let tuning = Tuning { workgroup_size, ..small_tiles(&context) };
        for algorithm in [Algorithm::ReduceThenScan, Algorithm::Fallback] {
            let (starts, algorithm) = (SegmentStarts::Flags, algorithm);
            let scan =
                SegmentedScan::with_algorithm(&context, starts, &sum, kind, algorithm, &tuning);
            let got = scan.unwrap().run(&flags, &values).unwrap();
            assert_eq!(got, wanted, "{workgroup_size} lanes, {algorithm}");
        }
    }
}

/// Offsets on the device: fewer and more than segments, past the items, in a changing buffer.
#[test]
fn offsets_of_every_kind() {
    let Some(context) = own() else { return };
    let n = 10_000;
    let values: Vec<u32> = (0..n).map(|i| hash(i, 8)).collect();
    let sum = Operator::<u32>::sum();
    let source = input(&context, &values, 1);
    for algorithm in [Algorithm::ReduceThenScan, Algorithm::Fallback] {
        let tuning = small_tiles(&context);
        let kind = Kind::Exclusive;
        let by_offsets = SegmentedScan::with_algorithm(
            &context,
            SegmentStarts::Offsets,
            &sum,
            kind,
            algorithm,
            &tuning,
        )
        .unwrap();
        let every = |k: u32| (0..n.div_ceil(k)).map(|i| i * k).collect::<Vec<u32>>();
        for offsets in [
            vec![],
            vec![0],
            vec![n],
            vec![5, 9, 9, 9, 9000],
            vec![0, 31, 32, 33, 64, 9_999, n, n],
            every(1),
            every(32),
            every(7),
            // Past the items and the bits; they are left out.
            vec![100, n + 1, n + 15, 1 << 20, u32::MAX],
        ] {
            let slice = input(&context, &offsets, 2);
            let output = Output::<u32>::new(&context, n as usize);
            let call = by_offsets.call(&slice, &source, &output.slice).unwrap();
            let wanted = reference::segmented_scan(&values, &offsets, &sum, kind, None).unwrap();
            // More than once: flags of the call before are gone.
            for _ in 0..2 {
                call.dispatch().unwrap().check().unwrap();
                assert_eq!(output.first(&context, n as usize), wanted, "{algorithm} {offsets:?}");
            }
        }
        let none = input::<u32>(&context, &[], 1);
        let output = Output::<u32>::new(&context, 0);
        let call = by_offsets.call(&input(&context, &[0, 0], 0), &none, &output.slice).unwrap();
        call.dispatch().unwrap().check().unwrap();
        output.first(&context, 0);
    }
    // Offsets that change between two dispatches of one call.
    let by_offsets =
        SegmentedScan::new(&context, SegmentStarts::Offsets, &sum, Kind::Inclusive).unwrap();
    let offsets = context.upload(&[0u32, 17]).unwrap();
    let output = context.allocate::<u32>(u64::from(n)).unwrap();
    let call = by_offsets.call(&offsets, &source, &output).unwrap();
    for changed in [[0u32, 17], [40, 77], [0, 0]] {
        context.queue().write_buffer(offsets.buffer(), 0, bytemuck::cast_slice(&changed));
        call.dispatch().unwrap().check().unwrap();
        let wanted = reference::segmented_scan(&values, &changed, &sum, Kind::Inclusive, None);
        assert_eq!(context.download(&output).unwrap(), wanted.unwrap(), "{changed:?}");
    }
}

/// Case F6 for offsets: those that do not ascend or lie past the items are told, a first one past 0 is
/// no fault.
#[test]
fn f6_offsets_of_the_host() {
    let Some(context) = own() else { return };
    let sum = Operator::<u32>::sum();
    let by_offsets =
        SegmentedScan::new(&context, SegmentStarts::Offsets, &sum, Kind::Inclusive).unwrap();
    let data: Vec<u32> = (0..1024).collect();
    for (offsets, wanted, got) in
        [(&[512u32, 0, 700][..], 512, 0), (&[0, 1025], 1024, 1025), (&[3, 10, 9], 10, 9)]
    {
        match by_offsets.run(offsets, &data).unwrap_err() {
            Error::Length { wanted: w, got: g, .. } => assert_eq!((w, g), (wanted, got)),
            error => panic!("{error}"),
        }
    }
    let sums = by_offsets.run(&[3, 10, 1024], &data).unwrap();
    assert_eq!((sums[2], sums[9], sums[10], sums[1023]), (3, 42, 10, (10..1024).sum()));
    let output = context.allocate::<u32>(8).unwrap();
    let items = context.allocate::<u32>(8).unwrap();
    let inside = GpuSlice::new(output.buffer(), 0..2).unwrap();
    let error = by_offsets.call(&inside, &items, &output).unwrap_err();
    assert!(matches!(error, Error::Aliased { .. }), "{error}");
    let counted = inside.counted_by(&context.allocate::<u32>(1).unwrap()).unwrap();
    let error = by_offsets.call(&counted, &items, &items).unwrap_err();
    assert!(matches!(error, Error::Length { .. }), "{error}");
}
