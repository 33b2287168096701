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
