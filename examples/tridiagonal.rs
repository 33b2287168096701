//! A tridiagonal system solved by three scans: Thomas's algorithm is three loops that each carry
//! one value, and each step is a map of that value. Maps compose, so loops become scans.
//!
//! Source: Blelloch 1990, "Prefix sums and their applications", section 1.4; the first loop is not
//! linear, but a quotient of two linear ones.
use std::mem::{offset_of, size_of};

use lookback::{Context, Element, Kind, Layout, Operator, Scan};

const N: u32 = 100_000;

/// The map c -> (top.x c + top.y) / (bottom.x c + bottom.y). Composition is the product of
/// matrices, and a common factor changes nothing.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
struct Mobius {
    top: [f32; 2],
    bottom: [f32; 2],
}

impl Element for Mobius {
    const LAYOUT: Layout = Layout::structure(
        "Mobius",
        "struct Mobius { top: vec2<f32>, bottom: vec2<f32> }",
        &[("top", offset_of!(Mobius, top)), ("bottom", offset_of!(Mobius, bottom))],
        size_of::<Mobius>(),
    );
}

// A product of a hundred thousand matrices overflows, so each product is scaled. A power of two
// rounds nothing. The composition is associative, and its identity neutral, up to the scale.
const COMPOSE: &str = "
fn combine(a: Mobius, b: Mobius) -> Mobius {
    let top = b.top.x * a.top + b.top.y * a.bottom;
    let bottom = b.bottom.x * a.top + b.bottom.y * a.bottom;
    let larger = max(abs(top), abs(bottom));
    // One over the power of two below the largest: its bits are the exponent's alone.
    let exponent = bitcast<u32>(max(larger.x, larger.y)) & 0x7f800000u;
    let scale = bitcast<f32>(0x7f000000u - exponent);
    return Mobius(top * scale, bottom * scale);
}";

fn main() -> Result<(), lookback::Error> {
    let context = Context::new()?;
    // Row i: below * x[i - 1] + diagonal * x[i] + above * x[i + 1] = right. The diagonal exceeds
    // the others by MARGIN, so the system's condition number is at most LARGEST / MARGIN.
    let rows: Vec<[f32; 3]> = (0..N).map(row).collect();
    let right: Vec<f32> = (0..N).map(|i| 10.0 * number(4 * i + 3)).collect();

    // c[i] = above / (diagonal - below * c[i - 1]). Row 0 has nothing below, so c[-1] is as good
    // as 0, and the composed maps are taken at 0.
    let identity = Mobius { top: [1.0, 0.0], bottom: [0.0, 1.0] };
    let quotients = Operator::from_wgsl(identity, COMPOSE)?
        .with_lift("Mobius(vec2(0.0, x.z), vec2(-x.x, x.y))", |x: [f32; 3]| Mobius {
            top: [0.0, x[2]],
            bottom: [-x[0], x[1]],
        })?
        .with_lower("x.top.y / x.bottom.y", |x| x.top[1] / x.bottom[1])?;
    let c = Scan::new(&context, &quotients, Kind::Inclusive)?.run(&rows)?;

    // d[i] = (right - below * d[i - 1]) / (diagonal - below * c[i - 1]), linear in d.
    let compose = Operator::from_wgsl([1f32, 0.0], "vec2(b.x * a.x, b.x * a.y + b.y)")?
        .with_lower("x.y", |x| x[1])?;
    let recurrence = Scan::new(&context, &compose, Kind::Inclusive)?;
    let before = std::iter::once(&0.0).chain(&c);
    let forward = rows.iter().zip(&right).zip(before).map(|((&[below, diagonal, _], right), c)| {
        let pivot = diagonal - below * c;
        [-below / pivot, right / pivot]
    });
    let d = recurrence.run(&forward.collect::<Vec<_>>())?;

    // x[i] = d[i] - c[i] * x[i + 1], from the last row up.
    let backward = c.iter().zip(&d).rev().map(|(c, &d)| [-c, d]);
    let mut x = recurrence.run(&backward.collect::<Vec<_>>())?;
    x.reverse();
    check(&rows, &right, &x);
    Ok(())
}

const MARGIN: f32 = 0.25;
/// The largest sum of magnitudes in a row.
const LARGEST: f32 = 4.0 + MARGIN;

fn row(i: u32) -> [f32; 3] {
    let below = if i == 0 { 0.0 } else { number(4 * i) };
    let above = if i == N - 1 { 0.0 } else { number(4 * i + 1) };
    let diagonal = below.abs() + above.abs() + MARGIN;
    [below, diagonal.copysign(number(4 * i + 2)), above]
}

/// Fails unless `x` is Thomas's solution, and solves the system, to some roundings of f32.
fn check(rows: &[[f32; 3]], right: &[f32], x: &[f32]) {
    let wide: Vec<[f64; 3]> = rows.iter().map(|row| row.map(f64::from)).collect();
    // `max` would drop NaN.
    assert!(x.iter().all(|x| x.is_finite()), "the solution has values that are no numbers");

    let expected = thomas(&wide, right);
    let scale = largest(expected.iter().copied());
    let differences = x.iter().zip(&expected).map(|(&x, expected)| f64::from(x) - expected);
    let difference = largest(differences) / scale;

    let at = |i: usize| x.get(i).map_or(0.0, |&x| f64::from(x));
    let residuals = wide.iter().zip(right).enumerate().map(|(i, (row, &right))| {
        let left = row[0] * at(i.wrapping_sub(1)) + row[1] * at(i) + row[2] * at(i + 1);
        left - f64::from(right)
    });
    let residual = largest(residuals) / (f64::from(LARGEST) * scale);

    println!("{N} unknowns, the largest is {scale:.2}");
    println!("largest difference from Thomas's algorithm in f64, relative to it: {difference:.1e}");
    println!("largest residual, relative to matrix and solution: {residual:.1e}");
    // Ten roundings in a residual; the condition number says what they do to a solution.
    let tolerance = 10.0 * (-24f64).exp2();
    assert!(residual <= tolerance, "the residual is above {tolerance:.1e}");
    let tolerance = tolerance * f64::from(LARGEST / MARGIN);
    assert!(difference <= tolerance, "the difference is above {tolerance:.1e}");
}

/// Thomas's algorithm: elimination without pivots, then substitution from the last row up.
fn thomas(rows: &[[f64; 3]], right: &[f32]) -> Vec<f64> {
    let (mut c, mut d) = (0.0, 0.0);
    let eliminate = |(&[below, diagonal, above], &right): (&[f64; 3], &f32)| {
        let pivot = diagonal - below * c;
        d = (f64::from(right) - below * d) / pivot;
        c = above / pivot;
        [c, d]
    };
    let eliminated: Vec<[f64; 2]> = rows.iter().zip(right).map(eliminate).collect();
    let mut x = vec![0.0; rows.len()];
    let mut next = 0.0;
    for (x, [c, d]) in x.iter_mut().zip(eliminated).rev() {
        *x = d - c * next;
        next = *x;
    }
    x
}

/// The largest magnitude.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |most, value| value.abs().max(most))
}

/// A number from -1 to 1, by position (the last steps of MurmurHash3).
fn number(i: u32) -> f32 {
    let i = (i ^ (i >> 16)).wrapping_mul(0x85eb_ca6b);
    let i = (i ^ (i >> 13)).wrapping_mul(0xc2b2_ae35);
    (i ^ (i >> 16)) as i32 as f32 * (-31f32).exp2()
}
