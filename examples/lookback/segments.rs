//! What `verify` checks of scans within segments and reductions by key.

use lookback::{
    Context, Equality, Kind, Operator, ReduceByKey, ScanByKey, SegmentStarts, SegmentedScan,
    reference,
};

use crate::Result;
use crate::checks::word;
use crate::compactions::{Side, joined};

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
