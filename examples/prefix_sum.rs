//! Where variable-sized records go: the exclusive prefix sum of their sizes. The plan is made once
//! and used on host slices and on GPU buffers.
use lookback::{Context, Kind, Operator, Scan};

fn main() -> Result<(), lookback::Error> {
    let context = Context::new()?;
    let offsets = Scan::new(&context, &Operator::<u32>::sum(), Kind::Exclusive)?;

    let sizes = [3, 0, 5, 2, 7];
    assert_eq!(offsets.run(&sizes)?, [0, 3, 3, 8, 10]);
    // The same with a header of 16 in front.
    assert_eq!(offsets.with_init(16).run(&sizes)?, [16, 19, 19, 24, 26]);

    // On buffers of the device, in place, without waiting in between.
    let items = context.upload(&vec![2u32; 1_000_000])?;
    offsets.dispatch(&items, &items)?;
    let result = context.download(&items)?;
    println!("record 999999 starts at {}", result[999_999]);
    assert_eq!(result[999_999], 1_999_998);
    Ok(())
}
