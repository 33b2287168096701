//! Every kernel of scans within segments, and of reductions by key and of segments: judged as all others
//! are.

use lookback::{
    Element, Equality, Extent, Flags, Kernel, Keys, LookBack, Memory, Operator, ParamsSpace, Part,
    Payload, Queue, Root, SinglePass, Tile,
};

use crate::kernels::{check, variants};
use crate::operators::{self, Run, Visit};

/// Links a share of the kernels for each operator.
struct Linker {
    texts: Vec<(String, Kernel, String, u32)>,
    operators: usize,
}

impl Visit for Linker {
    fn visit<I: Element, A: Element, O: Element>(
        &mut self,
        name: &str,
        operator: &Operator<I, A, O>,
        _make: fn(usize) -> I,
    ) {
        let keys = [
            operator.by_key(&Equality::<u32>::by_value()),
            operator.by_key(&Equality::<[f32; 4]>::by_value()),
            operator.by_key(&Equality::<Run>::by_bits()),
            operator.by_key(&Equality::from_wgsl("abs(a - b) < 0.5").unwrap() as &Equality<f32>),
        ];
        let keys = keys.map(|operator| operator.unwrap());
        let of_scans = |kernel: &Kernel| {
            matches!(kernel.root, Root::Reduce | Root::Downsweep | Root::SinglePass)
        };
        let kinds = [
            (Payload::ScanSegments, Flags::None),
            (Payload::ReduceSegments, Flags::None),
            (Payload::ScanSegments, Flags::Words),
            (Payload::ScanSegments, Flags::Bits),
            // The spine's, which has no part in single passes.
            (Payload::Items, Flags::None),
        ];
        self.operators += 1;
        for (index, variant) in variants().into_iter().filter(of_scans).enumerate() {
            // Every 17th, another 17th for the next operator.
            if !(index + self.operators).is_multiple_of(17) {
                continue;
            }
            let turn = self.texts.len();
            let (mut payload, flags) = kinds[turn % kinds.len()];
            if payload == Payload::Items && variant.single_pass.is_some() {
                payload = Payload::ScanSegments;
            }
            let part = match (payload, variant.root) {
                (Payload::Items, _) => Part::OnAccumulators,
                (_, Root::Reduce) => Part::ToAccumulators,
                _ => Part::Whole,
            };
            // Blocks of a binding that is read and written are of one size.
            let one_size = I::LAYOUT.words() == O::LAYOUT.words() || payload == Payload::Items;
            let blocks = matches!(variant.tile, Tile::Block(_));
            if blocks && variant.memory == Memory::Shared && !one_size {
                continue;
            }
            let memory =
                if variant.root == Root::Reduce { Memory::Separate } else { variant.memory };
            // Keys by quads: those of one word and of four, in groups of 4 items.
            let by_quads = payload == Payload::ScanSegments || payload == Payload::ReduceSegments;
            let by_quads = by_quads && flags == Flags::None && variant.root != Root::Reduce;
            let by_quads = by_quads && matches!(variant.tile, Tile::Block(_) | Tile::Vector);
            let kernel = Kernel {
                payload,
                flags,
                keys: if by_quads && turn.is_multiple_of(2) { Keys::Quads } else { Keys::Words },
                starts: payload == Payload::ScanSegments && turn.is_multiple_of(3),
                part,
                memory,
                exclusive: payload != Payload::ScanSegments || turn.is_multiple_of(2),
                workgroup_size: 64,
                group: if payload == Payload::ReduceSegments { 8 } else { 4 },
                rows: if payload == Payload::ReduceSegments { 1 } else { 2 },
                ..variant
            };
            let operator = &keys[turn / 5 % keys.len()];
            let by_all = |walk| SinglePass { look_back: LookBack::Workgroup, ..walk };
            let by_all = Kernel { single_pass: kernel.single_pass.map(by_all), ..kernel };
            let (kernel, text) = match operator.wgsl(&kernel) {
                Ok(text) => (kernel, text),
                // The host takes the workgroup's walk for operators with branches.
                Err(e) if e.to_string().contains("would part a subgroup") => {
                    (by_all, operator.wgsl(&by_all).unwrap())
                }
                Err(e) => panic!("{name}: {e}"),
            };
            self.texts.push((name.to_owned(), kernel, text, operator.workgroup_bytes(&kernel)));
        }
        self.segmented_reductions(name, operator);
    }
}

impl Linker {
    /// The passes of a reduction of segments: one of a cover of layers, tiles and extents each.
    fn segmented_reductions<I: Element, A: Element, O: Element>(
        &mut self,
        name: &str,
        operator: &Operator<I, A, O>,
    ) {
        let reduces = |kernel: &Kernel| {
            let quads = matches!(kernel.tile, Tile::Vector | Tile::Scalar);
            kernel.root == Root::Reduce && quads
        };
        let roots = [
            Root::ShortSegments,
            Root::LongSegments(Queue::Listed),
            Root::LongSegments(Queue::All),
        ];
        for (index, variant) in variants().into_iter().filter(reduces).enumerate() {
            // Every 7th, another 7th for the next operator.
            if !(index + self.operators).is_multiple_of(7) {
                continue;
            }
            for root in roots {
                let long = matches!(root, Root::LongSegments(_));
                let (tile, group) = match variant.tile {
                    Tile::Vector if long => (Tile::Vector, 4),
                    _ => (Tile::Scalar, 1),
                };
                let kernel = Kernel { root, tile, group, rows: 1, workgroup_size: 64, ..variant };
                let text = operator.wgsl(&kernel).unwrap();
                let bytes = operator.workgroup_bytes(&kernel);
                self.texts.push((name.to_owned(), kernel, text, bytes));
            }
        }
    }
}

/// The texts, with their kernels and the bytes of workgroup memory that the host counts.
pub fn texts() -> Vec<(String, Kernel, String, u32)> {
    let mut linker = Linker { texts: Vec::new(), operators: 0 };
    operators::all(&mut linker);
    let sum = Operator::<u32>::sum();
    let spaces = [ParamsSpace::Uniform, ParamsSpace::Immediate];
    for (root, params) in [Root::Clear, Root::MarkHeads].into_iter().zip(spaces) {
        for variant in variants().into_iter().filter(|kernel| kernel.root == Root::Arguments) {
            let extent = Extent::Params;
            let kernel =
                Kernel { root, params, extent, workgroup_size: 64, group: 1, rows: 1, ..variant };
            let text = sum.wgsl(&kernel).unwrap();
            linker.texts.push(("heads".to_owned(), kernel, text, sum.workgroup_bytes(&kernel)));
        }
    }
    linker.texts
}

#[test]
fn k5_every_kernel_within_segments_is_valid_translates_and_keeps_its_barriers_uniform() {
    let texts = texts();
    println!("{} modules", texts.len());
    assert!(texts.len() > 1000, "{} modules: the cover has shrunk", texts.len());
    for (name, kernel, text, bytes) in &texts {
        check(text, kernel, *bytes).unwrap_or_else(|e| panic!("{name} {kernel:?}: {e}\n{text}"));
    }
}
