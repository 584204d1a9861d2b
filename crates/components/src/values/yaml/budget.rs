//! How much work a value of YAML may cause.

use serde_saphyr::{Options, options::MergeKeyPolicy};

/// The longest text. What the registry, its hooks and its middlewares take as an option is a fraction of it.
pub(super) const BYTES: usize = 64 * 1024;

/// How many sequences and mappings may be within one another.
pub(super) const DEPTH: usize = 16;

/// How many scalars, sequences and mappings there may be.
const NODES: usize = 2_000;

/// How many steps of the parser: each collection has two, a document four.
pub(super) const EVENTS: usize = 2 * NODES + 4;

/// Refuses all that one value does not need.
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
