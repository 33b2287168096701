//! The property set: whatever the operator, keys, algorithm, form, runs and room, the outputs are the
//! reference's, the counts are true, and nothing else is written.

use lookback::{
    Algorithm, Call, Context, Element, Equality, Error, GpuSlice, Kind, Operator, ReduceByKey,
    ScanByKey, SegmentStarts, SegmentedScan, Tuning, reference,
};

use crate::common::operators::{self, Exact, Visit, hash};
use crate::common::{self, small_tiles, with_files};
use crate::pairwise;
use crate::slices::{Output, input};
use crate::ways::{WAYS, Way, by_way, done, own};

const PRIMITIVES: [&str; 8] = [
    "reduction",
    "inclusive",
    "exclusive",
    "inclusive after a value",
    "exclusive after a value",
    "inclusive by flags",
    "exclusive by packed flags",
    "exclusive by offsets",
];

/// Neighbours that are the same: by value, by bits, or by text.
const KEYS: [&str; 4] = ["u32", "f32", "vec3<u32>", "near i32"];

const PATTERNS: [&str; 8] = [
    "one run",
    "distinct",
    "pairs",
    "hashed",
    "from tile borders",
    "to tile borders",
    "from every second border",
    "at the end",
];

/// The operators: every kind of element, types that differ, orders that matter.
pub const OPERATORS: usize = 8;

pub fn visit(visitor: &mut impl Visit, operator: usize) {
    match operator {
        0 => visitor.visit("u32 sum", &Operator::<u32>::sum(), u32::any),
        1 => visitor.visit("f32 sum", &Operator::<f32>::sum(), f32::any),
        2 => visitor.visit("f32 max", &Operator::<f32>::max(), f32::any),
        3 => visitor.visit("vec4<f32> min", &Operator::<[f32; 4]>::min(), <[f32; 4]>::any),
        4 => visitor.visit("affine maps", &operators::affine(), operators::affine_item),
        5 => visitor.visit("spread", &operators::spread(), i32::any),
        6 => visitor.visit("threes", &operators::threes(), |i| u32::any(i) % 100),
        _ => visitor.visit("add moments", &operators::add_moments(), |i| operators::Moment {
            position: [i32::any(i), i as i32],
            mass: i32::any(i + 7),
            padding: 0,
        }),
    }
}

/// Whether item `i` of `n` begins a run, where `border` items or a multiple are a tile.
fn begins(pattern: &str, i: usize, n: usize, border: usize) -> bool {
    match pattern {
        "one run" => false,
        "distinct" => true,
        "pairs" => i.is_multiple_of(2),
        "hashed" => hash(i as u32, 11).is_multiple_of(13),
        "from tile borders" => i.is_multiple_of(border),
        "to tile borders" => i % border == border - 1,
        "from every second border" => i.is_multiple_of(2 * border),
        _ => i == n - 1,
    }
}

struct Row<'a> {
    context: &'a Context,
    primitive: &'static str,
    way: Way,
    keys: &'static str,
    index: usize,
    tuning: Tuning,
    checked: usize,
    given_up: usize,
}

/// Operator, its name, and its items.
type Case<'a, I, A, O> = (&'a str, &'a Operator<I, A, O>, fn(usize) -> I);

impl Row<'_> {
    /// All sizes and runs of one plan.
    fn keyed<K: Element, I: Element, A: Element, O: Element>(
        &mut self,
        (name, operator, make): Case<'_, I, A, O>,
        equality: &Equality<K>,
        key: fn(u32) -> K,
    ) {
        let border = 2 * self.tuning.workgroup_size as usize;
        let many = (0..PATTERNS.len()).map(|more| 43 * border + more);
        let few = [0, 1, 2, border - 1, border, border + 1, 2 * border, 5 * border + 5];
        let Row { context, primitive, way, .. } = *self;
        let room = |turn: usize| [-1, 0, 4][(turn + turn / 8) % 3];
        if primitive == "reduction" {
            let reduction = |algorithm, tuning: &_| {
                ReduceByKey::with_algorithm(context, equality, operator, algorithm, tuning)
            };
            let Some(reduction) = by_way(way, &self.tuning, reduction) else { return };
            for (turn, n) in few.into_iter().chain(many).enumerate() {
                let (pattern, keys) = self.keys_of(turn, n, border, key);
                let values: Vec<I> = (0..n).map(make).collect();
                let what = format!("{name} {} {primitive} {way:?} {pattern} n = {n}", self.keys);
                self.reduced(&reduction, (&keys, &values), (equality, operator), room(turn), &what);
            }
            return;
        }
        let make_plan = |algorithm, tuning: &_| {
            Plan::new(context, primitive, (equality, operator), algorithm, tuning)
        };
        let Some(plan) = by_way(way, &self.tuning, make_plan) else { return };
        for (turn, n) in few.into_iter().chain(many).enumerate() {
            let (pattern, keys) = self.keys_of(turn, n, border, key);
            let values: Vec<I> = (0..n).map(make).collect();
            let runs = reference::runs(&keys, equality).unwrap();
            let offsets: Vec<u32> = runs.iter().map(|run| run.0).collect();
            let shift = (turn + self.index) % 3;
            let (keys, slice) = (input(context, &keys, shift), input(context, &values, shift));
            let starts = input(context, &plan.starts(&offsets, n), shift);
            let what = format!("{name} {} {primitive} {way:?} {pattern} n = {n}", self.keys);
            let init = primitive.ends_with("value").then(|| init_of(operator));
            let kind = kind(primitive);
            let wanted =
                reference::segmented_scan(&values, &offsets, operator, kind, init).unwrap();
            let output = Output::<O>::new(context, n);
            if done(way, &plan.call((&keys, &starts), &slice, &output.slice)) {
                let got = output.first(context, n);
                assert_eq!(common::first_difference(&got, &wanted), None, "{what}");
                self.checked += 1;
            } else {
                self.given_up += 1;
            }
        }
    }
}

impl Row<'_> {
    /// Keys of some runs.
    fn keys_of<K>(
        &self,
        turn: usize,
        n: usize,
        border: usize,
        key: fn(u32) -> K,
    ) -> (&'static str, Vec<K>) {
        let pattern = PATTERNS[(turn + self.index) % PATTERNS.len()];
        let mut number = 1;
        let mut next = |i| {
            // Far enough apart for the keys that need not be equal.
            number = (number + 3 * u32::from(begins(pattern, i, n, border))) % 30;
            key(number)
        };
        (pattern, (0..n).map(&mut next).collect())
    }

    /// Reduces by key, to outputs with room for so many runs more than there are.
    fn reduced<K: Element, I: Element, A: Element, O: Element>(
        &mut self,
        reduction: &ReduceByKey<K, I, A, O>,
        (keys, values): (&[K], &[I]),
        (equality, operator): (&Equality<K>, &Operator<I, A, O>),
        room: i64,
        what: &str,
    ) {
        let context = self.context;
        let (firsts, totals) = reference::reduce_by_key(keys, values, equality, operator).unwrap();
        let wanted = firsts.len();
        let room = (wanted as i64 + room).max(0) as usize;
        let shift = self.index % 3;
        let (keys, values) = (input(context, keys, shift), input(context, values, shift));
        // The two need not have the same room.
        let (out_keys, out_values) =
            (Output::<K>::new(context, room), Output::<O>::new(context, wanted.max(room)));
        let count = Output::<u32>::new(context, 1);
        let call = reduction
            .call(&keys, &values, &out_keys.slice, &out_values.slice, &count.slice)
            .unwrap();
        if !done(self.way, &call) {
            self.given_up += 1;
            return;
        }
        assert_eq!(count.first(context, 1), [wanted as u32], "{what}");
        let room = room.min(wanted);
        let got = out_keys.first(context, room);
        assert_eq!(common::first_difference(&got, &firsts[..room]), None, "keys of {what}");
        let got = out_values.first(context, wanted);
        assert_eq!(common::first_difference(&got, &totals), None, "{what}");
        self.checked += 1;
    }
}

fn kind(primitive: &str) -> Kind {
    if primitive.starts_with("in") { Kind::Inclusive } else { Kind::Exclusive }
}

/// A plan of one of the primitives.
enum Plan<K: Element, I: Element, A: Element, O: Element> {
    Keys(Box<ScanByKey<K, I, A, O>>),
    Starts(SegmentStarts, Box<SegmentedScan<I, A, O>>),
}

impl<K: Element, I: Element, A: Element, O: Element> Plan<K, I, A, O> {
    fn new(
        context: &Context,
        primitive: &str,
        (equality, operator): (&Equality<K>, &Operator<I, A, O>),
        algorithm: Algorithm,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        let kind = kind(primitive);
        let starts = match primitive.split(" by ").nth(1) {
            None => {
                let scan = ScanByKey::with_algorithm(
                    context, equality, operator, kind, algorithm, tuning,
                )?;
                let init = primitive.ends_with("value").then(|| init_of(operator));
                let scan = init.map_or(scan.clone(), |init| scan.with_init(init));
                return Ok(Plan::Keys(Box::new(scan)));
            }
            Some("flags") => SegmentStarts::Flags,
            Some("offsets") => SegmentStarts::Offsets,
            Some(_) => SegmentStarts::PackedFlags,
        };
        let scan =
            SegmentedScan::with_algorithm(context, starts, operator, kind, algorithm, tuning)?;
        Ok(Plan::Starts(starts, Box::new(scan)))
    }

    /// What tells the segments that begin at these items, beside keys.
    fn starts(&self, offsets: &[u32], n: usize) -> Vec<u32> {
        let Plan::Starts(starts, _) = self else { return Vec::new() };
        let mut flags = vec![0; n];
        // The first item need not be told.
        offsets.iter().skip(1).for_each(|&at| flags[at as usize] = 1 << (at % 32));
        match starts {
            SegmentStarts::Flags => flags,
            // Some segments are empty; now and then there is an end.
            SegmentStarts::Offsets => {
                let twice = |&at: &u32| [at, at].into_iter().take(1 + at as usize % 2);
                let end = (n % 2 == 1).then_some(n as u32);
                offsets.iter().flat_map(twice).chain(end).collect()
            }
            SegmentStarts::PackedFlags => flags.chunks(32).map(|bits| bits.iter().sum()).collect(),
        }
    }

    fn call<'a>(
        &'a self,
        (keys, starts): (&GpuSlice<K>, &GpuSlice<u32>),
        input: &GpuSlice<I>,
        output: &GpuSlice<O>,
    ) -> Call<'a> {
        match self {
            Plan::Keys(scan) => scan.call(keys, input, output).unwrap(),
            Plan::Starts(_, scan) => scan.call(starts, input, output).unwrap(),
        }
    }
}

/// An initial value that makes a difference in every accumulator here: 2.0 and -2.0 by turns.
pub fn init_of<I: Element, A: Element, O: Element>(_: &Operator<I, A, O>) -> A {
    let words: Vec<u32> =
        (0..A::LAYOUT.words()).map(|w| [0x4000_0000, 0xC000_0000][w as usize % 2]).collect();
    bytemuck::pod_read_unaligned(bytemuck::cast_slice(&words))
}

impl Visit for Row<'_> {
    fn visit<I: Element, A: Element, O: Element>(
        &mut self,
        name: &str,
        operator: &Operator<I, A, O>,
        make: fn(usize) -> I,
    ) {
        let case = (name, operator, make);
        match self.keys {
            "u32" => self.keyed(case, &Equality::by_value(), |key: u32| key),
            "f32" => self.keyed(case, &Equality::by_value(), |key| {
                // Zeros of both signs are one key.
                [0.0, -0.0, key as f32][(key as usize).min(2)]
            }),
            "vec3<u32>" => self.keyed(case, &Equality::by_bits(), |key| [7, key, 0u32]),
            _ => {
                let text = "fn near(d: i32) -> bool { return abs(d) < 2; }
fn same(a: i32, b: i32) -> bool { if (a == b) { return true; } return near(a - b); }";
                let near = Equality::from_wgsl(text).unwrap();
                let near = near.with_host(|a: i32, b: i32| a.abs_diff(b) < 2);
                self.keyed(case, &near, |key| key as i32);
            }
        }
    }
}

#[test]
fn every_primitive_equals_the_reference() {
    let Some(context) = own() else { return };
    let emulated = common::without_subgroups(&context);
    let levels = [OPERATORS, PRIMITIVES.len(), WAYS.len(), KEYS.len(), 2];
    let rows = pairwise::rows(levels);
    let n_rows = rows.len();
    let (mut checked, mut given_up) = (0, 0);
    for (index, [operator, primitive, way, keys, variant]) in rows.into_iter().enumerate() {
        let context = if variant == 1 { &emulated } else { &context };
        let mut row = Row {
            context,
            primitive: PRIMITIVES[primitive],
            way: WAYS[way],
            keys: KEYS[keys],
            index,
            tuning: with_files(small_tiles(context), index),
            checked: 0,
            given_up: 0,
        };
        visit(&mut row, operator);
        checked += row.checked;
        given_up += row.given_up;
    }
    println!("{n_rows} rows, {checked} calls compared, {given_up} gave up each time");
    assert!(n_rows >= 8 && checked > 8 * n_rows, "{checked} calls compared of {n_rows} rows");
}
