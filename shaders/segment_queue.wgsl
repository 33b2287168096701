// Segments with more items than the lanes that meet them first should take: numbers of segments, and what
// workgroups make of their shares of the longest. In no order; each segment's combination does not
// depend on it.
//
// The lengths are zero before the first pass. Sources: queues by size as in Merrill, Garland & Grimshaw
// 2012, "Scalable GPU graph traversal".

import package::params::{params};
import package::segmented_reduce::{HUGE_ITEMS, segment_param};

@group(0) @binding(5) var<storage, read_write> queued: array<u32>;
@group(0) @binding(13) var<storage, read_write> queue_lengths: array<atomic<u32>>;

// Room for both: segments without common items are no more.
const HUGE_MAX = 256u;
const LONG_MAX = 262144u;
const PARTIALS = HUGE_MAX + LONG_MAX;

// Whether there was room. Any lane, any flow.
fn queue_add(segment: u32, length: u32) -> bool {
    if (length > segment_param(HUGE_ITEMS)) {
        let huge = atomicAdd(&queue_lengths[1], 1u);
        if (huge < HUGE_MAX) {
            queued[huge] = segment;
            return true;
        }
    }
    let long = atomicAdd(&queue_lengths[0], 1u);
    if (long < LONG_MAX) {
        queued[HUGE_MAX + long] = segment;
        return true;
    }
    return false;
}

// How many long segments there are, and how many huge ones. Any lane, any flow, in a later pass.
fn queue_counts() -> vec2<u32> {
    let long = min(atomicLoad(&queue_lengths[0]), LONG_MAX);
    return vec2<u32>(long, min(atomicLoad(&queue_lengths[1]), HUGE_MAX));
}

fn queue_long(index: u32) -> u32 {
    return queued[HUGE_MAX + index];
}

fn queue_huge(index: u32) -> u32 {
    return queued[index];
}

// The workgroups that have a share of a huge segment are every so many of them, when there are so many
// such segments: no workgroup has more than some 16.
fn huge_stride(count: u32) -> u32 {
    return clamp(count / 16u, 1u, params.workgroups);
}

// How many workgroups have a share of a huge segment.
fn huge_shares(huge: u32, stride: u32) -> u32 {
    return (params.workgroups - 1u - huge % stride) / stride + 1u;
}

// What has become of one of the shares of a huge segment.
fn share_set(huge: u32, share: u32, value: T) {
    let words = to_words(value);
    let first = PARTIALS + (huge * params.workgroups + share) * ACC_WORDS;
    for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
        queued[first + w] = words[w];
    }
}

fn share_get(huge: u32, share: u32) -> T {
    let first = PARTIALS + (huge * params.workgroups + share) * ACC_WORDS;
    var words: array<u32, ACC_WORDS>;
    for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
        words[w] = queued[first + w];
    }
    return from_words(words);
}
