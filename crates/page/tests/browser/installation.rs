//! An installation as large as real ones, in several states.

use crate::support::{World, key};
use plan::{Class, Failure, ObjectKey, Verdict};
use progress::{Stage, State};
use serde_json::json;

/// The objects of a component: each waits for those before the bar.
const OBJECTS: [(&str, &str, &[usize]); 6] = [
    ("ConfigMap", "", &[]),
    ("Secret", "", &[]),
    ("Secret", "-basic-auth", &[]),
    ("Service", "", &[]),
    ("NetworkPolicy", "", &[]),
    ("Deployment", "", &[0, 1, 2]),
];

/// Components with their positions among the children of the Harbor, and what each waits for.
const COMPONENTS: [(&str, &str, &[usize]); 7] = [
    ("Core", "core", &[0, 1, 2]),
    ("Registry", "registry", &[3]),
    ("RegistryController", "registry-controller", &[3, 8]),
    ("JobService", "jobservice", &[7]),
    ("Portal", "portal", &[7]),
    ("Trivy", "trivy", &[4]),
    ("Exporter", "exporter", &[7]),
];

/// How far an installation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Everything is ready.
    Ready,
    /// The Deployment of Core failed, and others wait for Core.
    Failed,
}

/// Reports an installation of sixty objects: a cluster with its services, a Harbor, its components and theirs.
pub fn report(world: &World, name: &str, progress: Progress) {
    let cluster = key("Stack", name);
    let url = format!("https://{name}.registry.example");
    world.see(&cluster, json!({"spec": {"version": "2.15.0", "url": url}}));
    let harbor_name = format!("{name}-harbor");
    let harbor = key("Harbor", &harbor_name);
    world.see(&harbor, owned(&cluster));
    let services = [
        ("Certificate", "ca"),
        ("Certificate", "ingress"),
        ("Secret", "postgresql-password"),
        ("Postgresql", "postgresql"),
        ("Secret", "redis-password"),
        ("RedisFailover", "redis"),
        ("Secret", "object-store-root-credentials"),
        ("Tenant", "object-store"),
    ];
    let services: Vec<_> = services.iter().map(|(kind, part)| (*kind, format!("{name}-{part}"))).collect();
    let mut parts: Vec<_> = services.iter().map(|(kind, name)| (*kind, name.as_str(), &[][..])).collect();
    parts.push(("Harbor", &harbor_name, &[0, 3, 5, 7]));
    world.plan(&cluster, &parts);
    for (kind, name) in &services {
        world.child(&cluster, (*kind, name), State::Ready);
    }
    harbor_of(world, &harbor, progress);
    let why = "Deployment is not valid: spec.template.spec.containers[0].resources.limits.memory: must be greater than \
               or equal to memory request of 4Gi; lower the request or raise the limit";
    let verdict = |object: &ObjectKey| match progress {
        Progress::Ready => Verdict::Ready,
        Progress::Failed => Verdict::Stalled { reason: "ChildFailed", message: format!("{object}: {why}") },
    };
    world.report(&harbor, Stage::Concluded(verdict(&key("Core", &format!("{harbor_name}-core")))));
    let state = match progress {
        Progress::Ready => State::Ready,
        Progress::Failed => State::Waiting(String::new()),
    };
    world.child(&cluster, ("Harbor", &harbor_name), state);
    world.report(&cluster, Stage::Concluded(verdict(&harbor)));
}

fn owned(owner: &ObjectKey) -> serde_json::Value {
    let owner =
        json!({"apiVersion": "example.com/v1", "kind": owner.kind, "name": owner.name, "controller": true});
    json!({"metadata": {"ownerReferences": [owner]}})
}

fn harbor_of(world: &World, harbor: &ObjectKey, progress: Progress) {
    let secrets = [
        "core-encryption-key",
        "core-csrf",
        "token-service",
        "registry-basic-auth",
        "jobservice",
        "metrics",
        "ingress",
    ];
    let secrets: Vec<_> = secrets.iter().map(|part| format!("{}-{part}", harbor.name)).collect();
    let components: Vec<_> = COMPONENTS
        .iter()
        .map(|(kind, part, after)| (*kind, format!("{}-{part}", harbor.name), *after))
        .collect();
    let mut parts: Vec<_> = secrets.iter().map(|name| ("Secret", name.as_str(), &[][..])).collect();
    parts.extend(components.iter().map(|(kind, name, after)| (*kind, name.as_str(), *after)));
    parts.push(("Ingress", &harbor.name, &[6, 7]));
    world.plan(harbor, &parts);
    for name in &secrets {
        world.child(harbor, ("Secret", name), State::Ready);
    }
    let core = key("Core", &components[0].1);
    for (position, (kind, name, after)) in components.iter().enumerate() {
        let owner = key(kind, name);
        let objects: Vec<_> = OBJECTS.iter().map(|(_, suffix, _)| format!("{name}{suffix}")).collect();
        let planned: Vec<_> = OBJECTS
            .iter()
            .zip(&objects)
            .map(|((kind, _, after), name)| (*kind, name.as_str(), *after))
            .collect();
        let blocked = progress == Progress::Failed && after.contains(&7);
        if blocked {
            world.child(harbor, (kind, name), State::Blocked { by: core.clone() });
            continue;
        }
        world.see(&owner, owned(harbor));
        world.plan(&owner, &planned);
        let failed = progress == Progress::Failed && position == 0;
        for (kind, name, _) in &planned {
            let state =
                if failed && *kind == "Deployment" { State::Failed(rejected()) } else { State::Ready };
            world.child(&owner, (*kind, name), state);
        }
        let verdict = if failed {
            Verdict::Stalled { reason: "ChildFailed", message: "Deployment is not valid".into() }
        } else {
            Verdict::Ready
        };
        world.report(&owner, Stage::Concluded(verdict));
        world.child(harbor, (kind, name), if failed { State::Waiting(String::new()) } else { State::Ready });
    }
    let ingress = match progress {
        Progress::Ready => State::Ready,
        Progress::Failed => State::Blocked { by: core },
    };
    world.child(harbor, ("Ingress", &harbor.name), ingress);
}

fn rejected() -> Failure {
    Failure {
        class: Class::Invalid,
        reason: "Rejected",
        message: "spec.template.spec.containers[0].resources.limits.memory: must be greater than or equal to memory \
                  request of 4Gi; lower the request or raise the limit"
            .into(),
        subject: plan::Subject::default(),
        stalls: true,
    }
}
