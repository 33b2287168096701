//! y = A x for a sparse matrix from a Matrix Market file. In compressed rows each row is a segment of the
//! matrix's entries, of whatever length, and a row's product with x is the reduction of its segment.
//!
//! Writes a matrix of its own and reads it back, or reads the file that the command line names.
//!
//! Sources: Blelloch, Heroux & Zagha 1993, "Segmented operations for sparse matrix computation on vector
//! multiprocessors"; the format: <https://math.nist.gov/MatrixMarket/formats.html>.
use std::error::Error;
use std::fmt::Write;

use lookback::{Context, Operator, SegmentBounds, SegmentedReduce};

/// Points along each side of the grid: so many that a full row has more items than a workgroup takes.
const GRID: u32 = 270;

/// Rows after the grid's, and how many columns apart their entries lie: one is full, three are long.
const LONG_ROWS: [usize; 4] = [1, 10, 11, 12];

/// Rows without an entry, which are the last.
const EMPTY_ROWS: u32 = 20;

/// A matrix as the file has it: entries with their rows and columns, from 0, in any order.
#[derive(Debug, PartialEq)]
struct Coordinates {
    rows: u32,
    columns: u32,
    entries: Vec<(u32, u32, f32)>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let matrix = match std::env::args().nth(1) {
        Some(path) => parse(&std::fs::read_to_string(path)?)?,
        None => through_a_file(&own_matrix())?,
    };
    let x: Vec<f32> = (0..matrix.columns).map(number).collect();
    let (offsets, columns, values) = compressed_rows(&matrix);

    // An item is a value of the matrix and the x that it meets; lift makes their product of it.
    let product = Operator::<f32>::sum().with_lift("x.x * x.y", |x: [f32; 2]| x[0] * x[1])?;
    let items: Vec<[f32; 2]> =
        values.iter().zip(&columns).map(|(&value, &column)| [value, x[column as usize]]).collect();
    let context = Context::new()?;
    let rows = SegmentedReduce::new(&context, SegmentBounds::Offsets, &product)?;
    let y = rows.run(&offsets, &items)?;

    // A row of k products has k roundings on the way of each: its product's and k - 1 additions', in
    // whatever order. So the error is at most ((1 + u)^k - 1) <= k u exp(k u) of the sum of magnitudes,
    // with u = 2^-24, and 2^-126 wherever a device flushes a subnormal: in a factor, a product or a sum.
    // The loop's own error, in f64, is far below.
    let unit = (-24f64).exp2();
    let (mut largest, mut lengths) = (0f64, Vec::new());
    for (row, (bounds, &got)) in offsets.windows(2).zip(&y).enumerate() {
        let items = &items[bounds[0] as usize..bounds[1] as usize];
        let products = items.iter().map(|item| f64::from(item[0]) * f64::from(item[1]));
        let wanted: f64 = products.clone().sum();
        let (roundings, flushed) = (items.len() as f64 * unit, f64::from(f32::MIN_POSITIVE));
        let bound = roundings * roundings.exp() * products.map(f64::abs).sum::<f64>()
            + 3.0 * items.len() as f64 * flushed;
        let error = (f64::from(got) - wanted).abs();
        assert!(
            error <= bound,
            "y[{row}] is {got}, the loop says {wanted}, the bound is {bound:e}"
        );
        largest = largest.max(error / bound.max(f64::MIN_POSITIVE));
        lengths.push(items.len());
    }
    println!(
        "{} rows of {} entries in all, from {} to {} a row; no error above {largest:.2} of its bound",
        matrix.rows,
        values.len(),
        lengths.iter().min().unwrap_or(&0),
        lengths.iter().max().unwrap_or(&0),
    );
    Ok(())
}

/// The Laplacian of a square grid, and below it a few long rows and some without an entry.
fn own_matrix() -> Coordinates {
    let points = GRID * GRID;
    let mut entries = Vec::new();
    for point in 0..points {
        let (i, j) = (point / GRID, point % GRID);
        let mut add = |is_there: bool, column: u32, value| {
            if is_there {
                entries.push((point, column, value));
            }
        };
        add(true, point, 4.0);
        add(i > 0, point.wrapping_sub(GRID), -1.0);
        add(i + 1 < GRID, point + GRID, -1.0);
        add(j > 0, point.wrapping_sub(1), -1.0);
        add(j + 1 < GRID, point + 1, -1.0);
    }
    for (row, step) in (points..).zip(LONG_ROWS) {
        entries.extend((0..points).step_by(step).map(|column| (row, column, number(row ^ column))));
    }
    // Files have their entries by columns most often.
    entries.sort_by_key(|&(row, column, _)| (column, row));
    Coordinates { rows: points + LONG_ROWS.len() as u32 + EMPTY_ROWS, columns: points, entries }
}

/// Writes a matrix to a file and reads it back.
fn through_a_file(matrix: &Coordinates) -> Result<Coordinates, Box<dyn Error>> {
    let mut text = String::from("%%MatrixMarket matrix coordinate real general\n% y = A x\n");
    writeln!(text, "{} {} {}", matrix.rows, matrix.columns, matrix.entries.len())?;
    for (row, column, value) in &matrix.entries {
        writeln!(text, "{} {} {value}", row + 1, column + 1)?;
    }
    let path = std::env::temp_dir().join(format!("lookback-{}.mtx", std::process::id()));
    let read = std::fs::write(&path, text).and_then(|()| std::fs::read_to_string(&path));
    std::fs::remove_file(&path)?;
    let read = parse(&read?)?;
    assert_eq!(read, *matrix);
    Ok(read)
}

/// Reads a Matrix Market file of the kind `coordinate real general`.
fn parse(text: &str) -> Result<Coordinates, String> {
    let mut lines = (1..).zip(text.lines());
    let head = lines.next().map_or("", |(_, line)| line).to_lowercase();
    if head.split_whitespace().ne("%%matrixmarket matrix coordinate real general".split(' ')) {
        return Err("line 1: not %%MatrixMarket matrix coordinate real general".to_owned());
    }
    let mut lines = lines.filter(|(_, line)| !line.starts_with('%') && !line.trim().is_empty());
    let (at, line) = lines.next().ok_or("no line of rows, columns and entries")?;
    let [rows, columns, n_entries] = words(at, line)?;
    let (rows, columns) = (whole(at, rows)?, whole(at, columns)?);
    let n_entries = whole(at, n_entries)? as usize;
    let mut entries = Vec::new();
    for (at, line) in lines {
        let [row, column, value] = words(at, line)?;
        // They count from 1.
        let index = |word, most: u32| match whole(at, word)? {
            index if (1..=most).contains(&index) => Ok(index - 1),
            index => Err(format!("line {at}: {index} is not one of 1 to {most}")),
        };
        let number = value.parse::<f32>().ok().filter(|number| number.is_finite());
        let number =
            number.ok_or_else(|| format!("line {at}: {value:?} is no number of 32 bits"))?;
        entries.push((index(row, rows)?, index(column, columns)?, number));
    }
    match entries.len() == n_entries {
        true => Ok(Coordinates { rows, columns, entries }),
        false => Err(format!("{} entries, line {at} says {n_entries}", entries.len())),
    }
}

/// The three words of a line.
fn words(at: usize, line: &str) -> Result<[&str; 3], String> {
    let words = line.split_whitespace().collect::<Vec<_>>();
    words.try_into().map_err(|_| format!("line {at}: not three numbers: {line:?}"))
}

fn whole(at: usize, word: &str) -> Result<u32, String> {
    word.parse().map_err(|e| format!("line {at}: {word:?}: {e}"))
}

/// Where each row begins and the last one ends; the entries' columns and values, row by row.
fn compressed_rows(matrix: &Coordinates) -> (Vec<u32>, Vec<u32>, Vec<f32>) {
    let mut entries: Vec<_> = matrix.entries.iter().collect();
    entries.sort_by_key(|entry| (entry.0, entry.1));
    let mut offsets = vec![0; matrix.rows as usize + 1];
    for entry in &entries {
        offsets[entry.0 as usize + 1] += 1;
    }
    for row in 0..matrix.rows as usize {
        offsets[row + 1] += offsets[row];
    }
    let columns = entries.iter().map(|entry| entry.1).collect();
    (offsets, columns, entries.iter().map(|entry| entry.2).collect())
}

/// From -1 to 1, without a pattern, by position (the last steps of MurmurHash3).
fn number(i: u32) -> f32 {
    let i = (i ^ (i >> 16)).wrapping_mul(0x85eb_ca6b);
    let i = (i ^ (i >> 13)).wrapping_mul(0xc2b2_ae35);
    (i ^ (i >> 16)) as i32 as f32 * (-31f32).exp2()
}
