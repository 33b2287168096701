#![allow(missing_docs)] // A test binary has no interface.

//! The uniformity lint finds planted faults and accepts sound patterns.

#[path = "common/lint.rs"]
mod lint;

use naga::valid::{Capabilities, ValidationFlags, Validator};

/// What the examples share. They differ in `main` and its helpers.
const HEAD: &str = "
struct Params { n: u32, n_tiles: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
@group(0) @binding(2) var<storage> table: array<u32>;
var<workgroup> shared_word: u32;
var<workgroup> tile: array<u32, 64>;
var<private> seen: u32;
struct Ids {
    @builtin(local_invocation_index) lid: u32,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(subgroup_id) sid: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_size) width: u32,
}
";

/// Lints `helpers` and a `main` with this body and the argument `ids: Ids`.
fn lint(helpers: &str, body: &str) -> Vec<lint::Violation> {
    let main = format!("@compute @workgroup_size(64)\nfn main(ids: Ids) {{\n{body}\n}}\n");
    let source = format!("{HEAD}{helpers}\n{main}");
    let module = naga::front::wgsl::parse_str(&source)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string(&source)));
    // naga itself must accept every example, the faults as well.
    Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string(&source)));
    lint::uniformity(&module, &source)
}

/// Asserts the exact faults, by function and call, in source order.
#[track_caller]
fn faults(helpers: &str, body: &str, expected: &[(&str, &str)]) {
    let found = lint(helpers, body);
    let names = found.iter().map(|v| (v.function.as_str(), v.what.as_str()));
    let names: Vec<_> = names.collect();
    let texts: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(names, expected, "{texts:#?}");
}

#[track_caller]
fn accepted(helpers: &str, body: &str) {
    faults(helpers, body, &[]);
}

/// A `main` whose one fault is its `workgroupBarrier`.
#[track_caller]
fn barrier_fault(body: &str) {
    faults("", body, BARRIER);
}

const BARRIER: &[(&str, &str)] = &[("main", "workgroupBarrier")];

#[test]
fn fault_barrier_under_lane_condition() {
    barrier_fault("if (ids.lid < 5u) { workgroupBarrier(); }");
    faults("", "if (ids.lid < 5u) { } else { storageBarrier(); }", &[("main", "storageBarrier")]);
    barrier_fault("switch (ids.lane) { case 1u, 2u: { workgroupBarrier(); } default: {} }");
    let body = "switch (params.n) {
            case 0u: { if (ids.lid > 1u) { break; } workgroupBarrier(); }
            default: {}
        }";
    barrier_fault(body);
    // Short-circuit operators carry levels as well.
    barrier_fault("if (params.n > 1u && ids.lid > 1u) { workgroupBarrier(); }");
    barrier_fault("let v = vec2(params.n, ids.lid); if (v.y > 1u) { workgroupBarrier(); }");
    barrier_fault("if (select(0u, 1u, ids.lid > 3u) > 0u) { workgroupBarrier(); }");
}

#[test]
fn fault_report_names_the_lines() {
    let found = lint("", "if (ids.lid < 5u) {\n    workgroupBarrier();\n}");
    let line = HEAD.lines().count() as u32 + 5;
    assert_eq!(found[0].span, Some(line));
    let why = format!(
        "needs workgroup-uniform flow, but flow is lane-dependent since line {} \
         (reached from `main`)",
        line - 1
    );
    assert_eq!(found[0].why, why);
}

#[test]
fn fault_barrier_in_lane_dependent_loop() {
    barrier_fault("for (var i = 0u; i < ids.lid; i++) { workgroupBarrier(); }");
    barrier_fault("var i = ids.lid; while (i < 64u) { workgroupBarrier(); i += 8u; }");
    let body = "var i = 0u;
        loop { workgroupBarrier(); continuing { i++; break if i > ids.lid; } }";
    barrier_fault(body);
    // The bound is read from memory that other lanes write.
    barrier_fault("for (var i = 0u; i < data[0]; i++) { workgroupBarrier(); }");
    barrier_fault("for (var i = 0u; i < shared_word; i++) { workgroupBarrier(); }");
    barrier_fault("for (var i = 0u; i < table[ids.lid]; i++) { workgroupBarrier(); }");
}

#[test]
fn fault_barrier_beside_lane_dependent_exit() {
    let after = "for (var i = 0u; i < params.n; i++) {
        if (ids.lid == i) { break; }
        workgroupBarrier();
    }";
    barrier_fault(after);
    // The next turn of the loop reaches the barrier with fewer lanes.
    let before = "for (var i = 0u; i < params.n; i++) {
        workgroupBarrier();
        if (ids.lid == i) { break; }
    }";
    barrier_fault(before);
    let skip = "for (var i = 0u; i < params.n; i++) {
        switch (i) { case 3u: { if (ids.lid == i) { continue; } } default: {} }
        workgroupBarrier();
    }";
    barrier_fault(skip);
    // What a lane counted up to its exit differs by lane.
    let count = "var n = 0u;
        loop { n++; if (ids.lid < n) { break; } }
        if (n > 3u) { workgroupBarrier(); }";
    barrier_fault(count);
}

#[test]
fn fault_after_lane_dependent_return() {
    let body = "if (ids.lid > 5u) { return; } data[ids.lid] = subgroupAdd(ids.lid);";
    faults("", body, &[("main", "subgroupAdd")]);
    let arms = "if (params.n > 1u) { if (ids.lid > 3u) { return; } } else { seen = 1u; }
        workgroupBarrier();";
    barrier_fault(arms);
    let nested = "for (var i = 0u; i < params.n; i++) {
            if (params.n > 3u) { if (data[i] > 5u) { return; } }
        }
        workgroupBarrier();";
    barrier_fault(nested);
}

#[test]
fn subgroup_id_splits_barriers_only() {
    barrier_fault("if (ids.sid == 0u) { workgroupBarrier(); }");
    accepted("", "if (ids.sid == 0u) { data[ids.lid] = subgroupInclusiveAdd(ids.lid); }");
    // A variable and an early return keep the level.
    let body = "var x = 0u;
        if (ids.sid == 0u) { x = 1u; }
        if (x == 1u) { seen = subgroupAdd(ids.lid); }
        if (x == 1u) { return; }
        seen = subgroupAdd(ids.lid);
        workgroupBarrier();";
    barrier_fault(body);
}

#[test]
fn fault_in_callee_by_flow_of_caller() {
    let helper = "fn sync() -> u32 { workgroupBarrier(); return subgroupAdd(1u); }
        fn outer() { seen = sync(); }";
    accepted(helper, "outer();");
    faults(
        helper,
        "outer(); if (ids.lid < 5u) { outer(); }",
        &[("sync", "workgroupBarrier"), ("sync", "subgroupAdd")],
    );
    faults(helper, "if (ids.sid < 1u) { outer(); }", &[("sync", "workgroupBarrier")]);
}

#[test]
fn fault_in_callee_by_argument() {
    let helper = "fn wait(n: u32) { for (var i = 0u; i < n; i++) { workgroupBarrier(); } }";
    accepted(helper, "wait(params.n); wait(ids.wid.x);");
    faults(helper, "wait(params.n); wait(ids.lid);", &[("wait", "workgroupBarrier")]);
}

#[test]
fn fault_by_result_of_call() {
    // The value of each return is uniform, the choice of the return is not.
    let helper = "fn pick(lid: u32) -> u32 { if (lid > 3u) { return 1u; } return 2u; }";
    faults(helper, "if (pick(ids.lid) == 1u) { workgroupBarrier(); }", BARRIER);
    // The return ends with the call.
    accepted(helper, "if (pick(params.n) == 1u) { workgroupBarrier(); }");
    accepted(helper, "seen = pick(ids.lid); workgroupBarrier();");
}

#[test]
fn fault_through_variables() {
    let local = "var x = 0u; if (ids.lid == 0u) { x = 1u; } if (x == 1u) { workgroupBarrier(); }";
    barrier_fault(local);
    let later = "var x = 0u;
        for (var i = 0u; i < params.n; i++) {
            if (x == 1u) { workgroupBarrier(); }
            x = tile[i];
        }";
    barrier_fault(later);
    let helper =
        "fn note(x: u32) { seen = x; } fn check() { if (seen > 1u) { workgroupBarrier(); } }";
    faults(helper, "note(ids.lid); check();", &[("check", "workgroupBarrier")]);
    accepted(helper, "note(ids.wid.x); check();");
    let atomic = "var<workgroup> ticket: atomic<u32>;";
    faults(atomic, "if (atomicAdd(&ticket, 1u) == 0u) { workgroupBarrier(); }", BARRIER);
}

#[test]
fn fault_through_pointer_parameter() {
    let helper = "fn fill(to: ptr<function, u32>, x: u32) { *to = x; }
        fn guard(at: ptr<function, u32>) { if (*at > 0u) { workgroupBarrier(); } }
        fn mark(to: ptr<private, u32>, x: u32) { if (x > 2u) { *to = 3u; } }";
    faults(helper, "var x = 0u; fill(&x, ids.lid); if (x > 2u) { workgroupBarrier(); }", BARRIER);
    faults(helper, "var x = ids.lid; guard(&x);", &[("guard", "workgroupBarrier")]);
    faults(helper, "mark(&seen, ids.lid); if (seen > 2u) { workgroupBarrier(); }", BARRIER);
    accepted(helper, "var x = 0u; fill(&x, params.n); guard(&x); mark(&seen, x);");
}

#[test]
fn fault_workgroup_uniform_load() {
    let what = &[("main", "workgroupUniformLoad")];
    faults("", "if (ids.lid > 3u) { seen = workgroupUniformLoad(&shared_word); }", what);
    // Its address must agree as well.
    faults("", "seen = workgroupUniformLoad(&tile[ids.lid]);", what);
    accepted("", "seen = workgroupUniformLoad(&tile[params.n]);");
}

#[test]
fn fault_of_subgroup_operands() {
    let what = &[("main", "subgroupShuffleUp")];
    faults("", "data[ids.lid] = subgroupShuffleUp(ids.lid, ids.lane);", what);
    let body = "for (var d = 1u; d < ids.width; d <<= 1u) { seen += subgroupShuffleUp(seen, d); }";
    accepted("", body);
    accepted("", "data[ids.lid] = subgroupShuffle(ids.lid, ids.lane ^ 1u);");
    // Scans and shuffles differ by lane, so they must not steer.
    let body = "if (subgroupExclusiveAdd(1u) == 0u) { seen = subgroupBroadcastFirst(seen); }";
    faults("", body, &[("main", "subgroupBroadcastFirst")]);
    // A reduction differs by subgroup.
    barrier_fault("if (subgroupMax(ids.lid) > 9u) { workgroupBarrier(); }");
}

#[test]
fn accepts_uniform_bounds() {
    accepted("", "for (var i = 0u; i < params.n; i++) { workgroupBarrier(); }");
    accepted("", "for (var i = 0u; i < table[params.n]; i++) { workgroupBarrier(); }");
    accepted("", "for (var i = 0u; i < arrayLength(&data); i += 64u) { workgroupBarrier(); }");
    accepted("", "for (var i = 0u; i < ids.subgroups; i++) { workgroupBarrier(); }");
    accepted("", "for (var i = 1u; i < ids.width; i <<= 1u) { workgroupBarrier(); }");
    accepted("override N: u32 = 3; const M = 2u;", "if (N > M) { workgroupBarrier(); }");
    let immediate = "var<immediate> given: Params;";
    accepted(immediate, "if (given.n > 3u) { workgroupBarrier(); }");
}

#[test]
fn accepts_subgroup_calls_steered_by_ballot() {
    let body = "loop {
            let votes = subgroupBallot(data[ids.lid] > 3u);
            if (any(votes != vec4<u32>())) { break; }
            seen += subgroupAdd(ids.lid);
            if (subgroupAll(seen > 9u)) { seen = subgroupBroadcast(seen, 3u); }
        }
        workgroupBarrier();";
    accepted("", body);
}

#[test]
fn accepts_members_by_value() {
    let helper =
        "fn deep(ids: Ids) { for (var i = 0u; i < ids.width; i++) { workgroupBarrier(); } }
        fn outer(ids: Ids) -> Ids { var own = ids; own.lid += 1u; deep(own); return own; }
        fn bad(ids: Ids) { if (ids.lid > 3u) { workgroupBarrier(); } }
        var<private> kept: Ids;";
    accepted(helper, "let own = outer(ids); if (own.wid.x > 3u) { workgroupBarrier(); }");
    accepted(helper, "kept = ids; if (kept.width > 3u) { workgroupBarrier(); }");
    faults(helper, "kept = ids; bad(kept);", &[("bad", "workgroupBarrier")]);
}

#[test]
fn accepts_branch_on_workgroup_uniform_load() {
    let body = "loop {
            if (ids.lid == 0u) { shared_word = data[1]; }
            let word = workgroupUniformLoad(&shared_word);
            if (word > 3u) { break; }
            if (word == 2u) { workgroupBarrier(); }
        }
        workgroupBarrier();";
    accepted("", body);
}

#[test]
fn accepts_early_return_by_workgroup() {
    accepted("", "if (ids.wid.x >= params.n_tiles) { return; } workgroupBarrier();");
}

#[test]
fn accepts_flow_that_joined_again() {
    // A return in one arm leaves the other whole.
    let body = "if (params.n > 1u) { if (ids.lid > 3u) { return; } } else { workgroupBarrier(); }";
    accepted("", body);
    // A break ends with its case.
    let body = "switch (params.n) {
            case 0u: { if (ids.lid > 1u) { break; } }
            default: { workgroupBarrier(); }
        }";
    accepted("", body);
    accepted("", "if (ids.lid < 5u) { seen = 1u; } workgroupBarrier();");
    let body = "for (var i = ids.lid; i < 640u; i += 64u) { seen += i; } workgroupBarrier();";
    accepted("", body);
    let body = "switch (ids.lid) { case 0u: { if (seen > 1u) { break; } seen = 2u; } default: {} }
        workgroupBarrier();";
    accepted("", body);
    let body = "var own: array<u32, 4>;
        for (var i = 0u; i < 4u; i++) { if (ids.lid + i < params.n) { own[i] = data[i]; } }
        workgroupBarrier();
        data[ids.lid] = subgroupAdd(own[0]);";
    accepted("", body);
}

/// Vulkan promises only where a whole workgroup is that lanes come together again after a branch.
#[test]
fn fault_subgroup_call_after_lanes_parted() {
    let ballot = &[("main", "subgroupBallot")];
    let after = "let votes = subgroupBallot(seen > 1u); data[ids.lid] = votes.x;";
    let parts = "if (ids.lane > 3u) { seen = table[1]; }";
    faults("", &format!("if (ids.sid == 0u) {{ {parts} {after} }}"), ballot);
    accepted("", &format!("{parts} {after}"));
    accepted("", &format!("if (ids.sid == 0u) {{ {after} {parts} }} {after}"));
    accepted("", &format!("if (ids.sid == 0u) {{ if (ids.sid < 9u) {{ seen = 1u; }} {after} }}"));
    let early = "fn early(ids: Ids) -> u32 {
            if (ids.lane > 3u) { return 1u; }
            if (ids.lane > 2u) { return 2u; }
            return 3u;
        }";
    accepted(early, &format!("seen = early(ids); if (ids.sid == 0u) {{ {after} }}"));
    // In the turn before.
    let turns = "for (var i = 0u; i < ids.width; i++)";
    faults("", &format!("if (ids.sid == 0u) {{ {turns} {{ {after} {parts} }} }}"), ballot);
    accepted("", &format!("{turns} {{ {after} {parts} }}"));
    // In another function, and by a return, a switch, a loop or a short circuit.
    for parts in [
        "if (ids.lane > 3u) { return table[1]; } return table[2];",
        "switch (ids.lane) { case 1u: { return table[1]; } default: {} } return table[2];",
        "for (var i = 0u; i < ids.lane; i++) { seen += table[i]; } return seen;",
        "return select(0u, 1u, ids.lane > 3u && table[ids.lid] > 1u);",
        "if (ids.lane > 3u) { return 0u; } return select(0u, 1u, ids.lane > 1u && table[1] > 1u);",
    ] {
        let helper = format!("fn parts(ids: Ids) -> u32 {{ {parts} }}");
        faults(&helper, &format!("if (ids.sid == 0u) {{ seen = parts(ids); {after} }}"), ballot);
        accepted(&helper, &format!("seen = parts(ids); {after}"));
    }
}
