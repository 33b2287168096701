//! GROUP BY: what each shop has sold, and its dearest sale, by a sort on the host and a reduction by key
//! on the GPU; then each sale's place within its shop, by a scan by key.
use std::collections::BTreeMap;

use lookback::{Context, Equality, Kind, Operator, ReduceByKey, ScanByKey};

fn main() -> Result<(), lookback::Error> {
    let context = Context::new()?;
    // Sales as they came in: shop and cents.
    let sale = |i: u32| ((i.wrapping_mul(2_654_435_761) >> 20) % 97, i * 7 % 1009);
    let mut sales: Vec<(u32, u32)> = (0..100_000).map(sale).collect();

    // Runs of equal keys are groups once the keys are sorted; a stable sort keeps each shop's order.
    sales.sort_by_key(|sale| sale.0);
    let (shops, cents): (Vec<u32>, Vec<u32>) = sales.iter().copied().unzip();

    // One pass for both: the accumulator is (sum, greatest), lifted from the cents.
    let add = |a: [u32; 2], b: [u32; 2]| [a[0] + b[0], a[1].max(b[1])];
    let both = Operator::from_wgsl([0u32; 2], "vec2<u32>(a.x + b.x, max(a.y, b.y))")?
        .with_host(add)
        .with_lift("vec2<u32>(x, x)", |x: u32| [x, x])?;
    let by_shop = ReduceByKey::new(&context, &Equality::by_value(), &both)?;
    let (groups, totals) = by_shop.run(&shops, &cents)?;

    let mut wanted = BTreeMap::<u32, [u32; 2]>::new();
    for &(shop, cents) in &sales {
        let total = wanted.entry(shop).or_default();
        *total = add(*total, [cents, cents]);
    }
    assert!(groups.iter().copied().zip(totals.iter().copied()).eq(wanted));

    // The number of each sale within its shop.
    let ones = vec![1u32; shops.len()];
    let sum = Operator::<u32>::sum();
    let places = ScanByKey::new(&context, &Equality::by_value(), &sum, Kind::Exclusive)?;
    let places = places.run(&shops, &ones)?;
    assert!((1..shops.len()).all(|i| match shops[i] == shops[i - 1] {
        true => places[i] == places[i - 1] + 1,
        false => places[i] == 0,
    }));

    println!(
        "{} shops; shop {} sold for {} cents, once for {}",
        groups.len(),
        groups[0],
        totals[0][0],
        totals[0][1]
    );
    Ok(())
}
