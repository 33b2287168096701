// Where a tile's walk back stands: what tiles `end` to the workgroup's own combine to is known.

struct Walk {
    end: u32,
    // Looks so far, and tiles reduced for others: both are bounded.
    looks: u32,
    reduced: u32,
    done: bool,
    failed: bool,
}
