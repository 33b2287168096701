//! Shader text: the embedded files.

pub(crate) mod choices;
pub(crate) mod comments;
pub(crate) mod kernel;
pub(crate) mod link;
pub(crate) mod prelude;
pub(crate) mod selectors;
pub(crate) mod unroll;
pub(crate) mod user_text;

macro_rules! embed {
    ($($path:literal)*) => {
        &[$(($path, include_str!(concat!("../shaders/", $path, ".wgsl")))),*]
    };
}

/// Every shader file by its path below `shaders/`, without the ending.
pub(crate) const FILES: &[(&str, &str)] = embed!(
    "dispatch_arguments"
    "clear"
    "heads_mark"
    "reduce"
    "run_length_decode"
    "segment_shares"
    "segment_start"
    "segmented_reduce"
    "segmented_reduce_long"
    "segmented_reduce_short"
    "scan_chunks"
    "scan_downsweep"
    "scan_propagate"
    "scan_single_pass"
    "accumulate/commutative"
    "accumulate/ordered"
    "compact"
    "heads"
    "held/items"
    "held/reduce_segments"
    "held/scan_segments"
    "held/votes"
    "neighbours"
    "params/carry_word"
    "params/immediate"
    "params/layout"
    "params/uniform"
    "payload/items"
    "payload/long_runs"
    "payload/partition"
    "payload/partition_three"
    "payload/reduce_segments"
    "payload/runs"
    "payload/scan_segments"
    "payload/select"
    "payload/select_indices"
    "payload/unique"
    "payload/unique_by_key"
    "bounded/items"
    "bounded/quads"
    "bounded/words"
    "carry/params"
    "carry/partials"
    "carry/state"
    "descriptor/fenced"
    "descriptor/packed64"
    "descriptor/split32"
    "descriptor/state"
    "extent/buffer"
    "extent/params"
    "lane_keys/clamped"
    "lane_keys/quads"
    "lane_keys/words"
    "look_back/chained"
    "look_back/subgroup"
    "look_back/workgroup"
    "memory/separate"
    "memory/shared"
    "queue/all"
    "queue/listed"
    "row_heads/quads"
    "row_heads/words"
    "rows/any"
    "rows/block"
    "rows/clamped"
    "second_input"
    "section"
    "section_halving"
    "section_scan/brent_kung"
    "section_scan/kogge_stone"
    "segments/flags"
    "segments/keys"
    "share/commutative"
    "share/ordered"
    "single_pass/publish"
    "single_pass/state"
    "single_pass/walk"
    "stalled/fail"
    "stalled/reduce"
    "subgroup/emulated"
    "subgroup/native"
    "subgroup/partition"
    "subgroup/shuffle"
    "subgroup_reduce/builtin"
    "subgroup_reduce/ladder"
    "subgroup_scan/builtin"
    "subgroup_scan/ladder"
    "tile/block"
    "tile/layout"
    "tile/quads"
    "tile/scalar"
    "tile/vector"
    "tile/whole"
    "tile_finish"
    "tile_scan"
    "vote/emulated"
    "vote/lanes"
    "vote/match_any"
    "vote/native"
    "workgroup"
    "workgroup_lanes"
    "workgroup_reduce/interleaved"
    "workgroup_reduce/sequential"
    "workgroup_reduce/strided"
    "workgroup_reduce/subgroup_tail"
    "workgroup_reduce/subgroups"
    "workgroup_reduce/unrolled"
    "workgroup_scan/brent_kung"
    "workgroup_scan/coarsened"
    "workgroup_scan/kogge_stone"
    "workgroup_totals/section"
    "workgroup_totals/shuffles"
);

/// Whether a text calls a function or names a type with parameters.
pub(crate) fn calls(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let starts = !text[..at].ends_with(word);
        starts && text[at + name.len()..].starts_with(['(', '<'])
    })
}

/// Whether a name is declared or called by the library's shaders: a user's text that declared
/// it would change what they do.
pub(crate) fn is_reserved(name: &str) -> bool {
    let ours = FILES.iter().any(|(_, text)| calls(text, name) || link::declares(text, name));
    let guard = name.starts_with("lookback_");
    !name.is_empty() && (ours || guard || prelude::NAMES.contains(&name))
}
