//! A state of the model: the words of memory, the workgroups, and their stores under way. It packs
//! into few bytes, which are what the search compares.

use crate::setup::Loads;
use crate::value::{IDENTITY, Value};

/// Most workgroups, tiles of a call, descriptor words, and contents of one word in one call.
pub const GROUPS: usize = 6;
pub const TILES: usize = 5;
const CELLS: usize = DESCRIPTORS + 2 * TILES * 2;
const DEPTH: usize = 6;
const PENDING: usize = 20;

/// The words of `shaders/single_pass/state.wgsl`.
pub const CONTROL: usize = 0;
pub const STATUS: usize = 1;
pub const PUBLISHED: usize = 2;
pub const CARRY: usize = 4;
pub const DESCRIPTORS: usize = 6;

/// A word's content, as a number that the model has given it.
pub type Id = u8;

/// No content: the word was not loaded yet.
pub const UNREAD: Id = Id::MAX;

/// One word of memory: what it holds, after all else that it has held in this call.
#[derive(Clone, Copy)]
pub struct Cell {
    held: [Id; DEPTH],
    len: u8,
}

impl Cell {
    pub fn new(id: Id) -> Self {
        let mut held = [0; DEPTH];
        held[0] = id;
        Self { held, len: 1 }
    }

    pub fn held(&self) -> &[Id] {
        &self.held[..usize::from(self.len)]
    }

    pub fn newest(&self) -> Id {
        self.held[usize::from(self.len) - 1]
    }

    /// Puts a new content last, once.
    pub fn put(&mut self, id: Id) {
        let mut cell = Self { held: [0; DEPTH], len: 0 };
        let earlier = self.held().iter().copied().filter(|held| *held != id);
        for id in earlier.chain([id]) {
            assert!(usize::from(cell.len) < DEPTH, "a word held more than {DEPTH} contents");
            cell.held[usize::from(cell.len)] = id;
            cell.len += 1;
        }
        *self = cell;
    }
}

/// A store, or an offer, that has not reached memory. An offer stores only over zero.
#[derive(Clone, Copy, Debug)]
pub struct Pending {
    pub cell: u8,
    pub id: Id,
    pub offer: bool,
}

/// What of a workgroup's has not reached memory: by words, and of one word in program order.
/// Which word's comes first is open, so their order here says nothing.
#[derive(Clone, Copy)]
pub struct Buffer {
    pending: [Pending; PENDING],
    len: u8,
}

impl Buffer {
    const EMPTY: Self =
        Self { pending: [Pending { cell: 0, id: 0, offer: false }; PENDING], len: 0 };

    pub fn pending(&self) -> &[Pending] {
        &self.pending[..usize::from(self.len)]
    }

    pub fn push(&mut self, pending: Pending) {
        let len = usize::from(self.len);
        assert!(len < PENDING, "a workgroup has more than {PENDING} stores under way");
        let at = self.pending().partition_point(|other| other.cell <= pending.cell);
        self.pending.copy_within(at..len, at + 1);
        self.pending[at] = pending;
        self.len += 1;
    }

    pub fn remove(&mut self, at: usize) -> Pending {
        let removed = self.pending()[at];
        self.pending.copy_within(at + 1..usize::from(self.len), at);
        self.len -= 1;
        removed
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Not started.
    Idle,
    /// It found that it has no tile.
    Left,
    /// It has its ticket.
    Cleaning,
    /// It looks for what stands before its tile.
    Walking,
    Done,
    /// It has given up.
    Failed,
}

const PHASES: [Phase; 6] =
    [Phase::Idle, Phase::Left, Phase::Cleaning, Phase::Walking, Phase::Done, Phase::Failed];

/// A workgroup. What it needs no longer is put back to zero, so that equal futures are one state.
#[derive(Clone, Copy)]
pub struct Workgroup {
    pub phase: Phase,
    /// It takes no step until no other can take one, and none of its stores arrives.
    pub stalled: bool,
    pub tile: u8,
    pub parity: u8,
    /// The walk, as in `shaders/single_pass/walk.wgsl`, and the prefix so far.
    pub end: u8,
    pub reduced: u8,
    pub prefix: Value,
    /// What the look under way has loaded, of `Loads::OneByOne`.
    pub loaded: [Id; 4],
    pub buffer: Buffer,
}

impl Workgroup {
    pub fn new(phase: Phase) -> Self {
        Self {
            phase,
            stalled: false,
            tile: 0,
            parity: 0,
            end: 0,
            reduced: 0,
            prefix: IDENTITY,
            loaded: [UNREAD; 4],
            buffer: Buffer::EMPTY,
        }
    }

    /// It has finished its walk.
    pub fn end_walk(&mut self, phase: Phase) {
        *self = Self { tile: self.tile, buffer: self.buffer, ..Self::new(phase) };
    }
}

#[derive(Clone, Copy)]
pub struct State {
    pub cells: [Cell; CELLS],
    pub groups: [Workgroup; GROUPS],
    /// The array that this call is to publish in.
    pub live: u8,
    /// What stood before the call.
    pub carry: Value,
    /// The number of tiles that gave up, as it was before this call, and before its scan.
    pub before_call: u8,
    pub before_scan: u8,
}

impl State {
    /// All memory zero, as before the first call.
    pub fn zero(zero: Id) -> Self {
        Self {
            cells: [Cell::new(zero); CELLS],
            groups: [Workgroup::new(Phase::Left); GROUPS],
            live: 0,
            carry: IDENTITY,
            before_call: 0,
            before_scan: 0,
        }
    }

    /// Nothing runs, and no store is under way.
    pub fn is_over(&self) -> bool {
        let over = |group: &Workgroup| {
            matches!(group.phase, Phase::Left | Phase::Done | Phase::Failed)
                && group.buffer.pending().is_empty()
        };
        self.groups.iter().all(over)
    }

    /// The bytes of a state whose first `cells` words are in use.
    pub fn pack(&self, cells: usize, loads: Loads, bytes: &mut Vec<u8>) {
        bytes.clear();
        bytes.extend([self.live, self.before_call, self.before_scan]);
        bytes.extend(self.carry.to_le_bytes());
        for cell in &self.cells[..cells] {
            bytes.push(cell.len);
            bytes.extend(cell.held());
        }
        for group in &self.groups {
            bytes.push(group.phase as u8 | u8::from(group.stalled) << 7);
            if matches!(group.phase, Phase::Idle | Phase::Left) {
                continue;
            }
            bytes.push(group.tile | group.parity << 7);
            if group.phase == Phase::Walking {
                bytes.extend([group.end, group.reduced]);
                bytes.extend(group.prefix.to_le_bytes());
                if loads == Loads::OneByOne {
                    bytes.extend(group.loaded);
                }
            }
            bytes.push(group.buffer.len);
            for pending in group.buffer.pending() {
                bytes.extend([pending.cell | u8::from(pending.offer) << 7, pending.id]);
            }
        }
    }

    /// The state that was packed.
    pub fn unpack(bytes: &[u8], cells: usize, loads: Loads) -> Self {
        let mut at = bytes.iter().copied();
        let mut next = || at.next().expect("the state has been packed whole");
        let mut state = Self::zero(0);
        [state.live, state.before_call, state.before_scan] = [next(), next(), next()];
        state.carry = Value::from_le_bytes([next(), next(), next(), next()]);
        for cell in &mut state.cells[..cells] {
            cell.len = next();
            cell.held[..usize::from(cell.len)].fill_with(&mut next);
        }
        for group in &mut state.groups {
            let phase = next();
            *group = Workgroup::new(PHASES[usize::from(phase & 0x7f)]);
            group.stalled = phase >> 7 == 1;
            if matches!(group.phase, Phase::Idle | Phase::Left) {
                continue;
            }
            let taken = next();
            (group.tile, group.parity) = (taken & 0x7f, taken >> 7);
            if group.phase == Phase::Walking {
                (group.end, group.reduced) = (next(), next());
                group.prefix = Value::from_le_bytes([next(), next(), next(), next()]);
                if loads == Loads::OneByOne {
                    group.loaded.fill_with(&mut next);
                }
            }
            group.buffer.len = next();
            for pending in &mut group.buffer.pending[..usize::from(group.buffer.len)] {
                let (cell, id) = (next(), next());
                *pending = Pending { cell: cell & 0x7f, id, offer: cell >> 7 == 1 };
            }
        }
        state
    }
}
