//! Bad arguments: typed errors before any work, and nothing written.

use lookback::{
    Equality, Error, GpuSlice, LongRuns, Partition, PartitionThree, Predicate, RunLengths, Select,
    UniqueByKey,
};

use crate::own;

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
