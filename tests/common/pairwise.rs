//! Pairwise cover: rows in which every pair of values of any two factors stands together.
#![allow(dead_code, reason = "not every test binary uses all of it")]

/// The drivers that `.ci/run` has: one more factor of every cover.
const DRIVERS: [&str; 4] = ["lavapipe-4", "lavapipe-16", "swiftshader", "lavapipe-validation"];

/// Rows of levels, one level a factor, for factors of `levels[f]` levels. On one of the drivers of
/// `.ci/run` the rows of a cover of these factors and the drivers that are its own, so that all four
/// have every pair, and each has every level; on any other device the whole cover. With
/// `LOOKBACK_FULL=1` the whole product.
pub fn rows<const F: usize>(levels: [usize; F]) -> Vec<[usize; F]> {
    let own = std::env::var("LOOKBACK_DRIVER").unwrap_or_default();
    let driver = DRIVERS.iter().position(|name| *name == own);
    let array = |row: &[usize]| std::array::from_fn(|f| row[f]);
    if std::env::var("LOOKBACK_FULL").is_ok_and(|value| value == "1") {
        let product = levels.iter().product();
        return (0..product).map(|index| array(&row(&levels, index))).collect();
    }
    match driver {
        None => cover(&levels).iter().map(|row| array(row)).collect(),
        Some(driver) => {
            let mut with_drivers = levels.to_vec();
            with_drivers.push(DRIVERS.len());
            let rows = cover(&with_drivers);
            rows.iter().filter(|row| row[F] == driver).map(|row| array(row)).collect()
        }
    }
}

/// The levels of a row of the product.
fn row(levels: &[usize], mut index: usize) -> Vec<usize> {
    let level = |&n: &usize| {
        let level = index % n;
        index /= n;
        level
    };
    levels.iter().map(level).collect()
}

/// Greedy: take the row that covers most of what is missing, the first of equals.
fn cover(levels: &[usize]) -> Vec<Vec<usize>> {
    let product = levels.iter().product();
    let n = levels.len();
    // Pairs by number: a factor's levels have numbers of their own.
    let firsts: Vec<usize> = (0..n).map(|f| levels[..f].iter().sum()).collect();
    let all: usize = levels.iter().sum();
    let pairs_of = |row: &[usize]| {
        let at: Vec<usize> = (0..n).map(|f| firsts[f] + row[f]).collect();
        (0..n).flat_map(move |f| {
            let at = at.clone();
            (f + 1..n).map(move |g| at[f] * all + at[g])
        })
    };
    let candidates: Vec<Vec<usize>> = (0..product).map(|index| row(levels, index)).collect();
    let mut missing = vec![false; all * all];
    let mut n_missing = 0;
    for candidate in &candidates {
        for pair in pairs_of(candidate) {
            n_missing += usize::from(!std::mem::replace(&mut missing[pair], true));
        }
    }
    let mut rows = Vec::new();
    while n_missing > 0 {
        let gain = |row: &&Vec<usize>| pairs_of(row).filter(|&pair| missing[pair]).count();
        let Some(best) = candidates.iter().rev().max_by_key(gain) else { break };
        for pair in pairs_of(best) {
            n_missing -= usize::from(std::mem::replace(&mut missing[pair], false));
        }
        rows.push(best.clone());
    }
    rows
}
