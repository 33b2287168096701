// Descriptors of 32-bit words: each word holds half a word of the value and the state, and a
// descriptor is taken only when the states of all its words agree. So value and state travel
// together, whatever the order in which words become visible; no fence is needed.
//
// Exports: the states, Descriptor, descriptor_publish, descriptor_offer, descriptor_read. Any lane
// may call them, in any flow. Source: the status and value in one word of Merrill & Garland 2016.

import package::single_pass::state::{state, STATE_DESCRIPTORS, DESCRIPTOR_WORDS};

// Nothing yet.
const STATE_NOTHING = 0u;
// The tile's combination.
const STATE_AGGREGATE = 1u;
// The combination of all tiles up to it.
const STATE_PREFIX = 2u;
// The tile's workgroup has given up.
const STATE_FAILED = 3u;

struct Descriptor {
    state: u32,
    value: T,
}

fn descriptor_word(parity: u32, tile: u32) -> u32 {
    return STATE_DESCRIPTORS + parity * DESCRIPTOR_WORDS + tile * (2u * ACC_WORDS);
}

// Publishes a tile's descriptor: called by the tile's own workgroup, by one lane.
fn descriptor_publish(parity: u32, tile: u32, status: u32, value: T) {
    let first = descriptor_word(parity, tile);
    let words = acc_encode(leave(value));
    for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
        atomicStore(&state[first + 2u * w], (status << 16u) | (words[w] & 0xffffu));
        atomicStore(&state[first + 2u * w + 1u], (status << 16u) | (words[w] >> 16u));
    }
}

// Publishes the combination of another workgroup's tile, unless it has published by itself: never
// over a prefix. The value's bits must be those that its own workgroup finds.
fn descriptor_offer(parity: u32, tile: u32, value: T) {
    let first = descriptor_word(parity, tile);
    let words = acc_encode(leave(value));
    for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
        let low = (STATE_AGGREGATE << 16u) | (words[w] & 0xffffu);
        let high = (STATE_AGGREGATE << 16u) | (words[w] >> 16u);
        _ = atomicCompareExchangeWeak(&state[first + 2u * w], 0u, low);
        _ = atomicCompareExchangeWeak(&state[first + 2u * w + 1u], 0u, high);
    }
}

// A tile's descriptor; nothing while its words disagree.
fn descriptor_read(parity: u32, tile: u32) -> Descriptor {
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
    if (all != some) {
        return Descriptor(STATE_NOTHING, identity());
    }
    return Descriptor(all, enter(acc_decode(words)));
}
