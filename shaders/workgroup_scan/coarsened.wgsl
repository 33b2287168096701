// The scan of a section in three phases: each lane scans a run of neighbouring entries one
// after another, the runs' last entries are scanned by one of the section scans, and each lane
// adds what stands before its run. Most of the work is sequential, which wastes none, and
// workgroup memory limits the section, not the number of lanes. For N entries and T lanes
// 2 (N - T) - (N / T - 1) combines and those of the section scan; the textbook's 2 (N - T) + T log2 T
// leaves the first run, which adds nothing, out of account.
//
// workgroup_inclusive_scan, workgroup_exclusive_scan: called by all lanes of the workgroup, in
// flow that is uniform over it, after section_set, with the same n in all. Entries 0 to n - 1
// are scanned in place; all lanes get the combination of all. What stands at n and past it is
// neither read nor written. n is at most SECTION_SIZE. Lanes may set and get entries in any
// order: with strides of WORKGROUP_SIZE, accesses of memory are coalesced. Runs of an odd length
// hit no bank of workgroup memory twice: 7 took half the time of 8 on an H200. Barriers: those of
// the section scan and 3; the first one before all accesses, the last one after.
//
// Source: thread coarsening, as in Kirk & Hwu, "Programming Massively Parallel Processors".

import package::section::{section_get, section_set, section_last};
import package::section_scan::{section_scan};
import package::subgroup::{Group, Lane};
import package::workgroup::{WORKGROUP_SIZE};

// Entries of a lane's run.
fn run_length(n: u32) -> u32 {
    return max(n / WORKGROUP_SIZE + select(0u, 1u, n % WORKGROUP_SIZE != 0u), 1u);
}

// Phases 1 and 2: each run is scanned for itself but for its last entry, which holds the
// combination of all entries up to it. Barriers: one before, those of the section scan.
fn scan_runs(group: Group, lane: Lane, n: u32) {
    let run_items = run_length(n);
    let first = lane.index * run_items;
    let end = min(first + run_items, n);
    workgroupBarrier();
    if (first < end) {
        var running = section_get(first);
        for (var i = first + 1u; i < end; i += 1u) {
            running = combine(running, section_get(i));
            section_set(i, running);
        }
    }
    section_scan(group, lane, n, run_items);
}

fn workgroup_inclusive_scan(group: Group, lane: Lane, n: u32) -> T {
    scan_runs(group, lane, n);
    // A run's last entry is right already, and the next run's lane reads it.
    let first = lane.index * run_length(n);
    let last = min(first + run_length(n), n) - 1u;
    if (lane.index > 0u && first < n) {
        let before = section_get(first - 1u);
        for (var i = first; i < last; i += 1u) {
            section_set(i, combine(before, section_get(i)));
        }
    }
    workgroupBarrier();
    let total = section_last(n);
    workgroupBarrier();
    return total;
}

fn workgroup_exclusive_scan(group: Group, lane: Lane, n: u32) -> T {
    scan_runs(group, lane, n);
    let total = section_last(n);
    let first = lane.index * run_length(n);
    let last = min(first + run_length(n), n) - 1u;
    let has_left = lane.index > 0u && first < n;
    var before = identity();
    if (has_left) {
        before = section_get(first - 1u);
    }
    workgroupBarrier();
    if (first < n) {
        // From right to left: each entry takes its left neighbour, which is not yet overwritten.
        for (var i = last; i > first; i -= 1u) {
            var left = section_get(i - 1u);
            if (has_left) {
                left = combine(before, left);
            }
            section_set(i, left);
        }
        section_set(first, before);
    }
    workgroupBarrier();
    return total;
}
