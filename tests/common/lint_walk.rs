//! The walk over one function.

use naga::{Block, Expression, Function, GatherMode, Handle, Span, Statement};

use super::levels::{Flow, Level, Value, barrier, collective, gather};
use super::{Lint, Outcome};

/// Analyses `fun` for these levels of its arguments and of the flow at its call, and whether lanes
/// have parted before it.
pub fn function<'m>(
    lint: &mut Lint<'m>,
    fun: &'m Function,
    name: &str,
    args: Vec<Value>,
    flow: Flow,
    parted: Option<u32>,
) -> Outcome {
    let result = match &fun.result {
        Some(result) => lint.shape(result.ty, Level::Workgroup),
        None => Value::One(Level::Workgroup),
    };
    let locals = fun.local_variables.iter();
    let locals = locals.map(|(_, local)| lint.shape(local.ty, Level::Workgroup));
    let mut walk = Walk {
        locals: locals.collect(),
        lint,
        fun,
        name,
        args,
        values: vec![Value::One(Level::Workgroup); fun.expressions.len()],
        loops: Vec::new(),
        loops_seen: 0,
        loops_parted: Vec::new(),
        frames: Vec::new(),
        returned: flow,
        parted,
        result,
        changed: true,
    };
    // Constants and arguments are in no `Emit`. In the arena, an expression
    // stands after its operands.
    for (handle, _) in fun.expressions.iter() {
        walk.evaluate(handle);
    }
    while std::mem::take(&mut walk.changed) {
        walk.loops_seen = 0;
        walk.returned = flow;
        walk.parted = parted;
        walk.block(&fun.body, flow);
    }
    Outcome { result: walk.result, args: walk.args, parted: walk.parted }
}

/// A statement that `break` may leave.
enum Frame {
    /// A loop, by its number in walk order.
    Loop(usize),
    /// A switch case, and the flow of the breaks met in it so far.
    Case(Flow),
}

/// The analysis of one function for one set of argument levels.
///
/// The body is walked in order until memory and loops rise no more. Values
/// need no such care: they are set before they are used.
pub struct Walk<'l, 'm> {
    pub lint: &'l mut Lint<'m>,
    pub fun: &'m Function,
    name: &'l str,
    /// By argument. A pointer to a function or private variable holds the
    /// level of its pointee, any other pointer that of its address.
    pub args: Vec<Value>,
    /// By local variable, the worst of all that is stored to it.
    pub locals: Vec<Value>,
    /// By expression.
    pub values: Vec<Value>,
    /// By loop in walk order, the worst flow of its exits. It raises the
    /// whole body, since the exits of one turn thin out the next.
    loops: Vec<Flow>,
    loops_seen: usize,
    /// By loop, where lanes part in it.
    loops_parted: Vec<Option<u32>>,
    frames: Vec<Frame>,
    /// The worst flow of the returns met so far.
    returned: Flow,
    /// The line where lanes of a subgroup took different ways, in flow that only some subgroups are
    /// in: Vulkan promises only in workgroup-uniform flow that they come together again.
    parted: Option<u32>,
    result: Value,
    pub changed: bool,
}

impl<'m> Walk<'_, 'm> {
    /// The flow at this point, where `flow` is that of the enclosing block.
    fn flow(&self, flow: Flow) -> Flow {
        let frames = self.frames.iter().map(|frame| match *frame {
            Frame::Loop(id) => self.loops[id],
            Frame::Case(flow) => flow,
        });
        frames.fold(flow.join(self.returned), Flow::join)
    }

    /// Notes an exit from loop `id` in this flow.
    fn exit_loop(&mut self, id: usize, flow: Flow) {
        let joined = self.loops[id].join(flow);
        self.changed |= joined != self.loops[id];
        self.loops[id] = joined;
    }

    /// Notes a return in this flow. It leaves all enclosing loops.
    fn exit_function(&mut self, flow: Flow) {
        self.returned = self.returned.join(flow);
        for at in 0..self.frames.len() {
            if let Frame::Loop(id) = self.frames[at] {
                self.exit_loop(id, flow);
            }
        }
    }

    /// Where control goes by the value of `expression`.
    fn branch(&self, flow: Flow, expression: Handle<Expression>, span: Span) -> Flow {
        flow.join(Flow { level: self.level(expression), line: self.lint.line(span) })
    }

    /// After a branch by the value of `condition`: its lanes may have parted for good, or, in
    /// workgroup-uniform flow, are together again.
    fn meet(
        &mut self,
        flow: Flow,
        condition: Option<Handle<Expression>>,
        span: Span,
        before: Option<u32>,
    ) {
        if flow.level == Level::Workgroup {
            self.parted = before;
        } else if condition.is_some_and(|condition| self.level(condition) == Level::Lane) {
            self.parted = self.parted.or(self.lint.line(span)).or(Some(0));
        }
    }

    fn block(&mut self, block: &'m Block, flow: Flow) {
        for (statement, &span) in block.span_iter() {
            // Earlier statements of this block may have raised it.
            let flow = self.flow(flow);
            self.statement(statement, span, flow);
        }
    }

    /// One of several blocks of which control takes one. Returns in the
    /// others do not thin it out, so it starts from those `before` them.
    fn arm(&mut self, block: &'m Block, flow: Flow, before: Flow) {
        let others = std::mem::replace(&mut self.returned, before);
        self.block(block, flow);
        self.returned = self.returned.join(others);
    }

    fn statement(&mut self, statement: &'m Statement, span: Span, flow: Flow) {
        use Statement as S;
        match *statement {
            S::Emit(ref range) => range.clone().for_each(|handle| self.evaluate(handle)),
            S::Block(ref block) => self.block(block, flow),
            S::If { condition, ref accept, ref reject } => {
                let parted = self.parted;
                let around = flow;
                let flow = self.branch(flow, condition, span);
                let before = self.returned;
                self.arm(accept, flow, before);
                self.arm(reject, flow, before);
                self.meet(around, Some(condition), span, parted);
            }
            S::Switch { selector, ref cases } => {
                let parted = self.parted;
                let around = flow;
                let flow = self.branch(flow, selector, span);
                let before = self.returned;
                for case in cases {
                    // In WGSL, a case that falls through has an empty body.
                    self.frames.push(Frame::Case(Flow::UNIFORM));
                    self.arm(&case.body, flow, before);
                    self.frames.pop();
                }
                self.meet(around, Some(selector), span, parted);
            }
            S::Loop { ref body, ref continuing, break_if } => {
                let id = self.loops_seen;
                self.loops_seen += 1;
                if id == self.loops.len() {
                    self.loops.push(Flow::UNIFORM);
                    self.loops_parted.push(None);
                }
                let parted = self.parted;
                self.parted = parted.or(self.loops_parted[id]);
                self.frames.push(Frame::Loop(id));
                self.block(body, flow);
                self.block(continuing, flow);
                if let Some(condition) = break_if {
                    self.exit_loop(id, self.branch(flow, condition, span));
                }
                self.frames.pop();
                if self.parted.is_some() && self.loops_parted[id].is_none() {
                    self.loops_parted[id] = self.parted;
                    self.changed = true;
                }
                self.meet(flow, break_if, span, parted);
            }
            S::Break => match self.frames.last_mut() {
                Some(Frame::Case(left)) => *left = left.join(flow),
                Some(&mut Frame::Loop(id)) => self.exit_loop(id, flow),
                None => {}
            },
            S::Continue => {
                let mut frames = self.frames.iter().rev();
                let innermost = frames.find_map(|frame| match *frame {
                    Frame::Loop(id) => Some(id),
                    Frame::Case(_) => None,
                });
                if let Some(id) = innermost {
                    self.exit_loop(id, flow);
                }
            }
            S::Return { value } => {
                if let Some(value) = value {
                    let value = self.values[value.index()].clone().raised(flow.level);
                    // No statement of this function reads it.
                    self.result.join(&value);
                }
                self.exit_function(flow);
            }
            S::Kill => self.exit_function(flow),
            S::ControlBarrier(flags) => {
                let (what, need) = barrier(flags);
                self.require(what, span, need, flow);
            }
            S::Store { pointer, value } => {
                let place = self.place(pointer);
                let level = flow.level.max(place.index);
                let value = self.values[value.index()].clone().raised(level);
                self.store(&place, &value);
            }
            S::WorkGroupUniformLoad { pointer, result } => {
                let what = "workgroupUniformLoad";
                self.require(what, span, Level::Workgroup, flow);
                let address = self.address(&self.place(pointer));
                self.operand(what, span, Level::Workgroup, address);
                self.values[result.index()] = Value::One(flow.level);
            }
            S::Call { function, ref arguments, result } => {
                self.call(function, arguments, result, flow)
            }
            S::SubgroupBallot { result, .. } => {
                self.subgroup("subgroupBallot", span, flow, result, Level::Subgroup);
            }
            S::SubgroupCollectiveOperation { op, collective_op, result, .. } => {
                let (what, level) = collective(op, collective_op);
                self.subgroup(&what, span, flow, result, level);
            }
            S::SubgroupGather { mode, result, .. } => {
                let (what, mut level) = gather(mode);
                // These must agree on the lane or the distance.
                if let GatherMode::Broadcast(by)
                | GatherMode::ShuffleDown(by)
                | GatherMode::ShuffleUp(by)
                | GatherMode::ShuffleXor(by)
                | GatherMode::QuadBroadcast(by) = mode
                {
                    self.operand(what, span, Level::Subgroup, self.level(by));
                    level = level.max(self.level(by));
                }
                self.subgroup(what, span, flow, result, level);
            }
            // Memory that these write is lane-dependent anyway.
            S::MemoryBarrier(_)
            | S::ImageStore { .. }
            | S::Atomic { .. }
            | S::ImageAtomic { .. }
            | S::RayQuery { .. }
            | S::RayPipelineFunction(_)
            | S::CooperativeStore { .. } => {}
        }
    }

    fn call(
        &mut self,
        function: Handle<Function>,
        arguments: &[Handle<Expression>],
        result: Option<Handle<Expression>>,
        flow: Flow,
    ) {
        let module = self.lint.module;
        let callee = &module.functions[function];
        let mut args = Vec::new();
        let mut places = Vec::new();
        for (argument, parameter) in arguments.iter().zip(&callee.arguments) {
            let space = self.lint.pointer_space(parameter.ty);
            let place = space.map(|_| self.place(*argument));
            args.push(match &place {
                Some(place) => self.pointer(place),
                None => self.values[argument.index()].clone(),
            });
            places.push(place);
        }
        let key = (function, args, flow, self.parted);
        let outcome = match self.lint.memo.get(&key) {
            Some(known) => known.clone(),
            None => {
                let name = callee.name.as_deref().unwrap_or("?");
                let outcome =
                    self::function(self.lint, callee, name, key.1.clone(), flow, self.parted);
                self.lint.memo.insert(key, outcome.clone());
                outcome
            }
        };
        // In workgroup-uniform flow they are together again when all have returned.
        if flow.level != Level::Workgroup {
            self.parted = outcome.parted;
        }
        for (place, after) in places.iter().zip(&outcome.args) {
            if let Some(place) = place {
                self.store(place, after);
            }
        }
        if let Some(result) = result {
            self.values[result.index()] = outcome.result;
        }
    }

    /// A subgroup call whose result has this level at best.
    fn subgroup(
        &mut self,
        what: &str,
        span: Span,
        flow: Flow,
        result: Handle<Expression>,
        level: Level,
    ) {
        self.require(what, span, Level::Subgroup, flow);
        if let (Level::Subgroup, Some(line)) = (flow.level, self.parted) {
            let why = format!("needs lanes that are together, but they parted in line {line}");
            self.lint.report(self.name, what, why, span, flow.level);
        }
        self.values[result.index()] = Value::One(level.max(flow.level));
    }

    fn require(&mut self, what: &str, span: Span, need: Level, flow: Flow) {
        let (needs, has) = (need.name(), flow.level.name());
        let line = flow.line.map_or(String::new(), |line| format!(" since line {line}"));
        if flow.level > need {
            let why = format!("needs {needs} flow, but flow is {has}{line}");
            self.lint.report(self.name, what, why, span, flow.level);
        }
    }

    fn operand(&mut self, what: &str, span: Span, need: Level, level: Level) {
        let (needs, has) = (need.name(), level.name());
        if level > need {
            let why = format!("needs a {needs} operand, but it is {has}");
            self.lint.report(self.name, what, why, span, level);
        }
    }
}
