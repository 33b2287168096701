//! What a row says of the machine and the build.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::rows::Machine;
use lookback::Context;

/// This machine, for a program that such a command starts and that was built with such a lock file.
pub fn machine(context: &Context, command: &str, lock: &str) -> Machine {
    let capabilities = context.capabilities();
    let arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let arguments: Vec<String> = arguments.collect();
    Machine {
        adapter: capabilities.adapter.clone(),
        driver: capabilities.driver.clone(),
        backend: format!("{:?}", capabilities.backend),
        lookback: locked_version(lock, "lookback"),
        wgpu: locked_version(lock, "wgpu"),
        rustc: compiler(),
        date: today(),
        command: format!("{command} {}", arguments.join(" ")),
    }
}

/// A crate's version in a lock file.
pub fn locked_version(lock: &str, name: &str) -> String {
    let entry = format!("name = \"{name}\"\nversion = \"");
    let rest = lock.split_once(&entry).map_or("", |(_, rest)| rest);
    rest.split('"').next().unwrap_or_default().to_owned()
}

/// The compiler that made this program, which writes its name into the file (a section that
/// stripping leaves); the machine that runs it may have another or none.
fn compiler() -> String {
    const MARK: &[u8] = b"rustc version ";
    let program = std::env::current_exe().and_then(std::fs::read).unwrap_or_default();
    let at = program.windows(MARK.len() + 1).position(|window| {
        // Not the mark above.
        window.starts_with(MARK) && window[MARK.len()].is_ascii_digit()
    });
    let text = at.map_or(&b"unknown"[..], |at| &program[at + MARK.len()..]);
    let text = text.split(|byte| !(b' '..0x7f).contains(byte)).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

/// The date, as year-month-day.
fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut days = since.as_secs() / 86400;
    let mut year = 1970;
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}
