//! The property set: whatever the element, primitive, algorithm, form, data and room, the outputs are
//! the reference's, the counts are true, and nothing else is written.

use lookback::{
    Context, Element, Equality, GpuSlice, LongRuns, Partition, PartitionThree, Predicate,
    RunLengths, Select, Tuning, Unique, UniqueByKey, reference,
};

use crate::common::operators::hash;
use crate::common::{self, small_tiles, with_files};
use crate::elements::{self, ELEMENTS, Keyed, Visit};
use crate::slices::{Output, input};
use crate::{WAYS, Way, by_way, done, own, pairwise};

const PRIMITIVES: [&str; 8] = [
    "select",
    "select indices",
    "partition",
    "partition three",
    "unique",
    "unique by key",
    "runs",
    "long runs",
];

/// How items are told apart: by their bits, by flags, packed flags, or by both.
const SOURCES: [&str; 5] = ["text", "flags", "packed flags", "text and flags", "text and packed"];

const PATTERNS: [&str; 7] =
    ["sparse", "dense", "alternating", "all", "none", "tile borders", "past tile borders"];

/// Whether item `i` is kept. Runs change wherever it is.
fn is_marked(pattern: &str, i: usize, tile: usize) -> bool {
    let h = hash(i as u32, 11);
    match pattern {
        "sparse" => h.is_multiple_of(101),
        "dense" => !h.is_multiple_of(101),
        "alternating" => i.is_multiple_of(2),
        "all" => true,
        "none" => false,
        "tile borders" => i.is_multiple_of(tile),
        _ => i % tile == tile - 1,
    }
}

struct Row<'a> {
    context: &'a Context,
    primitive: &'static str,
    way: Way,
    pattern: &'static str,
    source: usize,
    tuning: Tuning,
    n: usize,
    tile: usize,
    /// Less room than there are items to write, as many, or more.
    room: i64,
    shift: usize,
    checked: usize,
    given_up: usize,
}

/// The outputs and counts of a call.
struct Outcome {
    counts: Vec<u32>,
}

impl Row<'_> {
    fn room(&self, count: usize) -> usize {
        (count as i64 + self.room).max(0) as usize
    }

    /// Runs a call; `None` if it gave up.
    fn counted(&self, call: lookback::Call<'_>, counts: &Output<u32>, n: usize) -> Option<Outcome> {
        done(self.way, &call).then(|| Outcome { counts: counts.first(self.context, n) })
    }

    fn compare<T: Element>(&self, what: &str, output: &Output<T>, wanted: &[T]) {
        let room = self.room(wanted.len()).min(wanted.len());
        let got = output.first(self.context, room);
        let difference = common::first_difference(&got, &wanted[..room]);
        let Row { primitive, way, pattern, source, .. } = self;
        let source = SOURCES[*source];
        assert_eq!(difference, None, "{what} of {primitive} {way:?} {pattern} {source}");
    }

    fn output<T: Element>(&self, wanted: &[T]) -> Output<T> {
        Output::new(self.context, self.room(wanted.len()))
    }
}

/// Words of flags for marks.
fn flag_words(source: usize, marks: &[bool]) -> Vec<u32> {
    match source {
        0 => Vec::new(),
        1 | 3 => marks.iter().enumerate().map(|(i, &m)| u32::from(m) << (i % 32)).collect(),
        _ => {
            let word = |bits: &[bool]| (0..).zip(bits).map(|(bit, &m)| u32::from(m) << bit).sum();
            marks.chunks(32).map(word).collect()
        }
    }
}

fn predicate<T: Keyed>(source: usize) -> Predicate<T> {
    let text = format!("({} & 1u) == 1u", T::KEY);
    let by_text = || Predicate::from_wgsl(&text).unwrap().with_host(|x: T, _| x.key() & 1 == 1);
    match source {
        0 => by_text(),
        1 => Predicate::flags(),
        2 => Predicate::packed_flags(),
        3 => by_text().and_flags(),
        _ => by_text().and_packed_flags(),
    }
}

impl Row<'_> {
    fn selections<T: Keyed>(&mut self, n: usize) {
        let context = self.context;
        let marks: Vec<bool> = (0..n).map(|i| is_marked(self.pattern, i, self.tile)).collect();
        // By both, one of three marks is the text's alone.
        let both = self.source > 2;
        let key = |i: usize| {
            (hash(i as u32, 5) % 5000) * 2 + u32::from(marks[i] || both && i.is_multiple_of(3))
        };
        let items: Vec<T> = (0..n).map(|i| T::of(key(i))).collect();
        let flags = flag_words(self.source, &marks);
        let source = input(context, &items, self.shift);
        let flag_slice = input(context, &flags, self.shift);
        let flag_slice = (self.source > 0).then_some(&flag_slice);
        let predicate = predicate::<T>(self.source);
        let counts = |n| Output::<u32>::new(context, n);
        let outcome = match self.primitive {
            "select" => {
                let make = |algorithm, tuning: &_| {
                    Select::with_algorithm(context, &predicate, algorithm, tuning)
                };
                let Some(select) = by_way(self.way, &self.tuning, make) else { return };
                let wanted = reference::select(&items, &flags, &predicate).unwrap();
                let (output, counts) = (self.output(&wanted), counts(1));
                let call = select.call(&source, flag_slice, &output.slice, &counts.slice).unwrap();
                self.counted(call, &counts, 1).map(|outcome| {
                    assert_eq!(outcome.counts, [wanted.len() as u32]);
                    self.compare("the output", &output, &wanted);
                })
            }
            "select indices" => {
                let make = |algorithm, tuning: &_| {
                    Select::indices_with_algorithm(context, &predicate, algorithm, tuning)
                };
                let Some(select) = by_way(self.way, &self.tuning, make) else { return };
                let numbers: Vec<u32> = (0..n as u32).collect();
                let kept = |i: &u32| {
                    let i = *i as usize;
                    let one = &items[i..=i];
                    // Its flags by themselves, as those of the first item.
                    let flags = match self.source {
                        0 => vec![],
                        _ => vec![u32::from(marks[i])],
                    };
                    !reference::select(one, &flags, &predicate).unwrap().is_empty()
                };
                let wanted: Vec<u32> = numbers.into_iter().filter(kept).collect();
                let (output, counts) = (self.output(&wanted), counts(1));
                let call = select.call(&source, flag_slice, &output.slice, &counts.slice).unwrap();
                self.counted(call, &counts, 1).map(|outcome| {
                    assert_eq!(outcome.counts, [wanted.len() as u32]);
                    self.compare("the output", &output, &wanted);
                })
            }
            "partition" => {
                let make = |algorithm, tuning: &_| {
                    Partition::with_algorithm(context, &predicate, algorithm, tuning)
                };
                let Some(partition) = by_way(self.way, &self.tuning, make) else { return };
                let wanted = reference::partition(&items, &flags, &predicate).unwrap();
                let outputs = wanted.each_ref().map(|wanted| self.output(wanted));
                let counts = counts(2);
                let slices = outputs.each_ref().map(|output| &output.slice);
                let call = partition.call(&source, flag_slice, slices, &counts.slice).unwrap();
                self.counted(call, &counts, 2).map(|outcome| {
                    assert_eq!(outcome.counts, wanted.each_ref().map(|w| w.len() as u32));
                    for (output, wanted) in outputs.iter().zip(&wanted) {
                        self.compare("an output", output, wanted);
                    }
                })
            }
            _ => {
                let text = format!(
                    "fn helper(k: u32) -> bool {{ return k % 3u == 0u; }}
fn keep(x: {}, i: u32) -> bool {{ return helper({}) || i == 7u; }}",
                    T::LAYOUT.wgsl(),
                    T::KEY
                );
                let host = |x: T, i| x.key().is_multiple_of(3) || i == 7;
                let second = Predicate::from_wgsl(&text).unwrap().with_host(host);
                let make = |algorithm, tuning: &_| {
                    PartitionThree::with_algorithm(context, &predicate, &second, algorithm, tuning)
                };
                let Some(partition) = by_way(self.way, &self.tuning, make) else { return };
                let wanted =
                    reference::partition_three(&items, &flags, &predicate, &second).unwrap();
                let outputs = wanted.each_ref().map(|wanted| self.output(wanted));
                let counts = counts(3);
                let slices = outputs.each_ref().map(|output| &output.slice);
                let call = partition.call(&source, flag_slice, slices, &counts.slice).unwrap();
                self.counted(call, &counts, 3).map(|outcome| {
                    assert_eq!(outcome.counts, wanted.each_ref().map(|w| w.len() as u32));
                    for (output, wanted) in outputs.iter().zip(&wanted) {
                        self.compare("an output", output, wanted);
                    }
                })
            }
        };
        self.checked += usize::from(outcome.is_some());
        self.given_up += usize::from(outcome.is_none());
    }

    fn runs<T: Keyed>(&mut self, n: usize) {
        let context = self.context;
        let mut key = 1;
        let keys: Vec<u32> = (0..n)
            .map(|i| {
                key = (key + u32::from(is_marked(self.pattern, i, self.tile))) % 7;
                key
            })
            .collect();
        let items: Vec<T> = keys.iter().map(|&key| T::of(key)).collect();
        let equality = match self.source {
            0 | 3 => Equality::<T>::by_value(),
            1 => Equality::by_bits(),
            // Neighbours, whatever they are: a run has at most the items of one pattern.
            _ => {
                let [a, b] = ["a", "b"].map(|name| T::KEY.replace("x", name));
                let text = format!("max({a}, {b}) - min({a}, {b}) < 2u");
                Equality::from_wgsl(&text)
                    .unwrap()
                    .with_host(|a: T, b: T| a.key().abs_diff(b.key()) < 2)
            }
        };
        let runs = reference::runs(&items, &equality).unwrap();
        let source = input(context, &items, self.shift);
        let heads: Vec<T> = runs.iter().map(|run| items[run.0 as usize]).collect();
        let counts = Output::<u32>::new(context, 1);
        let (way, tuning) = (self.way, self.tuning);
        let outcome = match self.primitive {
            "unique" => {
                let make = |algorithm, tuning: &_| {
                    Unique::with_algorithm(context, &equality, algorithm, tuning)
                };
                let Some(unique) = by_way(way, &tuning, make) else { return };
                let output = self.output(&heads);
                let call = unique.call(&source, &output.slice, &counts.slice).unwrap();
                self.counted(call, &counts, 1).map(|outcome| {
                    assert_eq!(outcome.counts, [heads.len() as u32]);
                    self.compare("the output", &output, &heads);
                })
            }
            "unique by key" => {
                let values: Vec<[u32; 3]> = (0..n as u32).map(|i| [i, i + 1, hash(i, 3)]).collect();
                let make = |algorithm, tuning: &_| {
                    UniqueByKey::<T, [u32; 3]>::with_algorithm(
                        context, &equality, algorithm, tuning,
                    )
                };
                let Some(unique) = by_way(way, &tuning, make) else { return };
                let wanted: Vec<[u32; 3]> = runs.iter().map(|run| values[run.0 as usize]).collect();
                let (out_keys, out_values) = (self.output(&heads), self.output(&wanted));
                let values: GpuSlice<[u32; 3]> = input(context, &values, self.shift);
                let call = unique
                    .call(&source, &values, &out_keys.slice, &out_values.slice, &counts.slice)
                    .unwrap();
                self.counted(call, &counts, 1).map(|outcome| {
                    assert_eq!(outcome.counts, [heads.len() as u32]);
                    self.compare("keys", &out_keys, &heads);
                    self.compare("values", &out_values, &wanted);
                })
            }
            "runs" => {
                let make = |algorithm, tuning: &_| {
                    RunLengths::with_algorithm(context, &equality, algorithm, tuning)
                };
                let Some(lengths) = by_way(way, &tuning, make) else { return };
                let wanted: Vec<u32> = runs.iter().map(|run| run.1).collect();
                let (out_values, out_lengths) = (self.output(&heads), self.output(&wanted));
                let call = lengths
                    .call(&source, &out_values.slice, &out_lengths.slice, &counts.slice)
                    .unwrap();
                self.counted(call, &counts, 1).map(|outcome| {
                    assert_eq!(outcome.counts, [heads.len() as u32]);
                    self.compare("values", &out_values, &heads);
                    self.compare("lengths", &out_lengths, &wanted);
                })
            }
            _ => {
                let make = |algorithm, tuning: &_| {
                    LongRuns::with_algorithm(context, &equality, algorithm, tuning)
                };
                let Some(long) = by_way(way, &tuning, make) else { return };
                let runs: Vec<_> = runs.iter().filter(|run| run.1 > 1).collect();
                let offsets: Vec<u32> = runs.iter().map(|run| run.0).collect();
                let lengths: Vec<u32> = runs.iter().map(|run| run.1).collect();
                let (out_offsets, out_lengths) = (self.output(&offsets), self.output(&lengths));
                let call = long
                    .call(&source, &out_offsets.slice, &out_lengths.slice, &counts.slice)
                    .unwrap();
                self.counted(call, &counts, 1).map(|outcome| {
                    assert_eq!(outcome.counts, [offsets.len() as u32]);
                    self.compare("offsets", &out_offsets, &offsets);
                    self.compare("lengths", &out_lengths, &lengths);
                })
            }
        };
        self.checked += usize::from(outcome.is_some());
        self.given_up += usize::from(outcome.is_none());
    }
}

impl Visit for Row<'_> {
    fn visit<T: Keyed>(&mut self) {
        match self.primitive {
            "select" | "select indices" | "partition" | "partition three" => {
                self.selections::<T>(self.n)
            }
            _ => self.runs::<T>(self.n),
        }
    }
}

#[test]
fn every_primitive_equals_the_reference() {
    let Some(context) = own() else { return };
    let emulated = common::without_subgroups(&context);
    let levels = [ELEMENTS.len(), PRIMITIVES.len(), WAYS.len(), SOURCES.len(), 2];
    let rows = pairwise::rows(levels);
    let n_rows = rows.len();
    let (mut checked, mut given_up) = (0, 0);
    for (index, row) in rows.into_iter().enumerate() {
        let [element, primitive, way, source, variant] = row;
        let context = if variant == 1 { &emulated } else { &context };
        let tuning = with_files(small_tiles(context), index);
        let lanes = tuning.workgroup_size as usize;
        let words = [1, 1, 1, 4, 2, 4][element];
        // Of a lane's words: the tile of most kernels.
        let tile = lanes * 8 / words;
        let mut row = Row {
            context,
            primitive: PRIMITIVES[primitive],
            way: WAYS[way],
            pattern: PATTERNS[0],
            source,
            tuning,
            n: 0,
            tile,
            room: 0,
            shift: index % 3,
            checked: 0,
            given_up: 0,
        };
        // Data and room cost no kernel, so they take turns with sizes. Many tiles have all data.
        let many = (0..PATTERNS.len()).map(|more| 21 * tile + more);
        let sizes = [0, 1, 2, tile - 1, tile, tile + 1, 3 * tile + 5].into_iter().chain(many);
        for (turn, n) in sizes.enumerate() {
            row.n = n;
            row.pattern = PATTERNS[(turn + index) % PATTERNS.len()];
            row.room = [-1, 0, 4][(turn + turn / 7) % 3];
            elements::visit(&mut row, element);
        }
        checked += row.checked;
        given_up += row.given_up;
    }
    println!("{n_rows} rows, {checked} calls compared, {given_up} gave up each time");
    assert!(n_rows >= 8 && checked > 10 * n_rows, "{checked} calls compared of {n_rows} rows");
}
