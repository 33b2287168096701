//! Reductions by key and of segments, and scans by keys, heads and offsets.

use crate::harness::{Folder, fails, gpu, npy, succeeds, words};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("values.npy", &npy("<u4", &[1, 2, 3, 4, 5, 6]));
    folder.write("keys.npy", &npy("<i4", &[7, 7, 9, 9, 9, 7]));
    folder
}

#[test]
fn values_are_reduced_by_key() {
    if gpu().is_none() {
        return;
    }
    let folder = folder();
    let files = ["reduce-by-key", "keys.npy", "values.npy", "out_keys.npy", "out.npy"];
    let json = succeeds(&folder, &[&files[..], &["--op", "sum", "--json"]].concat());
    assert!(json.contains("\"count\": 3,") && json.contains("\"n\": 6,"), "{json}");
    assert_eq!(words(&folder, "out_keys.npy", "<i4"), [7, 9, 7]);
    assert_eq!(words(&folder, "out.npy", "<u4"), [3, 12, 6]);
    let line = succeeds(
        &folder,
        &[&files[..], &["--op-wgsl", "select(a, b, b != 0u)", "--identity", "0"]].concat(),
    );
    assert!(line.starts_with("out.npy: 3 of 6 items of uint32 in "), "{line}");
    assert_eq!(words(&folder, "out.npy", "<u4"), [2, 5, 6]);
    // 0.0 and -0.0 are one key; the outputs may be the inputs.
    let floats = [0.0f32, -0.0, 2.5, 2.5].map(f32::to_bits);
    folder.write("f.npy", &npy("<f4", &floats));
    let same = ["reduce-by-key", "f.npy", "f.npy", "g.npy", "f.npy", "--op", "max"];
    succeeds(&folder, &same);
    assert_eq!(words(&folder, "g.npy", "<f4"), [0, 2.5f32.to_bits()]);
    assert_eq!(words(&folder, "f.npy", "<f4"), [0, 2.5f32.to_bits()]);
    folder.write("none.npy", &npy("<u4", &[]));
    let none = ["reduce-by-key", "none.npy", "none.npy", "a.npy", "b.npy", "--op", "sum", "--json"];
    let json = succeeds(&folder, &none);
    assert!(json.contains("\"count\": 0,"), "{json}");
    assert!(words(&folder, "b.npy", "<u4").is_empty());
}

#[test]
fn segments_are_reduced() {
    if gpu().is_none() {
        return;
    }
    let folder = folder();
    // Item 0 is of no segment, and the second segment has no item.
    folder.write("offsets.npy", &npy("<u4", &[1, 3, 3, 6]));
    let files = ["segmented-reduce", "values.npy", "offsets.npy", "out.npy"];
    let json = succeeds(&folder, &[&files[..], &["--op", "sum", "--json"]].concat());
    assert!(json.contains("\"count\": 3,") && json.contains("\"n\": 6,"), "{json}");
    assert_eq!(words(&folder, "out.npy", "<u4"), [5, 0, 15]);
    let last = ["--op-wgsl", "select(a, b, b != 0u)", "--identity", "0", "--init", "9"];
    let line = succeeds(&folder, &[&files[..], &last].concat());
    assert!(line.starts_with("out.npy: 3 segments of 6 items of uint32 in "), "{line}");
    assert_eq!(words(&folder, "out.npy", "<u4"), [3, 9, 6]);
    // Other types; the output may be the input.
    for (dtype, items, greatest) in [
        ("<i4", [-3i32, -1, -2].map(|item| item as u32), [-1i32 as u32, -2i32 as u32]),
        ("<f4", [0.5f32, 2.5, -1.0].map(f32::to_bits), [2.5f32, -1.0].map(f32::to_bits)),
    ] {
        folder.write("few.npy", &npy("<u4", &[0, 2, 3]));
        folder.write("in.npy", &npy(dtype, &items));
        succeeds(&folder, &["segmented-reduce", "in.npy", "few.npy", "in.npy", "--op", "max"]);
        assert_eq!(words(&folder, "in.npy", dtype), greatest);
    }
    // One offset is where no segment ends, and none at all are no segment either.
    folder.write("none.npy", &npy("<u4", &[]));
    folder.write("one.npy", &npy("<u4", &[6]));
    for offsets in ["none.npy", "one.npy"] {
        let none = ["segmented-reduce", "values.npy", offsets, "out.npy", "--op", "sum", "--json"];
        let json = succeeds(&folder, &none);
        assert!(json.contains("\"count\": 0,"), "{json}");
        assert!(words(&folder, "out.npy", "<u4").is_empty());
    }
    // There may be more segments than items.
    let empty = ["segmented-reduce", "none.npy", "zeros.npy", "out.npy", "--op", "min"];
    folder.write("zeros.npy", &npy("<u4", &[0, 0, 0]));
    succeeds(&folder, &empty);
    assert_eq!(words(&folder, "out.npy", "<u4"), [u32::MAX; 2]);
}

#[test]
fn scans_within_segments() {
    if gpu().is_none() {
        return;
    }
    let folder = folder();
    folder.write("heads.npy", &npy("<u4", &[0, 0, 1, 0, 0, 5]));
    folder.write("offsets.npy", &npy("<u4", &[0, 2, 2, 5, 6]));
    let scan = ["scan", "values.npy", "out.npy", "--op", "sum"];
    for told in [["--by-key", "keys.npy"], ["--heads", "heads.npy"], ["--offsets", "offsets.npy"]] {
        let json = succeeds(&folder, &[&scan[..], &told, &["--json"]].concat());
        assert!(json.contains("\"n\": 6,"), "{json}");
        assert_eq!(words(&folder, "out.npy", "<u4"), [1, 3, 3, 7, 12, 6], "{told:?}");
        let more = ["--exclusive", "--init", "100", "--algorithm", "fallback"];
        succeeds(&folder, &[&scan[..], &told, &more].concat());
        assert_eq!(words(&folder, "out.npy", "<u4"), [100, 101, 100, 103, 107, 100], "{told:?}");
    }
}

#[test]
fn what_keys_heads_and_offsets_are_refused() {
    if gpu().is_none() {
        return;
    }
    let folder = folder();
    folder.write("few.npy", &npy("<u4", &[1, 2]));
    folder.write("down.npy", &npy("<u4", &[3, 2]));
    folder.write("past.npy", &npy("<u4", &[0, 7]));
    let scan = ["scan", "values.npy", "out.npy", "--op", "sum"];
    for (told, message) in [
        (["--by-key", "few.npy"], "few.npy: 2 keys for 6 items"),
        (["--heads", "few.npy"], "few.npy: 2 heads for 6 items"),
        (["--heads", "keys.npy"], "keys.npy: heads are uint32, these are int32"),
        (["--offsets", "keys.npy"], "keys.npy: offsets are uint32, these are int32"),
        (
            ["--offsets", "down.npy"],
            "down.npy: an offset (at least the one before it): 3 wanted, 2 given",
        ),
        (["--offsets", "past.npy"], "past.npy: an offset (at most the items): 6 wanted, 7 given"),
    ] {
        let line = fails(&folder, &[&scan[..], &told].concat(), 1);
        assert!(line.contains(message), "{line}");
    }
    let both = ["--by-key", "keys.npy", "--offsets", "few.npy"];
    fails(&folder, &[&scan[..], &both].concat(), 2);
    let one = ["reduce-by-key", "keys.npy", "values.npy", "out.npy", "out.npy", "--op", "sum"];
    let line = fails(&folder, &one, 1);
    assert!(line.contains("are one file"), "{line}");
    let few = ["reduce-by-key", "few.npy", "values.npy", "a.npy", "out.npy", "--op", "sum"];
    let line = fails(&folder, &few, 1);
    assert!(line.contains("few.npy: 2 keys for 6 items"), "{line}");
    for (offsets, message) in [
        ("keys.npy", "keys.npy: offsets are uint32, these are int32"),
        ("down.npy", "down.npy: an offset (at least the one before it): 3 wanted, 2 given"),
        ("past.npy", "past.npy: an offset (at most the items): 6 wanted, 7 given"),
    ] {
        let files = ["segmented-reduce", "values.npy", offsets, "out.npy", "--op", "sum"];
        let line = fails(&folder, &files, 1);
        assert!(line.contains(message), "{line}");
    }
    let init = ["reduce-by-key", "keys.npy", "values.npy", "a.npy", "out.npy", "--op", "sum"];
    fails(&folder, &[&init[..], &["--init", "5"]].concat(), 2);
    assert!(!folder.names().contains(&"out.npy".to_owned()), "{:?}", folder.names());
}
