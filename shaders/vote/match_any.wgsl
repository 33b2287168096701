// The lanes with an equal value, by one ballot a bit.
//
// All are called as the ballot is: by all lanes, in uniform flow; all get their result. Source:
// CUDA's __match_any_sync; the ballots of Merrill & Grimshaw's radix ranking.

import package::subgroup::{Group, Lane, subgroup_width};
import package::vote::{ballot};
import package::vote::lanes::{partition_lanes};

// The lanes whose values have the bits of this lane's, once encoded: for min and max of floats
// all NaN are one value, else each NaN is what its bits say.
fn match_any(group: Group, lane: Lane, value: T) -> vec4<u32> {
    return match_any_within(group, lane, value, subgroup_width(group));
}

// The same within partitions of `width` lanes, a power of two up to the subgroup's width.
fn match_any_within(group: Group, lane: Lane, value: T, width: u32) -> vec4<u32> {
    var words = to_words(value);
    var lanes = partition_lanes(lane, width);
    for (var w = 0u; w < ACC_WORDS; w += 1u) {
        lanes &= match_any_bits(group, lane, words[w], 32u);
    }
    return lanes;
}

// The lanes whose keys have the same lowest `bits` bits as this lane's; `bits` is the same in
// all lanes. Lanes that do not exist are not in the set.
fn match_any_bits(group: Group, lane: Lane, key: u32, bits: u32) -> vec4<u32> {
    var lanes = partition_lanes(lane, subgroup_width(group));
    for (var bit = 0u; bit < bits; bit += 1u) {
        let is_set = ((key >> bit) & 1u) == 1u;
        let with_bit = ballot(group, lane, is_set);
        lanes &= select(~with_bit, with_bit, is_set);
    }
    return lanes;
}
