//! The steps of a workgroup: `shaders/scan_single_pass.wgsl`, `single_pass/state.wgsl` and
//! `stalled/*.wgsl`. The walk back is in `look.rs`.

use crate::model::{Model, Next, PARITY_BIT, Step, What, Wrong};
use crate::setup::{Fault, Loads, OnStall, Stalls};
use crate::state::{CONTROL, Phase, STATUS, State, Workgroup};
use crate::value::{self, Status, Value};

impl Model<'_> {
    /// All steps from a state: every one that a workgroup may take next, and every store under way
    /// that may arrive next.
    pub fn steps(&self, state: &State, out: &mut Vec<Next>) {
        out.clear();
        self.take_ticket(state, out);
        for group in 0..state.groups.len() {
            if state.groups[group].stalled {
                self.go_on(state, group, out);
                continue;
            }
            match state.groups[group].phase {
                Phase::Cleaning => self.clean(state, group, out),
                Phase::Walking => self.look_back(state, group, out),
                _ => {}
            }
            self.stop(state, group, out);
            self.arrivals(state, group, out);
        }
    }

    pub fn next(state: &State, group: usize, what: What) -> Next {
        Next { step: Step { group, what }, sure: true, state: *state, wrong: Vec::new() }
    }

    fn has_room(&self, state: &State) -> bool {
        let runs = |group: &&Workgroup| matches!(group.phase, Phase::Cleaning | Phase::Walking);
        state.groups.iter().filter(runs).count() < self.setup.resident
    }

    /// One more workgroup starts and takes its ticket. Nothing tells those apart that have not
    /// started, so the first of them stands for all, unless a tile is a workgroup's number.
    fn take_ticket(&self, state: &State, out: &mut Vec<Next>) {
        if self.has_room(state) {
            let all = if self.has(Fault::TileByNumber) { state.groups.len() } else { 1 };
            let idle = |group: &usize| state.groups[*group].phase == Phase::Idle;
            let idle = (0..state.groups.len()).filter(idle).take(all);
            out.extend(idle.map(|group| self.take(state, group)));
        }
    }

    fn take(&self, state: &State, group: usize) -> Next {
        let tiles = self.call.tiles;
        let mut next = Self::next(state, group, What::Takes);
        let control = if self.has(Fault::TicketInTwo) {
            let control = self.load(state, group, CONTROL);
            self.store(&mut next, CONTROL, control + 1, false);
            control
        } else {
            self.exchange(&mut next.state, CONTROL, |control| control + 1)
        };
        let (parity, ticket) = ((control >> 31) as u8, (control & !PARITY_BIT) as usize);
        let last = ticket + 1 == tiles;
        let tile = if self.has(Fault::TileByNumber) { group } else { ticket };
        let taken = |other: &Workgroup| {
            !matches!(other.phase, Phase::Idle | Phase::Left) && usize::from(other.tile) == tile
        };
        if tile >= tiles {
            next.wrong.push(Wrong::PastTheTiles);
            return next;
        }
        if state.groups.iter().any(taken) {
            next.wrong.push(Wrong::TakenTwice);
        }
        let mine = &mut next.state.groups[group];
        (mine.phase, mine.tile, mine.parity) = (Phase::Cleaning, tile as u8, parity);
        if last && !self.has(Fault::NoLength) {
            let short = usize::from(self.has(Fault::LengthShort));
            let length = (tiles - short) * self.setup.form.words();
            self.store(&mut next, Self::length_cell(parity), length as u64, false);
        }
        let turned = (control & PARITY_BIT) ^ PARITY_BIT;
        match self.setup.fault {
            Some(Fault::TurnAtFirst) if ticket == 0 => {
                self.store(&mut next, CONTROL, turned, false);
            }
            Some(Fault::TurnEarly) if ticket == 0 => {
                self.exchange(&mut next.state, CONTROL, |control| control ^ PARITY_BIT);
            }
            Some(Fault::TurnAtFirst) => {}
            Some(Fault::TurnEarly | Fault::NoTurn) if last => {
                self.store(&mut next, CONTROL, control & PARITY_BIT, false);
            }
            _ if last => self.store(&mut next, CONTROL, turned, false),
            _ => {}
        }
        next
    }

    /// A workgroup stalls.
    fn stop(&self, state: &State, group: usize, out: &mut Vec<Next>) {
        let mine = &state.groups[group];
        let may = match (self.setup.stalls, mine.phase) {
            (Stalls::Never, _) | (_, Phase::Idle | Phase::Left) => false,
            (_, Phase::Cleaning) => true,
            (Stalls::AtTicket, _) => false,
            (Stalls::Anywhere, phase) => {
                phase == Phase::Walking || !mine.buffer.pending().is_empty()
            }
        };
        if may {
            let mut next = Self::next(state, group, What::Stalls);
            // That it may does not help anyone.
            next.sure = false;
            next.state.groups[group].stalled = true;
            out.push(next);
        }
    }

    /// A stalled workgroup goes on when all others have finished or are stalled too.
    fn go_on(&self, state: &State, group: usize, out: &mut Vec<Next>) {
        let runs = |other: &Workgroup| match other.phase {
            Phase::Idle => self.has_room(state),
            Phase::Cleaning | Phase::Walking => !other.stalled,
            _ => false,
        };
        if state.groups.iter().any(runs) {
            return;
        }
        let mut next = Self::next(state, group, What::GoesOn);
        next.state.groups[group].stalled = false;
        // No one can know of its tile but by reducing it.
        let Workgroup { tile, phase, .. } = state.groups[group];
        let reduces = matches!(self.setup.on_stall, OnStall::Reduce { .. });
        let later = |other: &Workgroup| other.phase == Phase::Done && other.tile > tile;
        if phase == Phase::Cleaning && !reduces && state.groups.iter().any(later) {
            next.wrong.push(Wrong::Unfounded);
        }
        out.push(next);
    }

    /// Publishes the aggregate, and zeroes the tile's share of what the call before has published. One
    /// lane cleans, so that the share is not the tile's own descriptor. Both in one step: stores arrive
    /// in any order, and how much to zero no one writes in this call.
    fn clean(&self, state: &State, group: usize, out: &mut Vec<Next>) {
        let mut next = Self::next(state, group, What::Cleans);
        let (tile, parity) = (usize::from(state.groups[group].tile), state.groups[group].parity);
        let total = value::total(self.index, tile);
        self.publish(&mut next, tile, Status::Aggregate, total, false);
        let other = if self.has(Fault::CleanLive) { parity } else { parity ^ 1 };
        let of = if self.has(Fault::LengthOfLive) { parity } else { other };
        let length = self.load(state, group, Self::length_cell(of)) as usize;
        for word in (tile..length).step_by(self.call.tiles) {
            self.store(&mut next, self.descriptor(other, word), 0, false);
        }
        let mine = &mut next.state.groups[group];
        (mine.phase, mine.end) = (Phase::Walking, tile as u8);
        out.push(next);
    }

    /// The walk has met a prefix.
    pub fn finish(&self, next: &mut Next) {
        let group = next.step.group;
        let Workgroup { tile, prefix, .. } = next.state.groups[group];
        let tile = usize::from(tile);
        if prefix != self.right_prefix(&next.state, tile) {
            next.wrong.push(Wrong::Prefix);
        }
        let total = value::total(self.index, tile);
        let inclusive = value::combine(prefix, total);
        self.publish(next, tile, Status::Prefix, inclusive, false);
        if self.has(Fault::AggregateAgain) {
            self.publish(next, tile, Status::Aggregate, total, false);
        }
        if tile + 1 == self.call.tiles {
            let short = self.has(Fault::CarryShort);
            let carry = if short { prefix } else { inclusive };
            self.store(next, self.carry_cell(self.call.piece + 1), u64::from(carry), false);
        }
        next.state.groups[group].end_walk(Phase::Done);
    }

    /// What all tiles before one combine to, and what stands before the call.
    fn right_prefix(&self, state: &State, tile: usize) -> Value {
        let totals = (0..tile).map(|tile| value::total(self.index, tile));
        totals.fold(state.carry, value::combine)
    }

    /// The walk gives up. That is counted at once: no one reads the count within the call, and
    /// additions may come in any order.
    pub fn fail(&self, next: &mut Next) {
        let Workgroup { tile, prefix, .. } = next.state.groups[next.step.group];
        let tile = usize::from(tile);
        if self.has(Fault::FailedPublishes) {
            let inclusive = value::combine(prefix, value::total(self.index, tile));
            self.publish(next, tile, Status::Prefix, inclusive, false);
        } else {
            self.publish(next, tile, Status::Failed, value::IDENTITY, false);
        }
        if !self.has(Fault::Uncounted) {
            self.exchange(&mut next.state, STATUS, |given_up| given_up + 1);
        }
        next.state.groups[next.step.group].end_walk(Phase::Failed);
    }

    /// The walk may have no patience left.
    pub fn stall(&self, state: &State, group: usize, sure: bool, out: &mut Vec<Next>) {
        let mut next = Self::next(state, group, What::GivesUp);
        next.sure = sure;
        match self.setup.on_stall {
            OnStall::Wait => return,
            OnStall::Reduce { most } if state.groups[group].reduced < most => {
                // The helper finds the bits that the tile's own workgroup finds. It needs no answer
                // to its offer, which may arrive as late as a store.
                let Some(tile) = usize::from(state.groups[group].end).checked_sub(1) else {
                    next.wrong.push(Wrong::BeforeTheFirst);
                    return out.push(next);
                };
                let total = value::total(self.index, tile);
                let offer = !self.has(Fault::PlainOffer);
                next.step.what = What::Reduces(tile as u8);
                self.publish(&mut next, tile, Status::Aggregate, total, offer);
                let mine = &mut next.state.groups[group];
                mine.prefix = value::combine(total, mine.prefix);
                mine.end -= 1;
                mine.reduced += u8::from(usize::from(most) < self.call.tiles);
                mine.loaded.fill(crate::state::UNREAD);
            }
            OnStall::Reduce { .. } | OnStall::Fail => self.fail(&mut next),
        }
        out.push(next);
    }

    /// The oldest store to each word may arrive.
    fn arrivals(&self, state: &State, group: usize, out: &mut Vec<Next>) {
        let pending = state.groups[group].buffer.pending();
        for (at, first) in pending.iter().enumerate() {
            if at != 0 && pending[at - 1].cell == first.cell {
                continue;
            }
            let mut next = Self::next(state, group, What::Arrives(*first, self.word(first.id)));
            next.state.groups[group].buffer.remove(at);
            if first.offer {
                let mut failed = next.clone();
                (failed.step.what, failed.sure) = (What::OfferFails(*first), false);
                out.push(failed);
            }
            self.arrive(&mut next, *first);
            out.push(next);
        }
    }

    /// Whether each load is a step.
    pub fn one_by_one(&self) -> bool {
        self.setup.loads == Loads::OneByOne
    }
}
