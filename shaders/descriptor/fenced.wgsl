// Descriptors of any width: the values stand beside the state, in words of their own for the
// aggregate and the prefix, and a fence lies between the two. WGSL has no fence but the barrier of
// a whole workgroup, so all functions are called by all lanes of the workgroup, in flow that is
// uniform over it, and all of it must look back. For Vulkan with coherent memory: in MSL the
// barrier does not reach beyond the workgroup, and the HLSL was never run. The exports of split32,
// which says what they do. Barriers: one each.
//
// Source: the flag after a fence of Merrill & Garland 2016.

import package::descriptor::state::{Descriptor, STATE_NOTHING, STATE_AGGREGATE, STATE_PREFIX};
import package::single_pass::state::{state, STATE_DESCRIPTORS, ARRAY_WORDS};

// All words of the state. No word is touched through both bindings in one dispatch.
@group(0) @binding(8) @coherent var<storage, read_write> values: array<u32>;

// Words of a descriptor: the state, the aggregate, the prefix.
const DESCRIPTOR_WORDS = 1u + 2u * ACC_WORDS;

fn descriptor_word(parity: u32, tile: u32) -> u32 {
    return STATE_DESCRIPTORS + parity * ARRAY_WORDS + tile * DESCRIPTOR_WORDS;
}

// The first word of the value that goes with a state.
fn value_word(first: u32, status: u32) -> u32 {
    return first + select(1u, 1u + ACC_WORDS, status == STATE_PREFIX);
}

fn set_value(first: u32, status: u32, value: T) {
    let words = to_words(value);
    for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
        values[value_word(first, status) + w] = words[w];
    }
}

fn descriptor_publish(publishes: bool, parity: u32, tile: u32, status: u32, value: T) {
    let first = descriptor_word(parity, tile);
    if (publishes && status <= STATE_PREFIX) {
        set_value(first, status, value);
    }
    storageBarrier();
    if (publishes) {
        atomicStore(&state[first], status);
    }
}

// Owner and helpers write the same bits to the aggregate's words.
fn descriptor_offer(offers: bool, parity: u32, tile: u32, value: T) {
    let first = descriptor_word(parity, tile);
    if (offers) {
        set_value(first, STATE_AGGREGATE, value);
    }
    storageBarrier();
    if (offers) {
        _ = atomicCompareExchangeWeak(&state[first], STATE_NOTHING, STATE_AGGREGATE);
    }
}

fn descriptor_read(parity: u32, tile: u32, looks: bool) -> Descriptor {
    let first = descriptor_word(parity, tile);
    var seen = Descriptor(STATE_NOTHING, identity());
    if (looks) {
        seen.state = atomicLoad(&state[first]);
    }
    storageBarrier();
    if (looks && seen.state != STATE_NOTHING) {
        var words: array<u32, ACC_WORDS>;
        for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
            words[w] = values[value_word(first, seen.state) + w];
        }
        seen.value = from_words(words);
    }
    return seen;
}
