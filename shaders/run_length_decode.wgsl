// Run-length decoding: each output finds its run by the runs' ends, which are an inclusive scan of the
// lengths. So a long run is shared by many lanes, and runs of no item cost nothing.
//
// Source: load-balancing search, as in Baxter's "moderngpu".

import package::compact::{ROOM, compact_item, compact_first, compact_param, compact_tally};
import package::extent::{n_items};
import package::params::{params};
import package::second_input::{second_word};
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE};

@compute @workgroup_size(WORKGROUP_SIZE)
fn decode(group: Group, lane: Lane) {
    let n_runs = n_items();
    var n = 0u;
    if (n_runs != 0u) {
        n = second_word(n_runs - 1u);
    }
    let first = group.workgroup.x * WORKGROUP_SIZE + lane.index;
    if (first == 0u) {
        compact_tally(0u, n);
    }
    let end = min(n, compact_param(ROOM));
    for (var i = first; i < end; i += params.workgroups * WORKGROUP_SIZE) {
        // The first run that ends past it.
        var low = 0u;
        var high = n_runs - 1u;
        while (low < high) {
            let middle = low + (high - low) / 2u;
            if (second_word(middle) > i) {
                high = middle;
            } else {
                low = middle + 1u;
            }
        }
        compact_first(i, compact_item(low));
    }
}
