//! The levels of uniformity, of values and of flow, and the names of calls.

use naga::{Barrier, BuiltIn, CollectiveOperation, Direction, GatherMode, SubgroupOperation};

/// Over which group of lanes a value is the same, or flow is together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    Workgroup,
    Subgroup,
    Lane,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Level::Workgroup => "workgroup-uniform",
            Level::Subgroup => "subgroup-uniform",
            Level::Lane => "lane-dependent",
        }
    }
}

/// The level of a point of flow, and the line that raised it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Flow {
    pub level: Level,
    pub line: Option<u32>,
}

impl Flow {
    pub const UNIFORM: Flow = Flow { level: Level::Workgroup, line: None };

    pub fn join(self, other: Flow) -> Flow {
        if other.level > self.level { other } else { self }
    }
}

/// The level of a value, by member for structs.
///
/// Invariant: `Members` only stands for struct types. Arrays, vectors and
/// matrices have one level, the worst of their elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    One(Level),
    Members(Vec<Value>),
}

impl Value {
    pub fn worst(&self) -> Level {
        match self {
            Value::One(level) => *level,
            Value::Members(members) => {
                let levels = members.iter().map(Value::worst);
                levels.max().unwrap_or(Level::Workgroup)
            }
        }
    }

    /// Raises every part to at least `level`; says whether that changed it.
    pub fn raise(&mut self, level: Level) -> bool {
        match self {
            Value::One(own) => std::mem::replace(own, level.max(*own)) < level,
            Value::Members(members) => {
                members.iter_mut().fold(false, |changed, member| member.raise(level) | changed)
            }
        }
    }

    /// Raises each part to that of `other`; says whether that changed it.
    pub fn join(&mut self, other: &Value) -> bool {
        match (self, other) {
            (Value::Members(own), Value::Members(other)) => {
                let pairs = own.iter_mut().zip(other);
                pairs.fold(false, |changed, (a, b)| a.join(b) | changed)
            }
            (own, other) => own.raise(other.worst()),
        }
    }

    pub fn raised(mut self, level: Level) -> Value {
        self.raise(level);
        self
    }

    /// The part at `path`. A path ends where the tree has one level.
    pub fn at(&mut self, path: &[u32]) -> &mut Value {
        match (self, path) {
            (Value::Members(members), [first, rest @ ..]) => members[*first as usize].at(rest),
            (own, _) => own,
        }
    }
}

/// The level of an entry point argument.
pub fn builtin_level(builtin: &BuiltIn) -> Level {
    match builtin {
        BuiltIn::WorkGroupId
        | BuiltIn::NumWorkGroups
        | BuiltIn::WorkGroupSize
        | BuiltIn::SubgroupSize
        | BuiltIn::NumSubgroups => Level::Workgroup,
        BuiltIn::SubgroupId => Level::Subgroup,
        _ => Level::Lane,
    }
}

/// The WGSL name of a barrier, and the flow that it needs.
pub fn barrier(flags: Barrier) -> (&'static str, Level) {
    if flags.contains(Barrier::WORK_GROUP) {
        ("workgroupBarrier", Level::Workgroup)
    } else if flags.contains(Barrier::STORAGE) {
        ("storageBarrier", Level::Workgroup)
    } else if flags.contains(Barrier::TEXTURE) {
        ("textureBarrier", Level::Workgroup)
    } else {
        ("subgroupBarrier", Level::Subgroup)
    }
}

/// The WGSL name of a collective call, and the level of its result.
pub fn collective(op: SubgroupOperation, kind: CollectiveOperation) -> (String, Level) {
    // naga names the operations as WGSL does.
    match kind {
        CollectiveOperation::Reduce => (format!("subgroup{op:?}"), Level::Subgroup),
        CollectiveOperation::InclusiveScan => (format!("subgroupInclusive{op:?}"), Level::Lane),
        CollectiveOperation::ExclusiveScan => (format!("subgroupExclusive{op:?}"), Level::Lane),
    }
}

/// The WGSL name of a gather call, and the level of its result.
pub fn gather(mode: GatherMode) -> (&'static str, Level) {
    match mode {
        GatherMode::BroadcastFirst => ("subgroupBroadcastFirst", Level::Subgroup),
        GatherMode::Broadcast(_) => ("subgroupBroadcast", Level::Subgroup),
        GatherMode::Shuffle(_) => ("subgroupShuffle", Level::Lane),
        GatherMode::ShuffleDown(_) => ("subgroupShuffleDown", Level::Lane),
        GatherMode::ShuffleUp(_) => ("subgroupShuffleUp", Level::Lane),
        GatherMode::ShuffleXor(_) => ("subgroupShuffleXor", Level::Lane),
        // The same within a quad only.
        GatherMode::QuadBroadcast(_) => ("quadBroadcast", Level::Lane),
        GatherMode::QuadSwap(Direction::X) => ("quadSwapX", Level::Lane),
        GatherMode::QuadSwap(Direction::Y) => ("quadSwapY", Level::Lane),
        GatherMode::QuadSwap(Direction::Diagonal) => ("quadSwapDiagonal", Level::Lane),
    }
}
