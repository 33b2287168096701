// Descriptors of 32-bit words: each word holds half a word of the value and the state, and a
// descriptor is taken only when the states of all its words agree. So value and state travel
// together, whatever the order in which words become visible; no fence is needed.
//
// Any lane may call its functions, in any flow. The exports of all forms:
//
// descriptor_publish: publishes the descriptor of a tile of the caller's own, by the one lane that
// `publishes`. descriptor_offer: publishes what another workgroup's tile combines to, by the one lane
// that `offers`, unless it has published by itself, and never over a prefix; the bits must be those
// that its own workgroup finds. descriptor_read: a tile's descriptor, in the lanes that `look`.
//
// Sources: the status and value in one word of Merrill & Garland 2016; states split over 32-bit
// words as in Smith, Levien & Owens 2025.

import package::descriptor::state::{Descriptor, STATE_NOTHING, STATE_AGGREGATE};
import package::single_pass::state::{state, STATE_DESCRIPTORS, ARRAY_WORDS};

// Words of a descriptor.
const DESCRIPTOR_WORDS = 2u * ACC_WORDS;

fn descriptor_word(parity: u32, tile: u32) -> u32 {
    return STATE_DESCRIPTORS + parity * ARRAY_WORDS + tile * DESCRIPTOR_WORDS;
}

fn descriptor_publish(publishes: bool, parity: u32, tile: u32, status: u32, value: T) {
    if (!publishes) {
        return;
    }
    let first = descriptor_word(parity, tile);
    let words = to_words(value);
    for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
        atomicStore(&state[first + 2u * w], (status << 16u) | (words[w] & 0xffffu));
        atomicStore(&state[first + 2u * w + 1u], (status << 16u) | (words[w] >> 16u));
    }
}

fn descriptor_offer(offers: bool, parity: u32, tile: u32, value: T) {
    if (!offers) {
        return;
    }
    let first = descriptor_word(parity, tile);
    let words = to_words(value);
    for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
        let low = (STATE_AGGREGATE << 16u) | (words[w] & 0xffffu);
        let high = (STATE_AGGREGATE << 16u) | (words[w] >> 16u);
        _ = atomicCompareExchangeWeak(&state[first + 2u * w], 0u, low);
        _ = atomicCompareExchangeWeak(&state[first + 2u * w + 1u], 0u, high);
    }
}

// Nothing while a descriptor's words disagree.
fn descriptor_read(parity: u32, tile: u32, looks: bool) -> Descriptor {
    if (!looks) {
        return Descriptor(STATE_NOTHING, identity());
    }
    let first = descriptor_word(parity, tile);
    var words: array<u32, ACC_WORDS>;
    var all = 3u;
    var some = 0u;
    for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
        let low = atomicLoad(&state[first + 2u * w]);
        let high = atomicLoad(&state[first + 2u * w + 1u]);
        words[w] = (low & 0xffffu) | (high << 16u);
        all &= (low >> 16u) & (high >> 16u);
        some |= (low >> 16u) | (high >> 16u);
    }
    // Equal states only: the bits that all have are the bits that any has.
    return Descriptor(select(STATE_NOTHING, all, all == some), from_words(words));
}
