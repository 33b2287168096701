//! The values that tiles combine to, and how a descriptor holds one.

/// A value: a word of two halves.
pub type Value = u32;

/// Halves are numbers below this prime.
const PRIME: u64 = 65_521;

pub const IDENTITY: Value = 1 << 16;

/// The map x -> a x + b on numbers below the prime: a is the high half, b the low one.
fn map(a: u64, b: u64) -> Value {
    ((a % PRIME) << 16 | (b % PRIME)) as Value
}

/// The left map, then the right one. It does not commute, so a wrong order is a wrong value, and
/// no map but the identity can be left out or counted twice unseen.
pub fn combine(left: Value, right: Value) -> Value {
    let [a, b, c, d] = [left >> 16, left & 0xffff, right >> 16, right & 0xffff].map(u64::from);
    map(a * c, b * c + d)
}

/// What stands before the first tile of a scan: some value that is not the identity, so that a
/// first tile's aggregate and prefix differ.
pub fn initial(call: usize) -> Value {
    hashed(97 + call as u64)
}

/// What a tile combines to. Each call has values of its own.
pub fn total(call: usize, tile: usize) -> Value {
    hashed(1 + 7 * call as u64 + tile as u64)
}

/// Halves that depend on a seed and look like chance (SplitMix64).
fn hashed(seed: u64) -> Value {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    map(2 + (z >> 32) % (PRIME - 2), z & 0xffff_ffff)
}

/// The states of a descriptor, as `shaders/descriptor` numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Nothing,
    Aggregate,
    Prefix,
    Failed,
}

impl Status {
    fn of(bits: u64) -> Self {
        match bits & 3 {
            0 => Self::Nothing,
            1 => Self::Aggregate,
            2 => Self::Prefix,
            _ => Self::Failed,
        }
    }
}

/// A descriptor as it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    pub status: Status,
    pub value: Value,
}

impl Descriptor {
    pub const NOTHING: Self = Self { status: Status::Nothing, value: IDENTITY };
}

/// How a descriptor's words hold its state and value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Two words, of the state and half the value each: `shaders/descriptor/split32.wgsl`.
    Split32,
    /// One word of state and value.
    Packed64,
    /// A seeded fault: `Split32`, but the state is that of the first word, whatever the second's.
    Uncompared,
    /// A seeded fault: `Split32`, but the state has all bits that any word's has.
    Merged,
    /// A seeded fault: the state in one word, the value in another, and no fence.
    Apart,
}

impl Form {
    /// Words of a descriptor.
    pub fn words(self) -> usize {
        if self == Self::Packed64 { 1 } else { 2 }
    }

    /// The words that hold a descriptor; of `Packed64` the first.
    pub fn encode(self, status: Status, value: Value) -> [u64; 2] {
        let (status, value) = (status as u64, u64::from(value));
        match self {
            Self::Split32 | Self::Uncompared | Self::Merged => {
                [status << 16 | (value & 0xffff), status << 16 | value >> 16]
            }
            Self::Packed64 => [status << 32 | value, 0],
            Self::Apart => [status << 16, value],
        }
    }

    /// What a reader makes of the words that it has loaded, each at a time of its own.
    pub fn decode(self, words: [u64; 2]) -> Descriptor {
        let [low, high] = words;
        let halves = ((low & 0xffff) | (high & 0xffff) << 16) as Value;
        match self {
            Self::Split32 if low >> 16 != high >> 16 => Descriptor::NOTHING,
            Self::Split32 | Self::Uncompared => {
                Descriptor { status: Status::of(low >> 16), value: halves }
            }
            Self::Merged => Descriptor { status: Status::of((low | high) >> 16), value: halves },
            Self::Packed64 => Descriptor { status: Status::of(low >> 32), value: low as Value },
            Self::Apart => Descriptor { status: Status::of(low >> 16), value: high as Value },
        }
    }

    /// The state in one word of a descriptor. `Apart` has none in its second.
    pub fn status(self, word: u64) -> Status {
        match self {
            Self::Packed64 => Status::of(word >> 32),
            Self::Apart => Status::Nothing,
            Self::Split32 | Self::Uncompared | Self::Merged => Status::of(word >> 16),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No aggregate or prefix of any run of tiles has a half of another, so a mix of two is none.
    #[test]
    fn halves_tell_values_apart() {
        let mut halves = [Vec::new(), Vec::new()];
        for call in 0..4 {
            let before = [IDENTITY, initial(call)];
            for (first, before) in (0..5).flat_map(|tile| before.map(|before| (tile, before))) {
                if before != IDENTITY && first != 0 {
                    continue;
                }
                let mut value = before;
                for tile in first..5 {
                    value = combine(value, total(call, tile));
                    halves[0].push(value & 0xffff);
                    halves[1].push(value >> 16);
                }
            }
        }
        for half in &mut halves {
            let all = half.len();
            half.sort_unstable();
            half.dedup();
            assert_eq!(half.len(), all);
        }
    }
}
