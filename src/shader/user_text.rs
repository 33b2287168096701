//! Checks the WGSL that users give for operators and predicates, by itself, before it meets our own: what is
//! wrong is reported at its place in the user's text, and text that compiles alone can't reach
//! the library's variables.

use naga::valid::{Capabilities, ShaderStages, SubgroupOperationSet, ValidationFlags, Validator};
use naga::{Module, Span, Statement};

use crate::error::Error;
use crate::layout::Layout;

/// Stands before every text, so that directives, which must come first, are refused.
const GUARD: &str = "const lookback_guard = 0u;\n";
const GUARD_NAME: &str = "lookback_guard";

/// Parsers recurse; a text of this many bytes is safe on any thread's stack.
const MOST_BYTES: usize = 16 << 10;

/// Which function of an operator a text is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Role {
    Combine,
    Lift,
    Lower,
    /// Whether an item is kept, or of the first kind.
    Keep,
    /// Whether it is of the second kind.
    Second,
    /// Whether two neighbours are the same.
    Same,
}

/// A text found good.
pub(crate) struct Checked {
    /// Functions, one of them with the role's name.
    pub text: String,
    /// Whether there are loops in it.
    pub loops: bool,
    /// Whether lanes may take different ways in it: `if`, `switch`, loops, `&&` and `||`.
    pub branches: bool,
    /// Whether an index in it is known at run time only.
    pub indexes: bool,
    /// Whether the function takes the item's number.
    pub indexed: bool,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Role::Combine => "combine",
            Role::Lift => "lift",
            Role::Lower => "lower",
            Role::Keep => "keep",
            Role::Second => "second",
            Role::Same => "same",
        }
    }

    /// Whether the function may take the item's number.
    fn may_be_indexed(self) -> bool {
        matches!(self, Role::Lift | Role::Keep | Role::Second)
    }

    fn parameters(self, from: &str, indexed: bool) -> String {
        match self {
            Role::Combine | Role::Same => format!("a: {from}, b: {from}"),
            _ if indexed => format!("x: {from}, i: u32"),
            _ => format!("x: {from}"),
        }
    }

    /// A shader that calls the function, so that what no compute shader may do is found.
    fn probe(self, from: &str, indexed: bool) -> String {
        let arguments = match self {
            Role::Combine | Role::Same => format!("{from}(), {from}()"),
            _ if indexed => format!("{from}(), 0u"),
            _ => format!("{from}()"),
        };
        let name = self.name();
        format!("\n@compute @workgroup_size(1) fn lookback_probe() {{ _ = {name}({arguments}); }}")
    }
}

/// Makes functions of a text from `from` to `to`, after it was found to compile and to be pure:
/// an expression becomes the body of one, functions are taken as they are.
pub(crate) fn check(text: &str, role: Role, from: Layout, to: Layout) -> Result<Checked, Error> {
    to.members()?;
    check_function(text, role, from, &declarations(&[from, to]), &to.wgsl())
}

/// The same of a text that tells items apart.
pub(crate) fn check_selector(text: &str, role: Role, from: Layout) -> Result<Checked, Error> {
    check_function(text, role, from, &declarations(&[from]), "bool")
}

fn check_function(
    text: &str,
    role: Role,
    from: Layout,
    declarations: &str,
    to: &str,
) -> Result<Checked, Error> {
    // A struct that differs from its Rust twin is told before anything that uses it.
    from.members()?;
    let from = &from.wgsl();
    let name = role.name();
    let indexed = role.may_be_indexed() && takes_index(text, name, declarations);
    let signature = format!("fn {name}({}) -> {to}", role.parameters(from, indexed));
    let whole = |message: &str| error(text, role, 0, message.to_owned());
    if text.trim().is_empty() {
        return Err(whole("the text is empty"));
    }
    if text.len() > MOST_BYTES {
        return Err(whole("the text is longer than 16 KiB"));
    }
    let is_function = declares_functions(text);
    let (open, close) = match is_function {
        true => (String::new(), ""),
        // The line break keeps a trailing comment in the user's text from hiding our own.
        false => (format!("{signature} {{ return "), "\n; }"),
    };
    let function = format!("{open}{text}{close}");
    let source = format!("{GUARD}{declarations}{function}{}", role.probe(from, indexed));
    let start = GUARD.len() + declarations.len() + open.len();
    let place = |span: Option<Span>, message: String| {
        let offset = span.and_then(|span| span.to_range()).map_or(start, |range| range.start);
        // Past the user's text stands our own, which the message would be about.
        let message = match offset >= start + text.len() {
            true if is_function => format!("{message}; wanted `{signature}`"),
            true => "the expression ends where more of it was expected".to_owned(),
            false => message,
        };
        error(text, role, offset.saturating_sub(start), message)
    };

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
    signature_matches(&module, name, &signature, declarations, to)
        .map_err(|message| whole(&format!("{message}; wanted `{signature}`")))?;
    Validator::new(ValidationFlags::all(), Capabilities::SUBGROUP)
        .subgroup_stages(ShaderStages::COMPUTE)
        .subgroup_operations(SubgroupOperationSet::all())
        .validate(&module)
        .map_err(|e| place(e.spans().next().map(|(span, _)| *span), root_cause(&e)))?;
    let structs = [from.as_str(), to];
    if let Some((span, what)) = impure(&module, name, &structs) {
        return Err(place(span, what));
    }
    let loops = has(&module, &|statement| matches!(statement, Statement::Loop { .. }));
    let branches = has(&module, &|statement| {
        matches!(
            statement,
            Statement::If { .. } | Statement::Switch { .. } | Statement::Loop { .. }
        )
    });
    let mut functions = module.functions.iter();
    let indexes = functions.any(|(_, function)| {
        let mut expressions = function.expressions.iter();
        expressions.any(|(_, expression)| matches!(expression, naga::Expression::Access { .. }))
    });
    Ok(Checked { text: function, loops, branches, indexes, indexed })
}

/// The declarations of the structs among layouts, each once.
pub(crate) fn declarations(layouts: &[Layout]) -> String {
    let mut text = String::new();
    for layout in layouts {
        let declaration = layout.declaration();
        if !declaration.is_empty() && !text.contains(declaration) {
            text.push_str(declaration);
            text.push('\n');
        }
    }
    text
}

/// Fails if two checked texts don't go together: if both declare one name.
pub(crate) fn check_together(text: &str, role: Role, others: &[&str]) -> Result<(), Error> {
    let joined = format!("alias T = u32;\n{}\n{}", others.join("\n"), text);
    match naga::front::wgsl::parse_str(&joined) {
        Err(e) if e.message().contains("redefinition") => {
            let message = format!("{}, which another text of the operator declares", e.message());
            Err(error(text, role, 0, message))
        }
        _ => Ok(()),
    }
}

/// Whether an expression uses the item's number `i`, or the function of this name has two parameters.
fn takes_index(text: &str, name: &str, declarations: &str) -> bool {
    let text = super::comments::strip(text, "");
    let word = |c: char| c.is_alphanumeric() || c == '_';
    if !declares_functions(&text) {
        return text.match_indices('i').any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + 1..]);
            // A member of that name is something else.
            !before.ends_with(word) && !before.trim_end().ends_with('.') && !after.starts_with(word)
        });
    }
    // What does not compile is told later.
    let module = naga::front::wgsl::parse_str(&format!("{declarations}{text}"));
    module.is_ok_and(|module| {
        let mut functions = module.functions.iter();
        let named = functions.find(|(_, function)| function.name.as_deref() == Some(name));
        named.is_some_and(|(_, function)| function.arguments.len() == 2)
    })
}

/// Whether the text declares functions, in code and not in a comment: no expression does.
fn declares_functions(text: &str) -> bool {
    super::comments::strip(text, "")
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .any(|word| word == "fn")
}

/// What a module has besides functions that depend on nothing but their arguments.
fn impure(module: &Module, name: &str, structs: &[&str]) -> Option<(Option<Span>, String)> {
    let refuse = |span: Span, what: &str| {
        let rule = "an operator's text must be functions only, and pure";
        Some((Some(span), format!("{what}: {rule}")))
    };
    if let Some((handle, _)) = module.global_variables.iter().next() {
        return refuse(module.global_variables.get_span(handle), "a module-scope variable");
    }
    if let Some((handle, _)) = module.overrides.iter().next() {
        return refuse(module.overrides.get_span(handle), "an override");
    }
    if module.entry_points.len() > 1 {
        return refuse(Span::UNDEFINED, "an entry point");
    }
    // Without module-scope variables there is nothing that an atomic could work on.
    for (_, function) in module.functions.iter() {
        if let Some((span, what)) = find(&function.body, &|statement| match statement {
            Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => Some("a barrier"),
            Statement::SubgroupBallot { .. }
            | Statement::SubgroupCollectiveOperation { .. }
            | Statement::SubgroupGather { .. } => Some("a subgroup call"),
            Statement::Loop { body, continuing, break_if } => {
                let ends = |block| find(block, &leaves).is_some();
                let endless = break_if.is_none() && !ends(body) && !ends(continuing);
                endless.then_some("a loop without an end")
            }
            _ => None,
        }) {
            return refuse(span, what);
        }
    }
    let constants = module
        .constants
        .iter()
        .map(|(handle, constant)| (constant.name.as_deref(), module.constants.get_span(handle)));
    let functions = module
        .functions
        .iter()
        .map(|(handle, function)| (function.name.as_deref(), module.functions.get_span(handle)));
    let types =
        module.types.iter().map(|(handle, ty)| (ty.name.as_deref(), module.types.get_span(handle)));
    for (declared, span) in constants.chain(functions).chain(types) {
        let declared = declared.unwrap_or_default();
        let ours = declared == name || declared == GUARD_NAME;
        if !ours && !structs.contains(&declared) && super::is_reserved(declared) {
            let message = format!("the name `{declared}` is the library's; take another");
            return Some((Some(span), message));
        }
    }
    None
}

/// The first statement of a block, inner blocks included, that `what` names.
fn find(
    block: &naga::Block,
    what: &dyn Fn(&Statement) -> Option<&'static str>,
) -> Option<(Span, &'static str)> {
    block.span_iter().find_map(|(statement, span)| {
        let here = what(statement).map(|what| (*span, what));
        here.or_else(|| match statement {
            Statement::Block(body) => find(body, what),
            Statement::If { accept, reject, .. } => {
                find(accept, what).or_else(|| find(reject, what))
            }
            Statement::Switch { cases, .. } => cases.iter().find_map(|case| find(&case.body, what)),
            Statement::Loop { body, continuing, .. } => {
                find(body, what).or_else(|| find(continuing, what))
            }
            _ => None,
        })
    })
}

fn leaves(statement: &Statement) -> Option<&'static str> {
    matches!(statement, Statement::Break | Statement::Return { .. }).then_some("an end")
}

/// Whether a function of the module has such a statement.
fn has(module: &naga::Module, is_meant: &dyn Fn(&Statement) -> bool) -> bool {
    let what = |statement: &Statement| is_meant(statement).then_some("one");
    module.functions.iter().any(|(_, function)| find(&function.body, &what).is_some())
}

/// Whether the module's function of this name has the types of the signature.
fn signature_matches(
    module: &Module,
    name: &str,
    signature: &str,
    declarations: &str,
    to: &str,
) -> Result<(), String> {
    let mut functions = module.functions.iter().map(|(_, function)| function);
    let function = functions
        .find(|function| function.name.as_deref() == Some(name))
        .ok_or_else(|| format!("there is no function `{name}`"))?;
    // A module with a function of the wanted types; both sides are read alike. Names that no
    // struct has, which would hide it.
    let signature = ["a", "b", "x", "i"].iter().fold(signature.to_owned(), |signature, name| {
        let named =
            |before: &str| (format!("{before}{name}: "), format!("{before}lookback_{name}: "));
        let ((first, first_to), (next, next_to)) = (named("("), named(", "));
        signature.replace(&first, &first_to).replace(&next, &next_to)
    });
    let wanted = format!("{declarations}{signature} {{ return {to}(); }}");
    let wanted = naga::front::wgsl::parse_str(&wanted).map_err(|e| e.message().to_owned())?;
    let types = |module: &Module, function: &naga::Function| {
        let arguments = function.arguments.iter().map(|argument| argument.ty);
        let result = function.result.iter().map(|result| result.ty);
        // A struct's members are handles of its own module: it is told by its name.
        let tell = |ty: naga::Handle<naga::Type>| match &module.types[ty].inner {
            naga::TypeInner::Struct { .. } => (module.types[ty].name.clone(), None),
            inner => (None, Some(inner.clone())),
        };
        arguments.chain(result).map(tell).collect::<Vec<_>>()
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
