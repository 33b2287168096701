//! Memory and calls: what a load gives, when a store arrives, how a call begins, and what must
//! hold at its end.

use std::cell::RefCell;
use std::fmt;

use crate::setup::{Call, Fault, Loads, LookBack, OnStall, Setup};
use crate::state::{
    CARRY, CONTROL, Cell, DESCRIPTORS, GROUPS, Id, PUBLISHED, Pending, Phase, STATUS, State, TILES,
    Workgroup,
};
use crate::value::{self, Status, Value};

pub const PARITY_BIT: u64 = 1 << 31;

/// What can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    /// A workgroup finished with another prefix than the right one.
    Prefix,
    /// A tile was taken twice in a call.
    TakenTwice,
    /// A ticket is past the number of tiles.
    PastTheTiles,
    /// A walk reduces the tile before the first.
    BeforeTheFirst,
    /// A descriptor's word lost an aggregate, a prefix or a failure.
    Overwritten,
    /// A call begins with a word that is not zero in the array that it is to publish in.
    LiveNotZero,
    /// A call leaves a control word that does not begin the next.
    Control,
    /// A call has no failure counted, and not all of its prefixes are there.
    NotCounted,
    /// A workgroup gave up although it may not, or need not.
    GaveUp,
    /// A workgroup has a prefix with a tile in it that nobody has published or reduced.
    Unfounded,
    /// A piece finds another carry than the right one, and no failure was counted.
    Carry,
    /// A workgroup that is not stalled can never finish.
    Stuck,
}

impl Wrong {
    /// Whether nothing is worth knowing of what comes after.
    pub fn ends_all(self) -> bool {
        matches!(self, Self::TakenTwice | Self::PastTheTiles | Self::BeforeTheFirst)
    }
}

/// What one workgroup does in one step.
#[derive(Clone, Copy, Debug)]
pub enum What {
    Takes,
    Stalls,
    GoesOn,
    Cleans,
    Loads(u8),
    Looks,
    GivesUp,
    Reduces(u8),
    /// A store, or an offer, reaches memory.
    Arrives(Pending, u64),
    /// An offer fails, as a weak compare-exchange may whatever it finds.
    OfferFails(Pending),
}

#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub group: usize,
    pub what: What,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (group, what) = (self.group, self.what);
        match what {
            What::Arrives(Pending { cell, offer, .. }, word) => {
                let of = if offer { "offer" } else { "store" };
                write!(f, "workgroup {group}: {of} of {word:#x} reaches word {cell}")
            }
            What::OfferFails(Pending { cell, .. }) => {
                write!(f, "workgroup {group}: offer fails at word {cell}")
            }
            What::Loads(cell) => write!(f, "workgroup {group}: loads word {cell}"),
            What::Reduces(tile) => write!(f, "workgroup {group}: reduces tile {tile}"),
            _ => write!(f, "workgroup {group}: {what:?}"),
        }
    }
}

/// A state that a step leads to.
#[derive(Clone)]
pub struct Next {
    pub step: Step,
    /// The step can be taken whatever the workgroup has loaded before, and without bad luck: it
    /// loads the newest of each word, no offer fails by chance, and nothing stalls.
    pub sure: bool,
    pub state: State,
    pub wrong: Vec<Wrong>,
}

/// The protocol in one call of a setup.
pub struct Model<'a> {
    pub setup: &'a Setup,
    pub index: usize,
    pub call: Call,
    words: &'a RefCell<Vec<u64>>,
}

impl<'a> Model<'a> {
    /// `words` are the contents that have a number, shared by all calls of a setup.
    pub fn new(setup: &'a Setup, index: usize, words: &'a RefCell<Vec<u64>>) -> Self {
        let call = setup.calls[index];
        assert!(call.tiles <= TILES && call.tiles + setup.extra <= GROUPS, "{call:?} is too large");
        Self { setup, index, call, words }
    }

    pub fn has(&self, fault: Fault) -> bool {
        self.setup.fault == Some(fault)
    }

    /// The number of a content; a new one if it has none.
    pub fn id(&self, word: u64) -> Id {
        let mut words = self.words.borrow_mut();
        let known = words.iter().position(|known| *known == word);
        let id = known.unwrap_or_else(|| {
            words.push(word);
            words.len() - 1
        });
        assert!(id < usize::from(crate::state::UNREAD), "more contents than numbers");
        id as Id
    }

    pub fn word(&self, id: Id) -> u64 {
        self.words.borrow()[usize::from(id)]
    }

    /// Words of memory that the setup uses.
    pub fn cells(&self) -> usize {
        DESCRIPTORS + 2 * self.array_words()
    }

    fn array_words(&self) -> usize {
        let tiles = self.setup.calls.iter().map(|call| call.tiles).max().unwrap_or(0);
        tiles * self.setup.form.words()
    }

    /// A word of an array of descriptors.
    pub fn descriptor(&self, parity: u8, word: usize) -> usize {
        DESCRIPTORS + usize::from(parity) * self.array_words() + word
    }

    /// The newest content of a word: the workgroup's own, if one is under way.
    pub fn load(&self, state: &State, group: usize, cell: usize) -> u64 {
        let pending = state.groups[group].buffer.pending().iter();
        let own = pending.rev().find(|pending| usize::from(pending.cell) == cell);
        self.word(own.map_or(state.cells[cell].newest(), |own| own.id))
    }

    /// Stores. To issue a store is no step: only when it arrives can another workgroup tell.
    pub fn store(&self, next: &mut Next, cell: usize, word: u64, offer: bool) {
        let pending = Pending { cell: cell as u8, id: self.id(word), offer };
        if self.waits(&next.state, cell) {
            next.state.groups[next.step.group].buffer.push(pending);
        } else {
            self.arrive(next, pending);
        }
    }

    /// Whether it matters when a store to a word arrives. What is cleaned, what the last tile
    /// publishes, and what the last taker and the last tile leave for the next call are stored by
    /// one workgroup each, and no other loads them before the barrier, so there any time is as good
    /// as at once. `all_stores_wait` takes none of this for granted.
    fn waits(&self, state: &State, cell: usize) -> bool {
        let first = self.descriptor(state.live, 0);
        let awaited = self.setup.form.words() * (self.call.tiles - 1);
        self.setup.all_stores_wait || (first..first + awaited).contains(&cell)
    }

    /// A store reaches memory.
    pub fn arrive(&self, next: &mut Next, Pending { cell, id, offer }: Pending) {
        let cell = usize::from(cell);
        let old = self.word(next.state.cells[cell].newest());
        if offer && old != 0 {
            return;
        }
        let first = self.descriptor(next.state.live, 0);
        if (first..first + self.array_words()).contains(&cell) {
            let [old, new] = [old, self.word(id)].map(|word| self.setup.form.status(word) as u8);
            if new < old {
                next.wrong.push(Wrong::Overwritten);
            }
        }
        if cell < DESCRIPTORS || self.setup.loads == Loads::OneByOne {
            // Only the newest is loaded.
            next.state.cells[cell] = Cell::new(id);
        } else {
            next.state.cells[cell].put(id);
        }
    }

    /// An atomicAdd or the like: it acts on what memory holds. Returns what was there.
    pub fn exchange(&self, state: &mut State, cell: usize, new: impl Fn(u64) -> u64) -> u64 {
        let old = self.word(state.cells[cell].newest());
        state.cells[cell] = Cell::new(self.id(new(old)));
        old
    }

    /// Publishes the descriptor of a tile of a workgroup's own, or offers that of another.
    pub fn publish(&self, next: &mut Next, tile: usize, status: Status, value: Value, offer: bool) {
        let form = self.setup.form;
        let parity = next.state.groups[next.step.group].parity;
        let words = form.encode(status, value);
        for (w, word) in words.into_iter().enumerate().take(form.words()) {
            let cell = self.descriptor(parity, tile * form.words() + w);
            self.store(next, cell, word, offer);
        }
    }

    /// The state at the beginning of the call, and whether its carry is wrong.
    pub fn begin(&self, before: &State) -> (State, Option<Wrong>) {
        let mut state = *before;
        for cell in &mut state.cells {
            *cell = Cell::new(cell.newest());
        }
        let newest = |cell: usize| self.word(state.cells[cell].newest());
        let given_up = newest(STATUS) as u8;
        let live = u8::from(newest(CONTROL) & PARITY_BIT != 0);
        let right = self.right_carry();
        let (mut carry, mut before_scan) = (right, given_up);
        if self.call.piece != 0 {
            carry = newest(self.carry_cell(self.call.piece)) as Value;
            before_scan = state.before_scan;
        }
        // After a failure in a piece before, the carry is whatever stands there.
        let wrong = (carry != right && given_up == before_scan).then_some(Wrong::Carry);
        // Workgroups past the number of tiles leave, and touch nothing before: when is all one.
        let extra = if self.has(Fault::ExtraTakes) { Phase::Idle } else { Phase::Left };
        let groups = std::array::from_fn(|group| {
            let phase = match group {
                _ if group < self.call.tiles => Phase::Idle,
                _ if group < self.call.tiles + self.setup.extra => extra,
                _ => Phase::Left,
            };
            Workgroup::new(phase)
        });
        (State { groups, live, carry, before_call: given_up, before_scan, ..state }, wrong)
    }

    /// What stands before this call's piece, if no tile gave up in those before.
    fn right_carry(&self) -> Value {
        let first = self.index - self.call.piece;
        let mut carry = value::initial(first);
        for call in first..self.index {
            for tile in 0..self.setup.calls[call].tiles {
                carry = value::combine(carry, value::total(call, tile));
            }
        }
        carry
    }

    /// What is wrong with a state at the end of the call.
    pub fn at_end(&self, state: &State) -> Vec<Wrong> {
        let mut wrong = Vec::new();
        let newest = |cell: usize| self.word(state.cells[cell].newest());
        let live = u64::from(state.live);
        let turned = if self.call.tiles == 0 { live } else { live ^ 1 };
        if newest(CONTROL) != turned << 31 {
            wrong.push(Wrong::Control);
        }
        let next_live = u8::from(newest(CONTROL) & PARITY_BIT != 0);
        if (0..self.array_words()).any(|word| newest(self.descriptor(next_live, word)) != 0) {
            wrong.push(Wrong::LiveNotZero);
        }
        let any_failed = state.groups.iter().any(|group| group.phase == Phase::Failed);
        if any_failed && newest(STATUS) == u64::from(state.before_call) {
            wrong.push(Wrong::NotCounted);
        }
        let may_fail = match self.setup.on_stall {
            OnStall::Wait => false,
            OnStall::Fail => true,
            OnStall::Reduce { most } => usize::from(most) < self.call.tiles,
        };
        if any_failed && !may_fail {
            wrong.push(Wrong::GaveUp);
        }
        wrong
    }

    /// The words of the memory, and of each workgroup how it ended.
    pub fn summary(&self, end: &State) -> Vec<u64> {
        let words = end.cells[..self.cells()].iter().map(|cell| self.word(cell.newest()));
        words.chain(end.groups.iter().map(|group| group.phase as u64)).collect()
    }

    /// Descriptors that are looked at together.
    pub fn window(&self) -> usize {
        match self.setup.look_back {
            LookBack::Window => 2,
            LookBack::Chained => 1,
        }
    }

    /// The word with what stands before a piece.
    pub fn carry_cell(&self, piece: usize) -> usize {
        CARRY + if self.has(Fault::OneCarry) { 0 } else { piece % 2 }
    }

    /// The word with the length of what was published in an array.
    pub fn length_cell(parity: u8) -> usize {
        PUBLISHED + usize::from(parity)
    }
}
