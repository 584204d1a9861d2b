//! What the pods of every component have in common: names and labels, the Deployment with its containers, volumes, ports
//! and probes, the Service and the NetworkPolicies around it, and what users may not ask of pods.
//!
//! Uses: secrets, versions.

mod availability;
mod environment;
mod instance;
mod labels;
mod network_policy;
mod pod_security;
mod ports;
mod probes;
mod resources;
mod scheme;
mod stopped;
mod volumes;
mod workload;

pub(crate) use self::{
    availability::{Availability, add_availability, availability_children, check_autoscaling},
    environment::Environment,
    instance::{Instance, Part},
    labels::pod_selector,
    network_policy::network_policies_wanted,
    pod_security::{check_installation_pods, check_volume},
    ports::{container_port, http_probe, service_port, tcp_probe},
    resources::check_resource_claims,
    scheme::Scheme,
    stopped::{is_available, is_stopped},
    volumes::{
        config_map_volume, directory_mount, file_mount, optional_secret_volume, projected_volume,
        scratch_volume, secret_volume, sub_path, writable_mount,
    },
    workload::{Strategy, Workload},
};
