//! The commands that write some of an array's items.

use crate::harness::{Folder, fails, gpu, npy, succeeds, words};

const ITEMS: [u32; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("in.npy", &npy("<u4", &ITEMS));
    folder.write("flags.npy", &npy("<u4", &[1, 0, 0, 1, 0, 1, 1, 0]));
    folder
}

#[test]
fn select_by_a_condition_flags_or_both() {
    if gpu().is_none() {
        return;
    }
    let folder = folder();
    let json = succeeds(&folder, &["select", "in.npy", "out.npy", "--if", "x > 3u", "--json"]);
    assert!(json.contains("\"count\": 5,") && json.contains("\"n\": 8,"), "{json}");
    assert_eq!(words(&folder, "out.npy", "<u4"), [4, 5, 6, 7, 8]);
    succeeds(&folder, &["select", "in.npy", "out.npy", "--flags", "flags.npy"]);
    assert_eq!(words(&folder, "out.npy", "<u4"), [1, 4, 6, 7]);
    let both = ["select", "in.npy", "in.npy", "--flags", "flags.npy", "--if", "i % 2u == 1u"];
    let line = succeeds(&folder, &both);
    assert!(line.starts_with("in.npy: 2 of 8 items of uint32 in "), "{line}");
    assert_eq!(words(&folder, "in.npy", "<u4"), [4, 6]);
}

#[test]
fn partition_in_two_and_three() {
    if gpu().is_none() {
        return;
    }
    let folder = folder();
    let two = ["partition", "in.npy", "out.npy", "--flags", "flags.npy", "--json"];
    let json = succeeds(&folder, &two);
    assert!(json.contains("\"counts\": [4, 4],"), "{json}");
    assert_eq!(words(&folder, "out.npy", "<u4"), [1, 4, 6, 7, 2, 3, 5, 8]);
    let three = ["partition", "in.npy", "out.npy", "--if", "x == 5u", "--then", "x < 3u", "--json"];
    let json = succeeds(&folder, &three);
    assert!(json.contains("\"counts\": [1, 2, 5],"), "{json}");
    assert_eq!(words(&folder, "out.npy", "<u4"), [5, 1, 2, 3, 4, 6, 7, 8]);
}

#[test]
fn runs_of_equal_items() {
    if gpu().is_none() {
        return;
    }
    let folder = folder();
    let floats = [0.0f32, -0.0, 2.5, 2.5, 2.5, f32::NAN, f32::NAN].map(f32::to_bits);
    folder.write("runs.npy", &npy("<f4", &floats));
    let json = succeeds(&folder, &["unique", "runs.npy", "out.npy", "--json"]);
    assert!(json.contains("\"count\": 4,"), "{json}");
    let heads = words(&folder, "out.npy", "<f4");
    assert_eq!(heads[..2], [0, 2.5f32.to_bits()]);
    succeeds(&folder, &["rle", "runs.npy", "values.npy", "lengths.npy"]);
    assert_eq!(words(&folder, "values.npy", "<f4"), heads);
    assert_eq!(words(&folder, "lengths.npy", "<u4"), [2, 3, 1, 1]);
    let json =
        succeeds(&folder, &["rle", "runs.npy", "at.npy", "lengths.npy", "--non-trivial", "--json"]);
    assert!(json.contains("\"count\": 2,"), "{json}");
    assert_eq!(words(&folder, "at.npy", "<u4"), [0, 2]);
    assert_eq!(words(&folder, "lengths.npy", "<u4"), [2, 3]);
}

#[test]
fn least_and_greatest_items() {
    if gpu().is_none() {
        return;
    }
    let folder = Folder::new();
    let items = [3i32, -7, 9, -7, 9].map(|item| item as u32);
    folder.write("in.npy", &npy("<i4", &items));
    assert_eq!(succeeds(&folder, &["argmin", "in.npy"]), "1 -7\n");
    let json = succeeds(&folder, &["argmax", "in.npy", "--json"]);
    assert!(json.starts_with("{\"index\": 2, \"value\": 9, \"n\": 5,"), "{json}");
}

#[test]
fn what_compactions_refuse() {
    if gpu().is_none() {
        return;
    }
    let folder = folder();
    let line = fails(&folder, &["select", "in.npy", "out.npy"], 2);
    assert!(line.contains("--if"), "{line}");
    let line = fails(&folder, &["select", "in.npy", "out.npy", "--if", "x >"], 1);
    assert!(line.contains("--if: keep: line 1"), "{line}");
    folder.write("few.npy", &npy("<u4", &[1, 2]));
    let line = fails(&folder, &["select", "in.npy", "out.npy", "--flags", "few.npy"], 1);
    assert!(line.contains("2 flags for 8 items"), "{line}");
    folder.write("signed.npy", &npy("<i4", &[1; 8]));
    let line = fails(&folder, &["partition", "in.npy", "out.npy", "--flags", "signed.npy"], 1);
    assert!(line.contains("flags are uint32"), "{line}");
    folder.write("none.npy", &npy("<u4", &[]));
    let line = fails(&folder, &["argmin", "none.npy"], 1);
    assert!(line.contains("no items"), "{line}");
    assert!(!folder.names().contains(&"out.npy".to_owned()), "{:?}", folder.names());
}
