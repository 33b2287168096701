//! The subgroup layer: what each lane must get of each function, at every width.

use lookback::wgsl::{Layers, Subgroup};
use lookback::{Context, Element, Operator};

use crate::elements::{Make, Visit};
use crate::harness::{Shader, inclusive, items, same, words};
use crate::{elements, pairwise};

const SOURCE: &str = include_str!("subgroup.wgsl");

/// Lanes of the workgroup: the widest emulated subgroup.
const LANES: usize = 128;

/// The checks of `values`, in order.
const VALUES: [&str; 17] = [
    "shuffle",
    "shuffle past the end",
    "shuffle_up",
    "shuffle_down",
    "shuffle_xor",
    "shuffle_within",
    "shuffle_up_within",
    "shuffle_down_within",
    "shuffle_xor_within",
    "subgroup_inclusive_scan",
    "subgroup_exclusive",
    "subgroup_reduce",
    "inclusive_scan_within",
    "exclusive_within",
    "reduce_within",
    "workgroup_lanes_scan prefix",
    "workgroup_lanes_scan total",
];

/// The checks of `masks`, in order.
const MASKS: [&str; 8] = [
    "builtins",
    "ballot",
    "ballot_within",
    "all_lanes, any_lane, all_within, any_within",
    "count_lanes, count_lanes_before",
    "match_any",
    "match_any_within",
    "match_any_bits",
];

/// The choices that the layer is tested with.
fn variants() -> Vec<Layers> {
    let native = Layers::for_subgroup(Subgroup::Native);
    let emulated = [4, 8, 16, 32, 64, 128].map(|w| Layers::for_subgroup(Subgroup::Emulated(w)));
    let mut variants = vec![native, Layers { builtins: true, ..native }];
    variants.extend(emulated);
    variants
}

/// Arguments of a call: delta, partition, predicate's bits.
const ARGUMENTS: [[u32; 4]; 6] = [
    [1, 2, 0x5a5a_1234, 0],
    [3, 4, 0xffff_ffff, 0],
    [0, 1, 0, 0],
    [5, 128, 0x8000_0001, 0],
    [u32::MAX, 8, 0xffff_fffe, 0],
    [64, 32, 0x0f0f_0f0f, 0],
];

struct Properties<'a> {
    context: &'a Context,
    /// Element, operator, variant.
    rows: Vec<[usize; 3]>,
    next: usize,
}

impl Visit for Properties<'_> {
    fn visit<T: Element>(&mut self, name: &str, operator: &Operator<T>, make: Make<T>) {
        let [_, n_operators] = elements::COUNTS;
        let (element, op) = (self.next / n_operators, self.next % n_operators);
        self.next += 1;
        let rows = self.rows.iter().filter(|row| row[..2] == [element, op]);
        for &[_, _, variant] in rows {
            let layers = variants()[variant];
            if layers.subgroup == Subgroup::Native && !self.context.capabilities().subgroups {
                println!("skipped: {layers:?}, since the device has no subgroups");
                continue;
            }
            let sizes = [LANES as u32; 2];
            let shader = Shader::new(self.context, layers, operator, SOURCE, sizes);
            for arguments in ARGUMENTS {
                check(self.context, &shader, operator, make, arguments)
                    .unwrap_or_else(|e| panic!("{name}, {arguments:x?}, {layers:?}: {e}"));
            }
        }
    }
}

#[test]
fn k1_k3_every_function_of_the_subgroup_layer_in_every_lane() {
    let Some(context) = crate::common::context() else { return };
    let [n_elements, n_operators] = elements::COUNTS;
    let rows = pairwise::rows([n_elements, n_operators, variants().len()]);
    println!("{} rows of element, operator, choices", rows.len());
    let mut properties = Properties { context, rows, next: 0 };
    elements::all(&mut properties);
    assert_eq!(properties.next, n_elements * n_operators);
}

/// The same on a device opened with no feature and the least limits.
#[test]
fn k4_the_emulated_layer_on_the_least_device() {
    let Some(context) = crate::common::least_context() else { return };
    let operator = Operator::<u32>::sum();
    for width in [4, 32, 128] {
        let layers = Layers::for_subgroup(Subgroup::Emulated(width));
        let shader = Shader::new(&context, layers, &operator, SOURCE, [LANES as u32; 2]);
        for arguments in ARGUMENTS {
            let item = <u32 as crate::common::operators::Exact>::any;
            let make = Make { item, identity: 0 };
            check(&context, &shader, &operator, make, arguments)
                .unwrap_or_else(|e| panic!("{width} lanes: {e}"));
        }
    }
}

/// One call of every function, compared lane by lane.
fn check<T: Element>(
    context: &Context,
    shader: &Shader,
    operator: &Operator<T>,
    make: Make<T>,
    arguments: [u32; 4],
) -> Result<(), String> {
    let mut input: Vec<T> = (0..LANES).map(make.item).collect();
    input.extend((0..LANES).map(|i| (make.item)(i * 7 % 5)));
    let n_words = T::LAYOUT.words() as usize;
    let src = context.upload(&words(&input)).unwrap();
    let values = context.allocate::<u32>((VALUES.len() * LANES * n_words) as u64).unwrap();
    let masks = context.allocate::<u32>((MASKS.len() * LANES * 4) as u64).unwrap();
    shader.run(arguments, &[&src, &values, &masks]);
    let values: Vec<T> = items(&context.download(&values).unwrap());
    let masks: Vec<[u32; 4]> = items(&context.download(&masks).unwrap());

    let [width, count, ..] = masks[0];
    let width = width as usize;
    if !width.is_power_of_two() || width * count as usize != LANES {
        return Err(format!("{count} subgroups of {width} lanes"));
    }
    let [delta, most, bits, _] = arguments;
    let delta = delta as usize;
    let part = width.min(most as usize);
    let predicate = |at: usize| bits >> (at % 32) & 1 == 1;
    let repeated = &input[LANES..];
    for at in 0..LANES {
        let (first, place) = (at - at % width, at % width);
        let (part_first, part_place) = (at - at % part, at % part);
        let pick = |ok: bool, source: usize| if ok { input[source] } else { input[at] };
        let wrapped = |add: usize| (place as u32).wrapping_mul(add as u32) as usize;
        let plus = |x: usize| (x as u32).wrapping_add(delta as u32) as usize;
        let scanned = |from: usize, len: usize| inclusive(&input[from..from + len], operator);
        let before = |from: usize| match from {
            from if from == at => make.identity,
            from => scanned(from, at - from)[at - from - 1],
        };
        let wanted: [Option<T>; 17] = [
            Some(input[first + plus(wrapped(5)) % width]),
            Some(pick(plus(place) < width, first + plus(place) % width)),
            Some(pick(delta <= place, at.wrapping_sub(delta))),
            Some(pick(delta < width - place, at.wrapping_add(delta))),
            Some(pick(place ^ delta < width, first + (place ^ delta) % width)),
            Some(pick(plus(wrapped(3)) < part, part_first + plus(wrapped(3)) % part)),
            Some(pick(delta <= part_place, at.wrapping_sub(delta))),
            Some(pick(delta < part - part_place, at.wrapping_add(delta))),
            Some(pick(part_place ^ delta < part, part_first + (part_place ^ delta) % part)),
            Some(scanned(first, width)[place]),
            Some(before(first)),
            (place == 0).then(|| scanned(first, width)[width - 1]),
            Some(scanned(part_first, part)[part_place]),
            Some(before(part_first)),
            (part_place == 0).then(|| scanned(part_first, part)[part - 1]),
            Some(before(0)),
            Some(scanned(0, LANES)[LANES - 1]),
        ];
        for (check, (name, wanted)) in VALUES.iter().zip(&wanted).enumerate() {
            let got = values[check * LANES + at];
            match wanted {
                Some(wanted) if !same(&got, wanted) => {
                    return Err(format!(
                        "{name}, lane {place} of {width}, place {at}: {got:?}, wanted {wanted:?}"
                    ));
                }
                _ => {}
            }
        }

        let set = |first: usize, len: usize, has: &dyn Fn(usize) -> bool| {
            let mut lanes = [0u32; 4];
            for lane in (first..first + len).filter(|&lane| has(lane)) {
                let bit = lane % width;
                lanes[bit / 32] |= 1 << (bit % 32);
            }
            lanes
        };
        let whole = set(first, width, &predicate);
        let all = |from: usize, len: usize| u32::from((from..from + len).all(predicate));
        let any = |from: usize, len: usize| u32::from((from..from + len).any(predicate));
        let equal = |lane: usize| same(&repeated[lane], &repeated[at]);
        let wanted: [[u32; 4]; 8] = [
            [width as u32, count, (at / width) as u32, place as u32],
            whole,
            set(part_first, part, &predicate),
            [all(first, width), any(first, width), all(part_first, part), any(part_first, part)],
            [
                whole.iter().map(|word| word.count_ones()).sum(),
                (first..at).filter(|&lane| predicate(lane)).count() as u32,
                0,
                0,
            ],
            set(first, width, &equal),
            set(part_first, part, &equal),
            set(first, width, &|lane| lane * 5 % 8 == at * 5 % 8),
        ];
        for (check, (name, wanted)) in MASKS.iter().zip(&wanted).enumerate() {
            let got = masks[check * LANES + at];
            if got != *wanted {
                return Err(format!(
                    "{name}, lane {place} of {width}, place {at}: {got:x?}, wanted {wanted:x?}"
                ));
            }
        }
    }
    Ok(())
}
