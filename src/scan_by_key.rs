//! Scan by key: the running combination of the values of each run of keys.

use std::fmt;
use std::marker::PhantomData;

use crate::algorithm::Algorithm;
use crate::compaction::Call;
use crate::context::Context;
use crate::element::Element;
use crate::error::Error;
use crate::operator::Operator;
use crate::scan::Kind;
use crate::segments::{Segments, WithinSegments};
use crate::selection::Equality;
use crate::shader::kernel::Payload;
use crate::slice::GpuSlice;
use crate::tuning::Tuning;

/// A scan that starts anew wherever a key differs from the one before it.
///
/// Values are combined in order, and nothing of one run of keys gets into another. There is one output
/// a value. An output of an exclusive scan at the beginning of a run is the initial value, or the
/// operator's value of nothing. Values and outputs may be several segments each, and the same slice but
/// for [`Algorithm::Fallback`] by name; keys are one segment that fits one binding, in a buffer that is
/// not the outputs'. A number of values on the device ([`GpuSlice::counted_by`]) holds for the keys.
///
/// Data moved: as by [`Scan`](crate::Scan), and the keys as often as the values are read. In shaders a value
/// stands with one word more, so by [`Algorithm::Auto`] accumulators of more than 3 words go by
/// reduce-then-scan, and [`Algorithm::ScanThenPropagate`] always does. Integer results are the
/// same on every device; float results as [`Scan`](crate::Scan)'s.
///
/// [`new`](Self::new) waits for the compiler, and allocates as [`Scan`](crate::Scan) does;
/// [`run`](Self::run) submits, waits and allocates; [`call`](Self::call) does none of the three.
///
/// Sources: the operator on (head, value) of Schwartz 1980, as in Blelloch 1990.
#[derive(Clone)]
pub struct ScanByKey<K: Element, I: Element, A: Element = I, O: Element = A> {
    within: WithinSegments<I, A, O>,
    keys: PhantomData<K>,
}

impl<K: Element, I: Element, A: Element, O: Element> ScanByKey<K, I, A, O> {
    /// Plans it with the device's own tuning. Compiles a kernel.
    ///
    /// Errors: [`Error::InvalidWgsl`] if texts of the equality and the operator declare one name,
    /// [`Error::Limit`] on a device too small, [`Error::OutOfMemory`].
    pub fn new(
        context: &Context,
        equality: &Equality<K>,
        operator: &Operator<I, A, O>,
        kind: Kind,
    ) -> Result<Self, Error> {
        let tuning = Tuning::for_device(context.capabilities());
        Self::with_algorithm(context, equality, operator, kind, Algorithm::Auto, &tuning)
    }

    /// [`ScanByKey::new`] by a chosen algorithm and sizes of the caller's choice.
    ///
    /// Errors: as [`ScanByKey::new`] and [`Scan::with_algorithm`](crate::Scan::with_algorithm).
    pub fn with_algorithm(
        context: &Context,
        equality: &Equality<K>,
        operator: &Operator<I, A, O>,
        kind: Kind,
        algorithm: Algorithm,
        tuning: &Tuning,
    ) -> Result<Self, Error> {
        let segments = Segments::of_keys(Payload::ScanSegments, equality)?;
        let within = WithinSegments::new(context, (operator, kind), segments, algorithm, tuning)?;
        Ok(ScanByKey { within, keys: PhantomData })
    }

    /// The same with a value to the left of the first value of each run. Kernels of inclusive scans do not
    /// know of it: the first call of one compiles its own; those of exclusive scans are shared.
    pub fn with_init(&self, init: A) -> Self {
        ScanByKey { within: self.within.with_init(init), keys: PhantomData }
    }

    /// The same as [`Scan::with_stalls`](crate::Scan::with_stalls).
    #[doc(hidden)]
    pub fn with_stalls(&self, every: u32) -> Self {
        let scan = self.within.scan.with_stalls(every);
        ScanByKey { within: WithinSegments { scan }, keys: PhantomData }
    }

    /// Scans values of the host: uploads, submits, waits and downloads.
    ///
    /// Errors: as [`Scan::run`](crate::Scan::run), and [`Error::Length`] unless there are as many keys as
    /// values.
    ///
    /// ```
    /// use lookback::{Context, Equality, Kind, Operator, ScanByKey};
    /// let (context, equality) = (Context::new()?, Equality::by_value());
    /// let sums = ScanByKey::new(&context, &equality, &Operator::sum(), Kind::Inclusive)?;
    /// assert_eq!(sums.run(&[7u32, 7, 9, 7], &[1u32, 2, 3, 4])?, [1, 3, 3, 4]);
    /// let places = ScanByKey::new(&context, &equality, &Operator::sum(), Kind::Exclusive)?;
    /// assert_eq!(places.run(&[7u32, 7, 9, 7], &[1u32, 1, 1, 1])?, [0, 1, 0, 0]);
    /// # Ok::<(), lookback::Error>(())
    /// ```
    pub fn run(&self, keys: &[K], values: &[I]) -> Result<Vec<O>, Error> {
        let context = self.within.context();
        let (keys, values) = (context.upload(keys)?, context.upload(values)?);
        let output = context.allocate(values.len())?;
        match self.call(&keys, &values, &output)?.dispatch()?.check() {
            Err(Error::Stalled) => {
                let safe = ScanByKey { within: self.within.safe(), ..self.clone() };
                safe.call(&keys, &values, &output)?.dispatch()?.check()?;
            }
            checked => checked?,
        }
        context.download(&output)
    }

    /// A call on slices of the device. Nothing is written past the output's last item.
    ///
    /// Errors: [`Error::Length`] unless there are as many keys and outputs as values, or for keys of
    /// several segments or with a count of their own; [`Error::Usage`] without `STORAGE`;
    /// [`Error::Aliased`]; [`Error::Limit`] beyond the largest binding.
    pub fn call(
        &self,
        keys: &GpuSlice<K>,
        values: &GpuSlice<I>,
        output: &GpuSlice<O>,
    ) -> Result<Call<'_>, Error> {
        if keys.len() != values.len() {
            let (what, wanted, got) = ("the keys", values.len(), keys.len());
            return Err(Error::Length { what, wanted, got });
        }
        self.within.call(values, ("keys", keys), output)
    }
}

impl<K: Element, I: Element, A: Element, O: Element> fmt::Debug for ScanByKey<K, I, A, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScanByKey({:?})", self.within.scan)
    }
}
