// Segmented reduction, the last pass: a workgroup for each of the longest segments combines what others
// have made of their shares.

import package::queue::{is_huge, queue_counts, queue_huge};
import package::segment_shares::{huge_shares, huge_stride, share_get};
import package::segmented_reduce::{segment_items, segment_store};
import package::share::{share_of};
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE, workgroup_lane};
import package::workgroup_reduce::{workgroup_reduce};

@compute @workgroup_size(WORKGROUP_SIZE)
fn huge_segments(group: Group, lane: Lane) {
    let place = group.workgroup.x;
    let is_mine = is_huge(place);
    var share = identity();
    if (is_mine) {
        let shares = huge_shares(huge_stride(queue_counts().y));
        let mine = share_of(0u, shares, workgroup_lane(group, lane), WORKGROUP_SIZE);
        for (var number = mine.first; number < mine.end; number += mine.step) {
            share = combine(share, share_get(place, number));
        }
    }
    let total = workgroup_reduce(group, lane, share);
    if (lane.index == 0u && is_mine) {
        let segment = queue_huge(place);
        segment_store(segment, segment_items(segment), total);
    }
}
