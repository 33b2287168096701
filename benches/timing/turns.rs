//! Turns: how candidates and copies follow one another.

use std::time::{Duration, Instant};

/// What a number of times comes to.
#[derive(Clone, Copy, Debug)]
pub struct Summary {
    /// Seconds.
    pub median: f64,
    /// The middle half's width, relative to the median.
    pub spread: f64,
}

impl Summary {
    pub fn of(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        let at = |quarter: usize| times[(times.len() - 1) * quarter / 4];
        Summary { median: at(2), spread: (at(3) - at(1)) / at(2) }
    }
}

/// A candidate's times, and those of the copies just before.
#[derive(Clone, Copy, Debug)]
pub struct Timed {
    pub own: Summary,
    pub copy: Summary,
}

/// A plan of measurements.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    pub warm_up: Duration,
    pub rounds: usize,
}

impl Turns {
    /// Times candidates by turns, each after a copy, with no pause after the warm-up: clocks fall
    /// while a device idles. The copy before each leaves the same in the caches for all of them.
    /// Each function does its work once and says the seconds that it took.
    pub fn time(&self, copy: &dyn Fn() -> f64, candidates: &[&dyn Fn() -> f64]) -> Vec<Timed> {
        let start = Instant::now();
        while !candidates.is_empty() && start.elapsed() < self.warm_up {
            for candidate in candidates {
                copy();
                candidate();
            }
        }
        let mut times = vec![(Vec::new(), Vec::new()); candidates.len()];
        for _ in 0..self.rounds {
            for (candidate, (copies, own)) in candidates.iter().zip(&mut times) {
                copies.push(copy());
                own.push(candidate());
            }
        }
        let summary = |(copies, own)| Timed { own: Summary::of(own), copy: Summary::of(copies) };
        times.into_iter().map(summary).collect()
    }
}
