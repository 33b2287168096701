// Few segments: each waits in the place of its own number, and no pass comes before. The exports of
// queue/listed.wgsl, but for queue_open and queue_add.

import package::segment_shares::{HUGE_SLOTS};
import package::segmented_reduce::{HUGE_ITEMS, SEGMENTS, segment_items, segment_param};
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE};

var<workgroup> slots_found: atomic<u32>;
var<workgroup> slots_all: u32;

fn queue_close() {}

fn queue_counts() -> vec2<u32> {
    return vec2<u32>(segment_param(SEGMENTS));
}

fn queue_long(place: u32) -> u32 {
    return place;
}

fn queue_huge(place: u32) -> u32 {
    return place;
}

fn is_long(items: vec2<u32>) -> bool {
    return items.y - items.x <= segment_param(HUGE_ITEMS);
}

fn huge_slots(group: Group, lane: Lane, first: u32, stride: u32) -> u32 {
    if (lane.index == 0u) {
        atomicStore(&slots_found, 0u);
    }
    workgroupBarrier();
    for (var slot = lane.index; slot < HUGE_SLOTS; slot += WORKGROUP_SIZE) {
        let place = first + slot * stride;
        if (place < segment_param(SEGMENTS) && !is_long(segment_items(place))) {
            atomicOr(&slots_found, 1u << slot);
        }
    }
    workgroupBarrier();
    if (lane.index == 0u) {
        slots_all = atomicLoad(&slots_found);
    }
    return workgroupUniformLoad(&slots_all);
}
