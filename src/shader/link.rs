//! The linker: joins shader files into one module's text.
//!
//! A file asks for what it uses with lines such as `import package::tile::{tile_load};`. A path
//! that names a file is that file. A path that names a folder is one of the files in it, all of
//! which export the same names; the [`Choices`] of a kernel say which. Each file is taken once;
//! WGSL lets module-scope declarations stand in any order.

use std::collections::BTreeMap;

use super::{comments, unroll};

/// Which file stands for which folder; a name without a file is text made by the host.
pub(crate) type Choices = BTreeMap<&'static str, &'static str>;

/// Joins `root` and all it imports after the prelude, and repeats the loops marked `// unroll`.
///
/// `constants` are the prelude's constants that trip counts may name. The error says which file
/// asks for what; with the library's own files it is a fault of the library, found by a test.
pub(crate) fn link(
    files: &[(&str, &str)],
    root: &str,
    choices: &Choices,
    generated: &BTreeMap<&str, String>,
    constants: &BTreeMap<&str, u32>,
) -> Result<String, String> {
    let mut linked: Vec<String> = Vec::new();
    let mut text = generated.get("prelude").cloned().unwrap_or_default();
    let mut wanted = vec![root.to_owned()];
    while let Some(path) = wanted.pop() {
        if linked.contains(&path) {
            continue;
        }
        let source = source(files, generated, &path)
            .ok_or_else(|| format!("there is no shader file {path}"))?;
        let source = comments::strip(source, unroll::MARK);
        let mut body = String::with_capacity(source.len());
        let mut lines = source.lines();
        while let Some(line) = lines.next() {
            if !line.trim_start().starts_with("import ") {
                if !line.trim().is_empty() {
                    body.push_str(line.trim_end());
                    body.push('\n');
                }
                continue;
            }
            let mut import = line.trim().to_owned();
            while !import.ends_with(';') {
                let Some(next) = lines.next() else { break };
                if next.trim_start().starts_with("import ") {
                    return Err(format!("{path}: an import ends with `}};`: {import}"));
                }
                import.push_str(next.trim());
            }
            let (target, names) =
                parse_import(&import, choices).map_err(|e| format!("{path}: {e}: {import}"))?;
            let text = self::source(files, generated, &target)
                .ok_or_else(|| format!("{path}: there is no file {target}: {import}"))?;
            for name in names {
                if !declares(text, name) {
                    let other = files.iter().find(|(_, text)| declares(text, name));
                    let hint = other.map_or(String::new(), |(other, _)| {
                        format!("; `package::{}` does", other.replace('/', "::"))
                    });
                    return Err(format!("{path}: {target} declares no `{name}`{hint}: {import}"));
                }
            }
            wanted.push(target);
        }
        text.push_str(&format!("// {path}\n"));
        text.push_str(&unroll::unroll(&body, constants).map_err(|e| format!("{path}: {e}"))?);
        linked.push(path);
    }
    Ok(text)
}

fn source<'a>(
    files: &[(&str, &'a str)],
    generated: &'a BTreeMap<&str, String>,
    path: &str,
) -> Option<&'a str> {
    let file = files.iter().find(|(name, _)| *name == path).map(|(_, text)| *text);
    file.or_else(|| generated.get(path).map(String::as_str))
}

/// The file and the names of `import package::folder::file::{name, name};`.
fn parse_import<'a>(line: &'a str, choices: &Choices) -> Result<(String, Vec<&'a str>), String> {
    let rest = line.strip_prefix("import package::").and_then(|rest| rest.strip_suffix("};"));
    let (path, names) = rest
        .and_then(|rest| rest.split_once("::{"))
        .ok_or("wanted `import package::path::{names};`")?;
    let path = path.replace("::", "/");
    let file = choices.get(path.as_str()).map_or(path, |&file| file.to_owned());
    // A comma may stand after the last name.
    let names = names.trim_end();
    let names = names.strip_suffix(',').unwrap_or(names);
    Ok((file, names.split(',').map(str::trim).collect()))
}

/// Whether a text declares a name at module scope.
pub(crate) fn declares(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let words = ["fn ", "struct ", "override ", "const ", "alias ", "> "];
        words.iter().any(|word| {
            line.find(word).is_some_and(|at| {
                let rest = &line[at + word.len()..];
                let outer = !line.starts_with(' ');
                let whole =
                    |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
                outer && rest.strip_prefix(name).is_some_and(whole)
            })
        })
    })
}
