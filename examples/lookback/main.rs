//! `lookback`: the library's primitives on .npy files, a list of the machine's adapters, and a
//! check of every primitive against the host.

mod checks;
mod cli;
mod compact;
mod compactions;
mod dtype;
mod gpu;
mod info;
mod json;
mod keys;
mod npy;
mod output;
mod run;
mod segments;
mod verify;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use cli::{Cli, Command};

/// What a command comes to. An error is shown as one line.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// An argument that is wrong whatever the files hold.
const EXIT_USAGE: u8 = 2;

fn main() -> ExitCode {
    silence_wayland();
    // Nothing unless RUST_LOG asks for it: stderr belongs to the one line of an error.
    let mut logger = env_logger::Builder::new();
    logger.filter_level(log::LevelFilter::Off).parse_default_env().init();

    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let done = match &cli.command {
        Command::Info => info::info(&cli.common),
        Command::Reduce(args) => run::reduce(&cli.common, args),
        Command::Scan(args) => run::scan(&cli.common, args),
        Command::ReduceByKey(args) => keys::reduce(&cli.common, args),
        Command::SegmentedReduce(args) => keys::segmented_reduce(&cli.common, args),
        Command::Select(args) => compact::select(&cli.common, args),
        Command::Partition(args) => compact::partition(&cli.common, args),
        Command::Unique(args) => compact::unique(&cli.common, args),
        Command::Rle(args) => compact::rle(&cli.common, args),
        Command::Argmin(args) => compact::arg(&cli.common, args, false),
        Command::Argmax(args) => compact::arg(&cli.common, args, true),
        Command::Verify(args) => verify::verify(&cli.common, args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Keeps a line of libwayland's off stderr: Mesa's Vulkan layer asks it for a display, and without
/// the variable that names the folder of displays it complains. A name with a path needs no such
/// folder, and one that is not there is passed over in silence.
fn silence_wayland() {
    let unset = |name| std::env::var_os(name).is_none();
    if cfg!(target_os = "linux") && unset("XDG_RUNTIME_DIR") && unset("WAYLAND_DISPLAY") {
        // SAFETY: the program's first statement; there is no other thread that could read it.
        unsafe { std::env::set_var("WAYLAND_DISPLAY", "/nonexistent") };
    }
}

/// Shows help as clap lays it out, and a usage error as one line.
fn usage(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let code = u8::try_from(error.exit_code()).unwrap_or(EXIT_USAGE);
            // A reader who has gone away wants no help.
            let _ = error.print();
            ExitCode::from(code)
        }
        _ => {
            let text = error.to_string();
            let paragraphs = text.split("\n\n").map(one_line).filter(|paragraph| {
                !paragraph.starts_with("Usage:") && !paragraph.starts_with("For more information")
            });
            let line = paragraphs.collect::<Vec<_>>().join("; ");
            let line = line.strip_prefix("error: ").unwrap_or(&line);
            complain(&format!("{line}; try --help"));
            ExitCode::from(EXIT_USAGE)
        }
    }
}

/// Writes the one line of an error.
fn complain(message: &str) {
    // Without a stderr there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "lookback: {}", one_line(message));
}

/// A text with its lines put into one.
fn one_line(text: &str) -> String {
    text.split(['\n', '\r']).map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Writes to stdout, line by line as it comes; a closed pipe is an error like any other.
fn print(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .map_err(|e| format!("standard output: {e}").into())
}
