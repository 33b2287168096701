//! An operator of one's own on a struct of one's own: bounding boxes.
use std::mem::{offset_of, size_of};

use lookback::{Context, Element, Kind, Layout, Operator, Scan, reference};

/// A box; the same struct in Rust and in WGSL.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
struct Bounds {
    low: [f32; 2],
    high: [f32; 2],
}

impl Element for Bounds {
    const LAYOUT: Layout = Layout::structure(
        "Bounds",
        "struct Bounds { low: vec2<f32>, high: vec2<f32> }",
        &[("low", offset_of!(Bounds, low)), ("high", offset_of!(Bounds, high))],
        size_of::<Bounds>(),
    );
}

fn main() -> Result<(), lookback::Error> {
    let context = Context::new()?;
    // The box of nothing: neutral on both sides.
    let nothing = Bounds { low: [f32::INFINITY; 2], high: [f32::NEG_INFINITY; 2] };
    let join = Operator::from_wgsl(nothing, "Bounds(min(a.low, b.low), max(a.high, b.high))")?
        .commutative()
        .with_host(|a: Bounds, b: Bounds| Bounds {
            low: [0, 1].map(|i| a.low[i].min(b.low[i])),
            high: [0, 1].map(|i| a.high[i].max(b.high[i])),
        })
        // Inputs are points: each is lifted to its own box.
        .with_lift("Bounds(x, x)", |x: [f32; 2]| Bounds { low: x, high: x })?;

    let angle = |i: i32| i as f32 * 0.001;
    let points: Vec<[f32; 2]> =
        (0..10_000).map(|i| [angle(i).cos() * angle(i), angle(i).sin() * angle(i)]).collect();
    println!("the box of the spiral: {:?}", context.reduce(&points, &join)?);

    // Or as it grows.
    let grown = Scan::new(&context, &join, Kind::Inclusive)?.run(&points)?;
    assert_eq!(grown, reference::scan(&points, &join, Kind::Inclusive, None)?);
    Ok(())
}
