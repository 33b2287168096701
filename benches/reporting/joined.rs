//! Rows of this library beside the peers' of the same primitive, element and n.

use std::collections::BTreeMap;

use crate::rows::{Rate, Row};

/// A primitive, as "reduce" or "inclusive scan".
pub type Primitive = String;

/// An operator and its element, as "sum u32" or "runs of 4 u32".
pub type Case = String;

/// The last measurement there is of something.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    pub median_us: f64,
    pub spread: f64,
    pub rate: Rate,
}

/// The measurements of one primitive, by whose they are, the case and n.
#[derive(Clone, Debug, Default)]
pub struct Measurements {
    /// Whether they are of `irregular`.
    pub irregular: bool,
    pub own: BTreeMap<(Case, u64), Measured>,
    pub peers: BTreeMap<String, BTreeMap<(Case, u64), Measured>>,
}

/// All measurements of one adapter.
#[derive(Clone, Debug, Default)]
pub struct Joined {
    pub adapter: String,
    /// Of the last row.
    pub date: String,
    pub primitives: BTreeMap<Primitive, Measurements>,
}

impl Joined {
    /// Of this library's scans, those by one algorithm. Later rows replace earlier ones.
    pub fn new(rows: &[Row], algorithm: &str) -> Self {
        let mut joined = Joined::default();
        for row in rows {
            let (Some(rate), "primitives" | "irregular") = (row.rate, row.bench.as_str()) else {
                continue;
            };
            let case = format!("{} {}", row.operator, row.element);
            let entry = joined.primitives.entry(primitive(row)).or_default();
            entry.irregular = row.bench == "irregular";
            let measurements = match &row.peer {
                Some(peer) => entry.peers.entry(peer.clone()).or_default(),
                None if row.algorithm.as_deref().is_none_or(|own| own == algorithm) => {
                    &mut entry.own
                }
                None => continue,
            };
            (joined.adapter, joined.date) = (row.machine.adapter.clone(), row.machine.date.clone());
            let (median_us, spread) = (row.median_us, row.spread);
            measurements.insert((case, row.n), Measured { median_us, spread, rate });
        }
        joined
    }
}

pub fn primitive(row: &Row) -> Primitive {
    match &row.kind {
        Some(kind) => format!("{kind} {}", row.primitive),
        None => row.primitive.clone(),
    }
}

impl Measurements {
    /// A peer's time divided by this library's, where both were measured.
    pub fn ratios(&self, peer: &str) -> BTreeMap<(Case, u64), f64> {
        let Some(peers) = self.peers.get(peer) else { return BTreeMap::new() };
        let ratio = |(key, peer): (&(Case, u64), &Measured)| {
            let own = self.own.get(key)?;
            Some((key.clone(), peer.median_us / own.median_us))
        };
        peers.iter().filter_map(ratio).collect()
    }
}

/// The harmonic mean: of ratios, the one that punishes the worst.
pub fn harmonic_mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (count, sum) =
        values.into_iter().fold((0u32, 0.0), |(count, sum), value| (count + 1, sum + 1.0 / value));
    (count > 0).then(|| f64::from(count) / sum)
}
