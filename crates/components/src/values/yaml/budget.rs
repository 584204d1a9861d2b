//! Limits on the work that parsing one YAML value may cause.

use serde_saphyr::{Options, options::MergeKeyPolicy};

/// The longest text. Options of the registry, its hooks and its middlewares need a fraction of it.
pub(super) const BYTES: usize = 64 * 1024;

/// How deep sequences and mappings may be nested.
pub(super) const DEPTH: usize = 16;

/// How many scalars, sequences and mappings there may be.
const NODES: usize = 2_000;

/// How many events the parser may emit: two for each collection, four for a document.
pub(super) const EVENTS: usize = 2 * NODES + 4;

/// Options that refuse everything a single value does not need.
pub(super) fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: EVENTS,
            max_nodes: NODES,
            max_depth: DEPTH,
            flow_nesting_limit: DEPTH + 1,
            max_total_scalar_bytes: BYTES,
            max_documents: 1,
            max_inclusion_depth: 0,
            max_aliases: 0,
            max_anchors: 0,
            max_merge_keys: 0,
        },
        merge_keys: MergeKeyPolicy::Error,
        with_snippet: false,
    }
}
