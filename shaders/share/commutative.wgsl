// What one of several lanes takes of numbers [first, end): one in so many, side by side with the other
// lanes', for operators that commute.
//
// All files export: Share; share_of, which any lane may call, in any flow.

struct Share {
    first: u32,
    end: u32,
    step: u32,
}

fn share_of(first: u32, end: u32, place: u32, lanes: u32) -> Share {
    return Share(first + place, end, lanes);
}
