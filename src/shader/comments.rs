//! Comments of WGSL text: line comments end at any of WGSL's line breaks, block comments nest.

/// Line breaks of WGSL besides `\n`.
const BREAKS: [char; 6] = ['\u{b}', '\u{c}', '\r', '\u{85}', '\u{2028}', '\u{2029}'];

/// The text with a space for each comment and `\n` for each line break, but for line comments
/// that are `kept`. Lines keep their numbers.
pub(crate) fn strip(text: &str, kept: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            let length = rest.find(|c| c == '\n' || BREAKS.contains(&c)).unwrap_or(rest.len());
            code.push_str(if rest[..length].trim_end() == kept { kept } else { " " });
            length
        } else if rest.starts_with("/*") {
            let length = block(rest);
            code.push(' ');
            code.extend(rest[..length].chars().filter(|&c| c == '\n'));
            length
        } else if rest.starts_with("\r\n") {
            code.push('\n');
            2
        } else {
            code.push(if BREAKS.contains(&first) { '\n' } else { first });
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    code
}

/// Bytes of the block comment that the text starts with; all of it if it has no end.
fn block(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let step = match text.as_bytes()[at..] {
            [b'/', b'*', ..] => {
                depth += 1;
                2
            }
            [b'*', b'/', ..] => {
                depth -= 1;
                2
            }
            _ => 1,
        };
        at += step;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::strip;

    #[test]
    fn comments_end_where_wgsl_says() {
        for (text, code) in [
            ("a // b\nc", "a  \nc"),
            ("a // b\rc", "a  \nc"),
            ("a // b\u{2028}c", "a  \nc"),
            ("a /* b // c */ d", "a   d"),
            ("a /* b\n /* c */ // d */ e", "a  \n e"),
            ("a /* b\n// c */\nd", "a  \n\nd"),
            ("a //* b\nc /*/ d */ e", "a  \nc   e"),
            ("a /* b", "a  "),
            ("{ // unroll  \n// unroll not", "{ // unroll\n "),
            ("ü /* ü */ ü", "ü   ü"),
        ] {
            assert_eq!(strip(text, "// unroll"), code, "{text:?}");
        }
    }
}
