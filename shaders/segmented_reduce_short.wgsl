// Segmented reduction, the pass over many segments: short ones by a lane each, longer ones by a subgroup
// each, and the longest are queued for a pass of their own.

import package::params::{params};
import package::queue::{queue_add, queue_open};
import package::segmented_reduce::{
    MIDDLE_ITEMS, SEGMENTS, segment_items, segment_param, segment_share, segment_store,
};
import package::subgroup::{Group, Lane, subgroup_width, subgroup_count, subgroup_rank, subgroup_lane};
import package::subgroup_reduce::{subgroup_reduce};
import package::workgroup::{WORKGROUP_SIZE};

// Most items of one lane.
const SHORT_ITEMS = 16u;

// Segments that wait for a subgroup, in no order.
var<workgroup> waiting: array<u32, WORKGROUP_SIZE>;
var<workgroup> waiting_length: atomic<u32>;
var<workgroup> waiting_all: u32;

@compute @workgroup_size(WORKGROUP_SIZE)
fn short_segments(group: Group, lane: Lane) {
    if (lane.index == 0u) {
        atomicStore(&waiting_length, 0u);
    }
    workgroupBarrier();
    let number = group.workgroup.y * params.workgroups + group.workgroup.x;
    if (number == 0u && lane.index == 0u) {
        queue_open();
    }
    // Few segments have fewer lanes of each workgroup, so that there are more subgroups for them.
    let each = (segment_param(SEGMENTS) - 1u) / params.workgroups + 1u;
    let own = min(each, WORKGROUP_SIZE);
    let segment = number * own + lane.index;
    if (lane.index < own && segment < segment_param(SEGMENTS)) {
        let items = segment_items(segment);
        let length = items.y - items.x;
        if (length <= SHORT_ITEMS) {
            segment_store(segment, items, segment_share(items, 0u, 1u));
        } else if (length <= segment_param(MIDDLE_ITEMS) || !queue_add(segment, length)) {
            waiting[atomicAdd(&waiting_length, 1u)] = segment;
        }
    }
    workgroupBarrier();
    if (lane.index == 0u) {
        waiting_all = atomicLoad(&waiting_length);
    }
    let count = workgroupUniformLoad(&waiting_all);
    for (var first = 0u; first < count; first += subgroup_count(group)) {
        let index = first + subgroup_rank(lane);
        var mine = 0u;
        var items = vec2<u32>();
        if (index < count) {
            mine = waiting[index];
            items = segment_items(mine);
        }
        let share = segment_share(items, subgroup_lane(lane), subgroup_width(group));
        let total = subgroup_reduce(group, lane, share);
        if (index < count && subgroup_lane(lane) == 0u) {
            segment_store(mine, items, total);
        }
    }
}
