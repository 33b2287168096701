//! Sequential twins of every primitive, on the host: the oracle of the tests and of
//! `lookback verify`, and a plain statement of what each primitive means.
//!
//! Reductions and scans fail with [`Error::NoHostTwin`] if the operator was made without one. Float results
//! are those of combining from left to right.

use crate::element::Element;
use crate::error::Error;
use crate::operator::Operator;
use crate::scan::Kind;
use crate::segmented_reduce::SegmentBounds;
use crate::selection::{Equality, Predicate};

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
    let total =
        (0..).zip(input).fold(start, |total, (i, &x)| combine(total, (operator.lift)(x, i)));
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
    let step = |(i, &x): (u32, &I)| {
        let before = running;
        running = combine(running, (operator.lift)(x, i));
        (operator.lower)(if kind == Kind::Inclusive { running } else { before })
    };
    Ok((0..).zip(input).map(step).collect())
}

/// The running combination of the values of each run of keys, after `init` if there is one.
///
/// ```
/// use lookback::{Equality, Kind, Operator, reference};
/// let (equality, sum) = (Equality::by_value(), Operator::sum());
/// let sums = reference::scan_by_key(&[7, 7, 9], &[1u32, 2, 3], &equality, &sum, Kind::Inclusive, None)?;
/// assert_eq!(sums, [1, 3, 3]);
/// # Ok::<(), lookback::Error>(())
/// ```
pub fn scan_by_key<K: Element, I: Element, A: Element, O: Element>(
    keys: &[K],
    values: &[I],
    equality: &Equality<K>,
    operator: &Operator<I, A, O>,
    kind: Kind,
    init: Option<A>,
) -> Result<Vec<O>, Error> {
    if keys.len() != values.len() {
        let (wanted, got) = (values.len() as u64, keys.len() as u64);
        return Err(Error::Length { what: "the keys", wanted, got });
    }
    let offsets: Vec<u32> = runs(keys, equality)?.iter().map(|run| run.0).collect();
    segmented_scan(values, &offsets, operator, kind, init)
}

/// The first key of each run of keys, and what its values combine to.
///
/// ```
/// use lookback::{Equality, Operator, reference};
/// let (equality, sum) = (Equality::by_value(), Operator::sum());
/// let (keys, sums) = reference::reduce_by_key(&[7, 7, 9], &[1u32, 2, 3], &equality, &sum)?;
/// assert_eq!((keys, sums), (vec![7, 9], vec![3, 3]));
/// # Ok::<(), lookback::Error>(())
/// ```
pub fn reduce_by_key<K: Element, I: Element, A: Element, O: Element>(
    keys: &[K],
    values: &[I],
    equality: &Equality<K>,
    operator: &Operator<I, A, O>,
) -> Result<(Vec<K>, Vec<O>), Error> {
    let scanned = scan_by_key(keys, values, equality, operator, Kind::Inclusive, None)?;
    let runs = runs(keys, equality)?;
    let last = |&(first, length): &(u32, u32)| scanned[first as usize + length as usize - 1];
    let firsts = runs.iter().map(|run| keys[run.0 as usize]).collect();
    Ok((firsts, runs.iter().map(last).collect()))
}

/// The running combination of the values of each segment, after `init` if there is one. A segment begins
/// at each of the offsets, which ascend, and at value 0.
pub fn segmented_scan<I: Element, A: Element, O: Element>(
    values: &[I],
    offsets: &[u32],
    operator: &Operator<I, A, O>,
    kind: Kind,
    init: Option<A>,
) -> Result<Vec<O>, Error> {
    let combine = combine(operator)?;
    let nothing = match kind {
        Kind::Inclusive => operator.identity,
        Kind::Exclusive => operator.of_nothing,
    };
    let start = init.map_or(nothing, |init| combine(init, operator.identity));
    let mut running = start;
    let mut offsets = offsets.iter().copied().peekable();
    let step = |(i, &x): (u32, &I)| {
        // Segments of no value begin and end at one place.
        while offsets.next_if(|&offset| offset <= i).is_some() {
            running = start;
        }
        let before = running;
        running = combine(running, (operator.lift)(x, i));
        (operator.lower)(if kind == Kind::Inclusive { running } else { before })
    };
    Ok((0..).zip(values).map(step).collect())
}

/// What the items of each segment combine to, after `init` if there is one. Bounds past the items are
/// taken for their number, and a segment that ends before it begins has none.
///
/// ```
/// use lookback::{Operator, SegmentBounds, reference};
/// let (sum, offsets) = (Operator::sum(), SegmentBounds::Offsets);
/// let sums = reference::segmented_reduce(&[1u32, 2, 3], offsets, &[0, 2, 2, 3], &sum, None)?;
/// assert_eq!(sums, [3, 0, 3]);
/// # Ok::<(), lookback::Error>(())
/// ```
pub fn segmented_reduce<I: Element, A: Element, O: Element>(
    values: &[I],
    kind: SegmentBounds,
    bounds: &[u32],
    operator: &Operator<I, A, O>,
    init: Option<A>,
) -> Result<Vec<O>, Error> {
    let combine = combine(operator)?;
    let reduce = |pair: &[u32]| {
        let [first, end] = [pair[0], pair[1]].map(|bound| values.len().min(bound as usize));
        let items = first..end.max(first);
        if items.is_empty() && init.is_none() {
            return (operator.lower)(operator.of_nothing);
        }
        let start = init.map_or(operator.identity, |init| combine(init, operator.identity));
        // Items are numbered as they lie in the whole.
        let lifted = items.map(|i| (operator.lift)(values[i], i as u32));
        (operator.lower)(lifted.fold(start, combine))
    };
    Ok(match kind {
        SegmentBounds::Offsets => bounds.windows(2).map(reduce).collect(),
        SegmentBounds::Pairs => bounds.chunks_exact(2).map(reduce).collect(),
    })
}

/// The items that a predicate keeps, in order.
///
/// Errors: [`Error::Length`] for a number of flags that is not the predicate's.
///
/// ```
/// use lookback::{Predicate, reference};
/// let large = Predicate::<u32>::from_wgsl("x > 3u")?.with_host(|x, _| x > 3);
/// assert_eq!(reference::select(&[3, 1, 4, 1, 5], &[], &large)?, [4, 5]);
/// # Ok::<(), lookback::Error>(())
/// ```
pub fn select<T: Element>(
    input: &[T],
    flags: &[u32],
    predicate: &Predicate<T>,
) -> Result<Vec<T>, Error> {
    let [kept, _] = partition(input, flags, predicate)?;
    Ok(kept)
}

/// The items that a predicate keeps, and the others, both in order.
///
/// Errors: as [`select`].
pub fn partition<T: Element>(
    input: &[T],
    flags: &[u32],
    predicate: &Predicate<T>,
) -> Result<[Vec<T>; 2], Error> {
    let (wanted, got) = (predicate.flag_words(input.len() as u64), flags.len() as u64);
    if wanted != got {
        return Err(Error::Length { what: "the words of flags", wanted, got });
    }
    let mut kinds = [Vec::new(), Vec::new()];
    for (i, &x) in (0..).zip(input) {
        kinds[usize::from(!predicate.keeps(x, i, flags)?)].push(x);
    }
    Ok(kinds)
}

/// The items that a first predicate keeps, those of the rest that a second keeps, and the others.
///
/// Errors: as [`select`].
pub fn partition_three<T: Element>(
    input: &[T],
    flags: &[u32],
    first: &Predicate<T>,
    second: &Predicate<T>,
) -> Result<[Vec<T>; 3], Error> {
    partition(input, flags, first)?;
    if second.flag_words(1) > 0 {
        let what = "flags of the second predicate (the first's may have them)";
        return Err(Error::Length { what, wanted: 0, got: 1 });
    }
    let mut kinds = [Vec::new(), Vec::new(), Vec::new()];
    for (i, &x) in (0..).zip(input) {
        let kind = match first.keeps(x, i, flags)? {
            true => 0,
            false => 1 + usize::from(!second.keeps(x, i, &[])?),
        };
        kinds[kind].push(x);
    }
    Ok(kinds)
}

/// The first number of each run, and how many items it has: [`Unique`](crate::Unique),
/// [`RunLengths`](crate::RunLengths), and of those of two items or more [`LongRuns`](crate::LongRuns).
///
/// ```
/// use lookback::{Equality, reference};
/// assert_eq!(reference::runs(&[7u32, 7, 9], &Equality::by_value())?, [(0, 2), (2, 1)]);
/// # Ok::<(), lookback::Error>(())
/// ```
pub fn runs<T: Element>(input: &[T], equality: &Equality<T>) -> Result<Vec<(u32, u32)>, Error> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for (i, &x) in input.iter().enumerate() {
        match runs.last_mut() {
            Some((_, length)) if equality.is_same(input[i - 1], x)? => *length += 1,
            _ => runs.push((i as u32, 1)),
        }
    }
    Ok(runs)
}

fn combine<I: Element, A: Element, O: Element>(
    operator: &Operator<I, A, O>,
) -> Result<&(dyn Fn(A, A) -> A + Send + Sync), Error> {
    operator
        .combine
        .as_deref()
        .ok_or_else(|| Error::NoHostTwin { operator: operator.name().to_owned() })
}
