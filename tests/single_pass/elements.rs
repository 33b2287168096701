//! The elements and operators of the property set: one, two and four words, vectors and structs;
//! sum, maximum, and an operator whose order matters.

use std::mem::{offset_of, size_of};

use lookback::{Element, Layout, Operator};

use crate::common::operators::{self, Exact, Visit, hash};

/// An affine map: 8 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
struct Map {
    scale: u32,
    shift: u32,
}

impl Element for Map {
    const LAYOUT: Layout = Layout::structure(
        "Map",
        "struct Map { scale: u32, shift: u32 }",
        &[("scale", offset_of!(Map, scale)), ("shift", offset_of!(Map, shift))],
        size_of::<Map>(),
    );
}

/// A vector and two scalars: 16 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
struct Quad {
    map: [u32; 2],
    signed: i32,
    last: u32,
}

impl Element for Quad {
    const LAYOUT: Layout = Layout::structure(
        "Quad",
        "struct Quad { map: vec2<u32>, signed: i32, last: u32 }",
        &[
            ("map", offset_of!(Quad, map)),
            ("signed", offset_of!(Quad, signed)),
            ("last", offset_of!(Quad, last)),
        ],
        size_of::<Quad>(),
    );
}

fn compose(l: [u32; 2], r: [u32; 2]) -> [u32; 2] {
    [r[0].wrapping_mul(l[0]), r[0].wrapping_mul(l[1]).wrapping_add(r[1])]
}

/// Affine maps modulo 2^16, both numbers in one word.
fn halves(a: u32, b: u32) -> u32 {
    let [scale, shift] = compose([a & 0xffff, a >> 16], [b & 0xffff, b >> 16]);
    (scale & 0xffff) | (shift << 16)
}

const HALVES: &str = "fn combine(a: u32, b: u32) -> u32 {
    let scale = (b & 0xffffu) * (a & 0xffffu);
    let shift = (b & 0xffffu) * (a >> 16u) + (b >> 16u);
    return (scale & 0xffffu) | (shift << 16u);
}";

/// The last float that is not 0: its bits may be any, and the order matters.
fn last_set(a: f32, b: f32) -> f32 {
    if b != 0.0 { b } else { a }
}

fn map_item(i: usize) -> Map {
    let [scale, shift] = operators::affine_item(i);
    Map { scale, shift }
}

fn quad_item(i: usize) -> Quad {
    let word = hash(i as u32, 11);
    Quad { map: operators::affine_item(i), signed: word as i32, last: word % 3 }
}

/// What an operator of the set does.
pub const KINDS: [&str; 3] = ["sum", "max", "in order"];

/// The elements of the set.
pub const ELEMENTS: [&str; 7] = ["u32", "i32", "f32", "vec2<u32>", "vec4<f32>", "Map", "Quad"];

/// Visits one element with one kind of operator.
pub fn visit(visit: &mut impl Visit, element: usize, kind: usize) {
    let name = format!("{} {}", ELEMENTS[element], KINDS[kind]);
    let name = name.as_str();
    let own = "every text is valid";
    match (ELEMENTS[element], KINDS[kind]) {
        ("u32", "sum") => visit.visit(name, &Operator::<u32>::sum(), u32::any),
        ("u32", "max") => visit.visit(name, &Operator::<u32>::max(), u32::any),
        ("u32", _) => {
            let operator = Operator::from_wgsl(1u32, HALVES).expect(own).with_host(halves);
            visit.visit(name, &operator, |i| u32::any(i) | 1);
        }
        ("i32", "sum") => visit.visit(name, &Operator::<i32>::sum(), i32::any),
        ("i32", "max") => visit.visit(name, &Operator::<i32>::max(), i32::any),
        ("i32", _) => {
            let operator = Operator::from_wgsl(0i32, "select(a, b, b != 0)").expect(own);
            let operator = operator.with_host(|a, b| if b != 0 { b } else { a });
            visit.visit(name, &operator, |i| i32::any(i) * i32::from(i % 37 == 0));
        }
        ("f32", "sum") => visit.visit(name, &Operator::<f32>::sum(), f32::any),
        ("f32", "max") => visit.visit(name, &Operator::<f32>::max(), f32::any),
        ("f32", _) => {
            let operator = Operator::from_wgsl(0f32, "select(a, b, b != 0.0)").expect(own);
            visit.visit(name, &operator.with_host(last_set), |i| {
                if i % 5 == 0 { i as f32 + 0.5 } else { 0.0 }
            });
        }
        ("vec2<u32>", "sum") => visit.visit(name, &Operator::<[u32; 2]>::sum(), <[u32; 2]>::any),
        ("vec2<u32>", "max") => visit.visit(name, &Operator::<[u32; 2]>::max(), <[u32; 2]>::any),
        ("vec2<u32>", _) => visit.visit(name, &operators::affine(), operators::affine_item),
        ("vec4<f32>", "sum") => visit.visit(name, &Operator::<[f32; 4]>::sum(), <[f32; 4]>::any),
        ("vec4<f32>", "max") => visit.visit(name, &Operator::<[f32; 4]>::max(), <[f32; 4]>::any),
        ("vec4<f32>", _) => {
            let operator = Operator::from_wgsl([0f32; 4], "select(a, b, b != vec4<f32>())");
            let last = |a: [f32; 4], b: [f32; 4]| std::array::from_fn(|i| last_set(a[i], b[i]));
            visit.visit(name, &operator.expect(own).with_host(last), |i| {
                [2, 3, 5, 7].map(|every| if i % every == 0 { i as f32 + 0.5 } else { 0.0 })
            });
        }
        ("Map", kind) => {
            let (text, identity) = match kind {
                "sum" => ("Map(a.scale + b.scale, a.shift + b.shift)", [0, 0]),
                "max" => ("Map(max(a.scale, b.scale), max(a.shift, b.shift))", [0, 0]),
                _ => ("Map(b.scale * a.scale, b.scale * a.shift + b.shift)", [1, 0]),
            };
            let host: fn(Map, Map) -> Map = match kind {
                "sum" => |a, b| Map {
                    scale: a.scale.wrapping_add(b.scale),
                    shift: a.shift.wrapping_add(b.shift),
                },
                "max" => |a, b| Map { scale: a.scale.max(b.scale), shift: a.shift.max(b.shift) },
                _ => |a, b| {
                    let [scale, shift] = compose([a.scale, a.shift], [b.scale, b.shift]);
                    Map { scale, shift }
                },
            };
            let [scale, shift] = identity;
            let operator = Operator::from_wgsl(Map { scale, shift }, text).expect(own);
            visit.visit(name, &operator.with_host(host), map_item);
        }
        (_, kind) => {
            let (text, identity) = match kind {
                "sum" => {
                    let zero = Quad { map: [0; 2], signed: 0, last: 0 };
                    ("Quad(a.map + b.map, a.signed + b.signed, a.last + b.last)", zero)
                }
                "max" => {
                    let least = Quad { map: [0; 2], signed: i32::MIN, last: 0 };
                    let text =
                        "Quad(max(a.map, b.map), max(a.signed, b.signed), max(a.last, b.last))";
                    (text, least)
                }
                _ => {
                    let neutral = Quad { map: [1, 0], signed: i32::MIN, last: 0 };
                    let text = "Quad(vec2<u32>(b.map.x * a.map.x, b.map.x * a.map.y + b.map.y),
                            max(a.signed, b.signed), select(a.last, b.last, b.last != 0u))";
                    (text, neutral)
                }
            };
            let host: fn(Quad, Quad) -> Quad = match kind {
                "sum" => |a, b| Quad {
                    map: [0, 1].map(|i| a.map[i].wrapping_add(b.map[i])),
                    signed: a.signed.wrapping_add(b.signed),
                    last: a.last.wrapping_add(b.last),
                },
                "max" => |a, b| Quad {
                    map: [0, 1].map(|i| a.map[i].max(b.map[i])),
                    signed: a.signed.max(b.signed),
                    last: a.last.max(b.last),
                },
                _ => |a, b| Quad {
                    map: compose(a.map, b.map),
                    signed: a.signed.max(b.signed),
                    last: if b.last != 0 { b.last } else { a.last },
                },
            };
            let operator = Operator::from_wgsl(identity, text).expect(own);
            visit.visit(name, &operator.with_host(host), quad_item);
        }
    }
}
