//! What is explored: the calls, the choices of files, the memory, and the seeded fault.

use crate::value::Form;

/// One call on the state: one dispatch.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub tiles: usize,
    /// Which piece of its scan it is. The first begins with an initial value, each other one with
    /// what the piece before has left on the device.
    pub piece: usize,
}

/// A scan of two pieces, a call of no tile, and one more scan. The second call cleans more than it
/// publishes, the last publishes more than it cleans, and both arrays are used again.
pub const CALLS: &[Call] = &[
    Call { tiles: 3, piece: 0 },
    Call { tiles: 2, piece: 1 },
    Call { tiles: 0, piece: 0 },
    Call { tiles: 3, piece: 0 },
];

/// Two calls, the second with fewer tiles.
pub const TWO_CALLS: &[Call] = &[Call { tiles: 3, piece: 0 }, Call { tiles: 2, piece: 1 }];

/// Two calls, so small that loads may be one by one while all stores wait.
pub const SMALL_CALLS: &[Call] = &[Call { tiles: 2, piece: 0 }, Call { tiles: 2, piece: 1 }];

/// `shaders/look_back`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookBack {
    /// Two descriptors are looked at together.
    Window,
    Chained,
}

/// `shaders/stalled`: what a walk does whose patience ran out, which may be after any look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnStall {
    /// No bound: it looks on for ever. Not a file; it shows what waits for what.
    Wait,
    /// `stalled/fail.wgsl`.
    Fail,
    /// `stalled/reduce.wgsl`; a walk that has reduced `most` tiles fails.
    Reduce { most: u8 },
}

/// How loads of descriptors are explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loads {
    /// Each load is a step of its own and gives what memory holds then; the loads of one look
    /// come in any order.
    OneByOne,
    /// A look is one step, and each of its words may give anything that it has held in the call.
    ///
    /// This covers `OneByOne`, loads that are done early, past other loads, and stores that reach
    /// some workgroups before others. It gives no more than per-word coherence allows, although
    /// one workgroup may seem to see a word step back from look to look: it never looks again at
    /// a descriptor that it took, and if it looked at one and did not take it, it may have read
    /// the zeros of the call's beginning then, after which all is to come. A look in vain changes
    /// nothing, so it is no step.
    Earlier,
}

/// Whether workgroups may stall: any number of them, each until no other can take a step. So a
/// workgroup that is never run again is covered: what the others do without it must come to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stalls {
    Never,
    /// Right after the ticket: nothing of it is ever seen.
    AtTicket,
    /// At any time after the ticket, with any part of its stores arrived.
    Anywhere,
}

/// A fault, put into the protocol on purpose. Three more are forms of descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The aggregate is published once more after the prefix.
    AggregateAgain,
    /// A helper stores plainly, where it should compare and exchange.
    PlainOffer,
    /// The live array is cleaned instead of the other.
    CleanLive,
    /// How much is cleaned is read from the live array's word.
    LengthOfLive,
    /// The last descriptor is not counted in the length of what was published.
    LengthShort,
    /// No length of what was published is stored.
    NoLength,
    /// The taker of the first ticket turns the arrays round and resets the count.
    TurnAtFirst,
    /// The taker of the first ticket turns the arrays round; the last one resets the count only.
    TurnEarly,
    /// No one turns the arrays round; the last taker resets the count only.
    NoTurn,
    /// A ticket is a load and a store, not one addition.
    TicketInTwo,
    /// A tile is a workgroup's number, not its ticket.
    TileByNumber,
    /// Workgroups past the number of tiles take a ticket like the others.
    ExtraTakes,
    /// A prefix in the window is taken though a nearer tile has nothing.
    GapIgnored,
    /// What stands before a piece, and before the next, are one word.
    OneCarry,
    /// What is left for the next piece lacks the last tile.
    CarryShort,
    /// Patience may end where all tiles are combined and only the carry is not.
    StallsAtStart,
    /// Tiles that give up are not counted.
    Uncounted,
    /// A tile that gives up publishes what it has as its prefix.
    FailedPublishes,
}

#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub form: Form,
    pub look_back: LookBack,
    pub on_stall: OnStall,
    pub loads: Loads,
    /// Whether those stores wait in a buffer too for which `Model::waits` says that it is all one.
    pub all_stores_wait: bool,
    pub stalls: Stalls,
    /// Workgroups that run at a time: started ones keep their place until they finish.
    pub resident: usize,
    /// Workgroups past the number of tiles.
    pub extra: usize,
    pub calls: &'static [Call],
    pub fault: Option<Fault>,
}

impl Setup {
    pub const fn new(form: Form, look_back: LookBack, on_stall: OnStall) -> Self {
        Self {
            form,
            look_back,
            on_stall,
            loads: Loads::Earlier,
            all_stores_wait: false,
            stalls: Stalls::AtTicket,
            resident: usize::MAX,
            extra: 1,
            calls: CALLS,
            fault: None,
        }
    }
}
