//! Tuning: the sizes that make a kernel fast on a device, as one table.

use crate::capabilities::Capabilities;
use crate::wgsl::{Layers, Subgroup, Totals, WorkgroupScan};

/// Which kernels use subgroup instructions; the others use shuffle ladders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtins {
    /// None.
    None,
    /// Reductions, and the first pass of a scan.
    Reductions,
    /// All.
    All,
}

/// The sizes that a plan is made with. They change speed, never results of exact operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tuning {
    /// Lanes of a workgroup: a power of two.
    pub workgroup_size: u32,
    /// 32-bit words of items that a lane holds at once, at most 128.
    pub words_per_lane: u32,
    /// Workgroups of a pass, each with a chunk of consecutive tiles; more where a chunk would be
    /// too long.
    pub workgroups: u32,
    /// Most tiles that one workgroup handles alone, in one pass.
    pub single_tiles: u32,
    /// Lanes of a subgroup where subgroups are emulated: a power of two.
    pub emulated_lanes: u32,
    /// Which kernels use the device's subgroup instructions for the operators that
    /// [have one](Layers::builtins).
    pub builtins: Builtins,
    /// The scan of a workgroup's subgroup totals; `None`: by shuffles with native subgroups, by
    /// Kogge-Stone without.
    pub workgroup_scan: Option<WorkgroupScan>,
}

/// One row of the table.
struct Row {
    fits: fn(&Capabilities) -> bool,
    tuning: Tuning,
}

const NVIDIA: u32 = 0x10de;

const fn row(fits: fn(&Capabilities) -> bool, sizes: [u32; 4], builtins: Builtins) -> Row {
    let [workgroup_size, words_per_lane, workgroups, single_tiles] = sizes;
    let tuning = Tuning {
        workgroup_size,
        words_per_lane,
        workgroups,
        single_tiles,
        emulated_lanes: 32,
        builtins,
        workgroup_scan: None,
    };
    Row { fits, tuning }
}

/// The first row that fits counts; the last fits every device and is safe on all.
const ROWS: &[Row] = &[
    // lavapipe of Mesa 22.3.6, 8 lanes, 2 cores, 2026-11-30: with 16 words the same speed, and
    // twice the time in the compiler. `cargo bench --bench throughput -- 22`: scans with builtins
    // take 0.8 of the ladders' time at 4 lanes and on SwiftShader, the same at 8.
    row(|c| c.device_type == wgpu::DeviceType::Cpu, [64, 8, 256, 16], Builtins::All),
    // H200, driver 580.159.04, 2026-11-30, `cargo bench --bench throughput -- 16 20 24 28`, u32: at
    // 2^28 reduce at 1.03 of the copy's GB/s, scan at 0.62. Builtins make a reduction of 2^16 items
    // one of 7.5 us instead of 8.0, of 2^20 one of 8.8 instead of 9.3; scans gain nothing.
    row(|c| c.vendor == NVIDIA, [256, 16, 2048, 4], Builtins::Reductions),
    // Not measured on any device.
    row(|_| true, [256, 16, 1024, 4], Builtins::Reductions),
];

impl Tuning {
    /// The row for a device.
    pub fn for_device(capabilities: &Capabilities) -> Self {
        let mut fitting = ROWS.iter().filter(|row| (row.fits)(capabilities));
        // The last row fits everything.
        fitting.next().unwrap_or(&ROWS[ROWS.len() - 1]).tuning
    }

    /// The files of the layers, for subgroups of a kind.
    pub(crate) fn layers(&self, subgroup: Subgroup) -> Layers {
        let builtins = self.builtins != Builtins::None;
        let layers = Layers { builtins, ..Layers::for_subgroup(subgroup) };
        match self.workgroup_scan {
            Some(scan) => Layers { scan, totals: Totals::Section, ..layers },
            None => layers,
        }
    }
}
