//! Checks the WGSL that users give for operators, by itself, before it meets our own: what is
//! wrong is reported at its place in the user's text, and text that compiles alone can't reach
//! the library's variables.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{Span, Statement};

use crate::error::Error;

/// Which function of an operator a text is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Role {
    Combine,
    Lift,
    Lower,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Role::Combine => "combine",
            Role::Lift => "lift",
            Role::Lower => "lower",
        }
    }

    fn parameters(self, from: &str) -> String {
        match self {
            Role::Combine => format!("a: {from}, b: {from}"),
            Role::Lift | Role::Lower => format!("x: {from}"),
        }
    }
}

/// The text as a function of the role's name from `from` to `to`, after it was found to compile
/// and to be pure. An expression becomes the function's body; functions are taken as they are.
pub(crate) fn check(text: &str, role: Role, from: &str, to: &str) -> Result<String, Error> {
    let name = role.name();
    let signature = format!("fn {name}({}) -> {to}", role.parameters(from));
    let is_function = text.contains(&format!("fn {name}"));
    let (before, after) = match is_function {
        true => (String::new(), String::new()),
        // The line break keeps a trailing comment in the user's text from hiding our own.
        false => (format!("{signature} {{ return "), "\n; }".to_owned()),
    };
    let source = format!("{before}{text}{after}");
    let place = |span: Option<Span>, message: String| {
        let offset = span.and_then(|span| span.to_range()).map_or(0, |range| range.start);
        // Past the user's text stands our own, which the message would be about.
        let message = match offset >= before.len() + text.len() && !is_function {
            true => "the expression ends where more of it was expected".to_owned(),
            false => message,
        };
        error(text, role, offset.saturating_sub(before.len()), message)
    };

    if text.trim().is_empty() {
        return Err(error(text, role, 0, "the text is empty".to_owned()));
    }
    let module = naga::front::wgsl::parse_str(&source).map_err(|e| {
        let span = e.labels().next().map(|(span, _)| span);
        let labels = e.labels().map(|(_, label)| label).filter(|label| !label.is_empty());
        let labels = labels.collect::<Vec<_>>().join("; ");
        let message = match labels.is_empty() {
            true => e.message().to_owned(),
            false => format!("{} ({labels})", e.message()),
        };
        place(span, message)
    })?;
    Validator::new(ValidationFlags::all(), Capabilities::empty())
        .validate(&module)
        .map_err(|e| place(e.spans().next().map(|(span, _)| *span), root_cause(&e)))?;

    let refuse = |span: Option<Span>, what: &str| {
        place(span, format!("{what}: an operator's text must be functions only, and pure"))
    };
    if let Some((handle, _)) = module.global_variables.iter().next() {
        let span = module.global_variables.get_span(handle);
        return Err(refuse(Some(span), "a module-scope variable"));
    }
    if let Some((handle, _)) = module.overrides.iter().next() {
        return Err(refuse(Some(module.overrides.get_span(handle)), "an override"));
    }
    if !module.entry_points.is_empty() {
        return Err(refuse(None, "an entry point"));
    }
    let constants = module.constants.iter().map(|(_, constant)| constant.name.as_deref());
    let functions = module.functions.iter().map(|(_, function)| function.name.as_deref());
    let types = module.types.iter().map(|(_, ty)| ty.name.as_deref());
    let taken = |declared: &&str| *declared != name && super::is_reserved(declared);
    if let Some(declared) = constants.chain(functions).chain(types).flatten().find(taken) {
        return Err(place(None, format!("the name `{declared}` is the library's; take another")));
    }
    // Without module-scope variables there is nothing that an atomic could work on.
    for (_, function) in module.functions.iter() {
        if let Some((span, what)) = cooperative(&function.body) {
            return Err(refuse(Some(span), what));
        }
    }
    signature_matches(&module, role, from, to)
        .map_err(|message| place(None, format!("{message}; wanted `{signature}`")))?;
    Ok(source)
}

/// The first barrier or subgroup call in a block.
fn cooperative(block: &naga::Block) -> Option<(Span, &'static str)> {
    block.span_iter().find_map(|(statement, span)| match statement {
        Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => Some((*span, "a barrier")),
        Statement::SubgroupBallot { .. }
        | Statement::SubgroupCollectiveOperation { .. }
        | Statement::SubgroupGather { .. } => Some((*span, "a subgroup call")),
        Statement::Block(body) => cooperative(body),
        Statement::If { accept, reject, .. } => cooperative(accept).or_else(|| cooperative(reject)),
        Statement::Switch { cases, .. } => cases.iter().find_map(|case| cooperative(&case.body)),
        Statement::Loop { body, continuing, .. } => {
            cooperative(body).or_else(|| cooperative(continuing))
        }
        _ => None,
    })
}

/// Whether the module's function of the role's name has the role's types.
fn signature_matches(
    module: &naga::Module,
    role: Role,
    from: &str,
    to: &str,
) -> Result<(), String> {
    let name = role.name();
    let mut functions = module.functions.iter().map(|(_, function)| function);
    let function = functions
        .find(|function| function.name.as_deref() == Some(name))
        .ok_or_else(|| format!("there is no function `{name}`"))?;
    // The module `fn f(parameters) -> to` of the wanted types; both sides are read alike.
    let wanted = format!("fn {name}({}) -> {to} {{ return {to}(); }}", role.parameters(from));
    let wanted = naga::front::wgsl::parse_str(&wanted).map_err(|e| e.message().to_owned())?;
    let types = |module: &naga::Module, function: &naga::Function| {
        let arguments = function.arguments.iter().map(|argument| argument.ty);
        let result = function.result.iter().map(|result| result.ty);
        arguments.chain(result).map(|ty| module.types[ty].inner.clone()).collect::<Vec<_>>()
    };
    let matches =
        wanted.functions.iter().all(|(_, w)| types(&wanted, w) == types(module, function));
    matches.then_some(()).ok_or_else(|| format!("`{name}` has other types"))
}

/// The innermost message of an error, which is the one that names the fault.
fn root_cause(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => root_cause(source),
        None => error.to_string(),
    }
}

fn error(text: &str, role: Role, offset: usize, message: String) -> Error {
    let offset = (0..=offset.min(text.len())).rev().find(|&i| text.is_char_boundary(i));
    let before = &text[..offset.unwrap_or(0)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Error::InvalidWgsl {
        role: role.name(),
        line: 1 + before.matches('\n').count() as u32,
        column: 1 + before[line_start..].chars().count() as u32,
        message,
        text: text.to_owned(),
    }
}
