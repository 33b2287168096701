//! One line a measurement, for people.

use super::Timed;
use crate::rows::short;

/// What a line is about.
pub struct Line<'a> {
    pub name: &'a str,
    pub n: u64,
    /// Bytes that must be moved, and that the copy moves.
    pub bytes: u64,
    pub copy_bytes: u64,
    pub timed: Timed,
}

pub fn heading() {
    println!("n | what | median us | spread | Gitem/s | GB/s | of copy's GB/s | copy us");
}

impl Line<'_> {
    /// Items a second, in thousand millions.
    pub fn gitems_per_s(&self) -> f64 {
        self.n as f64 / self.timed.own.median * 1e-9
    }

    /// Bytes that must be moved, a second, in thousand millions.
    pub fn gbytes_per_s(&self) -> f64 {
        self.bytes as f64 / self.timed.own.median * 1e-9
    }

    /// The bytes a second as a part of the copy's.
    pub fn of_copy(&self) -> f64 {
        let bytes = self.bytes as f64 / self.copy_bytes as f64;
        self.timed.copy.median / self.timed.own.median * bytes
    }

    pub fn print(&self) {
        let Timed { own, copy } = self.timed;
        println!(
            "{} | {} | {:.2} | {:.0} % | {:.2} | {:.1} | {:.2} | {:.2}",
            short(self.n),
            self.name,
            own.median * 1e6,
            own.spread * 100.0,
            self.gitems_per_s(),
            self.gbytes_per_s(),
            self.of_copy(),
            copy.median * 1e6
        );
    }
}
