//! Service: the address of a load balancer, and the EndpointSlice.

use crate::{
    kind::Kind,
    reconcile::Next,
    workloads::template::is_ready,
    world::{Seen, World},
    write::{ReconcileError, owned_by},
};
use api::names::{ENDPOINT_SLICE_MANAGED_BY_LABEL, SERVICE_NAME_LABEL};
use kube::{ResourceExt as _, core::DynamicObject};
use serde_json::{Value, json};
use std::{collections::HashSet, net::Ipv4Addr};

pub(crate) async fn reconcile(world: &World, service: &DynamicObject) -> Result<Next, ReconcileError> {
    let spec = &service.data["spec"];
    let selects = spec["selector"].as_object().is_some_and(|selector| !selector.is_empty());
    if selects && world.built_in.contains(&Kind::EndpointSlice) {
        let slice = endpoint_slice(service, &world.pods_of(service));
        world.apply(Kind::EndpointSlice, slice).await?;
    }
    if spec["type"] != "LoadBalancer" {
        return Ok(Next::Change);
    }
    let annotated = world.annotated(service);
    let balancer = &service.data["status"]["loadBalancer"];
    if annotated.failure.is_some() {
        world.set_status(Kind::Service, service, json!({})).await?;
        return Ok(Next::Change);
    }
    if balancer["ingress"].is_array() {
        return Ok(Next::Change);
    }
    if let Some(left) = world.remaining(service, "address", annotated.delay) {
        return Ok(Next::After(left));
    }
    let address = spec["loadBalancerIP"].as_str().filter(|address| !address.is_empty()).map(str::to_owned);
    let address = address.unwrap_or_else(|| free_address(world, service));
    let status = json!({"loadBalancer": {"ingress": [{"ip": address, "ipMode": "VIP"}]}});
    world.set_status(Kind::Service, service, status).await?;
    Ok(Next::Change)
}

fn free_address(world: &World, service: &DynamicObject) -> String {
    let taken: HashSet<String> = world
        .everywhere(Kind::Service)
        .iter()
        .filter_map(|each| Some(each.data["status"]["loadBalancer"]["ingress"][0]["ip"].as_str()?.to_owned()))
        .collect();
    world.address_for(service, Ipv4Addr::new(172, 18, 255, 1), &taken)
}

fn endpoint_slice(service: &DynamicObject, pods: &[Seen]) -> Value {
    let spec = &service.data["spec"];
    let addressed = pods.iter().filter(|pod| pod.data["status"]["podIP"].is_string());
    let endpoints: Vec<Value> = addressed
        .map(|pod| {
            let terminating = pod.metadata.deletion_timestamp.is_some();
            let ready = is_ready(pod);
            json!({
                "addresses": [pod.data["status"]["podIP"]],
                "conditions": {"ready": ready && !terminating, "serving": ready, "terminating": terminating},
                "nodeName": pod.data["spec"]["nodeName"],
                "targetRef": {"kind": "Pod", "name": pod.name_any(), "namespace": pod.namespace(), "uid": pod.uid()},
            })
        })
        .collect();
    let ports: Vec<Value> = spec["ports"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|port| {
            json!({
                "name": port["name"].as_str().unwrap_or_default(),
                "protocol": port["protocol"].as_str().unwrap_or("TCP"),
                "port": target(port, pods),
            })
        })
        .collect();
    let name = service.name_any();
    json!({
        "metadata": {
            // A Service has one slice here, so its name needs no random suffix.
            "name": format!("{name}-sandbox"),
            "namespace": service.namespace(),
            "labels": {
                SERVICE_NAME_LABEL: name,
                ENDPOINT_SLICE_MANAGED_BY_LABEL: "endpointslice-controller.k8s.io",
            },
            "ownerReferences": owned_by(Kind::Service, service),
        },
        "addressType": "IPv4",
        "endpoints": endpoints,
        "ports": ports,
    })
}

/// The target port of a Service's port. A named port is looked up in the pods.
fn target(port: &Value, pods: &[Seen]) -> Value {
    let target = &port["targetPort"];
    let Some(name) = target.as_str() else {
        return if target.is_number() { target.clone() } else { port["port"].clone() };
    };
    let containers =
        pods.iter().flat_map(|pod| pod.data["spec"]["containers"].as_array().into_iter().flatten());
    let mut ports = containers.flat_map(|container| container["ports"].as_array().into_iter().flatten());
    ports
        .find(|port| port["name"] == name)
        .map_or_else(|| port["port"].clone(), |port| port["containerPort"].clone())
}
