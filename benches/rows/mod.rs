//! A measurement as a line of JSON: what the benches and the peers write and the report reads.
#![allow(dead_code, reason = "not every bench uses all of it")]

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// Fields that do not apply are left out.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Row {
    /// What measured it: `primitives`, `placement`, `host`, `irregular`, `chain` or `tune`; a peer's
    /// are `primitives` or `irregular`.
    pub bench: String,
    /// Whose it is, if not this library's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer_version: Option<String>,
    /// `reduce`, `scan`, `select`, `partition`, `unique` or `rle`; `chain` for all of a chain.
    pub primitive: String,
    /// `inclusive` or `exclusive`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Or, of irregular primitives, what the items are like: `50 %`, `runs of 4`.
    pub operator: String,
    pub element: String,
    /// What was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// What that comes to on this device for many items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    /// Lanes of a workgroup x words of a lane, if it is not the device's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<String>,
    /// What else sets it apart.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    pub n: u64,
    pub median_us: f64,
    /// The middle half's width, relative to the median.
    pub spread: f64,
    #[serde(flatten)]
    pub rate: Option<Rate>,
    /// Calls in one measurement, whose time is divided by them.
    pub calls: u32,
    pub rounds: usize,
    /// Tiles of single passes that gave up while it was timed.
    #[serde(skip_serializing_if = "is_zero")]
    pub gave_up: u32,
    #[serde(flatten)]
    pub machine: Machine,
}

/// What a device's work is compared by.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Rate {
    pub gitems_per_s: f64,
    /// Of the bytes that must be moved: n items read, and what is written.
    pub gbytes_per_s: f64,
    /// The same as a part of the copy's.
    pub of_copy: f64,
    pub copy_us: f64,
}

/// Where, with what and when a measurement was made.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Machine {
    pub adapter: String,
    pub driver: String,
    pub backend: String,
    #[serde(default)]
    pub lookback: String,
    #[serde(default)]
    pub wgpu: String,
    #[serde(default)]
    pub rustc: String,
    /// Of the day in Greenwich.
    pub date: String,
    pub command: String,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The file that rows are appended to, if there is one.
pub struct Rows(Option<File>);

impl Rows {
    pub fn append(path: Option<&Path>) -> Self {
        let open = |path: &Path| {
            let file = OpenOptions::new().create(true).append(true).open(path);
            file.unwrap_or_else(|e| panic!("{}: {e}", path.display()))
        };
        Rows(path.map(open))
    }

    /// Writes a row at once: a run that is cut off leaves what it has.
    pub fn write(&mut self, row: &Row) {
        if let Some(file) = &mut self.0 {
            let mut line = serde_json::to_string(row).unwrap();
            line.push('\n');
            file.write_all(line.as_bytes()).unwrap_or_else(|e| panic!("the JSON file: {e}"));
        }
    }
}

/// The rows of a file.
pub fn read(path: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(path);
    let text = text.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let parse = |(number, line): (usize, &str)| {
        serde_json::from_str(line).unwrap_or_else(|e| panic!("{}:{number}: {e}", path.display()))
    };
    lines.map(parse).collect()
}

/// A number of items, as a power of two and a small rest where it is one.
pub fn short(n: u64) -> String {
    match n.checked_ilog2().map(|log2| (log2, n - (1 << log2))) {
        Some((log2, 0)) if log2 >= 10 => format!("2^{log2}"),
        Some((log2, rest @ 1..100)) if log2 >= 10 => format!("2^{log2}+{rest}"),
        _ => n.to_string(),
    }
}
