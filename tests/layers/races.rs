//! No lane touches what another lane has touched since the last barrier, if one of them writes.
//!
//! Software drivers run the lanes of a workgroup in a fixed order, so a missing barrier gives them
//! no wrong word. Here each entry of workgroup memory keeps a note of who has read and written it
//! since when, and a lane that finds another's note brings wrong words from then on.

use lookback::wgsl::{Layers, SectionScan, Subgroup, Totals, WorkgroupReduce, WorkgroupScan};
use lookback::{Context, Operator};

use crate::common::operators::Exact;
use crate::harness::Shader;
use crate::workgroup::{
    LANES, REDUCE, REDUCES, SCAN, SCANS, SECTION, SHARED, check_reduce, check_scan, check_shared,
    most, own,
};

/// Notes are (barriers so far, lane); of readers the first and the last lane are kept.
const NOTES: &str = "
var<private> race_lane: u32;
var<private> race_epoch: u32 = 1u;
var<private> race_found: bool;

fn race_touch(written: u32, first: u32, last: u32) {
    let own = vec3<u32>(race_lane, 1023u - race_lane, race_lane) + vec3<u32>(race_epoch * 1024u);
    let notes = vec3<u32>(written, first, last);
    let now = notes / vec3<u32>(1024u) == vec3<u32>(race_epoch);
    race_found |= any(now & (notes != own));
}
fn race_poison(value: u32) -> u32 {
    return value ^ select(0u, 0x5a5a5a5au, race_found);
}
";

/// The notes of one array: its name and its length.
fn notes(array: &str, length: &str) -> String {
    format!(
        "
var<workgroup> {array}_note_written: array<atomic<u32>, {length}>;
var<workgroup> {array}_note_first: array<atomic<u32>, {length}>;
var<workgroup> {array}_note_last: array<atomic<u32>, {length}>;

fn {array}_notes_forget() {{
    for (var i = race_lane; i < {length}; i += WORKGROUP_SIZE) {{
        atomicStore(&{array}_note_written[i], 0u);
        atomicStore(&{array}_note_first[i], 0u);
        atomicStore(&{array}_note_last[i], 0u);
    }}
}}
fn {array}_noted_write(i: u32, value: u32) -> u32 {{
    let written = atomicExchange(&{array}_note_written[i], race_epoch * 1024u + race_lane);
    race_touch(written, atomicLoad(&{array}_note_first[i]), atomicLoad(&{array}_note_last[i]));
    return race_poison(value);
}}
fn {array}_noted_read(i: u32) -> u32 {{
    atomicMax(&{array}_note_first[i], race_epoch * 1024u + 1023u - race_lane);
    atomicMax(&{array}_note_last[i], race_epoch * 1024u + race_lane);
    race_touch(atomicLoad(&{array}_note_written[i]), 0u, 0u);
    return race_poison({array}[i]);
}}
"
    )
}

/// The text with notes, but for the barrier that follows some statement.
fn noted(text: &str, without: Option<&str>) -> String {
    let barrier = "workgroupBarrier();";
    let mut text = text.to_owned();
    if let Some(statement) = without {
        let end = text.find(statement).unwrap() + statement.len();
        let at = end + text[end..].find(barrier).unwrap();
        text.replace_range(at..at + barrier.len(), "");
    }
    text = text.replace(barrier, &format!("race_epoch += 1u; {barrier}"));
    // The statements that touch the arrays: those of shaders/section and shaders/subgroup/emulated.
    let edits = [
        ("section[index] = value;", "section[index] = section_noted_write(index, value);"),
        ("return section[index];", "return section_noted_read(index);"),
        ("return section[n - 1u];", "return section_noted_read(n - 1u);"),
    ];
    let scratch_edits = [
        (
            "subgroup_scratch[lane.index] = value;",
            "subgroup_scratch[lane.index] = subgroup_scratch_noted_write(lane.index, value);",
        ),
        (
            "let other = subgroup_scratch[lane.index - place + select(place, source, source < width)];",
            "let other = subgroup_scratch_noted_read(lane.index - place + select(place, source, source < width));",
        ),
    ];
    let has_scratch = text.contains("var<workgroup> subgroup_scratch");
    let all = edits.into_iter().chain(scratch_edits.into_iter().filter(|_| has_scratch));
    for (from, to) in all {
        text = text.replace(from, to);
    }
    let touches = |text: &str| {
        let arrays = ["section[", "subgroup_scratch["];
        arrays.iter().map(|array| text.matches(array).count()).sum::<usize>()
    };
    // What is left of them: two stores.
    let left = 1 + usize::from(has_scratch);
    assert_eq!(touches(&text), left, "workgroup memory is touched elsewhere:\n{text}");
    let entry = "fn layer(group: Group, lane: Lane) {";
    assert_eq!(text.matches(entry).count(), 1);
    let scratch_forget = if has_scratch { "subgroup_scratch_notes_forget();" } else { "" };
    let forget = format!(
        "{entry}\n    race_lane = lane.index;\n    section_notes_forget();{scratch_forget}\n    {barrier}"
    );
    text = text.replace(entry, &forget);
    text += NOTES;
    text += &notes("section", "SECTION_SIZE");
    if has_scratch {
        text += &notes("subgroup_scratch", "WORKGROUP_SIZE");
    }
    text
}

/// A caller of workgroup functions, and how its results are checked.
#[derive(Clone, Copy, Debug)]
enum Caller {
    Scan(WorkgroupScan),
    Reduce,
    Shared,
}

fn check(
    context: &Context,
    caller: Caller,
    layers: Layers,
    without: Option<&str>,
) -> Result<(), String> {
    let operator = Operator::<u32>::sum();
    let (source, section) = match caller {
        Caller::Scan(_) => (SCAN, SECTION),
        Caller::Reduce => (REDUCE, LANES),
        Caller::Shared => (SHARED, LANES),
    };
    let sizes = [LANES, section].map(|size| size as u32);
    let edit = |text: &str| noted(text, without);
    let shader = Shader::edited(context, layers, &operator, source, sizes, edit);
    let input: Vec<u32> = (0..=3 * SECTION).map(u32::any).collect();
    match caller {
        Caller::Scan(scan) => {
            let most = most(scan);
            let sizes = [[1, most], [2, most], [100, most], [2 * most + 7, most], [5, 1]];
            sizes.into_iter().try_for_each(|sizes| {
                check_scan(context, &shader, &operator, &input, sizes, (scan, 0))
            })
        }
        Caller::Reduce => check_reduce(context, &shader, &operator, &input[..2 * LANES + 1], LANES),
        Caller::Shared => [[100, 37], [1, 80], [65, 1]]
            .into_iter()
            .try_for_each(|sizes| check_shared(context, &shader, &input, sizes)),
    }
}

#[test]
fn no_lane_races_another() {
    let Some(context) = crate::common::context() else { return };
    // The texts are the same on every driver, but for the width of subgroups.
    let driver = std::env::var("LOOKBACK_DRIVER").unwrap_or_default();
    if matches!(driver.as_str(), "lavapipe-4" | "lavapipe-16") {
        println!("skipped: {driver} is left to the other drivers");
        return;
    }
    // One subgroup, several, and the hardware's.
    let one = Subgroup::Emulated(LANES as u32);
    for subgroup in [one, Subgroup::Emulated(8), own(context).subgroup] {
        let layers = Layers::for_subgroup(subgroup);
        let mut callers = vec![(Caller::Shared, layers)];
        for scan in SCANS {
            callers.push((Caller::Scan(scan), Layers { scan, ..layers }));
            callers.push((Caller::Shared, Layers { scan, totals: Totals::Section, ..layers }));
        }
        for reduce in REDUCES {
            callers.push((Caller::Reduce, Layers { reduce, ..layers }));
        }
        for (caller, layers) in callers {
            let result = check(context, caller, layers, None);
            result.unwrap_or_else(|e| panic!("{caller:?} {layers:?}: {e}"));
        }
    }
}

/// Barriers left out, each after the statement that it follows.
#[test]
fn a_missing_barrier_is_found() {
    let Some(context) = crate::common::context() else { return };
    let layers = Layers::for_subgroup(Subgroup::Emulated(8));
    let scan = |scan| (Caller::Scan(scan), Layers { scan, ..layers });
    let reduce = |reduce| (Caller::Reduce, Layers { reduce, ..layers });
    for ((caller, layers), statement) in [
        // Of one entry only, as of the totals of a workgroup of one subgroup.
        (scan(WorkgroupScan::BrentKung), "section_set(size - 1u, identity());"),
        (scan(WorkgroupScan::KoggeStone), "left = section_get(run_end(lane.index - offset"),
        (scan(WorkgroupScan::Coarsened(SectionScan::KoggeStone)), "section_set(first, before);"),
        (reduce(WorkgroupReduce::Sequential), "fn halve("),
        (reduce(WorkgroupReduce::Subgroups), "subgroup_scratch[lane.index] = value;"),
    ] {
        let result = check(context, caller, layers, Some(statement));
        assert!(result.is_err(), "{caller:?} without the barrier after {statement}");
    }
}
