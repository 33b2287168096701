//! The workgroup layer: scans of sections and reductions, one call after another.

use lookback::wgsl::{Layers, SectionScan, Subgroup, WorkgroupReduce, WorkgroupScan};
use lookback::{Context, Element, Operator};

use crate::common::CANARY;
use crate::common::operators::Exact;
use crate::elements::{Make, Visit};
use crate::harness::{Shader, inclusive, items, same, words};
use crate::{elements, pairwise};

pub const SCAN: &str = include_str!("scan.wgsl");
pub const REDUCE: &str = include_str!("reduce.wgsl");
pub const SHARED: &str = include_str!("shared.wgsl");

pub const LANES: usize = 128;

/// Entries of the section: room for two a lane, or for runs of five.
pub const SECTION: usize = 5 * LANES;

pub const SCANS: [WorkgroupScan; 4] = [
    WorkgroupScan::KoggeStone,
    WorkgroupScan::BrentKung,
    WorkgroupScan::Coarsened(SectionScan::KoggeStone),
    WorkgroupScan::Coarsened(SectionScan::BrentKung),
];

pub const REDUCES: [WorkgroupReduce; 6] = [
    WorkgroupReduce::Interleaved,
    WorkgroupReduce::Strided,
    WorkgroupReduce::Sequential,
    WorkgroupReduce::SubgroupTail,
    WorkgroupReduce::Unrolled,
    WorkgroupReduce::Subgroups,
];

/// The most entries that a scan takes.
pub fn most(scan: WorkgroupScan) -> usize {
    match scan {
        WorkgroupScan::KoggeStone => LANES,
        WorkgroupScan::BrentKung => 2 * LANES,
        WorkgroupScan::Coarsened(_) => SECTION,
    }
}

/// Native subgroups where there are any, else 8 lanes emulated.
pub fn own(context: &Context) -> Layers {
    Layers::for_subgroup(match context.capabilities().subgroups {
        true => Subgroup::Native,
        false => Subgroup::Emulated(8),
    })
}

/// One way of scanning `n` items in rounds of `round`: every output, every lane's totals, and what
/// stands past the end.
pub fn check_scan<T: Element>(
    context: &Context,
    shader: &Shader,
    operator: &Operator<T>,
    input: &[T],
    [n, round]: [usize; 2],
    (kind, identity): (WorkgroupScan, T),
) -> Result<(), String> {
    let n_words = T::LAYOUT.words() as usize;
    let src = context.upload(&words(&input[..=n])).unwrap();
    let rounds = n.div_ceil(round).max(1);
    let padding = input[n];
    for is_exclusive in [false, true] {
        let values = vec![CANARY; (rounds * round + SECTION) * n_words];
        let values = context.upload(&values).unwrap();
        let totals = context.upload(&vec![CANARY; rounds * LANES * n_words]).unwrap();
        let arguments = [n as u32, round as u32, u32::from(is_exclusive), 0];
        shader.run(arguments, &[&src, &values, &totals]);
        let got: Vec<T> = items(&context.download(&values).unwrap());
        let got_totals: Vec<T> = items(&context.download(&totals).unwrap());

        let running = inclusive(&input[..n], operator);
        let wanted: Vec<T> = match is_exclusive {
            true => [identity].into_iter().chain(running.iter().copied()).take(n).collect(),
            false => running.clone(),
        };
        let name =
            if is_exclusive { "workgroup_exclusive_scan" } else { "workgroup_inclusive_scan" };
        for (i, wanted) in wanted.iter().enumerate() {
            if !same(&got[i], wanted) {
                return Err(format!("{name}, entry {i} of {n}: {:?}, wanted {wanted:?}", got[i]));
            }
        }
        // Past n the section is as it was, but for the rest of Blelloch's tree.
        let last = (rounds - 1) * round;
        let used = match (kind, is_exclusive) {
            (WorkgroupScan::BrentKung, true) => (n - last).next_power_of_two(),
            _ => n - last,
        };
        for (i, got) in got[last + used..last + SECTION].iter().enumerate() {
            if !same(got, &padding) {
                return Err(format!("{name} wrote entry {} past {n}: {got:?}", used + i));
            }
        }
        for (i, got) in got_totals.iter().enumerate() {
            let end = ((i / LANES + 1) * round).min(n);
            let wanted = if end == 0 { identity } else { running[end - 1] };
            if !same(got, &wanted) {
                let (round, lane) = (i / LANES, i % LANES);
                return Err(format!(
                    "{name}, total in lane {lane} of round {round}: {got:?}, wanted {wanted:?}"
                ));
            }
        }
    }
    Ok(())
}

/// The reduction of `n` items in rounds of one a lane, as every lane gets it.
pub fn check_reduce<T: Element>(
    context: &Context,
    shader: &Shader,
    operator: &Operator<T>,
    input: &[T],
    lanes: usize,
) -> Result<(), String> {
    let n = input.len();
    let src = context.upload(&words(input)).unwrap();
    let n_values = n.next_multiple_of(lanes) * T::LAYOUT.words() as usize;
    let values = context.upload(&vec![CANARY; n_values]).unwrap();
    shader.run([n as u32, 0, 0, 0], &[&src, &values]);
    let got: Vec<T> = items(&context.download(&values).unwrap());
    let running = inclusive(input, operator);
    for (i, got) in got.iter().enumerate() {
        let wanted = running[((i / lanes + 1) * lanes).min(n) - 1];
        if !same(got, &wanted) {
            let (round, lane) = (i / lanes, i % lanes);
            return Err(format!("lane {lane}, round {round}: {got:?}, wanted {wanted:?}"));
        }
    }
    Ok(())
}

/// Several functions one after another, over 8 rounds of one item a lane.
pub fn check_shared(
    context: &Context,
    shader: &Shader,
    input: &[u32],
    [first, second]: [usize; 2],
) -> Result<(), String> {
    let operator = Operator::<u32>::sum();
    let input = &input[..8 * LANES];
    let src = context.upload(input).unwrap();
    let values = context.allocate::<u32>(6 * input.len() as u64).unwrap();
    shader.run([first as u32, second as u32, 0, 0], &[&src, &values]);
    let got = context.download(&values).unwrap();
    for (round, items) in input.chunks(LANES).enumerate() {
        let sum = |items: &[u32]| items.iter().fold(0, |a: u32, b| a.wrapping_add(*b));
        // The second scan is of the first one's results.
        let mut scanned = inclusive(&items[..first], &operator);
        scanned.extend_from_slice(&items[first..]);
        let twice = sum(&scanned[..second]);
        let (all, part) = (sum(items), sum(&items[..second]));
        let wanted = [sum(&items[..first]), twice, all, part, all, part];
        for (lane, got) in got[round * LANES * 6..][..LANES * 6].chunks(6).enumerate() {
            if got != wanted {
                return Err(format!("lane {lane}, round {round}: {got:?}, wanted {wanted:?}"));
            }
        }
    }
    Ok(())
}

/// The kinds of subgroups that reductions are tested on.
fn reduce_layers(context: &Context, variant: usize) -> Layers {
    let reduce = REDUCES[variant % REDUCES.len()];
    match variant / REDUCES.len() {
        0 => Layers { reduce, ..own(context) },
        // Its totals by a section scan, its subgroups by builtins.
        1 => Layers {
            reduce,
            builtins: true,
            totals: lookback::wgsl::Totals::Section,
            ..own(context)
        },
        _ => Layers { reduce, ..Layers::for_subgroup(Subgroup::Emulated(32)) },
    }
}

const REDUCE_VARIANTS: usize = 3 * REDUCES.len();

struct Scans<'a> {
    context: &'a Context,
    rows: Vec<[usize; 3]>,
    next: usize,
    only: Option<WorkgroupScan>,
}

impl Visit for Scans<'_> {
    fn visit<T: Element>(&mut self, name: &str, operator: &Operator<T>, make: Make<T>) {
        let [_, n_operators] = elements::COUNTS;
        let (element, op) = (self.next / n_operators, self.next % n_operators);
        self.next += 1;
        for &[_, _, variant] in self.rows.iter().filter(|row| row[..2] == [element, op]) {
            let scan = SCANS[variant];
            if self.only.is_some_and(|only| only != scan) {
                continue;
            }
            let layers = Layers { scan, ..own(self.context) };
            let sizes = [LANES as u32, SECTION as u32];
            let shader = Shader::new(self.context, layers, operator, SCAN, sizes);
            let input: Vec<T> = (0..=3 * SECTION).map(make.item).collect();
            let most = most(scan);
            let single = [0, 1, 2, 3, 5, 63, 64, 100, LANES - 1, LANES, LANES + 1, 255, 256, most];
            let single = single.into_iter().filter(|&n| n <= most).map(|n| [n, most]);
            for sizes in single.chain([[2 * most + 7, most], [100, 33], [37, 1]]) {
                check_scan(self.context, &shader, operator, &input, sizes, (scan, make.identity))
                    .unwrap_or_else(|e| panic!("{name}, {scan:?}, {sizes:?}: {e}"));
            }
        }
    }
}

struct Reduces<'a> {
    context: &'a Context,
    rows: Vec<[usize; 3]>,
    next: usize,
}

impl Visit for Reduces<'_> {
    fn visit<T: Element>(&mut self, name: &str, operator: &Operator<T>, make: Make<T>) {
        let [_, n_operators] = elements::COUNTS;
        let (element, op) = (self.next / n_operators, self.next % n_operators);
        self.next += 1;
        for &[_, _, variant] in self.rows.iter().filter(|row| row[..2] == [element, op]) {
            let layers = reduce_layers(self.context, variant);
            let sizes = [LANES as u32; 2];
            let shader = Shader::new(self.context, layers, operator, REDUCE, sizes);
            let input: Vec<T> = (0..5 * LANES).map(make.item).collect();
            for n in [1, 2, 31, LANES - 1, LANES, LANES + 1, 2 * LANES - 1, 5 * LANES] {
                check_reduce(self.context, &shader, operator, &input[..n], LANES)
                    .unwrap_or_else(|e| panic!("{name}, {layers:?}, n = {n}: {e}"));
            }
        }
    }
}

fn scans(only: WorkgroupScan) {
    let Some(context) = crate::common::context() else { return };
    let [n_elements, n_operators] = elements::COUNTS;
    let rows = pairwise::rows([n_elements, n_operators, SCANS.len()]);
    let mut scans = Scans { context, rows, next: 0, only: Some(only) };
    elements::all(&mut scans);
    assert_eq!(scans.next, n_elements * n_operators);
}

#[test]
fn workgroup_scan_by_kogge_stone() {
    scans(WorkgroupScan::KoggeStone);
}

#[test]
fn workgroup_scan_by_brent_kung() {
    scans(WorkgroupScan::BrentKung);
}

#[test]
fn workgroup_scan_coarsened() {
    scans(WorkgroupScan::Coarsened(SectionScan::KoggeStone));
    scans(WorkgroupScan::Coarsened(SectionScan::BrentKung));
}

#[test]
fn workgroup_reduce_on_every_rung() {
    let Some(context) = crate::common::context() else { return };
    let [n_elements, n_operators] = elements::COUNTS;
    let rows = pairwise::rows([n_elements, n_operators, REDUCE_VARIANTS]);
    println!("{} rows of element, operator, choices", rows.len());
    let mut reduces = Reduces { context, rows, next: 0 };
    elements::all(&mut reduces);
    assert_eq!(reduces.next, n_elements * n_operators);
}

/// Loops with barriers in them, with as many rounds as make a last one that is not whole.
#[test]
fn c1_many_rounds_of_every_workgroup_function() {
    let Some(context) = crate::common::context() else { return };
    let operator = Operator::<u32>::sum();
    let input: Vec<u32> = (0..=1025 * LANES).map(|i| (i as u32 * 7 + 3) % 11).collect();
    let rounds = [1, 255, 256, 257, 511, 513, 1025];
    let sizes = rounds.into_iter().flat_map(|tiles| [tiles * LANES, tiles * LANES - 3]);
    for scan in SCANS {
        let layers = Layers { scan, ..own(context) };
        let shader = Shader::new(context, layers, &operator, SCAN, [LANES as u32, SECTION as u32]);
        for n in sizes.clone() {
            check_scan(context, &shader, &operator, &input, [n, LANES], (scan, 0))
                .unwrap_or_else(|e| panic!("{scan:?}, n = {n}: {e}"));
        }
    }
    for variant in 0..REDUCE_VARIANTS {
        let layers = reduce_layers(context, variant);
        let shader = Shader::new(context, layers, &operator, REDUCE, [LANES as u32; 2]);
        for n in sizes.clone() {
            check_reduce(context, &shader, &operator, &input[..n], LANES)
                .unwrap_or_else(|e| panic!("{layers:?}, n = {n}: {e}"));
        }
    }
}

/// Nothing relies on lockstep, or on memory that a driver has zeroed: 1 to 64, a thousand times.
#[test]
fn k6_the_sum_of_1_to_64_a_thousand_times() {
    let Some(context) = crate::common::context() else { return };
    let operator = Operator::<i32>::sum();
    let once: Vec<i32> = (1..=64).chain(std::iter::repeat_n(0, LANES - 64)).collect();
    let input = once.repeat(1000);
    for variant in 0..REDUCE_VARIANTS {
        let layers = reduce_layers(context, variant);
        let shader = Shader::new(context, layers, &operator, REDUCE, [LANES as u32; 2]);
        check_reduce(context, &shader, &operator, &input, LANES)
            .unwrap_or_else(|e| panic!("{layers:?}: {e}"));
    }
    assert_eq!(inclusive(&input, &operator)[LANES - 1], 2080);
}

/// What functions return needs no barrier, whatever writes the section next.
#[test]
fn functions_share_the_section() {
    let Some(context) = crate::common::context() else { return };
    let operator = Operator::<u32>::sum();
    let input: Vec<u32> = (0..8 * LANES).map(u32::any).collect();
    for turn in 0..2 * REDUCES.len() {
        let layers = match turn % 2 {
            0 => own(context),
            _ => Layers::for_subgroup(Subgroup::Emulated(8)),
        };
        let scan = SCANS[turn % SCANS.len()];
        let layers = Layers { scan, reduce: REDUCES[turn / 2], ..layers };
        let shader = Shader::new(context, layers, &operator, SHARED, [LANES as u32; 2]);
        for sizes in [[100, 37], [LANES, LANES], [1, 80], [65, 0]] {
            check_shared(context, &shader, &input, sizes)
                .unwrap_or_else(|e| panic!("{sizes:?}, {layers:?}: {e}"));
        }
    }
}

/// Drivers that run lanes one after another hide a missing barrier where lanes wait for lower
/// ones. With the lanes' numbers turned round, they wait for higher ones.
#[test]
fn no_order_of_lanes_is_relied_upon() {
    let Some(context) = crate::common::context() else { return };
    let operator = Operator::<u32>::sum();
    let turned = |text: &str| {
        // All but the declaration.
        assert!(text.contains("lane.index"));
        text.replace("lane.index", "(WORKGROUP_SIZE - 1u - lane.index)")
    };
    let emulated = Layers::for_subgroup(Subgroup::Emulated(8));
    let input: Vec<u32> = (0..=3 * SECTION).map(u32::any).collect();
    for scan in SCANS {
        let layers = Layers { scan, ..emulated };
        let sizes = [LANES as u32, SECTION as u32];
        let shader = Shader::edited(context, layers, &operator, SCAN, sizes, turned);
        for n in [1, 2, 3, 63, 64, 100, most(scan)] {
            check_scan(context, &shader, &operator, &input, [n, most(scan)], (scan, 0))
                .unwrap_or_else(|e| panic!("{scan:?}, n = {n}: {e}"));
        }
    }
    for reduce in REDUCES {
        let layers = Layers { reduce, ..emulated };
        let sizes = [LANES as u32; 2];
        let shader = Shader::edited(context, layers, &operator, REDUCE, sizes, turned);
        check_reduce(context, &shader, &operator, &input[..5 * LANES], LANES)
            .unwrap_or_else(|e| panic!("{layers:?}: {e}"));
    }
}

/// Every step that `Unrolled` writes out is taken: by the widest workgroup and subgroup.
#[test]
fn rungs_at_the_widest_workgroup_and_subgroup() {
    let Some(context) = crate::common::context() else { return };
    let operator = Operator::<u32>::sum();
    let most = context.capabilities().workgroup_lanes.min(1024) as usize;
    let input: Vec<u32> = (0..2 * most).map(u32::any).collect();
    for reduce in [WorkgroupReduce::SubgroupTail, WorkgroupReduce::Unrolled] {
        for layers in [own(context), Layers::for_subgroup(Subgroup::Emulated(128))] {
            let layers = Layers { reduce, ..layers };
            let shader = Shader::new(context, layers, &operator, REDUCE, [most as u32; 2]);
            check_reduce(context, &shader, &operator, &input, most)
                .unwrap_or_else(|e| panic!("{layers:?}: {e}"));
        }
    }
}

/// Few features and the least limits change nothing.
#[test]
fn k4_the_workgroup_layer_on_the_least_device() {
    let Some(context) = crate::common::least_context() else { return };
    let operator = Operator::<u32>::sum();
    let input: Vec<u32> = (0..=SECTION).map(u32::any).collect();
    for scan in SCANS {
        let layers = Layers { scan, ..own(&context) };
        let sizes = [LANES as u32, SECTION as u32];
        let shader = Shader::new(&context, layers, &operator, SCAN, sizes);
        let n = most(scan);
        check_scan(&context, &shader, &operator, &input, [n, n], (scan, 0))
            .unwrap_or_else(|e| panic!("{scan:?}: {e}"));
    }
}
