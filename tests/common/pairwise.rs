//! Pairwise cover: rows in which every pair of values of any two factors stands together.
#![allow(dead_code, reason = "not every test binary uses all of it")]

/// Rows of levels, one level a factor, for factors of `levels[f]` levels. With
/// `LOOKBACK_FULL=1` the whole product.
pub fn rows<const F: usize>(levels: [usize; F]) -> Vec<[usize; F]> {
    let product: usize = levels.iter().product();
    let row = |mut index: usize| {
        levels.map(|n| {
            let level = index % n;
            index /= n;
            level
        })
    };
    if std::env::var("LOOKBACK_FULL").is_ok_and(|value| value == "1") {
        return (0..product).map(row).collect();
    }
    let pairs_of = |row: &[usize; F]| {
        let row = *row;
        (0..F).flat_map(move |f| (f + 1..F).map(move |g| (f, row[f], g, row[g])))
    };
    let mut missing: std::collections::HashSet<_> =
        (0..product).flat_map(|index| pairs_of(&row(index)).collect::<Vec<_>>()).collect();
    let mut rows = Vec::new();
    // Greedy: take the row that covers most of what is missing, the first of equals.
    while !missing.is_empty() {
        let gain = |index: &usize| pairs_of(&row(*index)).filter(|p| missing.contains(p)).count();
        let best = (0..product).rev().max_by_key(gain).map(row);
        let Some(best) = best else { break };
        for pair in pairs_of(&best) {
            missing.remove(&pair);
        }
        rows.push(best);
    }
    rows
}
