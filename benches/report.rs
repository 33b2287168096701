//! Joins rows of `primitives`, `irregular` and the peers into a Markdown table of ratios and pictures:
//! `cargo bench --bench report -- FILE.jsonl… OUTDIR`. Needs no GPU.

mod reporting;
mod rows;

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Parser;
use reporting::joined::Joined;
use reporting::{pictures, tables};

/// Tables and pictures of rows.
#[derive(Parser)]
struct Options {
    /// Files of rows, then the folder to write to.
    #[arg(required = true, num_args = 2..)]
    paths: Vec<PathBuf>,
    /// Which of this library's scans and compactions to compare with the peers'.
    #[arg(long, default_value = "auto")]
    algorithm: String,
    /// Whose pictures to draw of reductions and scans.
    #[arg(long, value_delimiter = ',', default_value = "sum-u32")]
    operator: Vec<String>,
    /// Only rows of adapters with this in their name.
    #[arg(long, default_value = "")]
    adapter: String,
    /// cargo says so.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let mut options = Options::parse();
    let Some(folder) = options.paths.pop() else { return };
    let mut all: Vec<rows::Row> = options.paths.iter().flat_map(|path| rows::read(path)).collect();
    all.retain(|row| row.machine.adapter.contains(&options.adapter));
    let adapters: BTreeSet<&str> = all.iter().map(|row| row.machine.adapter.as_str()).collect();
    if adapters.len() != 1 {
        // Times of different devices say nothing beside one another.
        eprintln!("rows of one adapter are wanted (--adapter NAME): {adapters:?}");
        std::process::exit(1);
    }
    let joined = Joined::new(&all, &options.algorithm);
    std::fs::create_dir_all(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let write = |name: &str, text: String| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        println!("{}", path.display());
    };
    write("ratios.md", tables::markdown(&joined, &all));
    for (name, picture) in pictures::all(&joined, &options.operator) {
        write(&name, picture);
    }
}
