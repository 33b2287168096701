//! `verify`: runs every check and says what each came to.

use std::time::Instant;

use lookback::Capabilities;

use crate::checks::{self, Check, Outcome};
use crate::cli::{Common, VerifyArgs};
use crate::gpu;
use crate::json::{self, Object};
use crate::{Result, print};

/// Checks every primitive; fails at the end if any byte differed.
pub fn verify(common: &Common, args: &VerifyArgs) -> Result<()> {
    let start = Instant::now();
    let context = gpu::open(common)?;
    let capabilities = context.capabilities();
    if !common.json {
        print(&head(capabilities))?;
    }

    let mut rows = Vec::new();
    let mut first_mismatch = None;
    let (mut bytes, mut n_failed, mut n_gave_up) = (0, 0, 0);
    let mut corrupt = args.corrupt;
    for check in checks::all(&context)? {
        let outcome = (check.run)(corrupt && check.n_items > 0)?;
        corrupt &= check.n_items == 0 || outcome.gave_up;
        n_gave_up += usize::from(outcome.gave_up);
        bytes += outcome.bytes;
        match common.json {
            true => rows.push(object(&check, &outcome)),
            false => {
                rows.push(line(&check, &outcome));
                print(&rows[rows.len() - 1])?;
            }
        }
        if let Some(mismatch) = outcome.mismatch {
            n_failed += 1;
            let Check { primitive, operator, element, n_items, .. } = check;
            first_mismatch.get_or_insert(format!(
                "{primitive} of {n_items} {element} by {operator} differs from the host's: {mismatch}"
            ));
        }
    }

    let (n_checks, adapter) = (rows.len(), &capabilities.adapter);
    let seconds = start.elapsed().as_secs_f64();
    if common.json {
        let object = Object::default()
            .text("adapter", adapter)
            .raw("checks", json::array(rows))
            .raw("n_checks", n_checks)
            .raw("n_failed", n_failed)
            .raw("n_gave_up", n_gave_up)
            .raw("bytes", bytes)
            .raw("seconds", json::seconds(seconds));
        print(&format!("{}\n", object.finish()))?;
    } else {
        let result = match n_failed {
            0 => "every byte equal".to_owned(),
            _ => format!("{n_failed} of them FAILED"),
        };
        let result = match n_gave_up {
            0 => result,
            _ => format!("{result}; {n_gave_up} single passes gave up"),
        };
        print(&format!(
            "\n{adapter}: {n_checks} checks run, {bytes} bytes compared, {result}; {seconds:.1} s\n"
        ))?;
    }
    first_mismatch.map_or(Ok(()), |mismatch| Err(mismatch.into()))
}

fn head(capabilities: &Capabilities) -> String {
    let Capabilities { adapter, driver, backend, device_type, .. } = capabilities;
    format!(
        "Every primitive on {adapter}\n({driver}, {backend}, {device_type:?}) against the \
         sequential reference on the host, byte for byte.\nData are hashes of their places; \
         lanes are those of a subgroup; time is upload, GPU and download.\n\n\
         {:<18}  {:<19}  {:<15}  {:<9}  {:>8}  {:>9}  {:<14}  {:>9}\n",
        "primitive", "algorithm", "operator", "element", "n", "bytes", "lanes", "time",
    )
}

fn line(check: &Check, outcome: &Outcome) -> String {
    let Check { primitive, algorithm, operator, element, n_items, lanes, .. } = check;
    let result = match (&outcome.mismatch, outcome.gave_up) {
        (Some(_), _) => "DIFFERS",
        (None, true) => "gave up",
        (None, false) => "ok",
    };
    let (bytes, milliseconds) = (outcome.bytes, 1e3 * outcome.seconds);
    format!(
        "{primitive:<18}  {algorithm:<19}  {operator:<15}  {element:<9}  {n_items:>8}  {bytes:>9}  \
         {lanes:<14}  {milliseconds:>6.1} ms  {result}\n"
    )
}

fn object(check: &Check, outcome: &Outcome) -> String {
    Object::default()
        .text("primitive", check.primitive)
        .text("algorithm", check.algorithm)
        .text("operator", check.operator)
        .text("element", &check.element)
        .raw("n", check.n_items)
        .raw("bytes", outcome.bytes)
        .text("lanes", &check.lanes)
        .raw("seconds", json::seconds(outcome.seconds))
        .raw("ok", outcome.mismatch.is_none() && !outcome.gave_up)
        .raw("gave_up", outcome.gave_up)
        .finish()
}
