// Descriptors of 64-bit words: each holds a word of the value below and the state above, and a
// descriptor is taken only when the states of all its words agree. Half as many accesses as
// split32, which says what the exports do; any lane may call them, in any flow. For Vulkan with
// 64-bit atomics: naga's HLSL would be of 32 bits, and Metal has none.
//
// Source: the status and value in one word of Merrill & Garland 2016.

import package::descriptor::state::{Descriptor, STATE_NOTHING, STATE_AGGREGATE};
import package::single_pass::state::{ARRAY_WORDS};

// The state's words from STATE_DESCRIPTORS on. No word is touched through both bindings in one
// dispatch: the other array is cleaned through that of `state`.
@group(0) @binding(8) var<storage, read_write> descriptors: array<atomic<u64>>;

// Words of a descriptor, of 32 bits.
const DESCRIPTOR_WORDS = 2u * ACC_WORDS;

fn descriptor_pair(parity: u32, tile: u32) -> u32 {
    return parity * (ARRAY_WORDS / 2u) + tile * ACC_WORDS;
}

fn descriptor_publish(publishes: bool, parity: u32, tile: u32, status: u32, value: T) {
    if (!publishes) {
        return;
    }
    let first = descriptor_pair(parity, tile);
    let words = to_words(value);
    for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
        atomicStore(&descriptors[first + w], (u64(status) << 32u) | u64(words[w]));
    }
}

fn descriptor_offer(offers: bool, parity: u32, tile: u32, value: T) {
    if (!offers) {
        return;
    }
    let first = descriptor_pair(parity, tile);
    let words = to_words(value);
    for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
        let pair = (u64(STATE_AGGREGATE) << 32u) | u64(words[w]);
        _ = atomicCompareExchangeWeak(&descriptors[first + w], u64(0u), pair);
    }
}

// Nothing while a descriptor's words disagree.
fn descriptor_read(parity: u32, tile: u32, looks: bool) -> Descriptor {
    if (!looks) {
        return Descriptor(STATE_NOTHING, identity());
    }
    let first = descriptor_pair(parity, tile);
    var words: array<u32, ACC_WORDS>;
    var all = 3u;
    var some = 0u;
    for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
        let pair = atomicLoad(&descriptors[first + w]);
        let status = u32(pair >> 32u);
        words[w] = u32(pair & u64(0xffffffffu));
        all &= status;
        some |= status;
    }
    return Descriptor(select(STATE_NOTHING, all, all == some), from_words(words));
}
