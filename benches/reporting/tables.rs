//! The tables, in Markdown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::joined::{Case, Joined, Measurements, harmonic_mean, primitive};
use crate::rows::{Row, short};

pub fn markdown(joined: &Joined, rows: &[Row]) -> String {
    let mut out = String::from("# Ratios\n\n");
    sources(&mut out, rows);
    out.push_str(
        "\nRatios are a peer's time divided by lookback's, at the same n and element: above 1 \
         lookback is faster.\n",
    );
    for (name, measurements) in &joined.primitives {
        for peer in measurements.peers.keys() {
            ratios(&mut out, name, peer, measurements);
        }
    }
    for (name, measurements) in &joined.primitives {
        times(&mut out, name, measurements);
    }
    chain(&mut out, rows);
    placement(&mut out, rows);
    host(&mut out, rows);
    out
}

/// Where the rows come from, each source once.
fn sources(out: &mut String, rows: &[Row]) {
    let sources: BTreeSet<String> = rows.iter().map(source).collect();
    for source in sources {
        writeln!(out, "- {source}").unwrap();
    }
}

fn source(row: &Row) -> String {
    let machine = &row.machine;
    let library = match (&row.peer, &row.peer_version) {
        (Some(peer), Some(version)) => format!("{peer} {version}"),
        (Some(peer), None) => peer.clone(),
        (None, _) => format!("lookback {}", machine.lookback),
    };
    let with = [("wgpu", &machine.wgpu), ("rustc", &machine.rustc)];
    let with = with.iter().filter(|(_, version)| !version.is_empty());
    let with: String = with.map(|(name, version)| format!(", {name} {version}")).collect();
    format!(
        "{library}{with}: {}, driver {}, {}, {}: `{}`",
        machine.adapter, machine.driver, machine.backend, machine.date, machine.command
    )
}

fn ratios(out: &mut String, name: &str, peer: &str, measurements: &Measurements) {
    let ratios = measurements.ratios(peer);
    let cases: BTreeSet<&Case> = ratios.keys().map(|(case, _)| case).collect();
    let sizes: BTreeSet<u64> = ratios.keys().map(|&(_, n)| n).collect();
    if cases.is_empty() {
        return;
    }
    writeln!(out, "\n## {name}: {peer}'s time / lookback's\n").unwrap();
    let heads: Vec<&str> = cases.iter().map(|case| case.as_str()).collect();
    header(out, "n", &heads);
    for n in sizes {
        let cells = cases.iter().map(|&case| ratios.get(&(case.clone(), n)).copied());
        line(out, &short(n), cells);
    }
    let of_case = |wanted: &Case| {
        let of = ratios.iter().filter(|((case, _), _)| case == wanted);
        harmonic_mean(of.map(|(_, &ratio)| ratio))
    };
    line(out, "harmonic mean", cases.iter().map(|case| of_case(case)));
    if let Some(mean) = harmonic_mean(ratios.values().copied()) {
        writeln!(out, "\nHarmonic mean of all: {mean:.2}.").unwrap();
    }
}

fn header(out: &mut String, first: &str, others: &[&str]) {
    writeln!(out, "| {first} | {} |\n|---|{}", others.join(" | "), "---|".repeat(others.len()))
        .unwrap();
}

fn line(out: &mut String, first: &str, cells: impl Iterator<Item = Option<f64>>) {
    let cells: Vec<String> =
        cells.map(|cell| cell.map_or(String::new(), |cell| format!("{cell:.2}"))).collect();
    writeln!(out, "| {first} | {} |", cells.join(" | ")).unwrap();
}

/// All of this library's measurements of a primitive, with the peers' times.
fn times(out: &mut String, name: &str, measurements: &Measurements) {
    if measurements.own.is_empty() {
        return;
    }
    writeln!(out, "\n## {name}: times\n").unwrap();
    let peers: Vec<&String> = measurements.peers.keys().collect();
    let mut heads = vec!["n", "us", "spread", "Gitem/s", "GB/s", "of copy", "copy us"];
    let heads_of_peers: Vec<String> = peers.iter().map(|peer| format!("{peer} us")).collect();
    heads.extend(heads_of_peers.iter().map(String::as_str));
    header(out, "case", &heads);
    for (key, own) in &measurements.own {
        let rate = own.rate;
        let peers = peers.iter().map(|&peer| match measurements.peers[peer].get(key) {
            Some(peer) => format!(" {:.2} |", peer.median_us),
            None => "  |".to_owned(),
        });
        writeln!(
            out,
            "| {} | {} | {:.2} | {:.0} % | {:.2} | {:.1} | {:.2} | {:.2} |{}",
            key.0,
            short(key.1),
            own.median_us,
            own.spread * 100.0,
            rate.gitems_per_s,
            rate.gbytes_per_s,
            rate.of_copy,
            rate.copy_us,
            peers.collect::<String>()
        )
        .unwrap();
    }
}

/// Primitives in one encoder, against the sum of their times alone.
fn chain(out: &mut String, rows: &[Row]) {
    // By n and the algorithm.
    type Times<'a> = BTreeMap<&'a str, f64>;
    let mut chains: BTreeMap<(u64, &str), Times<'_>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.bench == "chain") {
        let algorithm = row.algorithm.as_deref().unwrap_or_default();
        chains.entry((row.n, algorithm)).or_default().insert(&row.primitive, row.median_us);
    }
    if chains.is_empty() {
        return;
    }
    writeln!(out, "\n## Five primitives in one encoder, u32\n").unwrap();
    header(out, "n", &["algorithm", "us", "sum of each alone", "ratio"]);
    for ((n, algorithm), mut times) in chains {
        let Some(whole) = times.remove("chain") else { continue };
        let (n, sum) = (short(n), times.values().sum::<f64>());
        writeln!(out, "| {n} | {algorithm} | {whole:.2} | {sum:.2} | {:.2} |", whole / sum)
            .unwrap();
    }
}

/// Slices at other places, against the aligned ones.
fn placement(out: &mut String, rows: &[Row]) {
    let rows = rows.iter().filter(|row| row.bench == "placement");
    let rows: BTreeMap<(String, u64, &str), &Row> =
        rows.map(|row| ((primitive(row), row.n, row.label.as_str()), row)).collect();
    if rows.is_empty() {
        return;
    }
    writeln!(out, "\n## Placement of slices, sum u32\n").unwrap();
    header(out, "primitive", &["n", "where", "us", "spread", "of copy"]);
    for ((name, n, label), row) in rows {
        let of_copy = row.rate.map_or(0.0, |rate| rate.of_copy);
        let (n, label) = (short(n), label.trim_start_matches(", "));
        let (us, spread) = (row.median_us, row.spread * 100.0);
        writeln!(out, "| {name} | {n} | {label} | {us:.2} | {spread:.0} % | {of_copy:.2} |")
            .unwrap();
    }
}

/// What calls cost the host.
fn host(out: &mut String, rows: &[Row]) {
    let mut last: Vec<&Row> = Vec::new();
    for row in rows.iter().filter(|row| row.bench == "host") {
        let is_of = |other: &&Row| {
            (primitive(other), &other.label, other.n) == (primitive(row), &row.label, row.n)
        };
        last.retain(|other| !is_of(other));
        last.push(row);
    }
    if last.is_empty() {
        return;
    }
    writeln!(out, "\n## On the host, sum u32\n").unwrap();
    header(out, "primitive", &["what", "n", "us", "spread"]);
    for row in last {
        let n = if row.n == 0 { String::new() } else { short(row.n) };
        let (us, spread) = (row.median_us, row.spread * 100.0);
        writeln!(out, "| {} | {} | {n} | {us:.1} | {spread:.0} % |", primitive(row), row.label)
            .unwrap();
    }
}
