// A section: the entries in workgroup memory that the workgroup scans and reductions work on.
//
// section_set, section_get: any lane, any flow, an index below SECTION_SIZE. Each workgroup
// function takes the section for its own: a barrier must stand between a caller's section_get
// and whatever writes the section next, be it section_set or another function. What functions
// return is the caller's, and needs none.

// Entries of the section.
override SECTION_SIZE: u32 = 64u;

var<workgroup> section: array<T, SECTION_SIZE>;

fn section_set(index: u32, value: T) {
    section[index] = value;
}

fn section_get(index: u32) -> T {
    return section[index];
}

// Index of the last entry of a run, when `n` entries are cut into runs of `run_items`.
fn run_end(run: u32, run_items: u32, n: u32) -> u32 {
    return min((run + 1u) * run_items, n) - 1u;
}

// Runs that cover `n` entries.
fn run_count(run_items: u32, n: u32) -> u32 {
    return n / run_items + select(0u, 1u, n % run_items != 0u);
}

// The last of `n` entries: after an inclusive scan, the combination of all.
fn section_last(n: u32) -> T {
    if (n == 0u) {
        return identity();
    }
    return section[n - 1u];
}
