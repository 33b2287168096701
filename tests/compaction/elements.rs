//! The elements of the property set: each made of a number, whose lowest bit a predicate reads.

use std::mem::{offset_of, size_of};

use lookback::{Element, Layout};

/// An element, and what tells its items apart.
pub trait Keyed: Element {
    /// The item of a number below 2^20.
    fn of(key: u32) -> Self;
    /// WGSL for the number of `x`.
    const KEY: &str;
    /// The number of an item.
    fn key(self) -> u32;
}

impl Keyed for u32 {
    fn of(key: u32) -> Self {
        key
    }
    const KEY: &str = "x";
    fn key(self) -> u32 {
        self
    }
}

impl Keyed for i32 {
    fn of(key: u32) -> Self {
        -(key as i32)
    }
    const KEY: &str = "u32(-x)";
    fn key(self) -> u32 {
        -self as u32
    }
}

impl Keyed for f32 {
    fn of(key: u32) -> Self {
        key as f32
    }
    const KEY: &str = "u32(x)";
    fn key(self) -> u32 {
        self as u32
    }
}

impl Keyed for [f32; 4] {
    fn of(key: u32) -> Self {
        [0.5, key as f32, 7.0, -(key as f32)]
    }
    const KEY: &str = "u32(x.y)";
    fn key(self) -> u32 {
        self[1] as u32
    }
}

/// 8 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Pair {
    place: f32,
    key: u32,
}

impl Element for Pair {
    const LAYOUT: Layout = Layout::structure(
        "Pair",
        "struct Pair { place: f32, key: u32 }",
        &[("place", offset_of!(Pair, place)), ("key", offset_of!(Pair, key))],
        size_of::<Pair>(),
    );
}

impl Keyed for Pair {
    fn of(key: u32) -> Self {
        Pair { place: key as f32 / 8.0, key }
    }
    const KEY: &str = "x.key";
    fn key(self) -> u32 {
        self.key
    }
}

/// 16 bytes, of which one word is padding.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Particle {
    place: [f32; 2],
    key: i32,
    padding: u32,
}

impl Element for Particle {
    const LAYOUT: Layout = Layout::structure(
        "Particle",
        "struct Particle { place: vec2<f32>, key: i32 }",
        &[("place", offset_of!(Particle, place)), ("key", offset_of!(Particle, key))],
        size_of::<Particle>(),
    );
}

impl Keyed for Particle {
    fn of(key: u32) -> Self {
        // Padding goes where the item goes.
        Particle { place: [key as f32, 1.0], key: key as i32, padding: key.wrapping_mul(77) }
    }
    const KEY: &str = "u32(x.key)";
    fn key(self) -> u32 {
        self.key as u32
    }
}

/// The elements' names, in the order of [`visit`].
pub const ELEMENTS: [&str; 6] = ["u32", "i32", "f32", "vec4<f32>", "Pair", "Particle"];

/// Called with one element.
pub trait Visit {
    fn visit<T: Keyed>(&mut self);
}

/// Visits an element by its number.
pub fn visit(visitor: &mut impl Visit, element: usize) {
    match ELEMENTS[element] {
        "u32" => visitor.visit::<u32>(),
        "i32" => visitor.visit::<i32>(),
        "f32" => visitor.visit::<f32>(),
        "vec4<f32>" => visitor.visit::<[f32; 4]>(),
        "Pair" => visitor.visit::<Pair>(),
        _ => visitor.visit::<Particle>(),
    }
}
