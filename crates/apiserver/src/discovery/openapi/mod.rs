//! OpenAPI: version 3 per group and version, version 2 in one document.

mod gnostic;
mod operations;
mod protobuf;
mod schemas;
mod second;
mod third;

pub(super) use gnostic::document as gnostic;
pub(super) use second::document as v2;
pub(super) use third::{document as v3, index as v3_index};

/// Where a version's document is below `/openapi/v3/`: `api/v1` or `apis/apps/v1`.
pub(super) fn place(group: &str, version: &str) -> String {
    if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") }
}
