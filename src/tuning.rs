//! Tuning: the sizes that make a kernel fast on a device, as one table.

use crate::capabilities::{ATOMICS_64, Capabilities};
use crate::error::Error;
use crate::shader::kernel::Descriptor;
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
    /// Words of neighbouring items that a lane holds, at least those that fill whole quads. The
    /// more, the fewer exchanges between lanes; the fewer, the better lanes' accesses lie together.
    pub words_per_group: u32,
    /// Workgroups of a pass, each with a chunk of consecutive tiles; more where a chunk would be
    /// too long.
    pub workgroups: u32,
    /// Most tiles that one workgroup handles alone, in one pass; a single pass takes over from the
    /// second on. Where there are more tiles, each chunk has an eighth as many at least.
    pub single_tiles: u32,
    /// Lanes of a subgroup where subgroups are emulated: a power of two.
    pub emulated_lanes: u32,
    /// Which kernels use the device's subgroup instructions for the operators that
    /// [have one](Layers::builtins).
    pub builtins: Builtins,
    /// The sizes of single passes, by the number of items; the last that starts at or below it
    /// counts. None: those above.
    pub single_pass: &'static [Shape],
    /// The same of compactions.
    pub compactions: &'static [Shape],
    /// The same of scans by key and within segments.
    pub scans_by_key: &'static [Shape],
    /// The same of reductions by key.
    pub reductions_by_key: &'static [Shape],
    /// How single passes publish; `None`: by 64-bit atomics where the device has them, else by
    /// 32-bit ones.
    pub descriptor: Option<Descriptor>,
    /// Most words of items that a lane holds in a single pass with split descriptors, which take
    /// registers of their own.
    pub split_words_max: u32,
    /// Whether whole tiles and a last, partly filled one take passes of their own: for drivers that
    /// run both sides of a branch for all lanes.
    pub whole_tiles: bool,
    /// Whether kernels are compiled with wgpu's checks of indices and loops. Those with texts of
    /// users that loop, or index what is known at run time only, always are.
    pub checked: bool,
    /// The scan of a workgroup's subgroup totals; `None`: by shuffles with native subgroups, by
    /// Kogge-Stone without.
    pub workgroup_scan: Option<WorkgroupScan>,
}

/// The sizes of a single pass from a number of items on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The fewest items that it is for.
    pub from_items: u32,
    /// Lanes of a workgroup: a power of two.
    pub workgroup_size: u32,
    /// 32-bit words of items that a lane holds, at most 128.
    pub words_per_lane: u32,
}

/// One row of the table.
struct Row {
    fits: fn(&Capabilities) -> bool,
    tuning: Tuning,
}

pub(crate) const NVIDIA: u32 = 0x10de;

const fn shape(from_items: u32, workgroup_size: u32, words_per_lane: u32) -> Shape {
    Shape { from_items, workgroup_size, words_per_lane }
}

const fn row(
    fits: fn(&Capabilities) -> bool,
    sizes: [u32; 5],
    [single_pass, compactions, scans_by_key, reductions_by_key]: [&'static [Shape]; 4],
    builtins: Builtins,
    whole_tiles: bool,
) -> Row {
    let [workgroup_size, words_per_lane, words_per_group, workgroups, single_tiles] = sizes;
    let tuning = Tuning {
        workgroup_size,
        words_per_lane,
        words_per_group,
        workgroups,
        single_tiles,
        emulated_lanes: 32,
        builtins,
        single_pass,
        compactions,
        scans_by_key,
        reductions_by_key,
        descriptor: None,
        split_words_max: 128,
        checked: false,
        whole_tiles,
        workgroup_scan: None,
    };
    Row { fits, tuning }
}

impl Row {
    const fn split_words_max(mut self, words: u32) -> Row {
        self.tuning.split_words_max = words;
        self
    }
}

/// Fallback on the H200, driver 580.159.04, 2026-11-30, `cargo bench --bench tune`, u32 sums: 4.4
/// us at 2^16 (copy 4.1), 5.5 at 2^18 (4.2), 9.9 at 2^20 (7.1), 16.0 at 2^22 (10.3), 55.6 at 2^24
/// (38.8), 183 at 2^26 (136), 677 at 2^28 (522). With 56 words fallback runs out of registers: 765;
/// look-back takes 654 there. With split descriptors it does so from 44 words on: at 2^28 734 with 48,
/// 723 with 44, 694 with 40, in a run where packed ones took 672.
const NVIDIA_SHAPES: &[Shape] = &[
    shape(0, 256, 8),
    shape(1 << 18, 512, 8),
    shape(1 << 20, 512, 16),
    shape(1 << 22, 1024, 32),
    shape(1 << 26, 1024, 40),
    shape(1 << 28, 1024, 48),
];

/// The H200 as above, `cargo bench --bench irregular -- --shapes …`, u32, half of the items selected: 4.8
/// us at 2^16 (copy 4.1), 10.0 at 2^20 (7.1), 15.6 at 2^22 (10.2), 52.3 at 2^24 (36.2), 162 at 2^26
/// (134). Lanes of 48 words and more run out of registers.
const NVIDIA_COMPACTIONS: &[Shape] =
    &[shape(0, 256, 8), shape(1 << 18, 512, 16), shape(1 << 21, 512, 32)];

/// The H200 as above, 2026-12-01, `cargo bench --bench irregular -- --primitive scan-by-key --shapes …`, u32 sums,
/// runs of 4: 13.5 us at 2^20 (copy 7.1), 88.4 at 2^24 (38), 1,206 at 2^28 (518); with 1024x16 13.6, 99.1, 1,324.
const NVIDIA_SCANS_BY_KEY: &[Shape] = &[shape(0, 256, 8), shape(1 << 18, 512, 8)];

/// The H200 as above, 2026-12-01, the same with reduce-by-key: 5.2 us at 2^16 (copy 4.1), 6.6 at 2^18 (4.3),
/// 13.3 at 2^20 (7.1), 28.5 at 2^22 (12.0), 80.4 at 2^24 (37.1), 261 at 2^26 (133), 991 at 2^28 (517); with
/// 1024x16 279 at 2^26 and 1,060 at 2^28, with 256x16 301 and 1,197.
const NVIDIA_REDUCTIONS_BY_KEY: &[Shape] =
    &[shape(0, 256, 8), shape(1 << 18, 512, 8), shape(1 << 20, 512, 16)];

/// The first row that fits counts; the last fits every device and is safe on all.
const ROWS: &[Row] = &[
    // lavapipe of Mesa 22.3.6 at 8 lanes, 2 shared cores, 2026-11-30, the command and what was tried in
    // benches/results/2026-11-30-lavapipe: of the copy's GB/s u32 reductions 0.63 to 0.84, scans 0.37 to
    // 0.60, from 2^16 to 2^22; with 32x16 and 16 tiles 0.31 to 0.71 and 0.25 to 0.38. SwiftShader at 2^20
    // 0.68 and 0.26, with 32x16 0.44 and 0.20. With 64 lanes or a branch for the last tile it was less.
    row(
        |c| c.device_type == wgpu::DeviceType::Cpu,
        [16, 32, 16, 256, 128],
        [&[]; 4],
        Builtins::All,
        true,
    ),
    // H200, driver 580.159.04, 2026-11-30, by what `cargo bench --bench primitives` is now, u32: at
    // 2^28 reduce at 1.03 of the copy's GB/s, scan at 0.62. Builtins make a reduction of 2^16 items
    // one of 7.5 us instead of 8.0, of 2^20 one of 8.8 instead of 9.3; scans gain nothing.
    row(
        |c| c.vendor == NVIDIA,
        [256, 16, 4, 2048, 4],
        [NVIDIA_SHAPES, NVIDIA_COMPACTIONS, NVIDIA_SCANS_BY_KEY, NVIDIA_REDUCTIONS_BY_KEY],
        Builtins::Reductions,
        false,
    )
    .split_words_max(40),
    // Not measured on any device.
    row(|_| true, [256, 16, 4, 1024, 4], [&[]; 4], Builtins::Reductions, false),
];

impl Tuning {
    /// The row for a device.
    pub fn for_device(capabilities: &Capabilities) -> Self {
        let mut fitting = ROWS.iter().filter(|row| (row.fits)(capabilities));
        // The last row fits everything.
        fitting.next().unwrap_or(&ROWS[ROWS.len() - 1]).tuning
    }

    /// The form of descriptors for values of `words` words.
    pub(crate) fn descriptor_for(
        &self,
        capabilities: &Capabilities,
        words: u32,
    ) -> Result<Descriptor, Error> {
        let packed = capabilities.atomics_64 && capabilities.storage_bindings >= 8;
        let descriptor = match self.descriptor {
            None if packed => Descriptor::Packed64,
            None => Descriptor::Split32,
            Some(Descriptor::Packed64) if !capabilities.atomics_64 => {
                return Err(Error::Feature { what: "packed64", wanted: ATOMICS_64 });
            }
            Some(Descriptor::Fenced) if !capabilities.coherent_memory => {
                let wanted = wgpu::Features::MEMORY_DECORATION_COHERENT;
                return Err(Error::Feature { what: "fenced", wanted });
            }
            Some(named) => named,
        };
        if words > descriptor.words_max() {
            let what = "the accumulator's words in a descriptor (at most)";
            let (wanted, got) = (u64::from(descriptor.words_max()), u64::from(words));
            return Err(Error::Length { what, wanted, got });
        }
        Ok(descriptor)
    }

    /// The same with each of the sizes of single passes by descriptors of a form, and the fewest items
    /// that it is for.
    pub(crate) fn shapes(&self, descriptor: Descriptor) -> Vec<(u32, Tuning)> {
        let most = match descriptor {
            Descriptor::Split32 => self.split_words_max,
            Descriptor::Packed64 | Descriptor::Fenced => 128,
        };
        let of = |shape: &Shape| {
            let &Shape { from_items, workgroup_size, words_per_lane } = shape;
            let words_per_lane = words_per_lane.min(most);
            (from_items, Tuning { workgroup_size, words_per_lane, ..*self })
        };
        match self.single_pass {
            [] => vec![(0, *self)],
            shapes => shapes.iter().map(of).collect(),
        }
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
