// Segmented reduction, the pass over queued segments: the longest are shared by workgroups, the others
// have one each.

import package::params::{params};
import package::segment_queue::{
    huge_shares, huge_stride, queue_counts, queue_long, queue_huge, share_set,
};
import package::segmented_reduce::{segment_items, segment_share, segment_store};
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE, workgroup_lane};
import package::workgroup_reduce::{workgroup_reduce};

var<workgroup> queue_ends: vec2<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn long_segments(group: Group, lane: Lane) {
    if (lane.index == 0u) {
        queue_ends = queue_counts();
    }
    let counts = workgroupUniformLoad(&queue_ends);
    let number = group.workgroup.x;
    let place = workgroup_lane(group, lane);
    let stride = huge_stride(counts.y);
    for (var huge = number % stride; huge < counts.y; huge += stride) {
        let items = segment_items(queue_huge(huge));
        let lanes = huge_shares(huge, stride) * WORKGROUP_SIZE;
        let share = segment_share(items, number / stride * WORKGROUP_SIZE + place, lanes);
        let total = workgroup_reduce(group, lane, share);
        if (lane.index == 0u) {
            share_set(huge, number / stride, total);
        }
    }
    for (var long = number; long < counts.x; long += params.workgroups) {
        let segment = queue_long(long);
        let items = segment_items(segment);
        let total = workgroup_reduce(group, lane, segment_share(items, place, WORKGROUP_SIZE));
        if (lane.index == 0u) {
            segment_store(segment, items, total);
        }
    }
}
