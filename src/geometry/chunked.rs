//! Plans of reductions and scans by chunks of tiles.

use super::Geometry;
use crate::definition::Definition;
use crate::error::Error;
use crate::plan::{Counted, Pass, Placement, Plan, Resource};
use crate::shader::kernel::{Carry, Extent, Kernel, Memory, Part, Root, Tile};

impl Geometry {
    /// A reduction: one pass for few tiles, else one to a partial a chunk and one over those.
    ///
    /// Errors: [`Error::Length`] if there are more pieces than chunks.
    pub(crate) fn reduce(
        &self,
        operator: &Definition,
        pieces: &[Placement],
        counted: Counted,
        carry: Option<&[u32]>,
    ) -> Result<Plan, Error> {
        let kernel = self.kernel(operator, Root::Reduce).counted(counted);
        // What stands for nothing is written once: by a call without an initial value.
        let of_nothing = |mut pass: Pass| {
            pass.params.of_nothing = u32::from(carry.is_none());
            pass
        };
        if let Some(single) = self.single(operator, kernel, pieces, counted, carry)? {
            return Ok(Plan { passes: vec![of_nothing(single)] });
        }
        let parts = self.parts(operator, kernel, pieces);
        let chunks = self.upsweeps(operator, kernel, &parts, counted)?;
        let chunks: Vec<Pass> = chunks.into_iter().map(of_nothing).collect();
        let n_chunks = chunks_of(&chunks);
        let kernel = self.kernel(&operator.lowering(), Root::Reduce).over_chunks(counted);
        let kernel = Kernel { part: Part::FromAccumulators, ..kernel };
        let dst_word = pieces.first().map_or(0, |piece| piece.dst_word);
        let placement = Placement { dst_word, n_items: n_chunks, ..Placement::ALIGNED };
        let mut finish = self.pass(operator, kernel, placement, 1)?.with_carry(carry);
        (finish.src, finish.count) = (Resource::Partials, Resource::Arguments);
        let arguments = Self::arguments(&chunks, counted);
        Ok(Plan { passes: arguments.into_iter().chain(chunks).chain([finish]).collect() })
    }

    /// A scan: one pass for few tiles, else upsweeps, spine and downsweeps. Nothing is
    /// dispatched for no item.
    ///
    /// Errors: as [`Geometry::reduce`].
    pub(crate) fn scan(
        &self,
        operator: &Definition,
        pieces: &[Placement],
        counted: Counted,
        exclusive: bool,
        carry: Option<&[u32]>,
    ) -> Result<Plan, Error> {
        let kernel = Kernel { exclusive, ..self.kernel(operator, Root::Downsweep) };
        let kernel = kernel.counted(counted);
        // Of nothing a compaction writes its counts.
        if pieces.iter().all(|piece| piece.n_items == 0) && !kernel.payload.compacts() {
            return Ok(Plan { passes: Vec::new() });
        }
        if let Some(single) = self.single(operator, kernel, pieces, counted, carry)? {
            return Ok(Plan { passes: vec![single] });
        }
        // The upsweep's chunks must be the downsweep's, so it has the same groups and rows.
        let layers = self.kernel(operator, Root::Reduce).layers;
        let upsweep_kernel = Kernel { root: Root::Reduce, layers, exclusive: false, ..kernel };
        let parts = &self.parts(operator, kernel, pieces);
        let upsweeps = self.upsweeps(operator, upsweep_kernel, parts, counted)?;
        let spine = self.spine(operator, &upsweeps, counted, carry)?;
        let downsweep = |(part, first)| self.after_spine(operator, kernel, part, first, counted);
        let downsweeps = parts.iter().zip(&upsweeps).map(downsweep);
        let downsweeps = downsweeps.collect::<Result<Vec<Pass>, Error>>()?;
        Ok(Self::around(spine, upsweeps, downsweeps, counted))
    }

    /// The same by scans of chunks, a spine, and what stands before each chunk combined to the
    /// outputs, which hold accumulators meanwhile.
    ///
    /// Errors: as [`Geometry::reduce`].
    pub(crate) fn scan_then_propagate(
        &self,
        operator: &Definition,
        pieces: &[Placement],
        counted: Counted,
        exclusive: bool,
        carry: Option<&[u32]>,
    ) -> Result<Plan, Error> {
        let kernel = Kernel { exclusive, ..self.kernel(operator, Root::Chunks) };
        let kernel = kernel.counted(counted);
        if pieces.iter().all(|piece| piece.n_items == 0)
            || self.single(operator, kernel, pieces, counted, carry)?.is_some()
        {
            return self.scan(operator, pieces, counted, exclusive, carry);
        }
        let parts = self.parts(operator, kernel, pieces);
        let scan = Kernel { part: Part::ToAccumulators, ..kernel };
        let chunks = self.chunks(operator, scan, &parts, counted)?;
        let spine = self.spine(operator, &chunks, counted, carry)?;
        let in_place = |piece: &Placement| Placement {
            src_word: piece.dst_word,
            src_words: piece.dst_words,
            memory: Memory::Shared,
            ..*piece
        };
        let kernel = Kernel {
            root: Root::Propagate,
            part: Part::FromAccumulators,
            exclusive: false,
            ..kernel
        };
        let propagate = |(part, first)| {
            let mut pass = self.after_spine(operator, kernel, &in_place(part), first, counted)?;
            pass.src = Resource::Output;
            Ok(pass)
        };
        let propagates = parts.iter().zip(&chunks).map(propagate);
        let propagates = propagates.collect::<Result<Vec<Pass>, Error>>()?;
        Ok(Self::around(spine, chunks, propagates, counted))
    }

    /// A pass that writes up to `room` items of runs whose ends are known.
    ///
    /// Errors: [`Error::Limit`] if the device has too few bindings.
    pub(crate) fn decode(
        &self,
        operator: &Definition,
        piece: Placement,
        counted: Counted,
        room: u32,
    ) -> Result<Plan, Error> {
        let kernel = self.kernel(operator, Root::Decode).counted(counted);
        let mut pass = self.pass(operator, kernel, piece, 1)?.with_count(counted);
        let workgroups = room.div_ceil(kernel.workgroup_size).clamp(1, self.workgroups_limit);
        (pass.workgroups, pass.params.workgroups) = (workgroups, workgroups);
        Ok(Plan { passes: vec![pass] })
    }

    /// Passes that make head bits, so many words of them, of offsets.
    ///
    /// Errors: [`Error::Limit`] if the device has too few bindings.
    pub(crate) fn mark_heads(
        &self,
        operator: &Definition,
        piece: Placement,
        n_words: u32,
    ) -> Result<Plan, Error> {
        let pass = |root: Root, n_items: u32| {
            let mut pass = self.pass(operator, self.kernel(operator, root), piece, 1)?;
            let workgroups = n_items.div_ceil(self.workgroup_size).clamp(1, self.workgroups_limit);
            (pass.workgroups, pass.params.workgroups) = (workgroups, workgroups);
            Ok(pass)
        };
        let (clear, mark) = (pass(Root::Clear, n_words), pass(Root::MarkHeads, piece.n_items));
        Ok(Plan { passes: vec![clear?, mark?] })
    }

    /// A spine between the passes before it and after it.
    fn around(spine: Pass, first: Vec<Pass>, last: Vec<Pass>, counted: Counted) -> Plan {
        let arguments = Self::arguments(&first, counted);
        Plan { passes: arguments.into_iter().chain(first).chain([spine]).chain(last).collect() }
    }

    /// The passes that reduce each chunk of each piece to one partial, side by side.
    fn upsweeps(
        &self,
        operator: &Definition,
        kernel: Kernel,
        pieces: &[Placement],
        counted: Counted,
    ) -> Result<Vec<Pass>, Error> {
        // They read; they share no binding with anything.
        let separate = |piece: &Placement| Placement { memory: Memory::Separate, ..*piece };
        let pieces: Vec<Placement> = pieces.iter().map(separate).collect();
        let kernel = Kernel { part: Part::ToAccumulators, ..kernel };
        let to_partials = |mut pass: Pass| {
            pass.dst = Resource::Partials;
            pass.params.dst_word = pass.params.first_chunk * operator.acc_words();
            pass
        };
        let passes = self.chunks(operator, kernel, &pieces, counted)?;
        Ok(passes.into_iter().map(to_partials).collect())
    }

    /// A pass over each piece by chunks of tiles, which are shared out by the pieces' tiles.
    fn chunks(
        &self,
        operator: &Definition,
        kernel: Kernel,
        pieces: &[Placement],
        counted: Counted,
    ) -> Result<Vec<Pass>, Error> {
        let tiles = |piece: &Placement| u64::from(piece.n_items.div_ceil(kernel.tile_items()));
        let all_tiles = pieces.iter().map(tiles).sum::<u64>().max(1);
        // No chunk is longer than it may be.
        let least_of = |piece: &Placement| tiles(piece).div_ceil(u64::from(self.tiles_max)).max(1);
        let least = pieces.iter().map(least_of).sum::<u64>();
        if least > u64::from(self.workgroups_max) {
            return Err(Error::Length {
                what: "the chunks of tiles that a slice's segments and items take (at most)",
                wanted: u64::from(self.workgroups_max),
                got: least,
            });
        }
        // More chunks than that cost more than they share out.
        let most =
            u64::from(self.workgroups).min(all_tiles / u64::from(self.single_tiles / 8).max(1));
        // The rest of the chunks in proportion, rounded down.
        let spare = most.saturating_sub(least);
        let mut first_chunk = 0;
        let chunks = |piece: &Placement| {
            let workgroups = least_of(piece) + spare * tiles(piece) / all_tiles;
            let mut pass = self.pass(operator, kernel, *piece, workgroups as u32)?;
            pass.params.first_chunk = first_chunk;
            first_chunk += pass.workgroups;
            pass.indirect = matches!(counted, Counted::Indirect { .. });
            Ok(pass.with_count(counted))
        };
        pieces.iter().map(chunks).collect()
    }

    /// The pass that writes how many workgroups an indirect first pass takes.
    fn arguments(passes: &[Pass], counted: Counted) -> Option<Pass> {
        let (Counted::Indirect { .. }, [first]) = (counted, passes) else { return None };
        let kernel = Kernel {
            root: Root::Arguments,
            part: Part::Whole,
            tile: Tile::Scalar,
            memory: Memory::Separate,
            ..first.kernel
        };
        let mut arguments = Pass { kernel, workgroups: 1, indirect: false, ..first.clone() };
        (arguments.dst, arguments.params.dst_word) = (Resource::Arguments, 0);
        Some(arguments)
    }

    /// The scan of what the chunks of these passes combine to, by one workgroup, in place.
    fn spine(
        &self,
        operator: &Definition,
        chunks: &[Pass],
        counted: Counted,
        carry: Option<&[u32]>,
    ) -> Result<Pass, Error> {
        let kernel = Kernel {
            part: Part::OnAccumulators,
            exclusive: true,
            ..self.kernel(&operator.on_accumulators(), Root::Downsweep)
        };
        let in_place = Placement::at_start(Memory::Shared, chunks_of(chunks));
        let mut spine =
            self.pass(operator, kernel.over_chunks(counted), in_place, 1)?.with_carry(carry);
        (spine.src, spine.dst) = (Resource::Partials, Resource::Partials);
        spine.count = Resource::Arguments;
        Ok(spine)
    }

    /// The pass over the chunks of an earlier one that takes what stands before each of them.
    fn after_spine(
        &self,
        operator: &Definition,
        kernel: Kernel,
        part: &Placement,
        first: &Pass,
        counted: Counted,
    ) -> Result<Pass, Error> {
        let kernel = Kernel { carry: Carry::Partials, ..kernel };
        let mut pass = self.pass(operator, kernel, *part, first.workgroups)?;
        pass.params.first_chunk = first.params.first_chunk;
        pass.indirect = first.indirect;
        Ok(pass.with_count(counted))
    }

    /// The pieces, cut so that whole tiles and a last, partly filled one are apart, where the device
    /// is better off with it.
    fn parts(&self, operator: &Definition, kernel: Kernel, pieces: &[Placement]) -> Vec<Placement> {
        if !self.whole_tiles || kernel.extent == Extent::Buffer || kernel.payload.votes() {
            return pieces.to_vec();
        }
        let (in_words, out_words) = operator.strides();
        let mut parts = Vec::new();
        for piece in pieces {
            let last = piece.n_items % kernel.tile_items();
            let whole = piece.n_items - last;
            if whole > 0 {
                parts.push(piece.part(0, whole, in_words, out_words));
            }
            if last > 0 || whole == 0 {
                parts.push(piece.part(whole, last, in_words, out_words));
            }
        }
        parts
    }
}

fn chunks_of(passes: &[Pass]) -> u32 {
    passes.iter().map(|pass| pass.workgroups).sum()
}
