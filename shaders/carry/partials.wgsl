// The accumulator to the left of a chunk when several workgroups share the tiles: the spine
// has left each chunk's exclusive prefix, the call's initial value included, in `partials`.

import package::params::{params};

@group(0) @binding(5) var<storage, read> partials: array<u32>;

// Any lane, any flow; the same in all lanes of a workgroup.
fn carry_in(chunk: u32) -> T {
    var words: array<u32, ACC_WORDS>;
    for (var w = 0u; w < ACC_WORDS; w += 1u) { // unroll
        words[w] = partials[(params.first_chunk + chunk) * ACC_WORDS + w];
    }
    return from_words(words);
}
