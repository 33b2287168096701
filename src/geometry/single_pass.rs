//! Plans of scans in a single pass.

use super::Geometry;
use crate::definition::Definition;
use crate::error::Error;
use crate::plan::{Counted, Placement, Plan};
use crate::scratch::ARRAY_WORDS;
use crate::shader::kernel::{Carry, Kernel, Root, SinglePass};

impl Geometry {
    /// A scan in a single pass a piece, or a part of one with as many tiles as there is room for
    /// descriptors. What stands before a later one is left on the device. `choose` changes what the
    /// geometry takes of a single pass. `None` for a count on the device with more than one pass.
    ///
    /// Errors: [`Error::Limit`] if the device has too few bindings.
    pub(crate) fn single_pass(
        &self,
        operator: &Definition,
        pieces: &[Placement],
        counted: Counted,
        choose: impl FnOnce(SinglePass) -> SinglePass,
        exclusive: bool,
        carry: Option<&[u32]>,
    ) -> Result<Option<Plan>, Error> {
        let kernel = self.kernel(operator, Root::SinglePass).counted(counted);
        let single_pass = kernel.single_pass.map(choose);
        let kernel = Kernel { carry: Carry::State, single_pass, exclusive, ..kernel };
        let tiles_max = ARRAY_WORDS / self.descriptor.words(operator.acc_words());
        let part_items = tiles_max.saturating_mul(kernel.tile_items());
        let row = self.workgroups_limit;
        let (in_words, out_words) = operator.strides();
        let mut passes = Vec::new();
        for piece in pieces {
            let mut first = 0;
            while first < piece.n_items {
                let n_items = part_items.min(piece.n_items - first);
                let placement = piece.part(first, n_items, in_words, out_words);
                let mut pass = self.pass(operator, kernel, placement, 1)?.with_carry(carry);
                let n_tiles = pass.params.n_tiles;
                (pass.workgroups, pass.rows) = (n_tiles.min(row), n_tiles.div_ceil(row));
                pass.params.workgroups = pass.workgroups;
                pass.params.first_chunk = passes.len() as u32;
                passes.push(pass.with_count(counted));
                first += n_items;
            }
        }
        let none = passes.len() > 1 && counted != Counted::Host;
        Ok((!none).then_some(Plan { passes }))
    }
}
