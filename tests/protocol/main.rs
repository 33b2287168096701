//! The protocol of a single pass, explored: every order in which the steps of its workgroups and
//! their stores can come, over calls that hand the state on. Needs no GPU.
//!
//! Modelled are `shaders/scan_single_pass.wgsl`, `single_pass/`, `descriptor/`, `look_back/`,
//! `stalled/` and `carry/state.wgsl`, written again by hand, a workgroup as one: its barriers keep
//! its lanes together and order nothing between workgroups. An atomic load, store or
//! read-modify-write of one word is a step. Memory is relaxed, since that is all that WGSL gives:
//! each word has one order of stores that all agree on (coherence), and between words there is no
//! order at all. A store waits in its workgroup's buffer and arrives at any time later, after
//! earlier stores to the same word only; loads of a look come in any order, and in
//! `Loads::Earlier` out of any order. Patience may run out after any look in vain. Workgroups may
//! stall until all others have ended. A weak compare-exchange may fail by chance. Between two calls
//! of a queue is a full barrier.
//!
//! Not modelled: the tiles' own items, so that a helper finds the bits of the tile's own workgroup
//! is taken for granted; values of more than one word; the fenced form; counts of looks and of tiles reduced; stores
//! that arrive before a load that decides whether they happen.
//!
//! Sources: Merrill & Garland 2016 (decoupled look-back); Smith, Levien & Owens 2025 (decoupled
//! fallback).

mod explore;
mod faults;
mod look;
mod model;
mod seen;
mod setup;
mod state;
mod steps;
mod value;

use std::time::Instant;

use explore::{Report, explore};
use setup::LookBack::{Chained, Window};
use setup::OnStall::{Fail, Reduce, Wait};
use setup::{Call, Loads, LookBack, OnStall, Setup, Stalls};
use value::Form::{self, Packed64, Split32};

/// A walk that reduces as many tiles as there are.
const ALL: OnStall = Reduce { most: u8::MAX };

/// A walk that may reduce one tile and then gives up.
const ONE: OnStall = Reduce { most: 1 };

/// Explores a setup that is right, and returns what its calls can end with. `least`: the states
/// that there are at least, so that a search that stops early is no proof.
fn check(setup: &Setup, least: usize) -> Report {
    let start = Instant::now();
    let report = explore(setup);
    let Setup { form, look_back, on_stall, loads, stalls, .. } = setup;
    let name = format!("{form:?} {look_back:?} {on_stall:?} {loads:?} {stalls:?}");
    let took = start.elapsed();
    println!("{name}: {:?} states in {took:.1?}", report.states);
    for (wrong, trace) in &report.wrong {
        println!("{wrong:?} {trace}");
    }
    assert!(report.wrong.is_empty(), "{name}: {:?}", report.wrong.keys());
    let states = report.states.iter().sum::<usize>();
    assert!(states >= least, "{name}: explored {states} states, there are at least {least}");
    report
}

/// Nothing can stall where nothing helps.
fn setup(form: Form, look_back: LookBack, on_stall: OnStall) -> Setup {
    let stalls = if on_stall == Wait { Stalls::Never } else { Stalls::AtTicket };
    Setup { stalls, ..Setup::new(form, look_back, on_stall) }
}

#[test]
fn prefixes_are_right_over_four_calls() {
    let rows = [
        (Split32, Window, Wait, [900, 33_000]),
        (Split32, Window, Fail, [14_000, 240_000]),
        (Split32, Window, ALL, [170_000, 410_000]),
        (Split32, Window, ONE, [84_000, 410_000]),
        (Split32, Chained, Wait, [500, 3_400]),
        (Split32, Chained, Fail, [5_900, 18_000]),
        (Split32, Chained, ALL, [170_000, 280_000]),
        (Split32, Chained, ONE, [61_000, 180_000]),
        (Packed64, Window, Wait, [250, 440]),
        (Packed64, Window, Fail, [3_300, 5_000]),
        (Packed64, Window, ALL, [4_300, 5_100]),
        (Packed64, Window, ONE, [4_800, 5_900]),
        (Packed64, Chained, Wait, [160, 160]),
        (Packed64, Chained, Fail, [1_400, 1_400]),
        (Packed64, Chained, ALL, [4_300, 4_300]),
        (Packed64, Chained, ONE, [3_300, 3_300]),
    ];
    for (form, look_back, on_stall, least) in rows {
        for (loads, least) in [Loads::Earlier, Loads::OneByOne].into_iter().zip(least) {
            check(&Setup { loads, ..setup(form, look_back, on_stall) }, least);
        }
    }
}

#[test]
fn four_tiles() {
    const CALLS: &[Call] = &[Call { tiles: 4, piece: 0 }, Call { tiles: 3, piece: 1 }];
    let rows = [
        (Split32, Window, Wait, 4_400),
        (Split32, Window, Fail, 41_000),
        (Split32, Chained, Fail, 22_000),
        (Packed64, Window, ALL, 160_000),
        (Packed64, Chained, ALL, 160_000),
        (Packed64, Window, ONE, 61_000),
    ];
    for (form, look_back, on_stall, least) in rows {
        check(&Setup { calls: CALLS, ..setup(form, look_back, on_stall) }, least);
    }
}

/// Part of a workgroup's stores has arrived when it stalls.
#[test]
fn stalls_anywhere() {
    let rows = [
        (Split32, Window, Fail, Loads::OneByOne, 170_000),
        (Split32, Window, Fail, Loads::Earlier, 7_000),
        (Split32, Window, ALL, Loads::Earlier, 550_000),
        (Split32, Window, ONE, Loads::Earlier, 160_000),
        (Split32, Chained, ALL, Loads::Earlier, 550_000),
        (Packed64, Window, ALL, Loads::Earlier, 10_000),
    ];
    let (calls, stalls) = (setup::TWO_CALLS, Stalls::Anywhere);
    for (form, look_back, on_stall, loads, least) in rows {
        check(&Setup { calls, loads, stalls, ..Setup::new(form, look_back, on_stall) }, least);
    }
}

/// Tickets let tiles wait for earlier ones although only two workgroups run at a time.
#[test]
fn few_workgroups_at_a_time() {
    for (on_stall, least) in [(Wait, 800), (Fail, 9_000), (ALL, 130_000)] {
        check(&Setup { resident: 2, ..setup(Split32, Window, on_stall) }, least);
    }
}

/// What makes the search small loses nothing: each load a step and each store one under way, it
/// comes to the same ends.
#[test]
fn reductions_lose_no_end() {
    const SMALL: &[Call] = &[
        Call { tiles: 2, piece: 0 },
        Call { tiles: 2, piece: 1 },
        Call { tiles: 1, piece: 2 },
        Call { tiles: 2, piece: 0 },
    ];
    let two = setup::TWO_CALLS;
    let rows = [
        (Split32, Window, Wait, two, 350_000),
        (Split32, Window, Fail, two, 800_000),
        (Split32, Chained, Fail, two, 300_000),
        (Split32, Window, ALL, SMALL, 100_000),
        (Packed64, Window, Fail, two, 9_000),
        (Packed64, Window, ALL, two, 20_000),
    ];
    for (form, look_back, on_stall, calls, least) in rows {
        let small = Setup { calls, ..setup(form, look_back, on_stall) };
        let whole = Setup { loads: Loads::OneByOne, all_stores_wait: true, ..small };
        let [small, whole] = [check(&small, 0), check(&whole, least)];
        assert_eq!(small.ends, whole.ends, "{form:?} {look_back:?} {on_stall:?}");
    }
}
