// Every function of the subgroup layer, and the scan of one value a lane over the workgroup. Each
// lane writes its own result of each check; tests/layers/subgroup.rs says what it must be.

import package::subgroup::{Group, Lane, subgroup_width, subgroup_count, subgroup_rank, subgroup_lane, shuffle_within, shuffle_up_within, shuffle_down_within};
import package::subgroup::shuffle::{shuffle, shuffle_up, shuffle_down, shuffle_xor, shuffle_xor_within};
import package::subgroup::partition::{inclusive_scan_within, exclusive_within, reduce_within};
import package::subgroup_reduce::{subgroup_reduce};
import package::subgroup_scan::{subgroup_inclusive_scan, subgroup_exclusive};
import package::vote::{ballot};
import package::vote::lanes::{ballot_within, any_lane, all_lanes, any_within, all_within, count_lanes, count_lanes_before};
import package::vote::match_any::{match_any, match_any_within, match_any_bits};
import package::workgroup::{WORKGROUP_SIZE, workgroup_lane};
import package::workgroup_lanes::{workgroup_lanes_scan};

// x: the shuffles' delta and xor bits. y: lanes of a partition, at most. z: the predicate's mask.
@group(0) @binding(0) var<uniform> arguments: vec4<u32>;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@group(0) @binding(2) var<storage, read_write> values: array<u32>;
@group(0) @binding(3) var<storage, read_write> masks: array<vec4<u32>>;

fn load(index: u32) -> T {
    var words: array<u32, IN_WORDS>;
    for (var w = 0u; w < IN_WORDS; w += 1u) { // unroll
        words[w] = input[index * IN_WORDS + w];
    }
    return enter(lift(in_decode(words)));
}

fn store(check: u32, at: u32, value: T) {
    let words = out_encode(lower(leave(value)));
    for (var w = 0u; w < OUT_WORDS; w += 1u) { // unroll
        values[(check * WORKGROUP_SIZE + at) * OUT_WORDS + w] = words[w];
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn layer(group: Group, lane: Lane) {
    let at = workgroup_lane(group, lane);
    let value = load(at);
    // A few values only, so that lanes match.
    let repeated = load(WORKGROUP_SIZE + at);
    let delta = arguments.x;
    let width = min(arguments.y, subgroup_width(group));
    let place = subgroup_lane(lane);
    let predicate = (arguments.z & (1u << (at % 32u))) != 0u;

    masks[at] = vec4<u32>(subgroup_width(group), subgroup_count(group), subgroup_rank(lane), place);
    masks[WORKGROUP_SIZE + at] = ballot(group, lane, predicate);
    masks[2u * WORKGROUP_SIZE + at] = ballot_within(group, lane, predicate, width);
    let all_of = all_lanes(group, lane, predicate);
    let any_of = any_lane(group, lane, predicate);
    let all_in = all_within(group, lane, predicate, width);
    let any_in = any_within(group, lane, predicate, width);
    masks[3u * WORKGROUP_SIZE + at] = vec4<u32>(u32(all_of), u32(any_of), u32(all_in), u32(any_in));
    let voters = ballot(group, lane, predicate);
    masks[4u * WORKGROUP_SIZE + at] = vec4<u32>(count_lanes(voters), count_lanes_before(lane, voters), 0u, 0u);
    masks[5u * WORKGROUP_SIZE + at] = match_any(group, lane, repeated);
    masks[6u * WORKGROUP_SIZE + at] = match_any_within(group, lane, repeated, width);
    masks[7u * WORKGROUP_SIZE + at] = match_any_bits(group, lane, at * 5u, 3u);

    store(0u, at, shuffle(group, lane, value, (place * 5u + delta) % subgroup_width(group)));
    store(1u, at, shuffle(group, lane, value, place + delta));
    store(2u, at, shuffle_up(group, lane, value, delta));
    store(3u, at, shuffle_down(group, lane, value, delta));
    store(4u, at, shuffle_xor(group, lane, value, delta));
    store(5u, at, shuffle_within(group, lane, value, place * 3u + delta, width));
    store(6u, at, shuffle_up_within(group, lane, value, delta, width));
    store(7u, at, shuffle_down_within(group, lane, value, delta, width));
    store(8u, at, shuffle_xor_within(group, lane, value, delta, width));
    let inclusive = subgroup_inclusive_scan(group, lane, value);
    store(9u, at, inclusive);
    store(10u, at, subgroup_exclusive(group, lane, inclusive));
    store(11u, at, subgroup_reduce(group, lane, value));
    let within = inclusive_scan_within(group, lane, value, width);
    store(12u, at, within);
    store(13u, at, exclusive_within(group, lane, within, width));
    store(14u, at, reduce_within(group, lane, value, width));
    let totals = workgroup_lanes_scan(group, lane, value);
    store(15u, at, totals.prefix);
    store(16u, at, totals.total);
}
