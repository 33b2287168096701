//! Bad arguments: typed errors before any work, and nothing written.

use lookback::{
    Equality, Error, GpuSlice, LongRuns, Operator, Partition, PartitionThree, Predicate,
    RunLengthDecode, RunLengths, Select, Unique, UniqueByKey,
};

use crate::{common, own};

fn large() -> Predicate<u32> {
    Predicate::from_wgsl("x > 3u").unwrap().with_host(|x: u32, _| x > 3)
}

#[test]
fn predicates_that_do_not_compile_point_into_their_text() {
    for (text, column) in [("x > 3.0 +", 10), ("y > 3u", 1), ("x + 1u", 1), ("", 1)] {
        match Predicate::<u32>::from_wgsl(text).unwrap_err() {
            Error::InvalidWgsl { role: "keep", line: 1, column: got, .. } => {
                assert!(got <= column.max(1) + 2, "{text}: column {got}");
            }
            error => panic!("{text}: {error}"),
        }
    }
    let impure = "var<private> n: u32;\nfn keep(x: u32) -> bool { n += 1u; return n > x; }";
    let error = Predicate::<u32>::from_wgsl(impure).unwrap_err();
    assert!(matches!(error, Error::InvalidWgsl { .. }), "{error}");
    let error = Equality::<u32>::from_wgsl("a + b").unwrap_err();
    assert!(matches!(error, Error::InvalidWgsl { role: "same", .. }), "{error}");
    // A function with and without the item's number, and one with other types.
    for text in [
        "fn keep(x: u32) -> bool { return x > 3u; }",
        "fn keep(x: u32, i: u32,) -> bool { return x > i; }",
        "fn keep(x: u32, place: u32) -> bool { return x > place; }",
    ] {
        Predicate::<u32>::from_wgsl(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
    let error = Predicate::<u32>::from_wgsl("fn keep(x: f32) -> bool { return true; }");
    assert!(matches!(error.unwrap_err(), Error::InvalidWgsl { .. }));
}

#[test]
fn arguments_that_do_not_fit_are_told_before_any_work() {
    let Some(context) = own() else { return };
    let items = context.upload(&[5u32, 1, 7, 2, 9, 9, 0, 4]).unwrap();
    let out = || context.allocate::<u32>(8).unwrap();
    let (output, count, counts) =
        (out(), context.allocate::<u32>(1).unwrap(), context.allocate::<u32>(2).unwrap());
    let select = Select::new(&context, &large()).unwrap();
    let flagged = Select::new(&context, &Predicate::<u32>::flags()).unwrap();
    let packed = Select::new(&context, &Predicate::<u32>::packed_flags()).unwrap();

    // Flags: too few, none, or where there is no use for them.
    let few = context.allocate::<u32>(7).unwrap();
    for result in [
        flagged.call(&items, Some(&few), &output, &count),
        flagged.call(&items, None, &output, &count),
        select.call(&items, Some(&few), &output, &count),
        packed.call(&items, Some(&GpuSlice::new(few.buffer(), 0..0).unwrap()), &output, &count),
    ] {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::Length { what: "the words of flags", .. }), "{error}");
    }
    // Counts of another length.
    {
        let result = select.call(&items, None, &output, &counts);
        assert!(matches!(result.unwrap_err(), Error::Length { wanted: 1, got: 2, .. }));
    }
    // Outputs that are, or overlap, an input, a flag, a count or one another.
    let inside = |slice: &GpuSlice<u32>, from, to| GpuSlice::new(slice.buffer(), from..to).unwrap();
    let partition = Partition::new(&context, &large()).unwrap();
    let runs = RunLengths::new(&context, &Equality::by_value()).unwrap();
    let long = LongRuns::new(&context, &Equality::by_value()).unwrap();
    let three = PartitionThree::new(&context, &large(), &large()).unwrap();
    let flags = out();
    for (what, result) in [
        ("in place", select.call(&items, None, &items, &count)),
        ("the count in the input", select.call(&items, None, &output, &inside(&items, 0, 1))),
        ("the count in the output", select.call(&items, None, &output, &inside(&output, 3, 4))),
        ("flags as output", flagged.call(&items, Some(&flags), &flags, &count)),
        ("one output twice", partition.call(&items, None, [&output, &output], &counts)),
        ("the second in place", partition.call(&items, None, [&output, &items], &counts)),
        ("G3 in place", runs.call(&items, &items, &output, &count)),
        ("lengths in place", runs.call(&items, &output, &items, &count)),
        ("offsets in place", long.call(&items, &items, &output, &count)),
        (
            "overlapping thirds",
            three.call(
                &items,
                None,
                [&inside(&output, 0, 3), &inside(&output, 2, 5), &inside(&output, 5, 8)],
                &context.allocate(3).unwrap(),
            ),
        ),
    ] {
        let error = result.map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::Aliased { .. }), "{what}: {error}");
    }
    // Parts of one buffer do, whether it is the input's or another.
    let both = context.upload(&[5u32, 1, 7, 2, 0, 0, 0, 0]).unwrap();
    let call = select.call(&inside(&both, 0, 4), None, &inside(&both, 4, 8), &count).unwrap();
    call.dispatch().unwrap().check().unwrap();
    assert_eq!(context.download(&both).unwrap()[4..6], [5, 7]);
    let call = partition
        .call(&items, None, [&inside(&output, 0, 4), &inside(&output, 4, 8)], &counts)
        .unwrap();
    call.dispatch().unwrap().check().unwrap();
    assert_eq!(context.download(&output).unwrap(), [5, 7, 9, 9, 1, 2, 0, 0]);
    assert_eq!(context.download(&counts).unwrap(), [5, 3]);

    // Usages, segments, numbers of values.
    let copies = context.device().create_buffer(&wgpu_buffer(wgpu::BufferUsages::COPY_DST));
    let error = select.call(&items, None, &GpuSlice::whole(&copies), &count).unwrap_err();
    assert!(matches!(error, Error::Usage { role: "output", .. }), "{error}");
    let two = out().then(&out()).unwrap();
    let error = select.call(&items, None, &two, &count).unwrap_err();
    assert!(matches!(error, Error::Length { wanted: 1, got: 2, .. }), "{error}");
    let error = runs.call(&two, &output, &flags, &count).unwrap_err();
    assert!(matches!(error, Error::Length { wanted: 1, got: 2, .. }), "{error}");
    let unique = UniqueByKey::<u32, u32>::new(&context, &Equality::by_value()).unwrap();
    let error = unique.call(&items, &few, &output, &flags, &count).unwrap_err();
    assert!(matches!(error, Error::Length { what: "the values", .. }), "{error}");
    let error = PartitionThree::new(&context, &large(), &Predicate::flags()).unwrap_err();
    assert!(matches!(error, Error::Length { .. }), "{error}");
}

fn wgpu_buffer(usage: wgpu::BufferUsages) -> wgpu::BufferDescriptor<'static> {
    wgpu::BufferDescriptor { label: None, size: 32, usage, mapped_at_creation: false }
}

/// Names, comments and spaces of a user's own.
#[test]
fn texts_of_every_style_are_taken() {
    let Some(context) = own() else { return };
    let items = [5u32, 1, 7, 2, 9, 0];
    for text in [
        "fn keep_small(x: u32, y: u32) -> bool { return x < y; }
        fn keep(x: u32) -> bool { return !keep_small(x, 5u); }",
        "fn keep_small(x: u32) -> bool { return x < 5u; }
        fn keep(x: u32, i: u32) -> bool { return !keep_small(x + 0u * i); }",
        "fn  keep(x: u32, i: u32) -> bool { return x >= 5u && i < 100u; }",
        "x >= 5u // unroll",
    ] {
        let predicate = Predicate::from_wgsl(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let select = Select::new(&context, &predicate).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(select.run(&items, &[]).unwrap(), [5, 7, 9], "{text}");
    }
    let first = "fn second(x: u32) -> bool { return x > 6u; }
        fn keep(x: u32) -> bool { return second(x); }";
    for second in [
        "x > 4u",
        "fn third(x: u32) -> bool { return x > 4u; } fn keep(x: u32) -> bool { return third(x); }",
        "struct Mark { keep: bool }
        fn keep(x: u32) -> bool { var mark: Mark; mark.keep = x > 4u; return mark.keep; }",
        "fn keep(x: u32) -> bool { let second = 4u; let keep = x > second; return keep; }",
    ] {
        let [first, second] = [first, second].map(|text| Predicate::from_wgsl(text).unwrap());
        let three = PartitionThree::new(&context, &first, &second).unwrap();
        assert_eq!(three.run(&items, &[]).unwrap(), [vec![7, 9], vec![5], vec![1, 2, 0]]);
    }
    let lift = "fn lift_two(a: u32, b: u32) -> u32 { return a + b; }
        fn lift(x: u32) -> u32 { return lift_two(x, 1u); }";
    let more = Operator::<u32>::sum().with_lift(lift, |x: u32| x + 1).unwrap();
    assert_eq!(context.reduce(&items, &more).unwrap(), 30);
}

/// Sizes past what u32 places can tell, lengths that add to more, slices of the host that do not fit.
#[test]
fn sizes_past_32_bits_and_flags_of_the_host() {
    let Some(context) = own() else { return };
    let output = context.allocate::<u32>(16).unwrap();
    let count = context.allocate::<u32>(1).unwrap();
    let mut many = context.allocate::<u32>(1 << 20).unwrap();
    while many.len() <= u64::from(u32::MAX) {
        many = many.clone().then(&many).unwrap();
    }
    let select = Select::new(&context, &large()).unwrap();
    let error = select.call(&many, None, &output, &count).unwrap_err();
    assert!(matches!(error, Error::Length { got, .. } if got == many.len()), "{error}");
    for flags in [&[1, 0, 1, 1, 1][..], &[1]] {
        let flagged = Select::<u32>::new(&context, &Predicate::flags()).unwrap();
        let error = flagged.run(&[7, 8], flags).unwrap_err();
        assert!(matches!(error, Error::Length { wanted: 2, .. }), "{error}");
    }
    let decode = RunLengthDecode::<u32>::new(&context).unwrap();
    let values = context.upload(&[1u32, 2, 3]).unwrap();
    let lengths = context.upload(&[1u32 << 31, 1 << 31, 5]).unwrap();
    let call = decode.call(&values, &lengths, &output, &count).unwrap();
    call.dispatch().unwrap().check().unwrap();
    assert_eq!(context.download(&output).unwrap(), [1; 16]);
    assert_eq!(context.download(&count).unwrap(), [u32::MAX]);
    let error = decode.call(&values, &lengths, &lengths, &count).unwrap_err();
    assert!(matches!(error, Error::Aliased { .. }), "{error}");
    let inside = GpuSlice::new(lengths.buffer(), 1..2).unwrap();
    let error = decode.call(&values, &lengths, &output, &inside).unwrap_err();
    assert!(matches!(error, Error::Aliased { .. }), "{error}");
}

/// One segment of the largest binding is one piece; a narrow device has its counts too.
#[test]
fn the_largest_binding_and_the_fewest() {
    let Some(context) = own() else { return };
    let context = common::pretend(&context, |c| {
        // The state of single passes takes 4 MiB and some.
        c.binding_bytes = 5 << 20;
        c.storage_bindings = 8;
    });
    let n = 5 << 18;
    let items: Vec<u32> = (0..n).map(|i| i / 3).collect();
    let unique = Unique::new(&context, &Equality::by_value()).unwrap();
    assert_eq!(unique.run(&items).unwrap().len(), items.len().div_ceil(3));
    let gpu = common::pretend(&context, |c| {
        (c.device_type, c.vendor) = (wgpu::DeviceType::DiscreteGpu, 0);
    });
    let three = PartitionThree::new(&gpu, &large().and_flags(), &large()).unwrap();
    let (source, flags) = (gpu.upload(&items[..5000]).unwrap(), gpu.upload(&[1u32; 5000]).unwrap());
    let number = gpu.upload(&[4000u32]).unwrap();
    let outputs = [(); 3].map(|()| gpu.allocate::<u32>(5000).unwrap());
    let counts = gpu.allocate::<u32>(3).unwrap();
    let source = source.counted_by(&number).unwrap();
    let call = three.call(&source, Some(&flags), outputs.each_ref(), &counts).unwrap();
    call.dispatch().unwrap().check().unwrap();
    assert_eq!(gpu.download(&counts).unwrap(), [3988, 0, 12]);
    assert!(call.status().unwrap().is_some());
}
