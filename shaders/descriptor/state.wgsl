// What a descriptor says of its tile, in every form. Zero is nothing.

// Nothing yet.
const STATE_NOTHING = 0u;
// The tile's combination.
const STATE_AGGREGATE = 1u;
// The combination of all tiles up to it.
const STATE_PREFIX = 2u;
// The tile's workgroup has given up.
const STATE_FAILED = 3u;

struct Descriptor {
    state: u32,
    value: T,
}
