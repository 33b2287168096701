//! The search: every state that a call can reach, call after call.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::model::{Model, Next, Wrong};
use crate::seen::Seen;
use crate::setup::Setup;
use crate::state::State;

/// What a search has found.
pub struct Report {
    /// States of each call.
    pub states: Vec<usize>,
    /// What each call can end with: the words of the memory, and of each workgroup how it ended.
    pub ends: Vec<BTreeSet<Vec<u64>>>,
    /// What went wrong, with the fewest steps that lead there.
    pub wrong: BTreeMap<Wrong, String>,
}

/// Explores all calls of a setup. A queue puts a full barrier between two calls, so the search of
/// one begins with the ends of the one before, and needs nothing else of it.
pub fn explore(setup: &Setup) -> Report {
    let words = RefCell::new(vec![0]);
    let mut report = Report { states: Vec::new(), ends: Vec::new(), wrong: BTreeMap::new() };
    let mut before = vec![State::zero(0)];
    for index in 0..setup.calls.len() {
        let model = Model::new(setup, index, &words);
        let mut search = Search {
            model,
            seen: Seen::new(),
            parents: Vec::new(),
            sure: Vec::new(),
            over: Vec::new(),
            bytes: Vec::new(),
            wrong: &mut report.wrong,
        };
        search.run(&before);
        search.find_stuck();
        let ends = search.ends();
        report.states.push(search.seen.len());
        report.ends.push(ends.iter().map(|end| search.model.summary(end)).collect());
        before = ends;
    }
    report
}

/// Of a state without a state before it.
const NONE: u32 = u32::MAX;

struct Search<'a> {
    model: Model<'a>,
    seen: Seen,
    /// The state from which each was first reached.
    parents: Vec<u32>,
    /// The steps that are sure, from and to.
    sure: Vec<(u32, u32)>,
    /// The states after which nothing is to be explored.
    over: Vec<u32>,
    bytes: Vec<u8>,
    wrong: &'a mut BTreeMap<Wrong, String>,
}

impl Search<'_> {
    /// Breadth first, so that what is found wrong is found by the fewest steps.
    fn run(&mut self, before: &[State]) {
        for state in before {
            let (state, wrong) = self.model.begin(state);
            let number = self.insert(&state, NONE);
            if let Some(wrong) = wrong {
                self.record(wrong, number, None);
            }
        }
        let mut steps = Vec::new();
        let mut number = 0;
        while number < self.seen.len() as u32 {
            let state = self.state(number);
            if state.is_over() {
                self.over.push(number);
                for wrong in self.model.at_end(&state) {
                    self.record(wrong, number, None);
                }
            }
            self.model.steps(&state, &mut steps);
            for next in &steps {
                for wrong in &next.wrong {
                    self.record(*wrong, number, Some(next));
                }
                if next.wrong.iter().any(|wrong| wrong.ends_all()) {
                    self.over.push(number);
                    continue;
                }
                let to = self.insert(&next.state, number);
                if next.sure && to != number {
                    self.sure.push((number, to));
                }
            }
            number += 1;
        }
    }

    fn insert(&mut self, state: &State, parent: u32) -> u32 {
        state.pack(self.model.cells(), self.model.setup.loads, &mut self.bytes);
        let (number, is_new) = self.seen.insert(&self.bytes);
        if is_new {
            self.parents.push(parent);
        }
        number
    }

    fn state(&self, number: u32) -> State {
        State::unpack(self.seen.get(number), self.model.cells(), self.model.setup.loads)
    }

    /// From every state the call must be able to end, by steps that are sure: what cannot is stuck,
    /// or runs in circles. The states that can are found backwards from the ends.
    fn find_stuck(&mut self) {
        let n = self.seen.len();
        // The steps sorted by where they lead.
        let mut starts = vec![0; n + 1];
        for (_, to) in &self.sure {
            starts[*to as usize + 1] += 1;
        }
        for state in 0..n {
            starts[state + 1] += starts[state];
        }
        let mut at = starts.clone();
        let mut from = vec![0; self.sure.len()];
        for (before, to) in &self.sure {
            from[at[*to as usize]] = *before;
            at[*to as usize] += 1;
        }
        let mut can_end = vec![false; n];
        let mut open = self.over.clone();
        while let Some(state) = open.pop() {
            let state = state as usize;
            if !can_end[state] {
                can_end[state] = true;
                open.extend(&from[starts[state]..starts[state + 1]]);
            }
        }
        if let Some(stuck) = can_end.iter().position(|can_end| !can_end) {
            self.record(Wrong::Stuck, stuck as u32, None);
        }
    }

    /// The states that the call can end with.
    fn ends(&self) -> Vec<State> {
        self.over.iter().map(|over| self.state(*over)).filter(State::is_over).collect()
    }

    /// Keeps the first trace of each kind.
    fn record(&mut self, wrong: Wrong, number: u32, last: Option<&Next>) {
        if self.wrong.contains_key(&wrong) {
            return;
        }
        let mut path = vec![number];
        while self.parents[path[path.len() - 1] as usize] != NONE {
            path.push(self.parents[path[path.len() - 1] as usize]);
        }
        path.reverse();
        let mut trace = format!("in call {}:", self.model.index);
        let mut steps = Vec::new();
        let mut bytes = Vec::new();
        for pair in path.windows(2) {
            self.model.steps(&self.state(pair[0]), &mut steps);
            let is_this = |next: &&Next| {
                next.state.pack(self.model.cells(), self.model.setup.loads, &mut bytes);
                bytes == self.seen.get(pair[1])
            };
            let next = steps.iter().find(is_this).expect("a state was reached by a step");
            write!(trace, "\n    {}", next.step).expect("a string takes what is written");
        }
        if let Some(next) = last {
            write!(trace, "\n    {}", next.step).expect("a string takes what is written");
        }
        self.wrong.insert(wrong, trace);
    }
}
