//! Slices within poisoned buffers, so that a word that was written beside them is seen.

use lookback::{Context, Element, GpuSlice};

use crate::common::CANARY;

/// Items before a slice in its buffer, and after it.
const BEFORE: usize = 3;
const AFTER: usize = 5;

/// An output of some room in the midst of a poisoned buffer.
pub struct Output<T: Element> {
    pub slice: GpuSlice<T>,
    words: GpuSlice<u32>,
}

impl<T: Element> Output<T> {
    pub fn new(context: &Context, room: usize) -> Self {
        let n_words = (BEFORE + room + AFTER) * T::LAYOUT.words() as usize;
        let words = context.upload(&vec![CANARY; n_words]).unwrap();
        let items = BEFORE as u64..(BEFORE + room) as u64;
        let slice = GpuSlice::new(words.buffer(), items).unwrap();
        Output { slice, words }
    }

    /// The first items; fails if anything past them was written.
    pub fn first(&self, context: &Context, count: usize) -> Vec<T> {
        let words = context.download(&self.words).unwrap();
        let size = T::LAYOUT.words() as usize;
        let written = BEFORE * size..(BEFORE + count) * size;
        for (index, &word) in words.iter().enumerate() {
            assert!(written.contains(&index) || word == CANARY, "word {index} was written");
        }
        bytemuck::pod_collect_to_vec(&words[written])
    }
}

/// An input in the midst of a buffer, `shift` items from where one may begin.
pub fn input<T: Element>(context: &Context, items: &[T], shift: usize) -> GpuSlice<T> {
    let size = T::LAYOUT.words() as usize;
    let mut words = vec![CANARY; shift * size];
    words.extend_from_slice(bytemuck::cast_slice(items));
    words.extend([CANARY; 7]);
    let words = context.upload(&words).unwrap();
    GpuSlice::new(words.buffer(), shift as u64..(shift + items.len()) as u64).unwrap()
}
