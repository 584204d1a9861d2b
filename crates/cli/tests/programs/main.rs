//! What the operator makes of a Harbor, generated passwords and issued certificates included, given to the programs it
//! is for, and what it shows of one. `hack/programs` and `hack/browser` fetch them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod alerts;
mod certificates;
mod database;
mod database_pods;
mod installation;
mod metrics;
#[path = "../../../components/tests/programs/oci.rs"]
mod oci;
mod page;
#[path = "../../../components/tests/programs/pod.rs"]
mod pod;
mod registry;
