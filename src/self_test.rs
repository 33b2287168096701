//! The self-test: whether a driver does what single passes take for granted.

use crate::algorithm::{self, Algorithm};
use crate::context::Context;
use crate::element::Element;
use crate::error::Error;
use crate::operator::Operator;
use crate::reference;
use crate::scan::{Kind, Scan};
use crate::tuning::Tuning;

/// Items of each scan.
const N_ITEMS: u32 = 100_003;

/// Scans of each operator, submitted together so that they load the device.
const CALLS: usize = 6;

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
        let choice =
            |in_place| algorithm::choose(capabilities, &sum.definition, in_place, |_| false);
        for in_place in [false, true] {
            let algorithm = choice(in_place).algorithm;
            if !algorithm.is_single_pass() {
                continue;
            }
            let word = |i: u32| i.wrapping_mul(0x9E37_79B9) ^ i >> 7;
            let sums = check(context, &sum, algorithm, in_place, corrupt, word)?;
            let maps =
                check(context, &affine, algorithm, in_place, corrupt, |i| [word(i) | 1, word(!i)])?;
            report.calls += 2 * CALLS;
            if let Some(fault) = sums.or(maps) {
                log::warn!("{algorithm} is used no more on {}: {fault}", report.adapter);
                report.demoted.push((algorithm, fault));
            }
        }
        Ok(report)
    }
}

/// Scans by an algorithm, all in one submission; the first fault, if there is one.
fn check<T: Element>(
    context: &Context,
    operator: &Operator<T>,
    algorithm: Algorithm,
    in_place: bool,
    corrupt: bool,
    make: impl Fn(u32) -> T,
) -> Result<Option<String>, Error> {
    let tuning = Tuning::for_device(context.capabilities());
    let scan = Scan::with_algorithm(context, operator, Kind::Inclusive, algorithm, &tuning)?;
    // Each call has items of its own, so that what an earlier one has left is a wrong number.
    let inputs: Vec<Vec<T>> = (0..CALLS as u32)
        .map(|call| (0..N_ITEMS).map(|i| make(call * N_ITEMS + i)).collect())
        .collect();
    let sources =
        inputs.iter().map(|input| context.upload(input)).collect::<Result<Vec<_>, _>>()?;
    let outputs = match in_place {
        true => sources.clone(),
        false => sources
            .iter()
            .map(|_| context.allocate(u64::from(N_ITEMS)))
            .collect::<Result<_, _>>()?,
    };
    let call = scan.dispatch_all(&sources, &outputs)?;
    match call.check() {
        Err(Error::Stalled) => return Ok(Some("it gave up".to_owned())),
        checked => checked?,
    }
    for (input, output) in inputs.iter().zip(&outputs) {
        let mut got = context.download(output)?;
        if corrupt {
            let words: &mut [u32] = bytemuck::cast_slice_mut(&mut got);
            let middle = words.len() / 2;
            words[middle] ^= 1;
        }
        let wanted = reference::scan(input, operator, Kind::Inclusive, None)?;
        let wrong = got.iter().zip(&wanted).position(|(got, wanted)| got != wanted);
        if let Some(index) = wrong {
            let (got, wanted) = (got[index], wanted[index]);
            return Ok(Some(format!("item {index} was {got:?} instead of {wanted:?}")));
        }
    }
    Ok(None)
}
