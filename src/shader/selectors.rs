//! The generated part of a module that tells items apart.

use super::kernel::Flags;
use super::prelude::{component, decode, line, members};
use crate::definition::Definition;
use crate::layout::{Layout, Member, Scalar};
use crate::selection::Selector;

/// What says which items a compaction keeps, or which are the same: the user's functions, and flags.
pub(crate) fn selection(definition: &Definition, flags: Flags) -> String {
    let mut text = match flags {
        Flags::None => String::new(),
        _ => "import package::second_input::{second_word};\n".to_owned(),
    };
    let selection = &definition.selection;
    let input = definition.input.wgsl();
    for function in [&selection.kept, &selection.second, &selection.same].into_iter().flatten() {
        line(&mut text, function.text.clone());
    }
    let call = |function: &Option<Selector>| match function {
        None => "true".to_owned(),
        Some(Selector { name, indexed: true, .. }) => format!("{name}(x, i)"),
        Some(Selector { name, .. }) => format!("{name}(x)"),
    };
    let flag = match flags {
        Flags::None => "true",
        Flags::Words => "second_word(i) != 0u",
        Flags::Bits => "((second_word(i >> 5u) >> (i & 31u)) & 1u) != 0u",
    };
    let kept = call(&selection.kept);
    line(&mut text, format!("fn is_flagged(i: u32) -> bool {{\n    return {flag};\n}}"));
    line(&mut text, format!("fn is_kept(x: {input}, i: u32) -> bool {{"));
    line(&mut text, format!("    return is_flagged(i) & {kept};\n}}"));
    let second = call(&selection.second);
    line(&mut text, format!("fn is_second(x: {input}, i: u32) -> bool {{"));
    line(&mut text, format!("    return {second};\n}}"));
    let same = match &selection.same {
        Some(function) => format!("{}(a, b)", function.name),
        None => same_bits(definition.keys(), selection.by_value),
    };
    decode(&mut text, "key_decode", definition.keys());
    let key = definition.keys().wgsl();
    line(&mut text, format!("fn is_same(a: {key}, b: {key}) -> bool {{"));
    line(&mut text, format!("    return {same};\n}}"));
    text
}

/// Whether two values of a layout are equal, in their bits, or as numbers: then 0.0 equals -0.0, and a
/// NaN nothing. On bits, since drivers may take it for granted that there is no NaN.
fn same_bits(layout: Layout, by_value: bool) -> String {
    let leaf = |member: &Member, lane: u32| {
        let name = if member.name.is_empty() { "" } else { "." };
        let lane = match member.lanes {
            1 => String::new(),
            _ => format!(".{}", component(lane)),
        };
        let path = |value: &str| format!("{value}{name}{}{lane}", member.name);
        let (a, b) = (path("a"), path("b"));
        if member.scalar != Scalar::F32 {
            return format!("({a} == {b})");
        }
        let (a, b) = (format!("bitcast<u32>({a})"), format!("bitcast<u32>({b})"));
        match by_value {
            false => format!("({a} == {b})"),
            true => format!(
                "((({a} == {b}) & (({a} & 0x7fffffffu) <= 0x7f800000u)) | ((({a} | {b}) << 1u) == 0u))"
            ),
        }
    };
    let leaves = members(layout)
        .iter()
        .flat_map(|member| (0..member.lanes).map(|lane| leaf(member, lane)).collect::<Vec<_>>())
        .collect::<Vec<_>>();
    leaves.join(" & ")
}
