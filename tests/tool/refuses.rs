//! What the tool refuses, in which words, and that it leaves nothing behind.

use crate::harness::{Folder, fails, fails_without_gpu, gpu, npy, npy_of, npy_with};

/// All three commands refuse a file with this one line after its path, and write nothing.
#[track_caller]
fn refused(file: &[u8], line: &str) {
    let folder = Folder::new();
    folder.write("in.npy", file);
    let line = format!("lookback: in.npy: {line}\n");
    fails_without_gpu(&folder, &["reduce", "in.npy", "--op", "sum"], 1, &line);
    fails_without_gpu(&folder, &["scan", "in.npy", "out.npy", "--op", "sum"], 1, &line);
    let segments = ["segmented-reduce", "in.npy", "in.npy", "out.npy", "--op", "sum"];
    fails_without_gpu(&folder, &segments, 1, &line);
    assert_eq!(folder.names(), ["in.npy"]);
}

#[test]
fn files_of_another_length_than_the_header_says_are_refused() {
    let whole = npy("<u4", &[1, 2, 3]);
    refused(
        &whole[..whole.len() - 1],
        "the file is truncated: 3 items of uint32 take 12 bytes, 11 follow the header",
    );
    let longer = [&whole[..], &[0]].concat();
    refused(&longer, "the file is too long: 3 items of uint32 take 12 bytes, 13 follow the header");
    refused(
        &npy_with("<f4", false, "(1000000000000000,)", &[0; 8]),
        "the file is truncated: 1000000000000000 items of float32 take 4000000000000000 bytes, 8 \
         follow the header",
    );
    refused(
        &npy_with("<f4", false, "(18446744073709551615,)", &[]),
        "the file is truncated: 18446744073709551615 items of float32 take 73786976294838206460 \
         bytes, 0 follow the header",
    );
    for end in 8..128 {
        refused(&whole[..end], "the file is truncated: it ends within the header");
    }
}

#[test]
fn arrays_of_other_shapes_are_refused() {
    let six = [0; 24];
    refused(&npy_with("<f4", true, "(2, 3)", &six), "Fortran order is not supported; C order is");
    refused(
        &npy_with("<f4", false, "(2, 3)", &six),
        "the shape (2, 3) has 2 dimensions; only arrays of 1 dimension are supported",
    );
    refused(
        &npy_with("<f4", false, "()", &[0; 4]),
        "the shape () has 0 dimensions; only arrays of 1 dimension are supported",
    );
}

#[test]
fn arrays_of_other_types_are_refused() {
    for (descr, name) in [
        (">f4", "big-endian float32"),
        (">u4", "big-endian uint32"),
        ("<f2", "float16"),
        ("<f8", "float64"),
        ("<i8", "int64"),
        ("|u1", "uint8"),
        ("|b1", "bool"),
        ("<c8", "complex64"),
        ("<U5", "of another kind"),
    ] {
        refused(
            &npy_with(descr, false, "(3,)", &[0; 12]),
            &format!(
                "dtype {name} ('{descr}') is not supported; little-endian uint32, int32 and \
                 float32 are"
            ),
        );
    }
}

#[test]
fn files_that_are_no_arrays_are_refused() {
    refused(b"", "not a .npy file");
    refused(b"PK\x03\x04 an .npz file", "not a .npy file");
    refused(
        b"\x93NUMPY\x04\x00\x00\x00",
        ".npy version 4.0 is not supported; 1.0, 2.0 and 3.0 are",
    );
    refused(b"\x93NUMPY\x01\x00\x03\x00{x}", "a malformed header: no string at byte 1 of it");
    // Version 2 with a header of 4 GB.
    refused(
        b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}",
        "the file is truncated: it ends within the header",
    );
}

#[test]
fn headers_that_numpy_would_not_write_are_refused() {
    for (text, line) in [
        ("", "no '{' at byte 118"),
        ("{", "no string at byte 118"),
        ("{}", "no 'descr' at byte 2"),
        ("{'descr': '<f4'}", "no 'fortran_order' at byte 16"),
        ("{'descr': '<f4', 'descr': '<f4'", "a second 'descr' at byte 31"),
        ("{'descr' '<f4'}", "no ':' at byte 9"),
        ("{'other': 1}", "an unknown key 'other' at byte 9"),
        ("{'fortran_order': 0}", "neither True nor False at byte 18"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} x", "text after the dictionary"),
        ("{'descr': [('x', '<f4')]}", "a structured dtype, which is not supported, at byte 9"),
        ("{'shape': (-3,)}", "a size that is none (cannot parse integer from empty string)"),
        ("{'shape': (18446744073709551616,)}", "a size that is none (number too large"),
        ("{'shape': (3 4)}", "no ')' at byte 13"),
    ] {
        let folder = Folder::new();
        folder.write("in.npy", &npy_of(text, &[0; 12]));
        let stderr = fails(&folder, &["reduce", "in.npy", "--op", "sum"], 1);
        let line = format!("lookback: in.npy: a malformed header: {line}");
        assert!(stderr.starts_with(&line), "{text}: {stderr}");
    }
}

#[test]
fn files_out_of_reach_are_refused() {
    let folder = Folder::new();
    folder.write("in.npy", &npy("<u4", &[1]));
    let sum = |input| ["reduce", input, "--op", "sum"];
    let missing = std::fs::metadata(folder.path("none.npy")).unwrap_err();
    fails_without_gpu(&folder, &sum("none.npy"), 1, &format!("lookback: none.npy: {missing}\n"));
    fails_without_gpu(&folder, &sum("."), 1, "lookback: .: not a regular file\n");
    let scan = |output| ["scan", "in.npy", output, "--op", "sum"];
    let line = format!("lookback: none/out.npy: can't be written: {missing}\n");
    fails_without_gpu(&folder, &scan("none/out.npy"), 1, &line);
    fails_without_gpu(&folder, &scan("."), 1, "lookback: .: not a regular file\n");
    assert_eq!(folder.names(), ["in.npy"]);
}

#[test]
fn operators_and_values_are_checked_before_the_gpu() {
    let folder = Folder::new();
    folder.write("u.npy", &npy("<u4", &[1]));
    folder.write("i.npy", &npy("<i4", &[1]));
    folder.write("f.npy", &npy("<f4", &[1]));
    for (file, arguments, line) in [
        ("f.npy", &["--op", "xor"][..], "--op xor: integers only, the items are float32"),
        ("u.npy", &["--op", "sum", "--init", "x"], "--init: \"x\" is no value of uint32"),
        ("u.npy", &["--op", "sum", "--init", "-1"], "--init: \"-1\" is no value of uint32"),
        ("i.npy", &["--op", "sum", "--init", "1.5"], "--init: \"1.5\" is no value of int32"),
        ("f.npy", &["--op", "sum", "--init", "1e99"], "--init: \"1e99\" is no value of float32"),
        (
            "u.npy",
            &["--op-wgsl", "a", "--identity", "nan"],
            "--identity: \"nan\" is no value of uint32",
        ),
        (
            "u.npy",
            &["--op-wgsl", "a + c", "--identity", "0"],
            "--op-wgsl: combine: line 1, column 5: no definition in scope for identifier: `c` \
             (unknown identifier), in: a + c",
        ),
        // The text's own line breaks make no second line.
        (
            "u.npy",
            &["--op-wgsl", "a +\n c", "--identity", "0"],
            "--op-wgsl: combine: line 2, column 2: no definition in scope for identifier: `c` \
             (unknown identifier), in: a + c",
        ),
    ] {
        let line = format!("lookback: {line}\n");
        fails_without_gpu(&folder, &[&["reduce", file], arguments].concat(), 1, &line);
        fails_without_gpu(&folder, &[&["scan", file, "out.npy"], arguments].concat(), 1, &line);
        let segments = ["segmented-reduce", file, "u.npy", "out.npy"];
        fails_without_gpu(&folder, &[&segments, arguments].concat(), 1, &line);
    }
    let signed = ["segmented-reduce", "u.npy", "i.npy", "out.npy", "--op", "sum"];
    let line = "lookback: i.npy: offsets are uint32, these are int32\n";
    fails_without_gpu(&folder, &signed, 1, line);
    assert_eq!(folder.names(), ["f.npy", "i.npy", "u.npy"]);
}

#[test]
fn wrong_usage_is_one_line_and_exit_code_2() {
    let folder = Folder::new();
    folder.write("in.npy", &npy("<u4", &[1]));
    for (arguments, line) in [
        (
            &["--op", "fold"][..],
            "invalid value 'fold' for '--op <OP>' [possible values: sum, product, min, max, and, \
             or, xor]",
        ),
        (
            &["--op", "sum", "--op-wgsl", "a", "--identity", "0"],
            "the argument '--op <OP>' cannot be used with: --op-wgsl <WGSL> --identity <VALUE>",
        ),
        (
            &["--op", "sum", "--identity", "0"],
            "the argument '--op <OP>' cannot be used with '--identity <VALUE>'",
        ),
        (
            &["--op-wgsl", "a + b"],
            "the following required arguments were not provided: --identity <VALUE>",
        ),
        (&[], "the following required arguments were not provided: <--op <OP>|--op-wgsl <WGSL>>"),
    ] {
        let line = format!("lookback: {line}; try --help\n");
        fails_without_gpu(&folder, &[&["reduce", "in.npy"], arguments].concat(), 2, &line);
        fails_without_gpu(&folder, &[&["scan", "in.npy", "o.npy"], arguments].concat(), 2, &line);
        let segments = ["segmented-reduce", "in.npy", "in.npy", "o.npy"];
        fails_without_gpu(&folder, &[&segments, arguments].concat(), 2, &line);
    }
    let line = "lookback: invalid value 'fast' for '--algorithm <NAME>' [possible values: auto, \
                scan-then-propagate, reduce-then-scan, chained, look-back, fallback]; try --help\n";
    let arguments = ["scan", "in.npy", "o.npy", "--op", "sum", "--algorithm", "fast"];
    fails_without_gpu(&folder, &arguments, 2, line);
    let line = "lookback: unrecognized subcommand 'mean'; try --help\n";
    fails_without_gpu(&folder, &["mean"], 2, line);
    assert_eq!(folder.names(), ["in.npy"]);
}

#[test]
#[cfg(target_os = "linux")]
fn without_an_adapter_the_error_is_one_line() {
    let folder = Folder::new();
    folder.write("in.npy", &npy("<u4", &[1]));
    let line = "lookback: no GPU adapter found by Vulkan, Metal or DX12; install the GPU's driver, \
                or the software driver lavapipe (Debian and Ubuntu: mesa-vulkan-drivers)\n";
    fails_without_gpu(&folder, &["reduce", "in.npy", "--op", "sum"], 1, line);
    fails_without_gpu(&folder, &["scan", "in.npy", "out.npy", "--op", "sum"], 1, line);
    fails_without_gpu(&folder, &["info"], 1, line);
    fails_without_gpu(&folder, &["verify"], 1, line);
    assert_eq!(folder.names(), ["in.npy"]);
}

#[test]
fn an_unknown_adapter_is_one_line() {
    let Some(gpu) = gpu() else { return };
    let folder = Folder::new();
    folder.write("in.npy", &npy("<u4", &[1]));
    for name in ["no such adapter", "4000000"] {
        let arguments = ["scan", "in.npy", "out.npy", "--op", "sum", "--adapter", name];
        let stderr = fails(&folder, &arguments, 1);
        let line = format!("lookback: no adapter matches \"{name}\"; there are: ");
        assert!(stderr.starts_with(&line) && stderr.contains(gpu), "{stderr}");
    }
    assert_eq!(folder.names(), ["in.npy"]);
}
