//! The recurrence x[i] = a[i] * x[i - 1] + b[i] as a scan: each step is a map x -> a x + b, and
//! such maps compose to one of their kind. The order of composition matters.
//!
//! Source: Blelloch 1990, "Prefix sums and their applications", section 1.4.
use lookback::{Context, Element, Error, Kind, Operator, Scan};

const N: u32 = 1_000_000;

fn main() -> Result<(), Error> {
    let context = Context::new()?;
    integers(&context)?;
    floats(&context)
}

/// Composes maps `[a, b]`, first the left one, and gives their values.
fn recurrence<T: Element>(
    context: &Context,
    [zero, one]: [T; 2],
) -> Result<Scan<[T; 2], [T; 2], T>, Error>
where
    [T; 2]: Element,
{
    let compose = Operator::from_wgsl([one, zero], "vec2(b.x * a.x, b.x * a.y + b.y)")?
        .with_lower("x.y", |x: [T; 2]| x[1])?;
    Scan::new(context, &compose, Kind::Inclusive)
}

/// Modulo 2^32, where every order of composition gives the same bits.
fn integers(context: &Context) -> Result<(), Error> {
    let start = 2026;
    let steps: Vec<[u32; 2]> = (0..N).map(|i| [noise(2 * i), noise(2 * i + 1)]).collect();
    // What stands to the left of item 0 is a map too: the one to x[-1], whatever it is given.
    let scanned = recurrence(context, [0u32, 1])?.with_init([0, start]).run(&steps)?;

    let mut x = start;
    for (i, (&[a, b], &got)) in steps.iter().zip(&scanned).enumerate() {
        x = a.wrapping_mul(x).wrapping_add(b);
        assert_eq!(got, x, "x[{i}] differs from the loop's");
    }
    println!("u32: all {N} values are those of the loop, the last is {x}");
    Ok(())
}

/// With |a| <= 1, against a loop in f64 and a bound for the error of each value.
fn floats(context: &Context) -> Result<(), Error> {
    // |a| is from 1 - 2^-10 to 1, so a value remembers some thousand steps.
    let factor = |i| {
        let a = 1.0 - (noise(i) >> 8) as f32 * (-34f32).exp2();
        if noise(i).is_multiple_of(8) { -a } else { a }
    };
    let offset = |i| noise(i) as i32 as f32 * (-31f32).exp2();
    let steps: Vec<[f32; 2]> = (0..N).map(|i| [factor(2 * i), offset(2 * i + 1)]).collect();
    let scan = recurrence(context, [0f32, 1.0])?;
    let scanned = scan.run(&steps)?;

    // x[i] is a sum of terms b[j] a[j + 1] ... a[i]. In whatever order maps are composed, a term is
    // rounded once for each of its i - j factors and once for each addition, and a pass adds it to
    // others in at most 64 levels of a tile and once a tile. Factors that underflow lose far less.
    let passes = scan.plan(N)?.passes;
    let additions: u32 = passes.iter().map(|pass| pass.params.tiles_per_workgroup + 64).sum();
    // For k roundings of 2^-24, (1 + u)^k - 1 <= k u exp(k u).
    let rounding = (-24f64).exp2();
    let unit = rounding * (f64::from(N + additions) * rounding).exp();

    // Sums over the terms' magnitudes: plain, and weighted by their numbers of factors.
    let (mut x, mut plain, mut weighted) = (0f64, 0f64, 0f64);
    let (mut largest_error, mut largest_share) = (0f64, 0f64);
    for (i, (&[a, b], &got)) in steps.iter().zip(&scanned).enumerate() {
        let (a, b) = (f64::from(a), f64::from(b));
        x = a * x + b;
        weighted = a.abs() * (weighted + plain);
        plain = a.abs() * plain + b.abs();
        let bound = (weighted + f64::from(additions) * plain) * unit;
        let error = (f64::from(got) - x).abs();
        assert!(error <= bound, "x[{i}] is {got}, the loop says {x}, the bound is {bound:e}");
        largest_error = largest_error.max(error);
        largest_share = largest_share.max(error / bound);
    }
    println!(
        "f32: the largest error is {largest_error:.1e}, none above {largest_share:.1e} of its bound"
    );
    Ok(())
}

/// Bits without a pattern, by position (the last steps of MurmurHash3).
fn noise(i: u32) -> u32 {
    let i = (i ^ (i >> 16)).wrapping_mul(0x85eb_ca6b);
    let i = (i ^ (i >> 13)).wrapping_mul(0xc2b2_ae35);
    i ^ (i >> 16)
}
