// The shares of the longest segments, which several workgroups have, and how the last to finish one gets
// them all.
//
// Atomics are relaxed, so nothing orders the words of a share, or a share and the count of those that are
// there: each word holds half a word of the value and a bit that says so. A share that is counted has been
// written, so that to look until its words are there needs no other workgroup to go on.

import package::params::{params};
import package::segmented_reduce::{SHARES_MAX, segment_param};

// All words from SHARES_COUNTED on are zero before and after each call: whoever takes a segment's shares
// zeroes them, and their count. The counts come first, then two words for each of a share's. The words
// before are those of queue/listed.wgsl.
@group(0) @binding(13) var<storage, read_write> shares: array<atomic<u32>>;

// Segments that several workgroups share: of segments without common items there are no more.
const HUGE_MAX = 256u;

// Most shares of one workgroup. There are so many workgroups that all HUGE_MAX segments are shared.
const HUGE_SLOTS = 16u;

const SHARES_COUNTED = 8u;

const IS_THERE = 0x10000u;

// Where there are many places for huge segments, a workgroup has a share of every so many of them.
fn huge_stride(count: u32) -> u32 {
    let least = params.workgroups / segment_param(SHARES_MAX);
    return max((count + HUGE_SLOTS - 1u) / HUGE_SLOTS, least);
}

// How many workgroups have a share of each such segment, whatever its place: a segment's combination does
// not depend on that. Some of the last workgroups may have none.
fn huge_shares(stride: u32) -> u32 {
    return params.workgroups / stride;
}

// Of so many shares of the segment in a place, the first word of one.
fn share_word(place: u32, share: u32, count: u32) -> u32 {
    return SHARES_COUNTED + HUGE_MAX + (place * count + share) * 2u * ACC_WORDS;
}

// Publishes a share, and says whether all of its segment's are: to one workgroup, and then the count is
// zero again. One lane of the workgroup whose share it is; any flow.
fn share_publish(place: u32, share: u32, count: u32, value: T) -> bool {
    let words = to_words(value);
    let first = share_word(place, share, count);
    for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
        atomicStore(&shares[first + 2u * w], IS_THERE | (words[w] & 0xffffu));
        atomicStore(&shares[first + 2u * w + 1u], IS_THERE | (words[w] >> 16u));
    }
    let is_last = atomicAdd(&shares[SHARES_COUNTED + place], 1u) == count - 1u;
    if (is_last) {
        atomicStore(&shares[SHARES_COUNTED + place], 0u);
    }
    return is_last;
}

// A share, whose words are zero again. One lane for each, once all are published; any flow.
fn share_take(place: u32, share: u32, count: u32) -> T {
    let first = share_word(place, share, count);
    var words: array<u32, ACC_WORDS>;
    var all = 0u;
    while ((all & IS_THERE) == 0u) {
        all = IS_THERE;
        for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
            let low = atomicLoad(&shares[first + 2u * w]);
            let high = atomicLoad(&shares[first + 2u * w + 1u]);
            words[w] = (low & 0xffffu) | (high << 16u);
            all &= low & high;
        }
    }
    for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
        atomicStore(&shares[first + 2u * w], 0u);
        atomicStore(&shares[first + 2u * w + 1u], 0u);
    }
    return from_words(words);
}
