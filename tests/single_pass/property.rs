//! The property set: every way equals the reference, for each kind of element and operator,
//! wherever input and output lie.

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;

use crate::common::operators::Visit;
use crate::common::{self, Place, ladder, small_tiles, with_files};
use crate::*;

const PLACES: [Place; 4] = [Place::Apart, Place::Offset(1, 0), Place::Same, Place::OneBuffer];

/// One row of the cover.
struct Row<'a> {
    context: &'a Context,
    way: Way,
    place: Place,
    /// Which kind, files and checks take part.
    turn: usize,
    gave_up: usize,
    /// Sizes of many tiles whose calls gave up each time.
    given_up: usize,
    calls: usize,
}

impl Visit for Row<'_> {
    fn visit<I: Element, A: Element, O: Element>(
        &mut self,
        name: &str,
        operator: &Operator<I, A, O>,
        make: fn(usize) -> I,
    ) {
        let Row { context, way, turn, .. } = *self;
        let kind = [Kind::Inclusive, Kind::Exclusive][turn % 2];
        let tuning = with_files(small_tiles(context), turn / 2);
        let Some(scan) = scan_by(context, operator, kind, way, &tuning) else { return };
        // A waiting tile may read what another has overwritten.
        let place = match (self.place, way.0) {
            (Place::Same, Algorithm::Fallback) => Place::Apart,
            (place, _) => place,
        };
        let kernel = scan.plan(1).unwrap().passes[0].kernel;
        let tile = kernel.tile_items() as usize;
        let lanes = context.capabilities().subgroup_lanes_max.max(4);
        let mut sizes = ladder(lanes, kernel.workgroup_size, kernel.tile_items());
        sizes.extend([tile * 33, tile * 299 + 7]);
        for n in sizes {
            let input: Vec<I> = (0..n).map(make).collect();
            let wanted = reference::scan(&input, operator, kind, None).unwrap();
            // A pass that may give up is asked again: right or nothing, and of a few tiles not
            // nothing each time.
            for tries in 1.. {
                self.calls += 1;
                match common::scan_at(context, &scan, &input, place) {
                    Ok(got) => {
                        let difference = common::first_difference(&got, &wanted);
                        assert_eq!(difference, None, "{name} {way:?} {kind:?} {place:?} n = {n}");
                        break;
                    }
                    Err(Error::Stalled) if may_give_up(way.0) && n > tile * 3 && tries == 3 => {
                        self.given_up += 1;
                        break;
                    }
                    Err(Error::Stalled) if may_give_up(way.0) && tries < 10 => self.gave_up += 1,
                    Err(error) => panic!("{name} {way:?} n = {n}: {error}"),
                }
            }
        }
    }
}

/// What a full run has passed on this driver, so that it can go on where it was stopped.
struct Log {
    path: PathBuf,
    passed: HashSet<String>,
}

impl Log {
    fn open() -> Self {
        let driver = std::env::var("LOOKBACK_DRIVER").unwrap_or_else(|_| "default".to_owned());
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("full-{driver}.txt"));
        let passed = std::fs::read_to_string(&path).unwrap_or_default();
        Log { passed: passed.lines().map(str::to_owned).collect(), path }
    }

    fn add(&self, row: &str) {
        let mut options = std::fs::OpenOptions::new();
        let mut file = options.create(true).append(true).open(&self.path).unwrap();
        writeln!(file, "{row}").unwrap();
    }
}

#[test]
fn every_way_equals_the_reference() {
    let Some(context) = own() else { return };
    let emulated = common::without_subgroups(&context);
    let ways = ways();
    let only = std::env::var("LOOKBACK_ALGORITHM").ok();
    let levels = [elements::ELEMENTS.len(), elements::KINDS.len(), ways.len(), 2];
    let rows = pairwise::rows(levels);
    let log = is_full().then(Log::open);
    let (mut gave_up, mut given_up, mut calls, mut passed) = (0, 0, 0, 0);
    for (index, [element, kind, way, variant]) in rows.into_iter().enumerate() {
        let way = ways[way];
        if only.as_ref().is_some_and(|only| only != way.0.name()) {
            continue;
        }
        let name =
            format!("{} {} {way:?} {variant}", elements::ELEMENTS[element], elements::KINDS[kind]);
        if log.as_ref().is_some_and(|log| log.passed.contains(&name)) {
            continue;
        }
        let context = if variant == 1 { &emulated } else { &context };
        // Places take turns with kinds of scans and with files.
        let (place, turn) = (PLACES[(index + element) % 4], index);
        let mut row = Row { context, way, place, turn, gave_up: 0, given_up: 0, calls: 0 };
        elements::visit(&mut row, element, kind);
        gave_up += row.gave_up;
        given_up += row.given_up;
        calls += row.calls;
        passed += 1;
        if let Some(log) = &log {
            log.add(&name);
        }
    }
    println!(
        "{passed} rows, {calls} calls; {gave_up} gave up and were asked again, {given_up} in vain"
    );
    assert!(is_full() || only.is_some() || passed >= 8, "the cover has shrunk to {passed} rows");
}

/// Values too wide for the other forms, which the fenced one takes.
#[test]
fn wide_values_are_fenced() {
    let Some(context) = own() else { return };
    let wide = operators::wide().with_host(operators::add_five);
    let tuning = small_tiles(&context);
    let input: Vec<operators::Five> = (0..20_000).map(operators::five).collect();
    let wanted = reference::scan(&input, &wide, Kind::Inclusive, None).unwrap();
    for algorithm in [Algorithm::Chained, Algorithm::LookBack, Algorithm::Fallback] {
        let way = (algorithm, Some(Descriptor::Fenced));
        let Some(scan) = scan_by(&context, &wide, Kind::Inclusive, way, &tuning) else { return };
        let source = context.upload(&input).unwrap();
        let output = context.allocate(input.len() as u64).unwrap();
        let got = insisted(&context, &scan, way, &source, &output);
        assert_eq!(common::first_difference(&got, &wanted), None, "{algorithm}");
    }
    for form in [Descriptor::Packed64, Descriptor::Split32] {
        let tuning = Tuning { descriptor: Some(form), ..tuning };
        let fallback = Algorithm::Fallback;
        let error = Scan::with_algorithm(&context, &wide, Kind::Inclusive, fallback, &tuning);
        match error.unwrap_err() {
            Error::Length { wanted: 4, got: 5, .. } => {}
            Error::Feature { .. } if !context.capabilities().atomics_64 => {}
            error => panic!("{error}"),
        }
    }
}
