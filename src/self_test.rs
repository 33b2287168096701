//! The self-test: whether a driver does what single passes take for granted.

use crate::algorithm::{self, Algorithm};
use crate::context::Context;
use crate::element::Element;
use crate::error::Error;
use crate::operator::Operator;
use crate::reference;
use crate::scan::{Kind, Scan};
use crate::tuning::Tuning;

/// Tiles of each scan, and items more.
const N_TILES: u32 = 24;
const N_MORE: u32 = 3;

/// Scans of each operator and size, submitted together so that they load the device.
const CALLS: u32 = 6;

/// What [`Context::self_test`] has found: plain data, to be kept and given to another context of
/// the same adapter and driver by [`Context::set_self_test`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfTest {
    /// The adapter's name.
    pub adapter: String,
    /// The driver's name and version.
    pub driver: String,
    /// Scans that were run and compared.
    pub calls: usize,
    /// The single passes that [`Algorithm::Auto`] uses no more, and what each of them did.
    pub demoted: Vec<(Algorithm, String)>,
}

impl SelfTest {
    /// Whether [`Algorithm::Auto`] may not use an algorithm.
    pub(crate) fn demotes(&self, algorithm: Algorithm) -> bool {
        self.demoted.iter().any(|(demoted, _)| *demoted == algorithm)
    }

    /// Runs the single passes that the policy would choose. With `corrupt` a word of each result is
    /// changed before it is compared.
    pub(crate) fn run(context: &Context, corrupt: bool) -> Result<Self, Error> {
        let capabilities = context.capabilities();
        let sum = Operator::<u32>::sum();
        let affine = Operator::from_wgsl([1u32, 0], "vec2<u32>(b.x * a.x, b.x * a.y + b.y)")?
            .with_host(|a: [u32; 2], b: [u32; 2]| {
                [b[0].wrapping_mul(a[0]), b[0].wrapping_mul(a[1]).wrapping_add(b[1])]
            });
        let mut report = SelfTest {
            adapter: capabilities.adapter.clone(),
            driver: capabilities.driver.clone(),
            calls: 0,
            demoted: Vec::new(),
        };
        let tuning = Tuning::for_device(capabilities);
        let choice =
            |in_place| algorithm::choose(capabilities, &sum.definition, in_place, |_| false);
        for in_place in [false, true] {
            let algorithm = choice(in_place).algorithm;
            if !algorithm.is_single_pass() {
                continue;
            }
            let word = |i: u32| i.wrapping_mul(0x9E37_79B9) ^ i >> 7;
            let mut fault = None;
            // Every size that single passes have on the device, for one word and for two.
            let descriptor = tuning.descriptor_for(capabilities, 2)?;
            for (_, shape) in tuning.shapes(descriptor) {
                let shape = Tuning { single_pass: &[], ..shape };
                let trial = Trial { context, algorithm, in_place, corrupt, tuning: &shape };
                let sums = trial.run(&sum, word)?;
                let maps = trial.run(&affine, |i| [word(i) | 1, word(!i)])?;
                report.calls += sums.calls + maps.calls;
                fault = fault.or(sums.fault).or(maps.fault);
            }
            if let Some(fault) = fault {
                log::warn!("{algorithm} is used no more on {}: {fault}", report.adapter);
                report.demoted.push((algorithm, fault));
            }
        }
        Ok(report)
    }
}

/// One algorithm in one size.
struct Trial<'a> {
    context: &'a Context,
    algorithm: Algorithm,
    in_place: bool,
    corrupt: bool,
    tuning: &'a Tuning,
}

/// What came of it.
struct Outcome {
    calls: usize,
    fault: Option<String>,
}

impl Trial<'_> {
    /// Scans of items that `make` gives, all in one submission; the first fault, if there is one. A
    /// device too small for it has none: `Auto` does without there too.
    fn run<T: Element>(
        &self,
        operator: &Operator<T>,
        make: impl Fn(u32) -> T,
    ) -> Result<Outcome, Error> {
        let kind = Kind::Inclusive;
        let scan = Scan::with_algorithm(self.context, operator, kind, self.algorithm, self.tuning);
        let fault = match scan.and_then(|scan| self.scans(operator, &scan, make)) {
            Err(Error::Limit { .. } | Error::Length { .. }) => {
                return Ok(Outcome { calls: 0, fault: None });
            }
            Err(Error::Stalled) => Some("it gave up".to_owned()),
            Err(Error::Refused { what, message }) => Some(format!("{what}: {message}")),
            other => other?,
        };
        Ok(Outcome { calls: CALLS as usize, fault })
    }

    fn scans<T: Element>(
        &self,
        operator: &Operator<T>,
        scan: &Scan<T>,
        make: impl Fn(u32) -> T,
    ) -> Result<Option<String>, Error> {
        let Tuning { workgroup_size, words_per_lane, .. } = *self.tuning;
        let n_items = workgroup_size * (words_per_lane / T::LAYOUT.words()) * N_TILES + N_MORE;
        // Each call has items of its own, so that what an earlier one has left is a wrong number.
        let items = |call| (0..n_items).map(|i| make(call * n_items + i)).collect();
        let inputs: Vec<Vec<T>> = (0..CALLS).map(items).collect();
        let context = self.context;
        let sources: Vec<_> =
            inputs.iter().map(|input| context.upload(input)).collect::<Result<_, _>>()?;
        let output = |_| context.allocate(u64::from(n_items));
        let outputs = match self.in_place {
            true => sources.clone(),
            false => sources.iter().map(output).collect::<Result<_, _>>()?,
        };
        scan.dispatch_all(&sources, &outputs)?.check()?;
        for (input, output) in inputs.iter().zip(&outputs) {
            let mut got = context.download(output)?;
            if self.corrupt {
                let words: &mut [u32] = bytemuck::cast_slice_mut(&mut got);
                let middle = words.len() / 2;
                words[middle] ^= 1;
            }
            let wanted = reference::scan(input, operator, Kind::Inclusive, None)?;
            if let Some(index) = got.iter().zip(&wanted).position(|(got, wanted)| got != wanted) {
                let (got, wanted) = (got[index], wanted[index]);
                return Ok(Some(format!("item {index} was {got:?} instead of {wanted:?}")));
            }
        }
        Ok(None)
    }
}
