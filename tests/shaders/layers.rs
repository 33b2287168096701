//! The texts that `lookback::wgsl` hands out: judged for every choice, in both dialects.

use lookback::wgsl::{
    Layers, Linked, SectionScan, Subgroup, Totals, WorkgroupReduce, WorkgroupScan,
};
use lookback::{Element, Error, Operator};

use crate::judge::{judge, tint};
use crate::operators::{self, Visit};

/// Shaders that use every function of the layers.
const SUBGROUP: &str = include_str!("../layers/subgroup.wgsl");
const SCAN: &str = include_str!("../layers/scan.wgsl");
const REDUCE: &str = include_str!("../layers/reduce.wgsl");

fn linked<I: Element, A: Element, O: Element>(
    layers: Layers,
    operator: &Operator<I, A, O>,
    source: &str,
) -> Linked {
    layers.link(operator, source).unwrap_or_else(|e| panic!("{layers:?}: {e}"))
}

/// The shaders with every choice that changes their text.
fn all<I: Element, A: Element, O: Element>(operator: &Operator<I, A, O>) -> Vec<(Layers, Linked)> {
    let mut all = Vec::new();
    for subgroup in [Subgroup::Native, Subgroup::Emulated(16)] {
        for builtins in [false, true] {
            let layers = Layers { builtins, ..Layers::for_subgroup(subgroup) };
            for totals in [Totals::Shuffles, Totals::Section] {
                let layers = Layers { totals, ..layers };
                all.push((layers, linked(layers, operator, SUBGROUP)));
            }
            for reduce in [
                WorkgroupReduce::Interleaved,
                WorkgroupReduce::Strided,
                WorkgroupReduce::Sequential,
                WorkgroupReduce::SubgroupTail,
                WorkgroupReduce::Unrolled,
                WorkgroupReduce::Subgroups,
            ] {
                let layers = Layers { reduce, ..layers };
                all.push((layers, linked(layers, operator, REDUCE)));
            }
        }
        for scan in [
            WorkgroupScan::KoggeStone,
            WorkgroupScan::BrentKung,
            WorkgroupScan::Coarsened(SectionScan::KoggeStone),
            WorkgroupScan::Coarsened(SectionScan::BrentKung),
        ] {
            let layers = Layers { scan, ..Layers::for_subgroup(subgroup) };
            all.push((layers, linked(layers, operator, SCAN)));
        }
    }
    all
}

/// The same as plain texts: what they are, the native and the WebGPU dialect.
pub fn texts<I: Element, A: Element, O: Element>(
    operator: &Operator<I, A, O>,
) -> Vec<(String, String, String)> {
    let all = all(operator).into_iter();
    all.map(|(layers, l)| (format!("{layers:?}"), l.native().to_owned(), l.webgpu())).collect()
}

struct Judge(usize);

impl Visit for Judge {
    fn visit<I: Element, A: Element, O: Element>(
        &mut self,
        name: &str,
        operator: &Operator<I, A, O>,
        _: fn(usize) -> I,
    ) {
        for (layers, linked) in all(operator) {
            judge(linked.native(), &linked.overrides(&capabilities(), 128, 256).unwrap(), "layer")
                .unwrap_or_else(|e| panic!("{name}, {layers:?}: {e}"));
            self.0 += 1;
        }
    }
}

#[test]
fn k5_every_text_of_the_layers_is_valid_translates_and_keeps_its_barriers_uniform() {
    let mut judge = Judge(0);
    operators::some(&mut judge);
    println!("{} texts", judge.0);
    assert!(judge.0 >= 500, "{} texts: the cover has shrunk", judge.0);
}

#[test]
fn tint_agrees_on_the_layers() {
    let ordered = Operator::from_wgsl(0.0f32, "select(a, b, b != 0.0)").unwrap();
    let texts = [texts(&Operator::<f32>::max()), texts(&ordered), texts(&operators::join_runs())];
    tint("layers", texts.into_iter().flatten().map(|(what, _, webgpu)| (what, webgpu)));
}

/// All four words of a ballot are used: a set of lanes is never cut to the first 32.
#[test]
fn k1_no_ballot_is_cut() {
    for (layers, linked) in all(&Operator::<u32>::sum()) {
        for line in linked.native().lines().filter(|line| line.contains("ballot")) {
            let cut = [".x", ".y", ".z", ".w", "[0"].iter().any(|part| line.contains(part));
            assert!(!cut, "{layers:?}: {line}");
        }
    }
}

#[test]
fn what_can_not_be_linked_is_a_typed_error() {
    let layers = Layers::for_subgroup(Subgroup::Native);
    let message = |source: &str| match layers.link(&Operator::<u32>::sum(), source) {
        Err(Error::Link { message }) => message,
        other => panic!("{source}: {other:?}"),
    };
    for (source, says) in [
        ("import package::nowhere::{f};", "there is no file nowhere"),
        ("import package::workgroup_scan::{f};", "declares no `f`"),
        (
            "import package::vote::{any_lane};",
            "declares no `any_lane`; `package::vote::lanes` does",
        ),
        (
            "import package::vote::{ballot}\nimport package::subgroup::{Lane};",
            "an import ends with `};`",
        ),
        ("import package::workgroup_scan{f};", "wanted `import package::path::{names};`"),
        ("fn combine() {}", "redefinition"),
        ("fn f() -> u32 { return missing; }", "missing"),
        ("fn f() -> u32 { return 1.5; }", "f"),
        (
            "import package::section::{run_end};\nfn min(a: u32, b: u32) -> u32 { return a; }",
            "`min` is what an imported file calls",
        ),
        (
            "fn f(n: u32) {\n    for (var i = 0u; i < n; i += 1u) { // unroll\n    }\n}",
            "trip count",
        ),
    ] {
        let message = message(source);
        assert!(message.contains(says), "{source}: {message}");
    }
    // Only what is imported is handed out.
    let linked = layers.link(&Operator::<u32>::sum(), "// nothing").unwrap();
    assert!(!linked.native().contains("subgroupShuffle"));
    assert_eq!(linked.overrides(&capabilities(), 64, 64).unwrap(), []);
    assert!(linked.webgpu().starts_with("enable subgroups;\n"));
    for width in [0, 3, 256] {
        let layers = Layers::for_subgroup(Subgroup::Emulated(width));
        let error = layers.link(&Operator::<u32>::sum(), "").unwrap_err();
        assert!(matches!(error, Error::Length { .. }), "{error}");
    }
    let linked = sum_linked(Layers::for_subgroup(Subgroup::Emulated(32)), REDUCE);
    let short = linked.overrides(&capabilities(), 64, 63).unwrap_err();
    assert!(matches!(short, Error::Length { wanted: 64, got: 63, .. }), "{short}");
    let many = linked.overrides(&capabilities(), 2048, 2048).unwrap_err();
    assert!(matches!(many, Error::Limit { wanted: 2048, got: 1024, .. }), "{many}");
    for (lanes, is_good) in [(0, false), (16, false), (32, true), (48, false), (64, true)] {
        assert_eq!(linked.overrides(&capabilities(), lanes, 64).is_ok(), is_good, "{lanes}");
    }
}

fn capabilities() -> lookback::Capabilities {
    operators::capabilities(wgpu::DeviceType::Other, 0)
}

fn sum_linked(layers: Layers, source: &str) -> Linked {
    linked(layers, &Operator::<u32>::sum(), source)
}

/// Users write imports, comments and directives as they like.
#[test]
fn sources_of_every_style() {
    let layers = Layers::for_subgroup(Subgroup::Native);
    let imports = "import package::workgroup::{WORKGROUP_SIZE};";
    let entry = "@compute @workgroup_size(WORKGROUP_SIZE) fn layer() {}";
    for source in [
        format!("{imports}\n{entry}"),
        format!("\u{feff}{imports} // why\r\n{entry}\r\n"),
        format!(
            "  import package::workgroup::{{\n    WORKGROUP_SIZE,\n    workgroup_lane,\n  }};\n{entry}"
        ),
        format!("{imports}\n{imports}\n{entry}"),
        format!("{entry}\n{imports}"),
        format!("/* import package::nowhere::{{f}};\nimport what we need.\n*/ {imports}\n{entry}"),
        format!(
            "enable f16; // halves\ndiagnostic(off, derivative_uniformity);\n{imports}\n{entry}"
        ),
        format!("enable subgroups;\n{imports}\n{entry}"),
        format!("// old\u{2028}{imports}\n{entry}"),
        format!("{imports}\n/* since\n// last week */ {entry}"),
        format!(
            "{imports}
fn f() -> u32 {{
    var s = 0u;
    for (var i = 0u; i < 3u; i += 1u) {{ // unroll
        s += i; // and return
    }}
    return s;
}}
{entry}"
        ),
    ] {
        let linked = sum_linked(layers, &source);
        judge(linked.native(), &linked.overrides(&capabilities(), 64, 64).unwrap(), "layer")
            .unwrap_or_else(|e| panic!("{source}: {e}"));
    }
    // Overrides are those of the text, not of its comments or of the user's constants.
    for source in [
        "const WORKGROUP_SIZE = 4u;\n@compute @workgroup_size(WORKGROUP_SIZE) fn layer() {}",
        "/*\noverride SECTION_SIZE: u32;\n*/\n@compute @workgroup_size(1) fn layer() {}",
        "fn g(SECTION_SIZE: u32) -> bool {\n\treturn 3u > SECTION_SIZE;\n}",
        "@id(3) override WORKGROUP_SIZE: u32 = 1u;",
    ] {
        let overrides = sum_linked(layers, source).overrides(&capabilities(), 64, 64).unwrap();
        assert_eq!(overrides, [], "{source}");
    }
}
