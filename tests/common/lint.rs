//! A uniformity lint over a validated `naga::Module`.
//!
//! naga accepts barriers and subgroup calls in lane-dependent flow. Tint and
//! the browsers reject them, and drivers may hang on them. This lint walks
//! every entry point, follows calls with the levels of their arguments, and
//! reports each cooperative call that stands in flow it must not stand in.
//!
//! Every value and every point of flow has a [`Level`]. Levels only rise, so
//! each fixpoint below ends, and a fault found early stays a fault.
//! Functions that no entry point reaches are not looked at.
//!
//! Where it differs from Tint:
//! - Looser: Tint gives a struct argument or variable one level for all its
//!   members, takes private variables as lane-dependent, and takes the results
//!   of all subgroup calls as lane-dependent. It also keeps flow apart after a
//!   `switch` that mixes lane-dependent breaks with returns in other cases.
//! - Stricter: a variable has one level in the whole function here.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use naga::{
    AddressSpace, Binding, Function, GlobalVariable, Handle, Module, Span, Type, TypeInner,
};

// The paths hold for `mod lint;` and for `#[path]` alike.
#[path = "lint_levels.rs"]
mod levels;
#[path = "lint_values.rs"]
mod values;
#[path = "lint_walk.rs"]
mod walk;

use levels::{Flow, Level, Value, builtin_level};

/// A cooperative call that stands in flow it must not stand in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The function that holds the call.
    pub function: String,
    /// The call, as WGSL spells it.
    pub what: String,
    /// What the call needs and what it got.
    pub why: String,
    /// The line of the call, counted from 1.
    pub span: Option<u32>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.span.map_or("?".into(), |line| line.to_string());
        write!(f, "{}:{line}: {}: {}", self.function, self.what, self.why)
    }
}

/// Every cooperative call that stands in flow it must not stand in.
///
/// `source` is the WGSL text of the module; it only serves line numbers.
/// The result is in source order.
pub fn uniformity(module: &Module, source: &str) -> Vec<Violation> {
    let mut lint = Lint {
        module,
        source,
        entry: "",
        privates: HashMap::new(),
        private_changed: true,
        memo: HashMap::new(),
        found: BTreeMap::new(),
    };
    // Private variables outlive functions, so their fixpoint is module-wide.
    while std::mem::take(&mut lint.private_changed) {
        lint.memo.clear();
        for entry in &module.entry_points {
            lint.entry = &entry.name;
            let arguments = entry.function.arguments.iter();
            let args =
                arguments.map(|arg| lint.entry_value(arg.ty, arg.binding.as_ref())).collect();
            walk::function(&mut lint, &entry.function, &entry.name, args, Flow::UNIFORM, None);
        }
    }
    let found = lint.found.into_iter();
    found.map(|(_, (_, violation))| violation).collect()
}

/// What a call gives back.
#[derive(Clone)]
struct Outcome {
    result: Value,
    /// The arguments; a pointer argument holds its pointee after the call.
    args: Vec<Value>,
    /// Where lanes had parted at its end, if they had.
    parted: Option<u32>,
}

/// A function, the levels of its arguments and of the flow at its call, and where lanes had parted.
type Call = (Handle<Function>, Vec<Value>, Flow, Option<u32>);

/// The state of the whole module.
struct Lint<'m> {
    module: &'m Module,
    source: &'m str,
    /// The entry point under analysis.
    entry: &'m str,
    privates: HashMap<Handle<GlobalVariable>, Value>,
    private_changed: bool,
    memo: HashMap<Call, Outcome>,
    /// By place in the source; the worst fault of a call is kept.
    found: BTreeMap<(usize, String, String), (Level, Violation)>,
}

impl<'m> Lint<'m> {
    /// A value of type `ty` with every part at `level`.
    fn shape(&self, ty: Handle<Type>, level: Level) -> Value {
        match &self.module.types[ty].inner {
            TypeInner::Struct { members, .. } => {
                let members = members.iter();
                Value::Members(members.map(|m| self.shape(m.ty, level)).collect())
            }
            _ => Value::One(level),
        }
    }

    fn entry_value(&self, ty: Handle<Type>, binding: Option<&Binding>) -> Value {
        match (&self.module.types[ty].inner, binding) {
            (_, Some(Binding::BuiltIn(builtin))) => Value::One(builtin_level(builtin)),
            (TypeInner::Struct { members, .. }, None) => {
                let members = members.iter();
                let members = members.map(|m| self.entry_value(m.ty, m.binding.as_ref()));
                Value::Members(members.collect())
            }
            _ => self.shape(ty, Level::Lane),
        }
    }

    fn line(&self, span: Span) -> Option<u32> {
        let range = span.to_range()?;
        let before = self.source.get(..range.start)?;
        Some(before.matches('\n').count() as u32 + 1)
    }

    /// The space that a pointer of type `ty` points into.
    fn pointer_space(&self, ty: Handle<Type>) -> Option<AddressSpace> {
        self.module.types[ty].inner.pointer_space()
    }

    fn private(&mut self, global: Handle<GlobalVariable>) -> &mut Value {
        // An initializer is a constant.
        let initial = self.shape(self.module.global_variables[global].ty, Level::Workgroup);
        self.privates.entry(global).or_insert(initial)
    }

    /// Notes a fault, unless a worse one is known of this call.
    fn report(&mut self, function: &str, what: &str, why: String, span: Span, level: Level) {
        let start = span.to_range().map_or(0, |range| range.start);
        let key = (start, function.to_owned(), what.to_owned());
        if self.found.get(&key).is_some_and(|(known, _)| *known >= level) {
            return;
        }
        let violation = Violation {
            function: function.to_owned(),
            what: what.to_owned(),
            why: format!("{why} (reached from `{}`)", self.entry),
            span: self.line(span),
        };
        self.found.insert(key, (level, violation));
    }
}
