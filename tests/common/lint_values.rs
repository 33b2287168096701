//! The levels of expressions, and of the variables they load from.

use naga::{
    AddressSpace, Expression, GlobalVariable, Handle, LocalVariable, StorageAccess, TypeInner,
};

use super::levels::{Level, Value};
use super::walk::Walk;

/// The variable behind a pointer.
pub enum Root {
    Local(Handle<LocalVariable>),
    Argument(u32),
    Global(Handle<GlobalVariable>),
    Unknown,
}

/// What a pointer expression points to.
pub struct Place {
    pub root: Root,
    pub path: Vec<u32>,
    /// The worst level of the indices on the way.
    pub index: Level,
}

impl Walk<'_, '_> {
    pub fn level(&self, expression: Handle<Expression>) -> Level {
        self.values[expression.index()].worst()
    }

    fn worst(&self, operands: &[Option<Handle<Expression>>]) -> Level {
        let levels = operands.iter().flatten().map(|&operand| self.level(operand));
        levels.max().unwrap_or(Level::Workgroup)
    }

    pub fn place(&self, pointer: Handle<Expression>) -> Place {
        let root = match self.fun.expressions[pointer] {
            Expression::Access { base, index } => {
                let mut place = self.place(base);
                // Stands for any element; an array has no tree below it.
                place.path.push(0);
                place.index = place.index.max(self.level(index));
                return place;
            }
            Expression::AccessIndex { base, index } => {
                let mut place = self.place(base);
                place.path.push(index);
                return place;
            }
            Expression::LocalVariable(local) => Root::Local(local),
            Expression::FunctionArgument(argument) => Root::Argument(argument),
            Expression::GlobalVariable(global) => Root::Global(global),
            _ => Root::Unknown,
        };
        Place { root, path: Vec::new(), index: Level::Workgroup }
    }

    /// The address space of a place, if it is known.
    fn space(&self, place: &Place) -> Option<AddressSpace> {
        match place.root {
            Root::Local(_) => Some(AddressSpace::Function),
            Root::Argument(argument) => {
                let ty = self.fun.arguments[argument as usize].ty;
                self.lint.pointer_space(ty)
            }
            Root::Global(global) => Some(self.lint.module.global_variables[global].space),
            Root::Unknown => None,
        }
    }

    /// The variable of a place, where stores to it are tracked.
    fn variable(&mut self, place: &Place) -> Option<&mut Value> {
        let space = self.space(place)?;
        if !matches!(space, AddressSpace::Function | AddressSpace::Private) {
            return None;
        }
        let root = match place.root {
            Root::Local(local) => &mut self.locals[local.index()],
            Root::Argument(argument) => &mut self.args[argument as usize],
            Root::Global(global) => self.lint.private(global),
            Root::Unknown => return None,
        };
        Some(root.at(&place.path))
    }

    fn load(&mut self, place: &Place) -> Value {
        if let Some(variable) = self.variable(place) {
            return variable.clone().raised(place.index);
        }
        let memory = match self.space(place) {
            Some(AddressSpace::Uniform | AddressSpace::Immediate) => Level::Workgroup,
            Some(AddressSpace::Storage { access }) if !access.contains(StorageAccess::STORE) => {
                Level::Workgroup
            }
            _ => Level::Lane,
        };
        Value::One(memory.max(self.address(place)))
    }

    /// The level of an address in memory that is not tracked.
    pub fn address(&self, place: &Place) -> Level {
        match place.root {
            // Such an argument holds the level of the address passed.
            Root::Argument(argument) => self.args[argument as usize].worst().max(place.index),
            _ => place.index,
        }
    }

    /// What stands for a pointer among the arguments of a call.
    pub fn pointer(&mut self, place: &Place) -> Value {
        match self.variable(place) {
            Some(_) => self.load(place),
            None => Value::One(self.address(place)),
        }
    }

    pub fn store(&mut self, place: &Place, value: &Value) {
        if self.variable(place).is_some_and(|own| own.join(value)) {
            self.changed = true;
            // A private variable may have been read elsewhere already.
            self.lint.private_changed |= matches!(place.root, Root::Global(_));
        }
    }

    pub fn evaluate(&mut self, handle: Handle<Expression>) {
        use Expression as E;
        let fun = self.fun;
        let value = match fun.expressions[handle] {
            E::Literal(_) | E::Constant(_) | E::Override(_) | E::ZeroValue(_) => {
                Value::One(Level::Workgroup)
            }
            E::Compose { ty, ref components } => {
                let parts = components.iter().map(|part| self.values[part.index()].clone());
                let parts = Value::Members(parts.collect());
                match self.lint.module.types[ty].inner {
                    TypeInner::Struct { .. } => parts,
                    _ => Value::One(parts.worst()),
                }
            }
            E::Access { base, index } => Value::One(self.worst(&[Some(base), Some(index)])),
            E::AccessIndex { base, index } => self.values[base.index()].at(&[index]).clone(),
            E::Splat { value: operand, .. }
            | E::Swizzle { vector: operand, .. }
            | E::Unary { expr: operand, .. }
            | E::Relational { argument: operand, .. }
            | E::As { expr: operand, .. } => Value::One(self.level(operand)),
            E::Binary { left, right, .. } => Value::One(self.worst(&[Some(left), Some(right)])),
            E::Select { condition, accept, reject } => {
                Value::One(self.worst(&[Some(condition), Some(accept), Some(reject)]))
            }
            E::Math { arg, arg1, arg2, arg3, .. } => {
                Value::One(self.worst(&[Some(arg), arg1, arg2, arg3]))
            }
            E::FunctionArgument(argument) => self.args[argument as usize].clone(),
            E::Load { pointer } => self.load(&self.place(pointer)),
            E::ArrayLength(array) => Value::One(self.place(array).index),
            // Set by their statements.
            E::CallResult(_)
            | E::WorkGroupUniformLoadResult { .. }
            | E::SubgroupBallotResult
            | E::SubgroupOperationResult { .. } => return,
            // Atomic results, images and all that is unknown.
            _ => Value::One(Level::Lane),
        };
        self.values[handle.index()] = value;
    }
}
