//! Which stand-ins depend on an object, besides those of its owner and its children.

use crate::{
    kind::Kind,
    world::{Key, Seen, World},
};
use kube::{ResourceExt as _, core::DynamicObject};

/// The objects whose stand-ins read this one.
pub(crate) fn of(world: &World, kind: Kind, object: &DynamicObject) -> Vec<Key> {
    let namespace = object.namespace().unwrap_or_default();
    let within = |kind: Kind| keys(kind, world.list(kind, &namespace));
    match kind {
        Kind::Secret => {
            let mut all = waiting_pods(world, &namespace);
            all.extend(within(Kind::Issuer));
            all.extend(keys(Kind::ClusterIssuer, world.everywhere(Kind::ClusterIssuer)));
            let name = object.name_any();
            let mut certificates = world.list(Kind::Certificate, &namespace);
            certificates.retain(|certificate| certificate.data["spec"]["secretName"] == *name);
            all.extend(keys(Kind::Certificate, certificates));
            all
        }
        Kind::ConfigMap | Kind::PersistentVolumeClaim => waiting_pods(world, &namespace),
        Kind::Pod => {
            let mut services = world.list(Kind::Service, &namespace);
            services.retain(|service| service.data["spec"]["selector"].is_object());
            let mut all = keys(Kind::Service, services);
            all.extend(claims(object).map(|name| Key::new(Kind::PersistentVolumeClaim, &namespace, name)));
            all
        }
        Kind::Issuer => within(Kind::Certificate),
        Kind::ClusterIssuer => keys(Kind::Certificate, world.everywhere(Kind::Certificate)),
        Kind::Service => within(Kind::HttpRoute),
        Kind::RedisReplication => within(Kind::RedisSentinel),
        // Only one tenant of a namespace is started.
        Kind::Tenant => within(Kind::Tenant),
        _ => Vec::new(),
    }
}

/// The names of the claims that a pod uses.
pub(crate) fn claims(pod: &DynamicObject) -> impl Iterator<Item = String> {
    let volumes = pod.data["spec"]["volumes"].as_array().into_iter().flatten();
    volumes.filter_map(|volume| Some(volume["persistentVolumeClaim"]["claimName"].as_str()?.to_owned()))
}

fn waiting_pods(world: &World, namespace: &str) -> Vec<Key> {
    let mut pods = world.list(Kind::Pod, namespace);
    pods.retain(|pod| pod.data["status"]["phase"] == "Pending");
    keys(Kind::Pod, pods)
}

fn keys(kind: Kind, objects: Vec<Seen>) -> Vec<Key> {
    objects.iter().map(|object| Key::of(kind, object)).collect()
}
