//! Plans of segmented reductions.

use super::{CPU_LOOPING_CALLS, Geometry};
use crate::definition::Definition;
use crate::error::Error;
use crate::plan::{Counted, Pass, Placement, Plan};
use crate::shader::kernel::{Queue, Root};

/// Most items of a subgroup's segment.
const MIDDLE_ITEMS: u32 = 4096;

/// Most items of a workgroup's segment, unless that many are less than a `HUGE_MAX`th of all.
const HUGE_ITEMS: u32 = 65_536;

/// Most workgroups of the pass over long and longer ones, and the fewest: each has a share of
/// `HUGE_SLOTS` of the latter at most.
const WORKGROUPS: u32 = 1024;
const WORKGROUPS_MIN: u32 = HUGE_MAX / HUGE_SLOTS;

/// Workgroups of the pass over many segments, if there are so many.
const SHORT_WORKGROUPS: u32 = 1024;

/// Room for segments, as `shaders/segment_shares.wgsl` and `shaders/queue/listed.wgsl` have it.
const HUGE_MAX: u32 = 256;
const HUGE_SLOTS: u32 = 16;
const LONG_MAX: u32 = 262_144;
const LIST_WORDS: u32 = 8;

/// Where a text that loops runs on a CPU, which ends a lane's loops after some trips in all, a lane gets
/// no more than these: the items of a subgroup's segment, and its part of a workgroup's. Besides the latter
/// it has parts of 4 shared ones (so many workgroups are there, and no more than that share one), each of 4
/// items at least and some 8 combines of the workgroup, as many items again where those are longer, and if
/// its workgroup is the last of each, a 16th of their shares and 8 combines.
const LOOPING_MIDDLE_ITEMS: u32 = CPU_LOOPING_CALLS - 88;
const LOOPING_LANE_ITEMS: u32 = 192;
const LOOPING_SHARES_MAX: u32 = 256;
const LOOPING_WORKGROUPS: u32 = HUGE_MAX * LOOPING_SHARES_MAX / 4;

/// Half of the trips after which lavapipe ends a lane's loops.
const CPU_TRIPS: u64 = 32_768;

/// Where a call's segments lie, as far as a plan depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub n_segments: u32,
    /// Words from a segment's two bounds to the next one's.
    pub stride: u32,
}

impl Geometry {
    /// A segmented reduction: a pass over many segments, and one for few, or for those that are too long
    /// for the first, where there may be any.
    ///
    /// Errors: [`Error::Limit`] if the device has too few bindings, [`Error::Length`] for more items than
    /// a text that loops takes on a CPU.
    pub(crate) fn segmented_reduce(
        &self,
        operator: &Definition,
        piece: Placement,
        counted: Counted,
        bounds: Bounds,
        carry: Option<&[u32]>,
    ) -> Result<Plan, Error> {
        let Bounds { n_segments, stride } = bounds;
        let [middle, huge] = self.longest(operator, piece.n_items);
        if piece.n_items / HUGE_MAX > huge {
            return Err(Error::Length {
                what: "the items of a text that loops, on a CPU (at most)",
                wanted: u64::from(huge) * u64::from(HUGE_MAX),
                got: u64::from(piece.n_items),
            });
        }
        if n_segments == 0 {
            return Ok(Plan { passes: Vec::new() });
        }
        let [long_workgroups, shares_max] = self.long_workgroups(operator);
        if long_workgroups > self.workgroups_limit {
            return Err(Error::Limit {
                what: "workgroups of a segmented reduction".to_owned(),
                wanted: u64::from(long_workgroups),
                limit: "max_compute_workgroups_per_dimension",
                got: u64::from(self.workgroups_limit),
            });
        }
        let pass = |root: Root, workgroups: u32, rows: u32, third: u32| {
            let kernel = self.kernel(operator, root).counted(counted);
            let mut pass = self.pass(operator, kernel, piece, 1)?.with_carry(carry);
            (pass.workgroups, pass.rows, pass.params.workgroups) = (workgroups, rows, workgroups);
            pass.params.carry[16..].copy_from_slice(&[n_segments, stride, third, huge]);
            Ok::<Pass, Error>(pass.with_count(counted))
        };
        let mut passes = Vec::new();
        let queue = if n_segments <= HUGE_MAX { Queue::All } else { Queue::Listed };
        if queue == Queue::Listed {
            let lanes = self.kernel(operator, Root::ShortSegments).workgroup_size;
            let workgroups = n_segments.div_ceil(lanes).max(n_segments.min(SHORT_WORKGROUPS));
            let row = workgroups.min(self.workgroups_limit);
            let short = pass(Root::ShortSegments, row, workgroups.div_ceil(row), middle)?;
            if piece.n_items <= middle {
                return Ok(Plan { passes: vec![short] });
            }
            passes.push(short);
        }
        passes.push(pass(Root::LongSegments(queue), long_workgroups, 1, shares_max)?);
        Ok(Plan { passes })
    }

    /// Fails if segments that share items may give a lane on a CPU more than it may have: of those that do
    /// not, none can.
    pub(crate) fn check_shared_items(
        &self,
        operator: &Definition,
        n_items: u64,
        lengths: impl Iterator<Item = u64> + Clone,
    ) -> Result<(), Error> {
        if !self.is_cpu() {
            return Ok(());
        }
        let n_items = n_items.min(u64::from(u32::MAX)) as u32;
        let [middle, huge] = self.longest(operator, n_items).map(u64::from);
        // A text that loops has a call an item, others a trip a group.
        let (group, wanted) = match operator.loops {
            true => (1, u64::from(LOOPING_LANE_ITEMS)),
            false => {
                let kernel = self.kernel(operator, Root::LongSegments(Queue::All));
                (kernel.group, CPU_TRIPS)
            }
        };
        let above = |least: u64| lengths.clone().filter(|&length| length > least).count() as u64;
        let above_huge = above(huge);
        let shared = above_huge.min(u64::from(HUGE_MAX));
        let longest = match above_huge > shared {
            true => lengths.clone().max().unwrap_or(0),
            false => huge,
        };
        let [workgroups, _] = self.long_workgroups(operator);
        let segments = (above(middle) - shared).div_ceil(u64::from(workgroups));
        let got = segments * longest.div_ceil(u64::from(self.workgroup_size * group));
        let what = "a lane's part of segments that share items, on a CPU (at most)";
        if got > wanted { Err(Error::Length { what, wanted, got }) } else { Ok(()) }
    }

    /// The most items of a segment for a subgroup, and for a workgroup.
    fn longest(&self, operator: &Definition, n_items: u32) -> [u32; 2] {
        match self.loops_on_cpu(operator) {
            true => [LOOPING_MIDDLE_ITEMS, LOOPING_LANE_ITEMS * self.workgroup_size],
            false => [MIDDLE_ITEMS, HUGE_ITEMS.max(n_items / HUGE_MAX)],
        }
    }

    /// Bytes of the lists of a segmented reduction.
    pub(crate) fn queue_bytes(&self) -> u64 {
        4 * u64::from(HUGE_MAX + LONG_MAX)
    }

    /// Bytes of the shares of the longest segments: words of the lists, how many shares of each segment
    /// are there, and two words for each word of as many as there can be.
    pub(crate) fn shares_bytes(&self, operator: &Definition) -> u64 {
        let [workgroups, shares_max] = self.long_workgroups(operator);
        let shares = (HUGE_SLOTS * workgroups).min(HUGE_MAX * shares_max);
        4 * (u64::from(LIST_WORDS + HUGE_MAX)
            + 2 * u64::from(shares) * u64::from(operator.acc_words()))
    }

    /// Workgroups of the pass over queued segments, and the most of them that share one.
    fn long_workgroups(&self, operator: &Definition) -> [u32; 2] {
        match (self.loops_on_cpu(operator), self.is_cpu()) {
            // More than there can be such segments.
            (true, _) => [LOOPING_WORKGROUPS, LOOPING_SHARES_MAX],
            // So that no workgroup has too many trips for its own segments.
            (_, true) => [WORKGROUPS; 2],
            _ => [self.workgroups.clamp(WORKGROUPS_MIN, WORKGROUPS); 2],
        }
    }

    fn loops_on_cpu(&self, operator: &Definition) -> bool {
        self.is_cpu() && operator.loops
    }

    fn is_cpu(&self) -> bool {
        self.tiles_max != u32::MAX
    }
}
