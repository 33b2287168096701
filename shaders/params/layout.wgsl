// The parameters of a pass, as a uniform or as immediates.
// `Params` in src/plan.rs is their host side; a test compares the two field by field.

struct Params {
    // Items in this call, or the most there can be when their number lives on the device.
    n_items: u32,
    // Tiles that cover those items.
    n_tiles: u32,
    // Consecutive tiles that one workgroup handles: its chunk.
    tiles_per_workgroup: u32,
    // First word of the input in its binding; a multiple of 4 in the vector tile file.
    src_word: u32,
    // First word of the output in its binding; likewise.
    dst_word: u32,
    // 1 when `carry` holds an accumulator that goes to the left of item 0.
    has_carry: u32,
    // Chunks of the pieces before this one, when slices are handled piece by piece.
    first_chunk: u32,
    // First word of the count in its binding, when the number of items lives on the device.
    count_word: u32,
    // Workgroups that share the tiles.
    workgroups: u32,
    // 1 when a reduction of no item gives the operator's value of nothing.
    of_nothing: u32,
    // Items of the pieces before this one, modulo 2^32.
    first_item: u32,
    // First word of the second input in its binding.
    second_word: u32,
    // The words of that accumulator, or of one that goes to the left of each segment; of a compaction, where
    // its other slices lie (compact.wgsl). The last four are a segmented reduction's (segmented_reduce.wgsl). WGSL has no arrays in immediates, so these
    // are five members; `carry_word` reads them.
    carry_0: vec4<u32>,
    carry_1: vec4<u32>,
    carry_2: vec4<u32>,
    carry_3: vec4<u32>,
    carry_4: vec4<u32>,
}
