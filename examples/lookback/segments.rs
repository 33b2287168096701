//! What `verify` checks of scans within segments, reductions by key and of segments.

use std::rc::Rc;

use lookback::{
    Context, Element, Equality, Kind, Operator, ReduceByKey, ScanByKey, SegmentBounds,
    SegmentStarts, SegmentedReduce, SegmentedScan, reference,
};

use crate::Result;
use crate::checks::{Check, MANY, Primitive, word};
use crate::compactions::{Side, joined};
use crate::keys;

/// The last that was not 0: where items stand matters.
fn last_nonzero() -> Result<Operator<u32>> {
    let last = |a, b| if b != 0 { b } else { a };
    Ok(Operator::from_wgsl(0u32, "select(a, b, b != 0u)")?.with_host(last))
}

/// Values for keys: half of them 0.
fn values(items: &[u32]) -> Vec<u32> {
    (0..items.len() as u32).map(|i| word(i, 2) * (word(i, 3) % 2)).collect()
}

/// Where runs of items begin.
fn offsets(items: &[u32]) -> Result<Vec<u32>> {
    let runs = reference::runs(items, &Equality::by_value())?;
    Ok(runs.iter().map(|run| run.0).collect())
}

/// The primitives, on items that are keys.
pub fn sides(context: &Context) -> Result<Vec<Side>> {
    let (equality, operator) = (Equality::<u32>::by_value(), last_nonzero()?);
    let reduction = ReduceByKey::new(context, &equality, &operator)?;
    let kind = Kind::Exclusive;
    let by_key = ScanByKey::new(context, &equality, &operator, Kind::Inclusive)?;
    let by_flags = SegmentedScan::new(context, SegmentStarts::Flags, &operator, kind)?;
    let by_offsets = SegmentedScan::new(context, SegmentStarts::Offsets, &operator, kind)?;
    let scanned = |kind, operator: Operator<u32>| {
        Box::new(move |items: &[u32]| {
            let (values, offsets) = (values(items), offsets(items)?);
            Ok(reference::segmented_scan(&values, &offsets, &operator, kind, None)?)
        })
    };
    Ok(vec![
        Side {
            name: "reduce by key",
            told_by: "last nonzero",
            device: Box::new(move |items| {
                let (keys, totals) = reduction.run(items, &values(items))?;
                Ok(joined(&[&keys, &totals]))
            }),
            host: {
                let operator = operator.clone();
                Box::new(move |items| {
                    let equality = Equality::by_value();
                    let values = values(items);
                    let (keys, totals) =
                        reference::reduce_by_key(items, &values, &equality, &operator)?;
                    Ok(joined(&[&keys, &totals]))
                })
            },
        },
        Side {
            name: "scan by key",
            told_by: "last nonzero",
            device: Box::new(move |items| Ok(by_key.run(items, &values(items))?)),
            host: scanned(Kind::Inclusive, operator.clone()),
        },
        Side {
            name: "scan by heads",
            told_by: "last nonzero",
            device: Box::new(move |items| {
                let mut flags = vec![0; items.len()];
                offsets(items)?.iter().for_each(|&at| flags[at as usize] = 1);
                Ok(by_flags.run(&flags, &values(items))?)
            }),
            host: scanned(kind, operator.clone()),
        },
        Side {
            name: "scan by offsets",
            told_by: "last nonzero",
            device: Box::new(move |items| Ok(by_offsets.run(&offsets(items)?, &values(items))?)),
            host: scanned(kind, operator),
        },
    ])
}

/// The length of a segment. The kinds of length that the library tells apart end at 16, 4,096 and 65,536
/// items, of which few segments have the upper two only.
fn length(many: bool, segment: u32) -> u32 {
    const EACH: [u32; 10] = [0, 1, 70_001, 16, 17, 4096, 4097, 0, 1, 65_537];
    match (many, segment) {
        (false, _) | (true, 40..50) => EACH[segment as usize % EACH.len()],
        (true, _) if segment % 300 == 99 => 4097 + word(segment, 0) % 5000,
        (true, _) => word(segment, 0) % 50 * (word(segment, 1) % 2),
    }
}

/// Bounds of segments that have all of so many items. The last one has what is left.
fn bounds(many: bool, n_items: u32) -> Vec<u32> {
    let mut bounds = vec![0];
    let mut end = 0;
    for segment in 0.. {
        end = n_items.min(end + length(many, segment));
        bounds.push(end);
        // Of no item there are segments too.
        if end == n_items && segment > 2 {
            break;
        }
    }
    bounds
}

/// The checks of segmented reductions: few segments, which workgroups share, and many, of which most are
/// a lane's or a subgroup's.
pub fn reductions<T: Element>(
    context: &Context,
    name: &'static str,
    operator: &Operator<T>,
    make: impl Fn(u32) -> T + Copy + 'static,
) -> Result<Vec<Check>> {
    let kind = SegmentBounds::Offsets;
    let reduce = SegmentedReduce::new(context, kind, operator)?;
    let mut checks = Vec::new();
    for (algorithm, many) in [("few segments", false), ("many segments", true)] {
        let (reduce, operator) = (reduce.clone(), operator.clone());
        let primitive = Rc::new(Primitive {
            name: "segmented reduce",
            algorithm,
            plan: reduce.plan(MANY, bounds(many, MANY).len() as u32 - 1)?,
            gpu: Box::new(move |items| {
                let bounds = bounds(many, items.len() as u32);
                keys::timed(|| reduce.run(&bounds, items)).map(Some)
            }),
            host: Box::new(move |items| {
                let bounds = bounds(many, items.len() as u32);
                Ok(reference::segmented_reduce(items, kind, &bounds, &operator, None)?)
            }),
        });
        let sizes = [0, 1, 4097, MANY];
        checks.extend(sizes.map(|n| primitive.clone().check(context, name, n, make)));
    }
    Ok(checks)
}
