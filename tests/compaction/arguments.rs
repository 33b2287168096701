//! Least and greatest items and their places, with the case D2.

use lookback::{Context, Element, Operator, Ordered, Reduce, reference};

use crate::common;
use crate::common::operators::hash;

const SIZES: [usize; 5] = [0, 1, 10, 257, 100_003];

fn check<T: Ordered, O: Element>(
    context: &Context,
    operator: &Operator<T, [u32; 2], O>,
    items: &[T],
) -> O {
    let reduce = Reduce::new(context, operator).unwrap();
    let got = reduce.run(items).unwrap();
    let wanted = reference::reduce(items, operator, None).unwrap();
    assert_eq!(common::first_difference(&[got], &[wanted]), None, "{}", operator.name());
    got
}

#[test]
fn d2_arg_min_and_arg_max_of_infinities() {
    let Some(context) = common::context() else { return };
    let bits = f32::to_bits;
    let (least, greatest) =
        (Operator::<f32>::arg_min().unwrap(), Operator::<f32>::arg_max().unwrap());
    for context in [context.clone(), common::without_subgroups(context)] {
        for n in [1, 10, 257, 100_003] {
            let all = vec![f32::INFINITY; n];
            assert_eq!(check(&context, &least, &all), [0, bits(f32::INFINITY)]);
            let mut one = all.clone();
            one[n - 1] = 3.0e38;
            assert_eq!(check(&context, &least, &one), [n as u32 - 1, bits(3.0e38)]);
            let all = vec![f32::NEG_INFINITY; n];
            assert_eq!(check(&context, &greatest, &all), [0, bits(f32::NEG_INFINITY)]);
            let mut nan = vec![1.0f32; n];
            (nan[n / 2], nan[n - 1]) = (f32::NAN, -f32::NAN);
            for operator in [&least, &greatest] {
                assert_eq!(check(&context, operator, &nan), [n as u32 / 2, 0x7FC0_0000]);
            }
        }
    }
}

#[test]
fn ties_go_to_the_first_item() {
    let Some(context) = common::context() else { return };
    for n in SIZES {
        let words: Vec<u32> = (0..n as u32).map(|i| hash(i, 3) % 50 + 7).collect();
        check(context, &Operator::<u32>::arg_min().unwrap(), &words);
        check(context, &Operator::<u32>::arg_max().unwrap(), &words);
        assert_eq!(
            check(context, &Operator::<u32>::min_max().unwrap(), &words),
            match n {
                0 => [u32::MAX, 0],
                _ => [*words.iter().min().unwrap(), *words.iter().max().unwrap()],
            }
        );
        let signed: Vec<i32> = words.iter().map(|&word| 25 - word as i32).collect();
        check(context, &Operator::<i32>::arg_min().unwrap(), &signed);
        check(context, &Operator::<i32>::arg_max().unwrap(), &signed);
        check(context, &Operator::<i32>::min_max().unwrap(), &signed);
        let floats: Vec<f32> = signed.iter().map(|&x| x as f32 / 4.0).collect();
        check(context, &Operator::<f32>::arg_min().unwrap(), &floats);
        check(context, &Operator::<f32>::min_max().unwrap(), &floats);
    }
    let zeros = [0.0f32, -0.0, 0.0];
    assert_eq!(check(context, &Operator::<f32>::arg_min().unwrap(), &zeros), [1, 1 << 31]);
    let nan = [1.0f32, f32::NAN, 2.0];
    let both = check(context, &Operator::<f32>::min_max().unwrap(), &nan);
    assert_eq!(both.map(f32::to_bits), [0x7FC0_0000; 2]);
}

/// The item's number is that in the whole slice, across its segments and pieces.
#[test]
fn lifts_know_the_number_of_an_item() {
    let Some(context) = common::context() else { return };
    let small = common::pretend(context, |c| c.binding_bytes = 1 << 18);
    let moment = Operator::<u32>::sum().with_indexed_lift("x ^ i", |x: u32, i| x ^ i).unwrap();
    let items: Vec<u32> = (0..200_001).map(|i| hash(i, 1)).collect();
    for context in [context, &small] {
        let wanted = reference::reduce(&items, &moment, None).unwrap();
        assert_eq!(context.reduce(&items, &moment).unwrap(), wanted);
        let sums = reference::scan(&items, &moment, lookback::Kind::Inclusive, None).unwrap();
        let got = context.inclusive_scan(&items, &moment).unwrap();
        assert_eq!(common::first_difference(&got, &sums), None);
        let parts = context.upload(&items[..77]).unwrap();
        let parts = parts.then(&context.upload(&items[77..]).unwrap()).unwrap();
        let result = context.allocate::<u32>(1).unwrap();
        Reduce::new(context, &moment).unwrap().dispatch(&parts, &result).unwrap();
        assert_eq!(context.download(&result).unwrap(), [wanted]);
    }
}
