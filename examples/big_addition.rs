//! The sum of two numbers of a million decimal digits: carry lookahead as a scan. A pair of limbs
//! kills a carry from its right, propagates it or generates one, whatever the others do.
//!
//! Source: Blelloch 1990, "Prefix sums and their applications", section 1.1.
use lookback::{Context, Kind, Operator, Scan};
use num_bigint::BigUint;

/// Limbs of 32 bits, the least significant first.
const LIMBS: u32 = 103_811;
const KILL: u32 = 0;
const PROPAGATE: u32 = 1;
const GENERATE: u32 = 2;

fn main() -> Result<(), lookback::Error> {
    let context = Context::new()?;
    // What two neighbours do together is what the upper one does, unless it propagates.
    let carries = Operator::from_wgsl(PROPAGATE, "select(b, a, b == 1u)")?
        .with_lift(
            "select(u32(x.x + x.y == 0xffffffffu), 2u, x.x + x.y < x.x)",
            |[x, y]: [u32; 2]| match x.overflowing_add(y) {
                (_, true) => GENERATE,
                (u32::MAX, false) => PROPAGATE,
                _ => KILL,
            },
        )?
        .with_lower("u32(x == 2u)", |x| u32::from(x == GENERATE))?;
    let carries = Scan::new(&context, &carries, Kind::Exclusive)?;

    // Above the numbers' own limbs, a pair of zeros takes the last carry.
    let mut pairs: Vec<[u32; 2]> = (0..LIMBS).map(pair).collect();
    pairs.push([0, 0]);
    let carry = carries.run(&pairs)?;
    let sum =
        pairs.iter().zip(&carry).map(|([x, y], carry)| x.wrapping_add(*y).wrapping_add(*carry));
    let sum = BigUint::new(sum.collect());

    let [x, y] = [0, 1].map(|k| BigUint::new(pairs.iter().map(|pair| pair[k]).collect()));
    println!("{} and {} decimal digits make {}", digits(&x), digits(&y), digits(&sum));
    // How far a carry runs is what a loop over the limbs would have to wait for.
    let passes = |(&[x, y], &carry): (&[u32; 2], &u32)| carry == 1 && x.wrapping_add(y) == u32::MAX;
    let passed: Vec<bool> = pairs.iter().zip(&carry).map(passes).collect();
    let longest = passed.split(|&passed| !passed).map(<[bool]>::len).max();
    println!("the longest run of a carry is {} of {LIMBS} limbs", longest.unwrap_or(0));
    assert!(sum == x + y, "the sum differs from num-bigint's");
    Ok(())
}

/// Limb `i` of both numbers. Most pairs add up to all ones, so that carries run far.
fn pair(i: u32) -> [u32; 2] {
    if i == LIMBS - 1 {
        // 99 * 2^(32 i) and 28 * 2^(32 i) have 1,000,000 digits.
        return [99, 28];
    }
    let x = noise(3 * i);
    let free = noise(3 * i + 1).is_multiple_of(2048);
    [x, if free { noise(3 * i + 2) } else { !x }]
}

/// The number of decimal digits, by the logarithm.
fn digits(number: &BigUint) -> u64 {
    let limbs = number.to_u64_digits();
    let log2 = match limbs.as_slice() {
        [.., next, top] => (*top as f64 + *next as f64 * (-64f64).exp2()).log2(),
        [top] => (*top as f64).log2(),
        [] => 0.0,
    };
    let below = 64.0 * limbs.len().saturating_sub(1) as f64;
    ((log2 + below) * 2f64.log10()) as u64 + 1
}

/// Bits without a pattern, by position (the last steps of MurmurHash3).
fn noise(i: u32) -> u32 {
    let i = (i ^ (i >> 16)).wrapping_mul(0x85eb_ca6b);
    let i = (i ^ (i >> 13)).wrapping_mul(0xc2b2_ae35);
    i ^ (i >> 16)
}
