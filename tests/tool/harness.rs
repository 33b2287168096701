//! Running the tool, folders for its files, and .npy files made by hand.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The adapter that the tool opens, or nothing where tests must do without a GPU.
pub fn gpu() -> Option<&'static str> {
    static ADAPTER: OnceLock<Option<String>> = OnceLock::new();
    let find = || {
        if std::env::var_os("LOOKBACK_NO_GPU").is_some_and(|value| value == "1") {
            return None;
        }
        let context = lookback::Context::new();
        let context = context.expect("an adapter; LOOKBACK_NO_GPU=1 skips the tests that need one");
        Some(context.capabilities().adapter.clone())
    };
    let adapter = ADAPTER.get_or_init(find);
    if adapter.is_none() {
        eprintln!("skipped: LOOKBACK_NO_GPU=1");
    }
    adapter.as_deref()
}

/// A folder of a test's own, removed with all its files at the test's end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(format!("lookback-tool-{process}-{count}"));
        std::fs::create_dir(&folder).expect("a new folder");
        Folder(folder)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).expect("the file can be written");
    }

    /// All names in it, sorted: what was left behind shows here.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("the folder can be read");
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.expect("an entry").file_name().to_string_lossy().into_owned()
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What can't be removed lies in the system's folder of temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The tool, with a folder as its own. `cargo test` builds it as it builds all examples.
pub fn lookback(folder: &Folder) -> Command {
    // The test lies in `deps` beside `examples`.
    let test = std::env::current_exe().expect("the test's own path");
    let target = test.parent().and_then(|deps| deps.parent()).expect("target/PROFILE/deps/TEST");
    let name = format!("lookback{}", std::env::consts::EXE_SUFFIX);
    let tool = target.join("examples").join(name);
    assert!(
        tool.is_file(),
        "{} is missing: `cargo test` builds it, `cargo test --test tool` does not; run `cargo build \
         --example lookback` before that",
        tool.display()
    );
    let mut command = Command::new(tool);
    command.current_dir(&folder.0).env_remove("RUST_LOG");
    command
}

fn run(mut command: Command, arguments: &[&str]) -> Output {
    command.args(arguments).output().expect("the tool starts")
}

/// What it prints; it must succeed, with nothing on stderr.
#[track_caller]
pub fn succeeds(folder: &Folder, arguments: &[&str]) -> String {
    let output = run(lookback(folder), arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.is_empty(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The one line on stderr; it must fail with this exit code.
#[track_caller]
pub fn fails(folder: &Folder, arguments: &[&str], code: i32) -> String {
    failed(run(lookback(folder), arguments), arguments, code)
}

/// Fails with this exit code and line although there is no GPU to fail on.
#[track_caller]
pub fn fails_without_gpu(folder: &Folder, arguments: &[&str], code: i32, line: &str) {
    let mut command = lookback(folder);
    // Vulkan's loader looks for drivers in these places only, if they are set.
    for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        command.env(variable, "/nonexistent/driver.json");
    }
    let output = run(command, arguments);
    assert!(output.stdout.is_empty(), "{arguments:?}: {output:?}");
    assert_eq!(failed(output, arguments, code), line, "{arguments:?}");
}

#[track_caller]
fn failed(output: Output, arguments: &[&str], code: i32) -> String {
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}");
    let one_line = stderr.ends_with('\n') && stderr.lines().count() == 1;
    assert!(one_line && stderr.starts_with("lookback: "), "{arguments:?}: {stderr}");
    stderr
}

/// A file of one dimension with these words as its items.
pub fn npy(descr: &str, words: &[u32]) -> Vec<u8> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    npy_with(descr, false, &format!("({},)", words.len()), &bytes)
}

/// A file with a header of any type, order and shape.
pub fn npy_with(descr: &str, fortran: bool, shape: &str, items: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let text = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    npy_of(&text, items)
}

/// A file with any text as its header, sound or not; 128 bytes before the items.
pub fn npy_of(header: &str, items: &[u8]) -> Vec<u8> {
    let header = format!("{header:<117}\n");
    [b"\x93NUMPY\x01\x00\x76\x00", header.as_bytes(), items].concat()
}

/// The items of a file that the tool wrote; its header must be that of [`npy`].
#[track_caller]
pub fn words(folder: &Folder, name: &str, descr: &str) -> Vec<u32> {
    let bytes = std::fs::read(folder.path(name)).expect("the output");
    let (header, items) = bytes.split_at_checked(128).expect("a whole header");
    let words: Vec<u32> = items
        .chunks(4)
        .map(|word| u32::from_le_bytes(word.try_into().expect("whole items")))
        .collect();
    assert_eq!(header, &npy_with(descr, false, &format!("({},)", words.len()), &[])[..]);
    words
}
