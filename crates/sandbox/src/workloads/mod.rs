//! Workloads and their pods: the controllers of `apps` and `batch`, and the kubelet.

pub(crate) mod deployment;
mod deployment_status;
pub(crate) mod job;
mod kubelet;
mod needs;
pub(crate) mod pod;
pub(crate) mod replica_set;
mod rollout;
pub(crate) mod stateful_set;
pub(crate) mod template;
mod warning;
