//! How a scan can come about, and the policy that chooses.

use std::fmt;

use crate::capabilities::Capabilities;
use crate::definition::Definition;
use crate::tuning::NVIDIA;

/// How a scan comes about.
///
/// A call that gives up has no result, and where it was in place its input is lost:
/// [`Dispatched::check`](crate::Dispatched::check) says so, and [`Scan::run`](crate::Scan::run)
/// does it again by reduce-then-scan. A single tile takes one pass by one workgroup, whichever
/// algorithm it is, and a few do by the algorithms of three passes. Reduce-then-scan takes over on
/// a CPU for operators whose text loops, where a number of items that lives on the device may need
/// more than one single pass, and for scan-then-propagate where an output has not as many words as
/// an accumulator.
///
/// Sources: Merrill & Garland 2016; Yan, Long & Zhang 2013 (chained); Smith, Levien & Owens 2025
/// (fallback).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// What suits the device, the operator and the call; [`Scan::choice`](crate::Scan::choice) says
    /// which and why. Out of place the fallback; in place look-back, where the vendor's devices are
    /// known to run what others wait for; reduce-then-scan for the rest, and on CPUs.
    Auto,
    /// Three passes, 4n data moved: chunks are scanned, and what stands before each of them is
    /// combined to its outputs.
    ScanThenPropagate,
    /// Three passes, 3n data moved, safe on every device, and the same bits from run to run.
    ReduceThenScan,
    /// A single pass, 2n data moved, in which each tile waits for the prefix of the one before.
    /// Gives up where that does not come.
    Chained,
    /// A single pass, 2n, in which tiles look back over aggregates until they meet a prefix
    /// (decoupled look-back). Gives up where a tile does not run while others wait for it.
    LookBack,
    /// The same, but a tile that waits in vain reduces the other one by itself (decoupled
    /// fallback): right on every device, and gives up only after it has done so for some hundred
    /// tiles in a row. Input and output may not overlap.
    Fallback,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Algorithm; 6] = [
        Algorithm::Auto,
        Algorithm::ScanThenPropagate,
        Algorithm::ReduceThenScan,
        Algorithm::Chained,
        Algorithm::LookBack,
        Algorithm::Fallback,
    ];

    /// Its name, as on the tool's command line.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Auto => "auto",
            Algorithm::ScanThenPropagate => "scan-then-propagate",
            Algorithm::ReduceThenScan => "reduce-then-scan",
            Algorithm::Chained => "chained",
            Algorithm::LookBack => "look-back",
            Algorithm::Fallback => "fallback",
        }
    }

    /// Whether it is a single pass.
    pub(crate) fn is_single_pass(self) -> bool {
        matches!(self, Algorithm::Chained | Algorithm::LookBack | Algorithm::Fallback)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What [`Algorithm::Auto`] comes to, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The reason, as the end of "because".
    pub reason: &'static str,
}

/// The policy of [`Algorithm::Auto`].
pub(crate) fn choose(
    capabilities: &Capabilities,
    definition: &Definition,
    in_place: bool,
    is_demoted: impl FnOnce(Algorithm) -> bool,
) -> Choice {
    let safe = |reason| Choice { algorithm: Algorithm::ReduceThenScan, reason };
    if definition.acc_words() > 4 {
        return safe("an accumulator of more than 4 words does not fit a descriptor");
    }
    if capabilities.device_type == wgpu::DeviceType::Cpu {
        // Measured: ARCHITECTURE.md, "What was tried".
        return safe("a CPU's caches make a second read cheap, and its barriers are dear");
    }
    let (algorithm, reason) = match (in_place, capabilities.vendor) {
        (false, _) => {
            (Algorithm::Fallback, "a tile that waits in vain can reduce the other by itself")
        }
        (true, NVIDIA) => (
            Algorithm::LookBack,
            "in place a waiting tile can't reduce another, and this vendor's devices run what \
             others wait for",
        ),
        (true, _) => {
            return safe(
                "in place a waiting tile can't reduce another, and nothing says that this \
                 vendor's devices run what others wait for",
            );
        }
    };
    match is_demoted(algorithm) {
        true => safe("the self-test has found the single pass wrong on this driver"),
        false => Choice { algorithm, reason },
    }
}
