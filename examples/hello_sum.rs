//! The sum of a few numbers, on whatever GPU there is.
use lookback::{Context, Operator};

fn main() -> Result<(), lookback::Error> {
    let context = Context::new()?;
    let items: Vec<u32> = (1..=1000).collect();
    let sum = context.reduce(&items, &Operator::sum())?;
    println!("{} says 1 + 2 + ... + 1000 = {sum}", context.capabilities().adapter);
    assert_eq!(sum, 500_500);
    Ok(())
}
