//! The `goharbor.io` API: custom resource types and nothing else.
