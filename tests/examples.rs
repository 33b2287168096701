//! Every example runs and finds its own results right.

use std::path::PathBuf;
use std::process::Command;

/// Where cargo puts the examples that it builds for `cargo test`.
fn folder() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(|deps| deps.parent()).unwrap().join("examples")
}

#[test]
fn every_example_runs() {
    if std::env::var("LOOKBACK_NO_GPU").is_ok_and(|value| value == "1") {
        println!("skipped: LOOKBACK_NO_GPU=1");
        return;
    }
    let sources = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut ran = 0;
    for entry in std::fs::read_dir(sources).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "rs") {
            // A folder is the tool, which has tests of its own.
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let program = folder().join(&name).with_extension(std::env::consts::EXE_EXTENSION);
        assert!(
            program.exists(),
            "{} is not built; run `cargo build --examples`",
            program.display()
        );
        let output = Command::new(&program).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {errors}");
        assert!(!output.stdout.is_empty(), "{name} says nothing");
        ran += 1;
    }
    assert!(ran >= 8, "{ran} examples found");
}

/// They are refused before a device is opened.
#[test]
fn matrix_files_are_refused_by_line() {
    let program = folder().join("sparse_matrix_vector");
    let program = program.with_extension(std::env::consts::EXE_EXTENSION);
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("refused.mtx");
    let head = "%%MatrixMarket matrix coordinate real general\n";
    for (text, line) in [
        ("", "line 1: not %%MatrixMarket matrix coordinate real general"),
        ("%%MatrixMarket matrix array real general\n1 1\n", "line 1: not %%MatrixMarket"),
        (&format!("{head}% nothing\n"), "no line of rows, columns and entries"),
        (&format!("{head}2 2\n"), "line 2: not three numbers: "),
        (&format!("{head}%\n2 -2 1\n1 1 1\n"), "line 3: "),
        (&format!("{head}2 2 1\n1 3 1.0\n"), "line 3: 3 is not one of 1 to 2"),
        (&format!("{head}2 2 1\n\n0 1 1.0\n"), "line 4: 0 is not one of 1 to 2"),
        (&format!("{head}2 2 1\n1 1 1e99\n"), "is no number of 32 bits"),
        (&format!("{head}2 2 2\n1 1 1\n"), "1 entries, line 2 says 2"),
    ] {
        std::fs::write(&file, text).unwrap();
        let output = Command::new(&program).arg(&file).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && errors.contains(line), "{text:?}: {errors}");
    }
}
