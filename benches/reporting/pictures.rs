//! Throughput against n, with the copy as the ceiling.

use std::collections::BTreeSet;
use std::error::Error;

use plotters::prelude::*;

use super::joined::{Case, Joined, Measured, Measurements};
use crate::rows::short;

const SIZE: (u32, u32) = (760, 480);

/// Told apart by those, too, who see no red or no green.
const OWN: RGBColor = RGBColor(0x00, 0x72, 0xb2);
const CUB: RGBColor = RGBColor(0xd5, 0x5e, 0x00);
const LAMPSHADE: RGBColor = RGBColor(0x00, 0x9e, 0x73);
const OTHERS: RGBColor = RGBColor(0xcc, 0x79, 0xa7);
const COPY: RGBColor = RGBColor(0x70, 0x70, 0x70);

struct Series {
    name: String,
    color: RGBColor,
    /// n and GB/s.
    points: Vec<(f64, f64)>,
}

/// A picture, and its file's name, for each primitive and operator with some sizes; of irregular
/// primitives for each case.
pub fn all(joined: &Joined, operators: &[String]) -> Vec<(String, String)> {
    let mut pictures = Vec::new();
    for (primitive, measurements) in &joined.primitives {
        let cases: BTreeSet<Case> = match measurements.irregular {
            true => measurements.own.keys().map(|(case, _)| case.clone()).collect(),
            false => operators.iter().map(|operator| operator.replacen('-', " ", 1)).collect(),
        };
        for case in cases {
            let series = series(measurements, &case);
            if series[0].points.len() < 2 {
                continue;
            }
            let title = format!("{primitive}, {case}: {}, {}", joined.adapter, joined.date);
            let name = format!("{primitive} {case}");
            let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            let name = words.collect::<Vec<_>>().join("-") + ".svg";
            let picture = draw(&title, &series).unwrap_or_else(|e| panic!("{name}: {e}"));
            pictures.push((name, picture));
        }
    }
    pictures
}

/// This library's, the peers' and the copy's.
fn series(measurements: &Measurements, case: &str) -> Vec<Series> {
    type Points<'a> = &'a std::collections::BTreeMap<(String, u64), Measured>;
    let points = |of: Points<'_>, value: fn(&Measured) -> f64| {
        let of = of.iter().filter(|((own, _), _)| own == case);
        of.map(|((_, n), measured)| (*n as f64, value(measured))).collect()
    };
    let rate = |measured: &Measured| measured.rate.gbytes_per_s;
    let copy = |measured: &Measured| measured.rate.gbytes_per_s / measured.rate.of_copy;
    let own = points(&measurements.own, rate);
    let mut all = vec![Series { name: "lookback".to_owned(), color: OWN, points: own }];
    for (peer, of) in &measurements.peers {
        let color = match peer.as_str() {
            "cub" => CUB,
            "lampshade" => LAMPSHADE,
            _ => OTHERS,
        };
        all.push(Series { name: peer.clone(), color, points: points(of, rate) });
    }
    let copies = points(&measurements.own, copy);
    all.push(Series { name: "copy".to_owned(), color: COPY, points: copies });
    all
}

fn draw(title: &str, all: &[Series]) -> Result<String, Box<dyn Error>> {
    let points = || all.iter().flat_map(|series| &series.points);
    let least = points().map(|point| point.0).fold(f64::INFINITY, f64::min);
    let most = points().map(|point| point.0).fold(0.0, f64::max);
    let top = points().map(|point| point.1).fold(0.0, f64::max) * 1.08;
    let mut out = String::new();
    let area = SVGBackend::with_string(&mut out, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 18))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d((least..most * 1.2).log_scale().base(2.0), 0.0..top)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(0xdd, 0xdd, 0xdd))
        .x_labels(12)
        .x_label_formatter(&|n| short(*n as u64))
        .y_label_formatter(&|rate| {
            if top < 20.0 { format!("{rate:.1}") } else { format!("{rate:.0}") }
        })
        .x_desc("items")
        .y_desc("GB/s of the bytes that must be moved")
        .label_style(("sans-serif", 14))
        .draw()?;
    for Series { name, color, points } in all {
        let style = ShapeStyle { color: color.to_rgba(), filled: true, stroke_width: 2 };
        let legend = move |(x, y)| PathElement::new([(x, y), (x + 22, y)], style);
        if name == "copy" {
            let line = DashedLineSeries::new(points.iter().copied(), 6, 4, style);
            chart.draw_series(line)?.label(name).legend(legend);
        } else {
            let line = LineSeries::new(points.iter().copied(), style);
            chart.draw_series(line)?.label(name).legend(legend);
            chart.draw_series(points.iter().map(|&point| Circle::new(point, 3, style)))?;
        }
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.85))
        .border_style(TRANSPARENT)
        .label_font(("sans-serif", 15))
        .draw()?;
    area.present()?;
    drop(chart);
    drop(area);
    Ok(out)
}
