//! Sequential twins of every primitive, on the host: the oracle of the tests and of
//! `lookback verify`, and a plain statement of what each primitive means.
//!
//! Both fail with [`Error::NoHostTwin`] if the operator was made without one. Float results
//! are those of combining from left to right.

use crate::element::Element;
use crate::error::Error;
use crate::operator::Operator;
use crate::scan::Kind;

/// All inputs combined in order, after `init` if there is one.
///
/// ```
/// use lookback::{Operator, reference};
/// assert_eq!(reference::reduce(&[1u32, 2, 3], &Operator::sum(), None)?, 6);
/// # Ok::<(), lookback::Error>(())
/// ```
pub fn reduce<I: Element, A: Element, O: Element>(
    input: &[I],
    operator: &Operator<I, A, O>,
    init: Option<A>,
) -> Result<O, Error> {
    let combine = combine(operator)?;
    if input.is_empty() && init.is_none() {
        return Ok((operator.lower)(operator.of_nothing));
    }
    // The initial value is combined too, so that min and max give their one NaN for any.
    let start = init.map_or(operator.identity, |init| combine(init, operator.identity));
    let total = input.iter().fold(start, |total, &x| combine(total, (operator.lift)(x)));
    Ok((operator.lower)(total))
}

/// The running combination of the inputs, after `init` if there is one.
///
/// ```
/// use lookback::{Kind, Operator, reference};
/// let sums = reference::scan(&[1u32, 2, 3], &Operator::sum(), Kind::Exclusive, None)?;
/// assert_eq!(sums, [0, 1, 3]);
/// # Ok::<(), lookback::Error>(())
/// ```
pub fn scan<I: Element, A: Element, O: Element>(
    input: &[I],
    operator: &Operator<I, A, O>,
    kind: Kind,
    init: Option<A>,
) -> Result<Vec<O>, Error> {
    let combine = combine(operator)?;
    let nothing = match kind {
        Kind::Inclusive => operator.identity,
        Kind::Exclusive => operator.of_nothing,
    };
    let mut running = init.map_or(nothing, |init| combine(init, operator.identity));
    let step = |&x: &I| {
        let before = running;
        running = combine(running, (operator.lift)(x));
        (operator.lower)(if kind == Kind::Inclusive { running } else { before })
    };
    Ok(input.iter().map(step).collect())
}

fn combine<I: Element, A: Element, O: Element>(
    operator: &Operator<I, A, O>,
) -> Result<&(dyn Fn(A, A) -> A + Send + Sync), Error> {
    operator
        .combine
        .as_deref()
        .ok_or_else(|| Error::NoHostTwin { operator: operator.name().to_owned() })
}
