//! The part of a module that is generated: types, sizes, conversions between words and values,
//! and the operator.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::user_text::declarations;
use crate::definition::{Builtin, Definition, Encoding};
use crate::layout::{Layout, Member, Scalar};

/// Names that the generated text declares or uses, and those of WGSL that the shaders use.
#[rustfmt::skip]
pub(crate) const NAMES: &[&str] = &[
    "T", "Items", "from_words", "to_words", "from_input", "to_output", "combine_values", "is_flagged", "key_decode", "KEY_WORDS", "KEY_QUADS", "in_decode", "acc_decode", "acc_encode", "out_encode", "enter", "leave", "in_group",
    "out_group", "identity", "of_nothing", "either", "combine", "lift", "lower", "exchange", "exchange_up",
    "exchange_down", "exchange_value_up", "lift_at", "is_kept", "is_second", "is_same", "FIRST_WORDS", "SECOND_WORDS", "builtin_reduce", "builtin_inclusive_scan", "ordered", "unordered", "GROUP",
    "ROWS", "ITEMS", "HEADS", "STARTS", "STAGE_RUNS", "KIND_WORDS", "IN_WORDS", "ACC_WORDS", "OUT_WORDS", "IN_QUADS", "OUT_QUADS", "BLOCK_LANES",
    "IN_BLOCK_WORDS", "OUT_BLOCK_WORDS", "array",
    "bitcast", "select", "min", "max", "bool", "u32", "i32", "f32", "vec2", "vec3", "vec4",
    "subgroupShuffle", "subgroupShuffleUp", "subgroupShuffleDown", "subgroupBallot", "words",
    "value", "source", "delta", "function", "private", "workgroup", "storage", "uniform", "read",
    "write", "read_write",
];

/// Rows whose kinds fit one word, two bits each.
const KIND_ROWS: u32 = 16;

/// The constants of every prelude.
pub(crate) fn constants(definition: &Definition) -> BTreeMap<&'static str, u32> {
    let first_words = match definition.headed {
        // What the operator writes, be it accumulators.
        true => definition.out_words(),
        false => definition.first_words,
    };
    BTreeMap::from([
        ("IN_WORDS", definition.in_words()),
        ("ACC_WORDS", definition.acc_words()),
        ("OUT_WORDS", definition.out_words()),
        ("KEY_WORDS", definition.keys().words()),
        ("FIRST_WORDS", first_words),
        ("SECOND_WORDS", definition.second_words),
    ])
}

/// The constants of a kernel's tiles, for groups and rows that the plan chose.
pub(crate) fn tile_constants(
    definition: &Definition,
    group: u32,
    rows: u32,
    block_lanes: u32,
) -> BTreeMap<&'static str, u32> {
    let (input, output) = (group * definition.in_words(), group * definition.out_words());
    BTreeMap::from([
        ("BLOCK_LANES", block_lanes),
        ("IN_BLOCK_WORDS", block_lanes * rows * input),
        ("OUT_BLOCK_WORDS", block_lanes * rows * output),
        ("GROUP", group),
        ("ROWS", rows),
        ("ITEMS", group * rows),
        ("KIND_WORDS", (group * rows).div_ceil(KIND_ROWS)),
        ("IN_QUADS", input.div_ceil(4)),
        ("OUT_QUADS", output.div_ceil(4)),
        ("KEY_QUADS", (group * definition.keys().words()).div_ceil(4)),
    ])
}

/// The prelude: what every shader file may use without an import.
pub(crate) fn prelude(definition: &Definition, constants: &BTreeMap<&str, u32>) -> String {
    let mut text = String::new();
    for (name, value) in constants {
        line(&mut text, format!("const {name}: u32 = {value}u;"));
    }
    let (input, acc, output) = (definition.input, definition.accumulator, definition.output);
    text.push_str(&declarations(&[input, acc, output, definition.keys()]));
    let value = definition.value();
    match definition.headed {
        // The value first: where it is a vector of 3, the word takes the room after it.
        true => line(&mut text, format!("struct T {{ value: {value}, heads: u32 }}")),
        false => line(&mut text, format!("alias T = {value};")),
    }

    decode(&mut text, "in_decode", input);
    decode(&mut text, "acc_decode", acc);
    encode(&mut text, "acc_encode", acc);
    encode(&mut text, "out_encode", output);
    enter_and_leave(&mut text, acc, definition.encoding);
    either(&mut text, definition);
    line(&mut text, definition.lift.clone());
    let index = if definition.lift_indexed { ", i" } else { "" };
    let (from, to) = (input.wgsl(), acc.wgsl());
    line(&mut text, format!("fn lift_at(x: {from}, i: u32) -> {to} {{ return lift(x{index}); }}"));
    line(&mut text, definition.lower.clone());
    line(&mut text, definition.combine.clone());

    // Through `var`: as a constant, bits that make a NaN or an infinity would not compile.
    for (name, words) in
        [("identity", &definition.identity), ("of_nothing", &definition.of_nothing)]
    {
        let mut list: Vec<String> = words.iter().map(|w| format!("{w}u")).collect();
        list.extend(definition.headed.then(|| "0u".to_owned()));
        let list = list.join(", ");
        line(&mut text, format!("fn {name}() -> T {{"));
        line(&mut text, format!("    var words = array<u32, ACC_WORDS>({list});"));
        line(&mut text, "    return from_words(words);\n}".to_owned());
    }
    held(&mut text, definition);
    text
}

/// A `T` from and to words, from an input, and to an output; within segments its combine.
fn held(text: &mut String, definition: &Definition) {
    let (headed, words) = (definition.headed, definition.accumulator.words());
    let list = |of: &str| (0..words).map(|w| format!("{of}[{w}u], ")).collect::<String>();
    let (from_words, to_words) = match headed {
        false => ("enter(acc_decode(words))".to_owned(), "acc_encode(leave(value))".to_owned()),
        true => (
            format!(
                "T(enter(acc_decode(array<u32, {words}>({}))), words[{words}u])",
                list("words")
            ),
            format!("array<u32, ACC_WORDS>({}value.heads)", list("words")),
        ),
    };
    let lifted = "enter(lift_at(in_decode(words), i))";
    let from_input = match (headed, definition.reads_held) {
        (false, _) => lifted.to_owned(),
        (true, false) => format!("T({lifted}, 0u)"),
        (true, true) => "from_words(words)".to_owned(),
    };
    let to_output = match (headed, definition.writes_held) {
        (false, _) => "out_encode(lower(leave(value)))",
        (true, false) => "out_encode(lower(leave(value.value)))",
        (true, true) => "to_words(value)",
    };
    let value_words = match headed {
        true => "    let words = acc_encode(leave(value.value));\n",
        false => "",
    };
    line(
        text,
        format!(
            "fn from_words(words: array<u32, ACC_WORDS>) -> T {{
    return {from_words};
}}
fn to_words(value: T) -> array<u32, ACC_WORDS> {{
{value_words}    return {to_words};
}}
fn from_input(words: array<u32, IN_WORDS>, i: u32) -> T {{
    return {from_input};
}}
fn to_output(value: T) -> array<u32, OUT_WORDS> {{
    return {to_output};
}}"
        ),
    );
    if headed {
        // Of what stands before the last head nothing is left, whatever it combines to.
        let combined = "combine_values(a.value, b.value)";
        line(
            text,
            format!(
                "fn combine(a: T, b: T) -> T {{
    return either(b.heads != 0u, T(b.value, a.heads + b.heads), T({combined}, a.heads));
}}"
            ),
        );
    }
}

/// One of two values, without a branch: where lanes must stay together.
fn either(text: &mut String, definition: &Definition) {
    let taken =
        each_part(definition, |part| format!("select(second{part}, first{part}, takes_first)"));
    line(text, "fn either(takes_first: bool, first: T, second: T) -> T {".to_owned());
    line(text, format!("    return {taken};\n}}"));
}

/// Groups of items to and from quads, in which their words stand one after another: for
/// `tile/vector`, `tile/block` and `tile/whole`.
pub(crate) fn groups(definition: &Definition, constants: &BTreeMap<&str, u32>) -> String {
    let mut text = "import package::payload::{item_in};\n".to_owned();
    let (input, output) = (definition.in_words(), definition.out_words());
    let group = constants["GROUP"];
    let items = (0..group).map(|item| {
        let words = (0..input).map(|w| {
            let at = item * input + w;
            format!("quads[{}u].{}", at / 4, component(at))
        });
        let words = words.collect::<Vec<_>>().join(", ");
        format!("\n        item_in(array<u32, IN_WORDS>({words}), index + {item}u)")
    });
    let items = items.collect::<Vec<_>>().join(",");
    line(
        &mut text,
        "fn in_group(quads: array<vec4<u32>, IN_QUADS>, index: u32) -> array<T, GROUP> {"
            .to_owned(),
    );
    line(&mut text, format!("    return array<T, GROUP>({items});\n}}"));

    line(
        &mut text,
        "fn out_group(items: array<T, GROUP>) -> array<vec4<u32>, OUT_QUADS> {".to_owned(),
    );
    for item in 0..group {
        line(&mut text, format!("    let item_{item} = to_output(items[{item}u]);"));
    }
    let quads = (0..constants["OUT_QUADS"]).map(|quad| {
        let words = (0..4).map(|w| {
            let at = quad * 4 + w;
            let (item, word) = (at / output, at % output);
            // A reduction's group may leave part of its last quad unused; it stores no quads.
            if item < group { format!("item_{item}[{word}u]") } else { "0u".to_owned() }
        });
        format!("vec4<u32>({})", words.collect::<Vec<_>>().join(", "))
    });
    let quads = quads.collect::<Vec<_>>().join(", ");
    line(&mut text, format!("    return array<vec4<u32>, OUT_QUADS>({quads});\n}}"));
    text
}

/// The exchange of a `T` between the lanes of a hardware subgroup: for `subgroup/native` only.
/// Subgroup calls take no structs, so a struct goes member by member.
pub(crate) fn exchange(definition: &Definition) -> String {
    let mut text = String::new();
    for (name, parameter, builtin) in [
        ("exchange", "source", "subgroupShuffle"),
        ("exchange_up", "delta", "subgroupShuffleUp"),
        ("exchange_down", "delta", "subgroupShuffleDown"),
    ] {
        let moved = each_part(definition, |part| format!("{builtin}(value{part}, {parameter})"));
        line(&mut text, format!("fn {name}(value: T, {parameter}: u32) -> T {{"));
        line(&mut text, format!("    return {moved};\n}}"));
    }
    // Within segments it leaves out how many begin.
    let moved = each_part(definition, |part| match part {
        ".heads" => "0u".to_owned(),
        part => format!("subgroupShuffleUp(value{part}, delta)"),
    });
    line(&mut text, "fn exchange_value_up(value: T, delta: u32) -> T {".to_owned());
    line(&mut text, format!("    return {moved};\n}}"));
    text
}

/// The device's own instructions over a subgroup: for `subgroup_reduce/builtin` and
/// `subgroup_scan/builtin` only.
pub(crate) fn builtin(builtin: Builtin) -> String {
    let mut text =
        format!("fn builtin_reduce(value: T) -> T {{ return subgroup{builtin:?}(value); }}\n");
    if builtin.scans() {
        line(
            &mut text,
            format!(
                "fn builtin_inclusive_scan(value: T) -> T {{ return subgroupInclusive{builtin:?}(value); }}"
            ),
        );
    }
    text
}

/// The members of a layout that an operator's making has found good.
pub(super) fn members(layout: Layout) -> Vec<Member> {
    layout.members().unwrap_or_default()
}

/// A `T` of an expression for each scalar or vector in it, which is made of the path to it.
fn each_part(definition: &Definition, of: impl Fn(&str) -> String) -> String {
    let acc = definition.accumulator;
    let value = if definition.headed { ".value" } else { "" };
    let each = members(acc).into_iter().map(|member| match member.name.as_str() {
        "" => of(value),
        name => of(&format!("{value}.{name}")),
    });
    let made = whole(acc, each);
    match definition.headed {
        true => format!("T({made}, {})", of(".heads")),
        false => made,
    }
}

/// A value of a layout, of the expressions of its members.
fn whole(layout: Layout, members: impl Iterator<Item = String>) -> String {
    let members = members.collect::<Vec<_>>().join(", ");
    match layout.declaration().is_empty() {
        true => members,
        false => format!("{}({members})", layout.wgsl()),
    }
}

pub(super) fn line(text: &mut String, line: String) {
    text.push_str(&line);
    text.push('\n');
}

pub(super) fn component(word: u32) -> char {
    ['x', 'y', 'z', 'w'][(word % 4) as usize]
}

/// `fn name(words) -> value`.
pub(super) fn decode(text: &mut String, name: &str, layout: Layout) {
    let each = members(layout).into_iter().map(|member| {
        let scalar = member.scalar.wgsl();
        let words = member.first_word..member.first_word + member.lanes;
        let leaves = words.map(|w| match member.scalar {
            Scalar::U32 => format!("words[{w}u]"),
            _ => format!("bitcast<{scalar}>(words[{w}u])"),
        });
        let leaves = leaves.collect::<Vec<_>>().join(", ");
        match member.lanes {
            1 => leaves,
            lanes => format!("vec{lanes}<{scalar}>({leaves})"),
        }
    });
    let value = whole(layout, each);
    let (words, wgsl) = (layout.words(), layout.wgsl());
    line(text, format!("fn {name}(words: array<u32, {words}>) -> {wgsl} {{"));
    line(text, format!("    return {value};\n}}"));
}

/// `fn name(value) -> words`; words between members are 0.
fn encode(text: &mut String, name: &str, layout: Layout) {
    let words = layout.words();
    let mut leaves = vec!["0u".to_owned(); words as usize];
    for member in members(layout) {
        let path = match member.name.as_str() {
            "" => "value".to_owned(),
            name => format!("value.{name}"),
        };
        for lane in 0..member.lanes {
            let leaf = match member.lanes {
                1 => path.clone(),
                _ => format!("{path}.{}", component(lane)),
            };
            leaves[(member.first_word + lane) as usize] = match member.scalar {
                Scalar::U32 => leaf,
                _ => format!("bitcast<u32>({leaf})"),
            };
        }
    }
    line(text, format!("fn {name}(value: {}) -> array<u32, {words}> {{", layout.wgsl()));
    line(text, format!("    return array<u32, {words}>({});\n}}", leaves.join(", ")));
}

/// `enter` encodes an accumulator, `leave` decodes it.
fn enter_and_leave(text: &mut String, layout: Layout, encoding: Encoding) {
    let plain = layout.wgsl();
    let held = encoding.wgsl(layout);
    if encoding == Encoding::Plain {
        line(text, format!("fn enter(value: {plain}) -> {plain} {{ return value; }}"));
        line(text, format!("fn leave(value: {plain}) -> {plain} {{ return value; }}"));
        return;
    }
    // Bits of a float, as a u32 that orders as the float does: negatives upside down, the rest
    // above them. No finite or infinite float has the value that stands for NaN. NaN is told by
    // its bits, since drivers may take it for granted that there is none.
    let nan = match encoding {
        Encoding::OrderedNanHigh => u32::MAX,
        _ => 0,
    };
    let _ = write!(
        text,
        "fn ordered(bits: u32) -> u32 {{
    let key = select(bits | 0x80000000u, ~bits, (bits >> 31u) == 1u);
    return select(key, {nan}u, (bits & 0x7fffffffu) > 0x7f800000u);
}}
fn unordered(key: u32) -> u32 {{
    let bits = select(~key, key & 0x7fffffffu, (key >> 31u) == 1u);
    return select(bits, 0x7fc00000u, key == {nan}u);
}}
"
    );
    let each = |function: &str, inner: &str, outer: &str, to: &str| {
        let leaves = (0..layout.words()).map(|w| match layout.words() {
            1 => format!("{outer}({function}({inner}(value)))"),
            _ => format!("{outer}({function}({inner}(value.{})))", component(w)),
        });
        format!("{to}({})", leaves.collect::<Vec<_>>().join(", "))
    };
    let enter = each("ordered", "bitcast<u32>", "u32", &held);
    let leave = each("unordered", "u32", "bitcast<f32>", &plain);
    line(text, format!("fn enter(value: {plain}) -> {held} {{ return {enter}; }}"));
    line(text, format!("fn leave(value: {held}) -> {plain} {{ return {leave}; }}"));
}
