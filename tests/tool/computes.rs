//! What the tool computes, prints and writes.

use crate::harness::{Folder, fails, gpu, lookback, npy, npy_of, succeeds, words};

fn f32s(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn i32s(values: &[i32]) -> Vec<u32> {
    values.iter().map(|&value| value as u32).collect()
}

/// What `reduce` prints of these words.
#[track_caller]
fn reduced(descr: &str, words: &[u32], arguments: &[&str]) -> String {
    let folder = Folder::new();
    folder.write("in.npy", &npy(descr, words));
    let printed = succeeds(&folder, &[&["reduce", "in.npy"], arguments].concat());
    printed.strip_suffix('\n').expect("a line").to_owned()
}

#[test]
fn reduce_prints_the_value() {
    if gpu().is_none() {
        return;
    }
    let u = |arguments: &[&str]| reduced("<u4", &[12, 10, 8], arguments);
    assert_eq!(u(&["--op", "sum"]), "30");
    assert_eq!(u(&["--op", "product"]), "960");
    assert_eq!(u(&["--op", "min"]), "8");
    assert_eq!(u(&["--op", "max"]), "12");
    assert_eq!(u(&["--op", "and"]), "8");
    assert_eq!(u(&["--op", "or"]), "14");
    assert_eq!(u(&["--op", "xor"]), "14");
    assert_eq!(u(&["--op", "sum", "--init", "4294967295"]), "29");

    let i = |arguments: &[&str]| reduced("<i4", &i32s(&[-3, 5, -7]), arguments);
    assert_eq!(i(&["--op", "sum"]), "-5");
    assert_eq!(i(&["--op", "max", "--init", "-1"]), "5");
    assert_eq!(i(&["--op", "min", "--init", "-8"]), "-8");
    assert_eq!(i(&["--op", "and"]), "1");

    let f = |arguments: &[&str]| reduced("<f4", &f32s(&[0.5, -2.25, 1e30]), arguments);
    assert_eq!(f(&["--op", "min"]), "-2.25");
    assert_eq!(f(&["--op", "max"]), "1e30");
    assert_eq!(f(&["--op", "max", "--init", "inf"]), "inf");
    assert_eq!(f(&["--op", "min", "--init", "-inf"]), "-inf");
    assert_eq!(f(&["--op", "sum", "--init", "nan"]), "nan");
    assert_eq!(f(&["--op", "product", "--init=-1"]), "1.125e30");
}

#[test]
fn reduce_of_nothing_is_the_operators_value_of_nothing() {
    if gpu().is_none() {
        return;
    }
    for (descr, op, value) in [
        ("<u4", "sum", "0"),
        ("<u4", "product", "1"),
        ("<u4", "min", "4294967295"),
        ("<i4", "max", "-2147483648"),
        ("<f4", "sum", "0.0"),
        ("<f4", "min", "inf"),
    ] {
        assert_eq!(reduced(descr, &[], &["--op", op]), value, "{descr} {op}");
    }
    assert_eq!(reduced("<i4", &[], &["--op", "sum", "--init", "-4"]), "-4");
}

#[test]
fn user_operators_combine_in_order() {
    if gpu().is_none() {
        return;
    }
    let last_nonzero = ["--op-wgsl", "select(a, b, b != 0u)", "--identity", "0"];
    assert_eq!(reduced("<u4", &[3, 0, 7, 0], &last_nonzero), "7");
    let greatest = ["--op-wgsl", "max(a, b)", "--identity", "-2147483648"];
    assert_eq!(reduced("<i4", &i32s(&[-9, -4]), &greatest), "-4");
    let least = ["--op-wgsl", "min(a, b)", "--identity", "inf"];
    assert_eq!(reduced("<f4", &f32s(&[2.0, 1.5]), &least), "1.5");
    let folder = Folder::new();
    folder.write("in.npy", &npy("<u4", &[0, 3, 0, 7, 0]));
    let arguments = [&["scan", "in.npy", "out.npy", "--init", "9"], &last_nonzero[..]].concat();
    succeeds(&folder, &arguments);
    assert_eq!(words(&folder, "out.npy", "<u4"), [9, 3, 3, 7, 7]);
}

/// What `scan` writes of these words.
#[track_caller]
fn scanned(descr: &str, input: &[u32], arguments: &[&str]) -> Vec<u32> {
    let folder = Folder::new();
    folder.write("in.npy", &npy(descr, input));
    succeeds(&folder, &[&["scan", "in.npy", "out.npy"], arguments].concat());
    assert_eq!(folder.names(), ["in.npy", "out.npy"]);
    words(&folder, "out.npy", descr)
}

#[test]
fn scan_writes_an_array() {
    if gpu().is_none() {
        return;
    }
    assert_eq!(scanned("<u4", &[3, 1, 4], &["--op", "sum"]), [3, 4, 8]);
    assert_eq!(scanned("<u4", &[3, 1, 4], &["--op", "sum", "--exclusive"]), [0, 3, 4]);
    let with_init = ["--op", "sum", "--exclusive", "--init", "100"];
    assert_eq!(scanned("<u4", &[3, 1, 4], &with_init), [100, 103, 104]);
    let negative = ["--op", "max", "--init", "-2"];
    assert_eq!(scanned("<i4", &i32s(&[-5, 3, -7]), &negative), i32s(&[-2, 3, 3]));
    let products = ["--op", "product"];
    assert_eq!(scanned("<f4", &f32s(&[0.5, -4.0]), &products), f32s(&[0.5, -2.0]));
    let infinities = f32s(&[f32::NEG_INFINITY, 2.0]);
    assert_eq!(scanned("<f4", &f32s(&[2.0, 1.0]), &["--op", "max", "--exclusive"]), infinities);
    assert_eq!(scanned("<f4", &[], &["--op", "sum"]), []);
    assert_eq!(scanned("<i4", &[], &["--op", "sum", "--exclusive"]), []);
    // More than one workgroup handles alone, on every device's sizes.
    let ones = vec![1; 100_000];
    let counted: Vec<u32> = (1..=100_000).collect();
    assert_eq!(scanned("<u4", &ones, &["--op", "sum"]), counted);
}

#[test]
fn scan_takes_an_algorithm() {
    if gpu().is_none() {
        return;
    }
    let items: Vec<u32> = (0..50_000).map(|i| i * 7 % 11).collect();
    let mut total = 0;
    let sums: Vec<u32> = items
        .iter()
        .map(|item| {
            total += item;
            total
        })
        .collect();
    // One that gives up is done again: the file is right in any case.
    for name in
        ["auto", "scan-then-propagate", "reduce-then-scan", "chained", "look-back", "fallback"]
    {
        assert!(scanned("<u4", &items, &["--op", "sum", "--algorithm", name]) == sums, "{name}");
    }
}

#[test]
fn scan_may_replace_its_input() {
    if gpu().is_none() {
        return;
    }
    let folder = Folder::new();
    folder.write("in.npy", &npy("<u4", &[1, 2, 3]));
    succeeds(&folder, &["scan", "in.npy", "in.npy", "--op", "sum"]);
    assert_eq!(words(&folder, "in.npy", "<u4"), [1, 3, 6]);
    assert_eq!(folder.names(), ["in.npy"]);
}

#[test]
fn json_is_one_object_on_a_line() {
    let Some(gpu) = gpu() else { return };
    let folder = Folder::new();
    folder.write("in.npy", &npy("<f4", &f32s(&[0.1, 1.0])));
    let adapter = format!("\"adapter\": \"{gpu}\"");
    let object = |arguments: &[&str]| {
        let printed = succeeds(&folder, arguments);
        assert!(printed.starts_with('{') && printed.ends_with("}\n"), "{printed}");
        assert_eq!(printed.lines().count(), 1, "{printed}");
        printed
    };
    for (init, value) in [
        (&[][..], "1.1"),
        (&["--init", "inf"], "\"inf\""),
        (&["--init", "-inf"], "\"-inf\""),
        (&["--init", "nan"], "\"nan\""),
    ] {
        let printed = object(&[&["reduce", "in.npy", "--op", "sum", "--json"], init].concat());
        let start = format!("{{\"value\": {value}, \"n\": 2, \"dtype\": \"float32\", {adapter}, ");
        assert!(printed.starts_with(&start) && printed.contains("\"seconds\": "), "{printed}");
    }
    // A quote in a name, where a file's name may have one.
    let name = if cfg!(windows) { "out.npy" } else { "a \"b\".npy" };
    let printed = object(&["--json", "scan", "in.npy", name, "--op", "sum"]);
    let shown = name.replace('"', "\\\"");
    let start = format!("{{\"output\": \"{shown}\", \"n\": 2, \"dtype\": \"float32\", {adapter}, ");
    assert!(printed.starts_with(&start) && printed.contains("\"seconds\": "), "{printed}");
    assert_eq!(words(&folder, name, "<f4"), f32s(&[0.1, 1.1]));

    let printed = object(&["info", "--json"]);
    for part in ["\"opened\": {", "\"tuning\": {", "\"index\": 0", "\"auto\": {", "lookback.reduce"]
    {
        assert!(printed.contains(part) && printed.contains(&adapter), "{printed}");
    }
}

#[test]
fn info_lists_adapters_and_plans() {
    let Some(gpu) = gpu() else { return };
    let folder = Folder::new();
    let printed = succeeds(&folder, &["info"]);
    for part in [
        "adapter 0",
        gpu,
        "subgroup_lanes_min",
        "Inclusive scan of 1048576 u32 by sum",
        "Scan out of place: ",
        "Scan in place: ",
        ", because ",
        "Self-test: ",
    ] {
        assert!(printed.contains(part), "{printed}");
    }
}

#[test]
fn verify_passes_and_notices_a_flipped_word() {
    if gpu().is_none() {
        return;
    }
    let folder = Folder::new();
    let printed = succeeds(&folder, &["verify"]);
    let last = printed.lines().last().unwrap_or_default();
    assert!(last.contains("bytes compared, every byte equal"), "{printed}");
    assert!(!printed.contains("DIFFERS"), "{printed}");

    let stderr = fails(&folder, &["verify", "--corrupt"], 1);
    assert!(stderr.starts_with("lookback: reduce of 1 vec2<u32> by affine"), "{stderr}");
    assert!(stderr.contains("item 0: wanted [") && stderr.contains("got ["), "{stderr}");
}

#[test]
fn headers_are_read_in_any_form() {
    if gpu().is_none() {
        return;
    }
    let items: Vec<u8> = [1u32, 2, 3].iter().flat_map(|item| item.to_le_bytes()).collect();
    let text = "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), }";
    let version_2 = [b"\x93NUMPY\x02\x00\x39\x00\x00\x00", text.as_bytes(), &items].concat();
    let version_3 = [b"\x93NUMPY\x03\x00\x39\x00\x00\x00", text.as_bytes(), &items].concat();
    for file in [
        npy_of("{\"shape\":(3L,),\"fortran_order\":False,\"descr\":\"<u4\"}", &items),
        npy_of(" { 'shape' : ( 3 , ) , 'descr' : '<u4' , 'fortran_order' : False } ", &items),
        version_2,
        version_3,
    ] {
        let folder = Folder::new();
        folder.write("in.npy", &file);
        assert_eq!(succeeds(&folder, &["reduce", "in.npy", "--op", "sum"]), "6\n");
    }
}

#[test]
fn help_names_every_command() {
    let folder = Folder::new();
    let output = lookback(&folder).arg("--help").output().expect("the tool starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    for command in ["info", "reduce", "scan", "verify"] {
        assert!(text.contains(&format!("\n  {command} ")), "{text}");
    }
    assert!(!text.contains("corrupt"), "{text}");
}
