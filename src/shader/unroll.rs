//! Repeats the bodies of loops marked `// unroll`.
//!
//! A lane's items live in registers only while every index is known when the driver compiles.
//! Drivers stop unrolling at about 4 trips, so the linker does it: the loop
//!
//! ```wgsl
//! for (var i = 0u; i < ITEMS; i += 1u) { // unroll
//!     BODY
//! }
//! ```
//!
//! becomes `{ let i = 0u; BODY } { let i = 1u; BODY } …`. The file itself stays valid WGSL.

use std::collections::BTreeMap;

/// The comment that marks a loop, at the end of its first line.
pub(crate) const MARK: &str = "// unroll";

/// The text with every marked loop repeated, inner loops too. Refused: a head of another form,
/// a trip count that is neither a literal nor a constant of `constants` (or one less than it),
/// and `break`, `continue`, `return` or a write to the loop variable in the body.
pub(crate) fn unroll(text: &str, constants: &BTreeMap<&str, u32>) -> Result<String, String> {
    let mut output = String::with_capacity(text.len());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if !line.trim_end().ends_with(MARK) {
            output.push_str(line);
            output.push('\n');
            continue;
        }
        let (variable, trips) = parse_head(line, constants).map_err(|e| format!("{e}: {line}"))?;
        // The body ends at the brace that stands under the loop's head.
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = format!("{indent}}}");
        let mut body = String::new();
        loop {
            match lines.next() {
                None => return Err(format!("the marked loop has no end: {line}")),
                Some(next) if next.trim_end() == end => break,
                Some(next) => {
                    check_line(next, variable).map_err(|e| format!("{e}: {next}"))?;
                    body.push_str(next);
                    body.push('\n');
                }
            }
        }
        let body = unroll(&body, constants)?;
        for trip in 0..trips {
            output.push_str(&format!("{indent}{{ let {variable} = {trip}u;\n{body}{indent}}}\n"));
        }
    }
    Ok(output)
}

/// The variable and the trip count of `for (var i = 0u; i < COUNT; i += 1u)`.
fn parse_head<'a>(
    line: &'a str,
    constants: &BTreeMap<&str, u32>,
) -> Result<(&'a str, u32), &'static str> {
    let form = "a marked loop reads `for (var i = 0u; i < COUNT; i += 1u) { // unroll`";
    let head = line.trim().strip_prefix("for (var ").and_then(|h| h.strip_suffix(MARK));
    let head = head.and_then(|h| h.trim_end().strip_suffix('{'));
    let head = head.and_then(|h| h.trim_end().strip_suffix(')')).ok_or(form)?;
    let [start, test, step] = head.split("; ").collect::<Vec<_>>()[..] else { return Err(form) };
    let variable = start.strip_suffix(" = 0u").ok_or(form)?;
    if step != format!("{variable} += 1u") {
        return Err(form);
    }
    let count = test.strip_prefix(variable).and_then(|t| t.strip_prefix(" < ")).ok_or(form)?;
    let (name, less) = match count.strip_suffix(" - 1u") {
        Some(name) => (name, 1),
        None => (count, 0),
    };
    let literal = name.strip_suffix('u').and_then(|digits| digits.parse().ok());
    let trips: u32 = literal
        .or_else(|| constants.get(name).copied())
        .ok_or("the trip count is neither a literal nor a constant of the prelude")?;
    Ok((variable, trips.saturating_sub(less)))
}

fn check_line(line: &str, variable: &str) -> Result<(), &'static str> {
    let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    if words.clone().any(|word| matches!(word, "break" | "continue" | "return")) {
        return Err("an unrolled body can't leave its loop");
    }
    let trimmed = line.trim_start();
    let written = trimmed.strip_prefix(variable).map(str::trim_start);
    match written {
        Some(rest) if !rest.starts_with("==") && rest[..rest.len().min(2)].contains('=') => {
            Err("an unrolled body can't write its loop variable")
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> Result<String, String> {
        unroll(text, &BTreeMap::from([("ITEMS", 2)]))
    }

    #[test]
    fn bodies_are_repeated_inside_and_out() {
        let text = "for (var i = 0u; i < ITEMS; i += 1u) { // unroll\n    for (var j = 0u; j < ITEMS - 1u; j += 1u) { // unroll\n        f(i, j);\n    }\n}\n";
        let flat = run(text).unwrap().replace(['\n', ' '], "");
        assert_eq!(flat, "{leti=0u;{letj=0u;f(i,j);}}{leti=1u;{letj=0u;f(i,j);}}");
    }

    #[test]
    fn what_can_not_be_repeated_is_refused() {
        let wrap = |body: &str| {
            run(&format!("for (var i = 0u; i < 3u; i += 1u) {{ // unroll\n    {body}\n}}\n"))
        };
        assert!(wrap("x = i;").is_ok());
        for body in ["break;", "if (x) { continue; }", "return;", "i += 1u;", "i = 2u;"] {
            assert!(wrap(body).is_err(), "{body}");
        }
        assert!(run("for (var i = 0u; i < n; i += 1u) { // unroll\n}\n").is_err());
        assert!(run("for (var i = 1u; i < 2u; i += 1u) { // unroll\n}\n").is_err());
        assert!(run("for (var i = 0u; i < 2u; i += 1u) { // unroll\n  f();\n").is_err());
    }
}
