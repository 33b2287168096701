// Segmented reduction, the last pass: of segments that wait in a queue the longest are shared by
// workgroups, the others have one each.

import package::params::{params};
import package::queue::{huge_slots, is_long, queue_close, queue_counts, queue_huge, queue_long};
import package::segment_shares::{huge_shares, huge_stride, share_publish, share_take};
import package::segmented_reduce::{segment_items, segment_share, segment_store};
import package::share::{share_of};
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE, workgroup_lane};
import package::workgroup_reduce::{workgroup_reduce};

var<workgroup> queue_ends: vec2<u32>;
var<workgroup> is_last: u32;

@compute @workgroup_size(WORKGROUP_SIZE)
fn long_segments(group: Group, lane: Lane) {
    if (lane.index == 0u) {
        queue_ends = queue_counts();
    }
    let counts = workgroupUniformLoad(&queue_ends);
    let number = group.workgroup.x;
    if (number == 0u && lane.index == 0u) {
        queue_close();
    }
    let place = workgroup_lane(group, lane);
    let stride = huge_stride(counts.y);
    let first = number % stride;
    let shares = huge_shares(stride);
    let found = huge_slots(group, lane, first, stride);
    var slots = select(0u, found, number / stride < shares);
    for (var huge = first; huge < counts.y && slots != 0u; huge += stride) {
        if ((slots & 1u) != 0u) {
            let segment = queue_huge(huge);
            let items = segment_items(segment);
            let lanes = shares * WORKGROUP_SIZE;
            let share = segment_share(items, number / stride * WORKGROUP_SIZE + place, lanes);
            let total = workgroup_reduce(group, lane, share);
            if (lane.index == 0u) {
                is_last = u32(share_publish(huge, number / stride, shares, total));
            }
            // Whichever workgroup is the last, it combines the same shares in the same order.
            if (workgroupUniformLoad(&is_last) != 0u) {
                let mine = share_of(0u, shares, place, WORKGROUP_SIZE);
                var part = identity();
                for (var i = mine.first; i < mine.end; i += mine.step) {
                    part = combine(part, share_take(huge, i, shares));
                }
                let all = workgroup_reduce(group, lane, part);
                if (lane.index == 0u) {
                    segment_store(segment, items, all);
                }
            }
        }
        slots >>= 1u;
    }
    for (var long = number; long < counts.x; long += params.workgroups) {
        let segment = queue_long(long);
        let items = segment_items(segment);
        let is_own = is_long(items);
        let mine = select(vec2<u32>(), items, is_own);
        let total = workgroup_reduce(group, lane, segment_share(mine, place, WORKGROUP_SIZE));
        if (lane.index == 0u && is_own) {
            segment_store(segment, items, total);
        }
    }
}
