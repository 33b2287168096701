//! A look back: `shaders/look_back/workgroup.wgsl` and `chained.wgsl`.

use crate::model::{Model, Next, What};
use crate::setup::{Fault, LookBack};
use crate::state::{State, UNREAD};
use crate::value::{self, Descriptor, IDENTITY, Status, Value};

/// Most descriptors that are looked at together.
const WINDOW: usize = 2;

/// What comes of a look.
enum Found {
    /// An inclusive prefix. What stands before tile `end` is in the value.
    Prefix {
        value: Value,
        end: usize,
    },
    /// Aggregates only, down to tile `end`.
    Aggregates {
        value: Value,
        end: usize,
    },
    Failure,
    Nothing,
}

impl Model<'_> {
    /// The steps of a walk: a look, or the loads of one.
    pub fn look_back(&self, state: &State, group: usize, out: &mut Vec<Next>) {
        let seen = self.window().min(usize::from(state.groups[group].end));
        if self.one_by_one() {
            self.look_one_by_one(state, group, seen, out);
        } else {
            self.look_at_any(state, group, seen, out);
        }
    }

    /// The word that is looked at as number `at` of a look: the nearest tile's come first.
    fn looked_at(&self, state: &State, group: usize, at: usize) -> usize {
        let mine = &state.groups[group];
        let words = self.setup.form.words();
        let tile = usize::from(mine.end) - 1 - at / words;
        self.descriptor(mine.parity, tile * words + at % words)
    }

    /// `Loads::OneByOne`: any word that this look has not loaded is loaded next.
    fn look_one_by_one(&self, state: &State, group: usize, seen: usize, out: &mut Vec<Next>) {
        let words = self.setup.form.words();
        if seen == 0 {
            self.decide(state, group, &[], true, out);
        }
        for at in 0..seen * words {
            if state.groups[group].loaded[at] != UNREAD {
                continue;
            }
            let cell = self.looked_at(state, group, at);
            let mut next = Self::next(state, group, What::Loads(cell as u8));
            let loaded = &mut next.state.groups[group].loaded;
            loaded[at] = self.id(self.load(state, group, cell));
            let loaded = *loaded;
            if loaded[..seen * words].contains(&UNREAD) {
                out.push(next);
                continue;
            }
            let word = |at: usize| self.word(loaded[at]);
            let mut descriptors = [Descriptor::NOTHING; WINDOW];
            for (behind, descriptor) in descriptors.iter_mut().enumerate().take(seen) {
                let first = behind * words;
                *descriptor = self.setup.form.decode([word(first), word(first + words - 1)]);
            }
            // What this step loaded last is gone with the look.
            next.state.groups[group].loaded = [UNREAD; 4];
            self.decide(&next.state, group, &descriptors[..seen], true, out);
        }
    }

    /// `Loads::Earlier`: every descriptor that the words may make up, nearest tile first.
    fn look_at_any(&self, state: &State, group: usize, seen: usize, out: &mut Vec<Next>) {
        let mut looks = vec![([Descriptor::NOTHING; WINDOW], true)];
        for behind in 0..seen {
            let options = self.descriptors(state, group, behind);
            let longer = looks.iter().flat_map(|(descriptors, all_newest)| {
                options.iter().map(move |(option, newest)| {
                    let mut descriptors = *descriptors;
                    descriptors[behind] = *option;
                    (descriptors, *all_newest && *newest)
                })
            });
            looks = longer.collect();
        }
        for (descriptors, newest) in looks {
            self.decide(state, group, &descriptors[..seen], newest, out);
        }
    }

    /// What a descriptor may be read as, each once, and whether its newest words make it.
    fn descriptors(&self, state: &State, group: usize, behind: usize) -> Vec<(Descriptor, bool)> {
        let words = self.setup.form.words();
        let [first, last] = [0, words - 1].map(|word| {
            let cell = self.looked_at(state, group, behind * words + word);
            &state.cells[cell]
        });
        let newest = [first, last].map(|cell| self.word(cell.newest()));
        let newest = self.setup.form.decode(newest);
        let mut options = vec![(newest, true)];
        for low in first.held() {
            for high in last.held() {
                if words == 1 && low != high {
                    continue;
                }
                let option = self.setup.form.decode([self.word(*low), self.word(*high)]);
                if options.iter().all(|(known, _)| *known != option) {
                    options.push((option, false));
                }
            }
        }
        options
    }

    /// The end of a look that has read these descriptors.
    fn decide(
        &self,
        state: &State,
        group: usize,
        seen: &[Descriptor],
        sure: bool,
        out: &mut Vec<Next>,
    ) {
        let mut next = Self::next(state, group, What::Looks);
        next.sure = sure;
        let mine = &mut next.state.groups[group];
        match self.found(state, group, seen) {
            Found::Prefix { value, end } => {
                mine.prefix = value::combine(value, mine.prefix);
                mine.end = end as u8;
                self.finish(&mut next);
            }
            Found::Aggregates { value, end } => {
                mine.prefix = value::combine(value, mine.prefix);
                mine.end = end as u8;
            }
            Found::Failure => self.fail(&mut next),
            Found::Nothing => {
                self.stall(state, group, sure, out);
                if !self.one_by_one() {
                    return;
                }
            }
        }
        out.push(next);
    }

    fn found(&self, state: &State, group: usize, seen: &[Descriptor]) -> Found {
        let end = usize::from(state.groups[group].end);
        if self.setup.look_back == LookBack::Chained {
            return match seen {
                [] => Found::Prefix { value: self.carry(state, group), end: 0 },
                [seen, ..] => match seen.status {
                    Status::Prefix => Found::Prefix { value: seen.value, end: end - 1 },
                    Status::Failed => Found::Failure,
                    Status::Nothing | Status::Aggregate => Found::Nothing,
                },
            };
        }
        // Before the first tile stands the carry; further left nothing is ever needed.
        let mut window = [Descriptor { status: Status::Prefix, value: IDENTITY }; WINDOW];
        window[..seen.len()].copy_from_slice(seen);
        if let Some(first) = window.get_mut(end) {
            first.value = self.carry(state, group);
        }
        let at = |status| window.iter().position(|seen| seen.status == status).unwrap_or(WINDOW);
        let (prefix, failed) = (at(Status::Prefix), at(Status::Failed));
        let nothing = if self.has(Fault::GapIgnored) && prefix < WINDOW {
            WINDOW
        } else {
            at(Status::Nothing)
        };
        let met = prefix < nothing.min(failed);
        // The nearest descriptors that are combined.
        let run = if met { prefix + 1 } else { nothing.min(failed) };
        let value = window[..run].iter().fold(IDENTITY, |value, seen| {
            let seen = if seen.status == Status::Nothing { IDENTITY } else { seen.value };
            value::combine(seen, value)
        });
        let end = end - run.min(end);
        match (met, run) {
            (true, _) => Found::Prefix { value, end },
            (false, 0) if failed == 0 => Found::Failure,
            (false, 0) => Found::Nothing,
            (false, _) => Found::Aggregates { value, end },
        }
    }

    /// What stands before the piece: `shaders/carry/state.wgsl`.
    fn carry(&self, state: &State, group: usize) -> Value {
        match self.call.piece {
            0 => value::initial(self.index),
            piece => self.load(state, group, self.carry_cell(piece)) as Value,
        }
    }
}
