// The reduction of one value a lane, by subgroups: each reduces its lanes by shuffles or a
// builtin, then the subgroups' totals are combined. The last rung: two barriers.
//
// workgroup_reduce: called by all lanes of the workgroup, in flow that is uniform over it, each
// with one value; lanes without an item bring the identity. All lanes get the values combined
// in item order. Scratch: one entry of the section a subgroup. Barriers: those of workgroup_totals and
// the shuffles.
//
// Source: shuffles as in Harris and in NVIDIA's programming guide.

import package::subgroup::{Group, Lane};
import package::subgroup_reduce::{subgroup_reduce};
import package::workgroup_totals::{workgroup_totals};

fn workgroup_reduce(group: Group, lane: Lane, value: T) -> T {
    return workgroup_totals(group, lane, subgroup_reduce(group, lane, value)).total;
}
