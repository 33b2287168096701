//! The set of visited states: their bytes one after another, numbered as they came, and a table
//! of the numbers. States are compared byte by byte, so none is taken for another.

use std::hash::{DefaultHasher, Hasher};

const FREE: u32 = u32::MAX;

pub struct Seen {
    bytes: Vec<u8>,
    /// Where each state ends.
    ends: Vec<usize>,
    /// Open addressing, never more than half full. The length is a power of two.
    slots: Vec<u32>,
}

impl Seen {
    pub fn new() -> Self {
        Self { bytes: Vec::new(), ends: Vec::new(), slots: vec![FREE; 1 << 10] }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.bytes[start..self.ends[number]]
    }

    /// The number of a state, and whether it is new.
    pub fn insert(&mut self, state: &[u8]) -> (u32, bool) {
        if self.slots.len() < 2 * (self.len() + 1) {
            self.grow();
        }
        let mut slot = self.slot(state);
        while self.slots[slot] != FREE {
            if self.get(self.slots[slot]) == state {
                return (self.slots[slot], false);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        let number = self.len() as u32;
        self.slots[slot] = number;
        self.bytes.extend_from_slice(state);
        self.ends.push(self.bytes.len());
        (number, true)
    }

    fn slot(&self, state: &[u8]) -> usize {
        let mut hasher = DefaultHasher::new();
        hasher.write(state);
        hasher.finish() as usize & (self.slots.len() - 1)
    }

    fn grow(&mut self) {
        self.slots = vec![FREE; 2 * self.slots.len()];
        for number in 0..self.len() as u32 {
            let mut slot = self.slot(self.get(number));
            while self.slots[slot] != FREE {
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            self.slots[slot] = number;
        }
    }
}
