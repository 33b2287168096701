//! Seeded faults: the search must find each, and call it what it is.

use std::collections::BTreeSet;

use crate::explore::explore;
use crate::model::Wrong::{self, *};
use crate::setup::Fault::{self, *};
use crate::setup::LookBack::{self, Chained, Window};
use crate::setup::OnStall::{self, Fail, Reduce, Wait};
use crate::setup::{Loads, SMALL_CALLS, Setup, Stalls, TWO_CALLS};
use crate::value::Form::{self, Apart, Merged, Packed64, Split32, Uncompared};

const ALL: OnStall = Reduce { most: u8::MAX };

type Row = (Form, LookBack, OnStall, Option<Fault>, &'static [Wrong]);

/// Faults in a call, and all that each leads to.
const IN_A_CALL: &[Row] = &[
    (Uncompared, Window, Fail, None, &[Prefix, Carry]),
    // An aggregate's state merged with a prefix's is a failure's.
    (Merged, Window, ALL, None, &[Prefix, GaveUp, Carry]),
    // The aggregate's value is taken for the prefix.
    (Apart, Window, Fail, None, &[Prefix, Carry]),
    (Split32, Window, Wait, Some(GapIgnored), &[Prefix, Carry]),
    (Split32, Window, ALL, Some(GapIgnored), &[Prefix, Carry]),
    // A walk that combines aggregates finds the same value, a chained one waits for ever.
    (Split32, Window, Wait, Some(AggregateAgain), &[Overwritten]),
    (Split32, Chained, Wait, Some(AggregateAgain), &[Overwritten, Stuck]),
    // The bits are the same, so a prefix is lost, and no value wrong.
    (Split32, Window, ALL, Some(PlainOffer), &[Overwritten]),
    (Packed64, Window, ALL, Some(PlainOffer), &[Overwritten]),
    (Split32, Window, ALL, Some(StallsAtStart), &[BeforeTheFirst]),
    (Split32, Window, Fail, Some(Uncounted), &[NotCounted, Carry]),
    (Split32, Window, Fail, Some(FailedPublishes), &[Prefix, Unfounded]),
];

/// Faults in what a call hands on to the next, or the taker of a ticket to others. Their races are
/// on words whose stores do not wait in the other searches.
const IN_THE_STATE: &[Row] = &[
    (Split32, Window, Wait, Some(CleanLive), &[Overwritten, LiveNotZero, Stuck]),
    (Split32, Window, Wait, Some(LengthOfLive), &[LiveNotZero]),
    (Split32, Window, Wait, Some(LengthShort), &[LiveNotZero]),
    (Split32, Window, Wait, Some(NoLength), &[LiveNotZero]),
    (Split32, Window, Wait, Some(TurnAtFirst), &[TakenTwice]),
    (Split32, Window, Wait, Some(TurnEarly), &[Stuck]),
    (Split32, Window, Fail, Some(TurnEarly), &[Prefix, Overwritten, LiveNotZero, Unfounded]),
    (Split32, Window, Wait, Some(NoTurn), &[Prefix, Overwritten, LiveNotZero, Control]),
    (Split32, Window, Wait, Some(TicketInTwo), &[TakenTwice]),
    (Split32, Window, Wait, Some(ExtraTakes), &[TakenTwice, PastTheTiles]),
    (Split32, Window, Wait, Some(OneCarry), &[Prefix]),
    (Split32, Window, Wait, Some(CarryShort), &[Carry]),
];

/// The search finds exactly what is wrong, with loads one by one as with earlier ones.
fn find(rows: &[Row], with: Setup) {
    for (form, look_back, on_stall, fault, wrong) in rows {
        let stalls = if *on_stall == Wait { Stalls::Never } else { Stalls::AtTicket };
        let (form, look_back, on_stall) = (*form, *look_back, *on_stall);
        finds(&Setup { form, look_back, on_stall, stalls, fault: *fault, ..with }, wrong);
    }
}

fn finds(setup: &Setup, wrong: &[Wrong]) {
    let start = std::time::Instant::now();
    let report = explore(setup);
    let found: BTreeSet<Wrong> = report.wrong.keys().copied().collect();
    let Setup { form, look_back, on_stall, loads, fault, .. } = setup;
    let name = format!("{form:?} {look_back:?} {on_stall:?} {loads:?} {fault:?}");
    println!("{name}: {:?} states, {found:?} {:?}", report.states, start.elapsed());
    for (wrong, trace) in &report.wrong {
        println!("  {wrong:?} {trace}");
    }
    assert_eq!(found, wrong.iter().copied().collect(), "{name}");
}

#[test]
fn faults_in_a_call_are_found() {
    for loads in [Loads::OneByOne, Loads::Earlier] {
        find(IN_A_CALL, Setup { loads, calls: TWO_CALLS, ..Setup::new(Split32, Window, Wait) });
    }
}

#[test]
fn faults_in_the_state_are_found() {
    for (loads, calls) in [(Loads::OneByOne, SMALL_CALLS), (Loads::Earlier, TWO_CALLS)] {
        let all_stores_wait = true;
        let with = Setup { loads, all_stores_wait, calls, ..Setup::new(Split32, Window, Wait) };
        find(IN_THE_STATE, with);
    }
}

/// Who waits for ever: where a tile is a workgroup's number and few run at a time, and where a
/// workgroup stalls and nothing helps.
#[test]
fn endless_waits_are_found() {
    let wait = Setup { calls: TWO_CALLS, ..Setup::new(Split32, Window, Wait) };
    let by_number = Setup { fault: Some(TileByNumber), stalls: Stalls::Never, resident: 2, ..wait };
    finds(&by_number, &[Stuck]);
    // With all of them running it is no fault, nor where patience ends.
    finds(&Setup { resident: usize::MAX, ..by_number }, &[]);
    finds(&Setup { on_stall: Fail, ..by_number }, &[]);
    finds(&Setup { on_stall: ALL, ..by_number }, &[]);
    finds(&Setup { stalls: Stalls::AtTicket, ..wait }, &[Stuck]);
    finds(&Setup { stalls: Stalls::AtTicket, look_back: Chained, ..wait }, &[Stuck]);
}

/// No check is there that no fault has set off.
#[test]
fn every_check_has_its_fault() {
    let found: BTreeSet<Wrong> =
        IN_A_CALL.iter().chain(IN_THE_STATE).flat_map(|row| row.4).copied().collect();
    assert_eq!(found.len(), Wrong::Stuck as usize + 1, "{found:?}");
}
