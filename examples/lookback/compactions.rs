//! What `verify` checks of the primitives that write some of the items.

use std::rc::Rc;
use std::time::Instant;

use lookback::{
    Context, Element, Equality, Kind, LongRuns, Operator, Partition, PartitionThree, Predicate,
    Reduce, RunLengthDecode, RunLengths, Scan, Select, Unique, UniqueByKey, reference,
};

use crate::checks::{Check, MANY, Outcome, first_difference, word};
use crate::{Result, info, segments};

/// The words that a primitive makes of items, on the device.
pub type Device = Box<dyn Fn(&[u32]) -> Result<Vec<u32>>>;

/// First places and lengths.
type Runs = Vec<(u32, u32)>;

/// One primitive on both sides.
pub struct Side {
    pub name: &'static str,
    pub told_by: &'static str,
    pub device: Device,
    pub host: Device,
}

/// The checks of all of them, by what `Auto` comes to.
pub fn all(context: &Context) -> Result<Vec<Check>> {
    let sum = Operator::<u32>::sum();
    let scan = Scan::new(context, &sum, Kind::Exclusive)?;
    let algorithm = scan.choice(false).algorithm.name();
    let lanes = info::subgroups(&scan.plan(MANY)?, context.capabilities());
    let sides = sides(context)?.into_iter().chain(segments::sides(context)?);
    let sides = sides.map(Rc::new).collect::<Vec<_>>();
    let mut checks = Vec::new();
    for n_items in [0, 1, 2, 4097, MANY] {
        for side in sides.iter().cloned() {
            checks.push(Check {
                primitive: side.name,
                algorithm,
                operator: side.told_by,
                element: u32::LAYOUT.wgsl(),
                n_items,
                lanes: lanes.clone(),
                run: Box::new(move |corrupt| compare(&side, n_items, corrupt)),
            });
        }
    }
    Ok(checks)
}

fn compare(side: &Side, n_items: u32, corrupt: bool) -> Result<Outcome> {
    // Short runs of few values, and long ones now and then.
    let items: Vec<u32> =
        (0..n_items).map(|i| word(i / 3 * 3 / (1 + i / 5000 % 3), 0) % 7).collect();
    let wanted = (side.host)(&items)?;
    let start = Instant::now();
    let mut got = (side.device)(&items)?;
    let seconds = start.elapsed().as_secs_f64();
    if corrupt {
        let middle = got.len() / 2;
        got[middle] ^= 1;
    }
    let mismatch = match wanted.len() == got.len() {
        false => Some(format!("{} words wanted, got {}", wanted.len(), got.len())),
        true => first_difference(&wanted, &got),
    };
    Ok(Outcome { bytes: 4 * wanted.len() as u64, seconds, gave_up: false, mismatch })
}

/// Parts, each with its length before it: counts are compared too.
pub fn joined(parts: &[&[u32]]) -> Vec<u32> {
    parts.iter().flat_map(|part| [&[part.len() as u32], *part].concat()).collect()
}

fn sides(context: &Context) -> Result<Vec<Side>> {
    let small = Predicate::<u32>::from_wgsl("x < 3u")?.with_host(|x, _| x < 3);
    let middle = Predicate::<u32>::from_wgsl("x < 5u || i % 100u == 0u")?
        .with_host(|x, i| x < 5 || i % 100 == 0);
    let equality = Equality::<u32>::by_value();
    let flags = |items: &[u32]| (0..items.len() as u32).map(|i| word(i, 1) % 2).collect::<Vec<_>>();
    let heads = |items: &[u32]| -> Result<(Vec<u32>, Runs)> {
        let runs = reference::runs(items, &Equality::by_value())?;
        Ok((runs.iter().map(|run| items[run.0 as usize]).collect(), runs))
    };
    let column = |runs: &[(u32, u32)], second: bool| {
        runs.iter().map(|run| if second { run.1 } else { run.0 }).collect::<Vec<u32>>()
    };

    let flagged = small.clone().and_flags();
    let select = Select::new(context, &flagged)?;
    let partition = Partition::new(context, &small)?;
    let three = PartitionThree::new(context, &small, &middle)?;
    let unique = Unique::new(context, &equality)?;
    let by_key = UniqueByKey::<u32, u32>::new(context, &equality)?;
    let lengths = RunLengths::new(context, &equality)?;
    let long = LongRuns::new(context, &equality)?;
    let least = Operator::<u32>::arg_min()?;
    let arg = Reduce::new(context, &least)?;
    let (greatest, both) = (Operator::<u32>::arg_max()?, Operator::<u32>::min_max()?);
    let (last, ends) = (Reduce::new(context, &greatest)?, Reduce::new(context, &both)?);
    let indices = Select::indices(context, &small)?;
    let decode = RunLengthDecode::<u32>::new(context)?;
    // Runs of none too.
    let short = |items: &[u32]| items.iter().map(|item| item % 3).collect::<Vec<_>>();
    let (small_too, numbers) =
        (small.clone(), |items: &[u32]| (0..items.len() as u32).collect::<Vec<_>>());
    let side = |name, told_by, device: Device, host: Device| Side { name, told_by, device, host };
    Ok(vec![
        side(
            "select",
            "text and flags",
            Box::new(move |items| Ok(joined(&[&select.run(items, &flags(items))?]))),
            Box::new(move |items| {
                Ok(joined(&[&reference::select(items, &flags(items), &flagged)?]))
            }),
        ),
        side(
            "partition",
            "text",
            Box::new(move |items| {
                let [kept, others] = partition.run(items, &[])?;
                Ok(joined(&[&kept, &others]))
            }),
            Box::new(move |items| {
                let [kept, others] = reference::partition(items, &[], &small)?;
                Ok(joined(&[&kept, &others]))
            }),
        ),
        side(
            "partition in three",
            "texts",
            Box::new(move |items| {
                let [first, second, others] = three.run(items, &[])?;
                Ok(joined(&[&first, &second, &others]))
            }),
            Box::new(move |items| {
                let [first, second, others] =
                    reference::partition_three(items, &[], &small_too, &middle)?;
                Ok(joined(&[&first, &second, &others]))
            }),
        ),
        side(
            "unique",
            "value",
            Box::new(move |items| Ok(joined(&[&unique.run(items)?]))),
            Box::new(move |items| Ok(joined(&[&heads(items)?.0]))),
        ),
        side(
            "unique by key",
            "value",
            Box::new(move |items| {
                let (keys, values) = by_key.run(items, &numbers(items))?;
                Ok(joined(&[&keys, &values]))
            }),
            Box::new(move |items| {
                let (keys, runs) = heads(items)?;
                Ok(joined(&[&keys, &column(&runs, false)]))
            }),
        ),
        side(
            "run lengths",
            "value",
            Box::new(move |items| {
                let (values, lengths) = lengths.run(items)?;
                Ok(joined(&[&values, &lengths]))
            }),
            Box::new(move |items| {
                let (values, runs) = heads(items)?;
                Ok(joined(&[&values, &column(&runs, true)]))
            }),
        ),
        side(
            "long runs",
            "value",
            Box::new(move |items| {
                let (offsets, lengths) = long.run(items)?;
                Ok(joined(&[&offsets, &lengths]))
            }),
            Box::new(move |items| {
                let (_, mut runs) = heads(items)?;
                runs.retain(|run| run.1 > 1);
                Ok(joined(&[&column(&runs, false), &column(&runs, true)]))
            }),
        ),
        side(
            "arg-min",
            "value",
            Box::new(move |items| Ok(arg.run(items)?.to_vec())),
            Box::new(move |items| Ok(reference::reduce(items, &least, None)?.to_vec())),
        ),
        side(
            "arg-max",
            "value",
            Box::new(move |items| Ok(last.run(items)?.to_vec())),
            Box::new(move |items| Ok(reference::reduce(items, &greatest, None)?.to_vec())),
        ),
        side(
            "min and max",
            "value",
            Box::new(move |items| Ok(ends.run(items)?.to_vec())),
            Box::new(move |items| Ok(reference::reduce(items, &both, None)?.to_vec())),
        ),
        side(
            "select indices",
            "text",
            Box::new(move |items| Ok(joined(&[&indices.run(items, &[])?]))),
            Box::new(move |items| {
                let kept = (0..).zip(items).filter(|(_, item)| **item < 3);
                Ok(joined(&[&kept.map(|(i, _)| i).collect::<Vec<u32>>()]))
            }),
        ),
        side(
            "run-length decode",
            "lengths",
            Box::new(move |items| Ok(joined(&[&decode.run(items, &short(items))?]))),
            Box::new(move |items| {
                let runs = items.iter().zip(short(items));
                let decoded = runs.flat_map(|(&item, length)| vec![item; length as usize]);
                Ok(joined(&[&decoded.collect::<Vec<u32>>()]))
            }),
        ),
    ])
}
