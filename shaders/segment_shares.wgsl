// The shares of the longest segments, which several workgroups have, and what becomes of them; in the
// same memory lie the lists of queue/listed.wgsl.

import package::params::{params};

@group(0) @binding(5) var<storage, read_write> queued: array<u32>;

// Segments that several workgroups share, and others that wait: of segments without common items there
// are no more.
const HUGE_MAX = 256u;
const LONG_MAX = 262144u;
const SHARES = HUGE_MAX + LONG_MAX;

// Most shares of one workgroup. There are so many workgroups that all HUGE_MAX segments are shared.
const HUGE_SLOTS = 16u;

// Where there are many places for huge segments, a workgroup has a share of every so many of them.
fn huge_stride(count: u32) -> u32 {
    return max((count + HUGE_SLOTS - 1u) / HUGE_SLOTS, 1u);
}

// How many workgroups have a share of each such segment, whatever its place: a segment's combination does
// not depend on that. Some of the last workgroups may have none.
fn huge_shares(stride: u32) -> u32 {
    return params.workgroups / stride;
}

fn share_set(place: u32, share: u32, value: T) {
    let words = to_words(value);
    let first = SHARES + (place * params.workgroups + share) * ACC_WORDS;
    for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
        queued[first + w] = words[w];
    }
}

fn share_get(place: u32, share: u32) -> T {
    let first = SHARES + (place * params.workgroups + share) * ACC_WORDS;
    var words: array<u32, ACC_WORDS>;
    for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
        words[w] = queued[first + w];
    }
    return from_words(words);
}
