//! What the candidates of a case work on.

use std::rc::Rc;

use lookback::{Context, Element, Error, GpuSlice, Kind, Operator, Tuning, reference};

use super::compare::{self, Comparison};
use super::contender::{Contender, ReduceRun, ScanRun};
use super::options::Primitive;
use crate::timing::Copy;

/// Items that are made and uploaded at a time.
const PART: u64 = 1 << 22;

/// Arrays of some element. Every scan of the first n items is the start of the scan of all, so
/// that one array of them serves every n.
pub trait Workload: Copies {
    /// A primitive on these arrays.
    fn contender(
        self: Rc<Self>,
        primitive: Primitive,
        algorithm: lookback::Algorithm,
        tuning: &Tuning,
    ) -> Result<Contender, Error>;
}

/// Arrays that are copied for comparison.
pub trait Copies {
    /// The copy of n items.
    fn copy(&self, n: u64) -> Copy;
}

pub struct Arrays<T: Element> {
    pub context: Context,
    pub operator: Operator<T>,
    comparison: Comparison,
    /// Items before the first.
    first: u64,
    input: GpuSlice<T>,
    output: GpuSlice<T>,
    pub total: GpuSlice<T>,
    /// The exclusive scan, and after it the total: from its second item on, the inclusive one.
    wanted: GpuSlice<T>,
}

impl<T: Element> Arrays<T> {
    pub fn new(
        context: &Context,
        operator: &Operator<T>,
        item: fn(u32) -> T,
        n: u64,
        first: u64,
    ) -> Result<Self, Error> {
        let arrays = Arrays {
            context: context.clone(),
            operator: operator.clone(),
            comparison: Comparison::new(context)?,
            first,
            input: context.allocate(first + n)?,
            output: context.allocate(first + n)?,
            total: context.allocate(1)?,
            wanted: context.allocate(n + 1)?,
        };
        let nothing = reference::scan(&[item(0)], operator, Kind::Exclusive, None)?;
        arrays.write(&arrays.wanted, 0, &nothing);
        let mut carry = None;
        for start in (0..n).step_by(PART as usize) {
            let items: Vec<T> =
                (start..n.min(start + PART)).map(|index| item(index as u32)).collect();
            let wanted = reference::scan(&items, operator, Kind::Inclusive, carry)?;
            arrays.write(&arrays.input, first + start, &items);
            arrays.write(&arrays.wanted, start + 1, &wanted);
            carry = wanted.last().copied();
        }
        Ok(arrays)
    }

    fn write(&self, slice: &GpuSlice<T>, at: u64, items: &[T]) {
        let queue = self.context.queue();
        let offset = at * T::LAYOUT.size_bytes();
        queue.write_buffer(slice.buffer(), offset, bytemuck::cast_slice(items));
        // What is written lies in a staging buffer until the next submission is done.
        queue.submit([]);
    }

    /// The first n items of the input.
    pub fn input(&self, n: u64) -> Result<GpuSlice<T>, Error> {
        GpuSlice::new(self.input.buffer(), self.first..self.first + n)
    }

    /// Places for n items of the output.
    pub fn output(&self, n: u64) -> Result<GpuSlice<T>, Error> {
        GpuSlice::new(self.output.buffer(), self.first..self.first + n)
    }

    /// Makes the output, or the total, unlike any result.
    pub fn clear(&self) {
        compare::clear(&self.context, &self.output);
        compare::clear(&self.context, &self.total);
    }

    /// Says what is wrong with the output's first n items.
    pub fn check_output(&self, n: u64, kind: Kind) -> Result<Option<String>, Error> {
        let words = u64::from(T::LAYOUT.words());
        let got = (self.output.buffer(), self.first * words);
        let wanted = (self.wanted.buffer(), if kind == Kind::Inclusive { words } else { 0 });
        let difference = self.comparison.compare(got, wanted, n * words)?;
        Ok(difference.map(|difference| {
            let item = u64::from(difference.first) / words;
            format!("{} words are wrong, the first in item {item}", difference.words)
        }))
    }

    /// Says what is wrong with the total of the first n items.
    pub fn check_total(&self, n: u64) -> Result<Option<String>, Error> {
        let wanted = self.context.download(&GpuSlice::new(self.wanted.buffer(), n..n + 1)?)?;
        let got = self.context.download::<T>(&self.total)?;
        let same = bytemuck::cast_slice::<T, u8>(&got) == bytemuck::cast_slice::<T, u8>(&wanted);
        Ok((!same).then(|| format!("the total is {:?} and not {:?}", got[0], wanted[0])))
    }
}

impl<T: Element> Workload for Arrays<T> {
    fn contender(
        self: Rc<Self>,
        primitive: Primitive,
        algorithm: lookback::Algorithm,
        tuning: &Tuning,
    ) -> Result<Contender, Error> {
        Ok(match primitive {
            Primitive::Reduce => ReduceRun::contender(self, tuning)?,
            Primitive::Inclusive => ScanRun::contender(self, Kind::Inclusive, algorithm, tuning)?,
            Primitive::Exclusive => ScanRun::contender(self, Kind::Exclusive, algorithm, tuning)?,
            other => unreachable!("{other} is of another bench"),
        })
    }
}

impl<T: Element> Copies for Arrays<T> {
    fn copy(&self, n: u64) -> Copy {
        let bytes = n * T::LAYOUT.size_bytes();
        Copy::new(&self.context, self.input.buffer(), self.output.buffer(), bytes)
    }
}
