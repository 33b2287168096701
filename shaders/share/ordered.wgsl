// What one of several lanes takes of numbers [first, end): neighbouring ones, so that what lanes make of
// them can be combined in order. The exports of share/commutative.wgsl.

struct Share {
    first: u32,
    end: u32,
    step: u32,
}

fn share_of(first: u32, end: u32, place: u32, lanes: u32) -> Share {
    let count = end - first;
    let each = count / lanes + select(0u, 1u, count % lanes != 0u);
    let mine = first + min(place * each, count);
    return Share(mine, min(mine + each, end), 1u);
}
