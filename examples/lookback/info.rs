//! `info`: the machine's adapters, and what the library chooses on them.

use std::fmt::Display;

use lookback::wgsl::Subgroup;
use lookback::{Capabilities, Choice, Kind, Operator, Plan, Reduce, Scan, SelfTest, Shape, Tuning};

use crate::cli::Common;
use crate::gpu;
use crate::json::{self, Object};
use crate::{Result, print};

/// Items of the plans that are shown.
const N_ITEMS: u32 = 1 << 20;

/// Lists every adapter, then opens one and shows what it would do.
pub fn info(common: &Common) -> Result<()> {
    let adapters = pollster::block_on(lookback::adapters());
    if !common.json && !adapters.is_empty() {
        let mut text =
            "Adapters, best first. Number 0 is used unless --adapter or the environment \
                        variable\nLOOKBACK_ADAPTER names another.\n"
                .to_owned();
        for (index, adapter) in adapters.iter().enumerate() {
            text += &format!("\nadapter {index}\n");
            text += &lines("  ", &described(adapter.capabilities()));
            text += "  sizes for it\n";
            text += &lines("    ", &tuned(adapter.capabilities()));
        }
        print(&text)?;
    }

    let context = gpu::open(common)?;
    let operator = Operator::<u32>::sum();
    let reduce = Reduce::new(&context, &operator)?.plan(N_ITEMS)?;
    let scan = Scan::new(&context, &operator, Kind::Inclusive)?;
    let self_test = context.self_test()?;
    let choices = [("out_of_place", scan.choice(false)), ("in_place", scan.choice(true))];
    let scan = scan.plan(N_ITEMS)?;
    let subgroups = subgroups(&reduce, context.capabilities());
    let name = &context.capabilities().adapter;
    if common.json {
        let adapters = adapters.iter().enumerate().map(|(index, adapter)| {
            let tuning = object(&tuned(adapter.capabilities())).finish();
            object(&described(adapter.capabilities()))
                .raw("index", index)
                .raw("tuning", tuning)
                .finish()
        });
        let passes = |plan: &Plan| json::array(plan.to_string().lines().map(json::string));
        let opened = Object::default()
            .text("adapter", name)
            .text("subgroups", &subgroups)
            .raw("self_test", self_test_object(&self_test).finish())
            .raw("auto", choices.iter().fold(Object::default(), choice_object).finish())
            .raw("n", N_ITEMS)
            .raw("reduce", passes(&reduce))
            .raw("scan", passes(&scan));
        let object =
            Object::default().raw("adapters", json::array(adapters)).raw("opened", opened.finish());
        return print(&format!("{}\n", object.finish()));
    }
    let mut text = format!("\nOpened {name}, subgroups: {subgroups}.\n");
    for (title, plan) in [("Reduce", reduce), ("Inclusive scan", scan)] {
        text += &format!("{title} of {N_ITEMS} u32 by sum:\n");
        for line in plan.to_string().lines() {
            text += &format!("  {line}\n");
        }
    }
    for (place, Choice { algorithm, reason }) in choices {
        let place = place.replace('_', " ");
        text += &format!("Scan {place}: {algorithm}, because {reason}.\n");
    }
    text += &match (self_test.calls, self_test.demoted.is_empty()) {
        (0, _) => "Self-test: there is no single pass to test.\n".to_owned(),
        (calls, true) => format!("Self-test: {calls} single passes, all right.\n"),
        (_, false) => "Self-test:\n".to_owned(),
    };
    for (algorithm, fault) in &self_test.demoted {
        text += &format!("  {algorithm} is used no more: {fault}\n");
    }
    print(&text)
}

fn choice_object(object: Object, (place, choice): &(&'static str, Choice)) -> Object {
    let chosen = Object::default()
        .text("algorithm", choice.algorithm.name())
        .text("reason", choice.reason)
        .finish();
    object.raw(place, chosen)
}

fn self_test_object(self_test: &SelfTest) -> Object {
    let demoted = self_test.demoted.iter().map(|(algorithm, fault)| {
        Object::default().text("algorithm", algorithm.name()).text("fault", fault).finish()
    });
    Object::default().raw("calls", self_test.calls).raw("demoted", json::array(demoted))
}

/// How subgroups come about in a plan, and their lanes.
pub fn subgroups(plan: &Plan, capabilities: &Capabilities) -> String {
    let native = || {
        let (min, max) = (capabilities.subgroup_lanes_min, capabilities.subgroup_lanes_max);
        if min == max { format!("native {min}") } else { format!("native {min}..{max}") }
    };
    match plan.passes.first().map(|pass| pass.kernel.layers.subgroup) {
        Some(Subgroup::Emulated(lanes)) => format!("emulated {lanes}"),
        Some(Subgroup::Native) => native(),
        None => "unused".to_owned(),
    }
}

/// One line of text and one field of JSON.
struct Field {
    name: &'static str,
    shown: String,
    is_text: bool,
}

fn text(name: &'static str, value: impl Display) -> Field {
    Field { name, shown: value.to_string(), is_text: true }
}

fn number(name: &'static str, value: impl Display) -> Field {
    Field { name, shown: value.to_string(), is_text: false }
}

fn lines(indent: &str, fields: &[Field]) -> String {
    fields.iter().map(|field| format!("{indent}{:<20} {}\n", field.name, field.shown)).collect()
}

fn object(fields: &[Field]) -> Object {
    fields.iter().fold(Object::default(), |object, field| match field.is_text {
        true => object.text(field.name, &field.shown),
        false => object.raw(field.name, &field.shown),
    })
}

fn described(c: &Capabilities) -> Vec<Field> {
    vec![
        text("adapter", &c.adapter),
        text("driver", &c.driver),
        text("backend", c.backend),
        text("device_type", format!("{:?}", c.device_type)),
        number("vendor", c.vendor),
        number("subgroups", c.subgroups),
        number("subgroup_lanes_min", c.subgroup_lanes_min),
        number("subgroup_lanes_max", c.subgroup_lanes_max),
        number("atomics_64", c.atomics_64),
        number("coherent_memory", c.coherent_memory),
        number("immediate_bytes", c.immediate_bytes),
        number("timestamps", c.timestamps),
        number("workgroup_lanes", c.workgroup_lanes),
        number("workgroups", c.workgroups),
        number("workgroup_bytes", c.workgroup_bytes),
        number("storage_bindings", c.storage_bindings),
        number("binding_bytes", c.binding_bytes),
        number("buffer_bytes", c.buffer_bytes),
        number("binding_alignment", c.binding_alignment),
    ]
}

fn tuned(c: &Capabilities) -> Vec<Field> {
    let tuning = Tuning::for_device(c);
    vec![
        number("workgroup_size", tuning.workgroup_size),
        number("words_per_lane", tuning.words_per_lane),
        number("words_per_group", tuning.words_per_group),
        number("workgroups", tuning.workgroups),
        number("single_tiles", tuning.single_tiles),
        number("emulated_lanes", tuning.emulated_lanes),
        number("whole_tiles", tuning.whole_tiles),
        text("builtins", format!("{:?}", tuning.builtins)),
        text("single_pass", shapes(&tuning)),
    ]
}

/// The sizes of single passes: items from which they are for, lanes, words a lane.
fn shapes(tuning: &Tuning) -> String {
    let shape = |shape: &Shape| {
        let Shape { from_items, workgroup_size, words_per_lane } = shape;
        format!("from {from_items}: {workgroup_size} x {words_per_lane}")
    };
    match tuning.single_pass {
        [] => "as above".to_owned(),
        shapes => shapes.iter().map(shape).collect::<Vec<_>>().join(", "),
    }
}
