//! A field that is set and unset again leaves nothing behind: the children are stored as they were before.
//!
//! Server-side apply takes back what was sent and is no longer, but an API server keeps values of its own accord: old
//! names of fields, what it has allocated, what a kind's defaults depend on.

use crate::{
    bases::{Base, Kind, Trial},
    rendering::Rendered,
    schema::{Field, Path, Step},
    server::{Change, Server},
};
use plan::Policy;
use serde_json::Value;
use std::collections::BTreeSet;

macro_rules! every_field_leaves_nothing_behind {
    ($($test:ident: $kind:literal,)*) => {
        $(
            #[tokio::test(flavor = "current_thread")]
            async fn $test() {
                check($kind).await;
            }
        )*
    };
}

every_field_leaves_nothing_behind! {
    every_field_of_a_chart_museum_leaves_nothing_behind: "ChartMuseum",
    every_field_of_a_core_leaves_nothing_behind: "Core",
    every_field_of_a_harbor_cluster_leaves_nothing_behind: "HarborCluster",
    every_field_of_a_harbor_leaves_nothing_behind: "Harbor",
    every_field_of_a_job_service_leaves_nothing_behind: "JobService",
    every_field_of_a_notary_server_leaves_nothing_behind: "NotaryServer",
    every_field_of_a_notary_signer_leaves_nothing_behind: "NotarySigner",
    every_field_of_a_portal_leaves_nothing_behind: "Portal",
    every_field_of_a_registry_controller_leaves_nothing_behind: "RegistryController",
    every_field_of_a_registry_leaves_nothing_behind: "Registry",
    every_field_of_a_trivy_leaves_nothing_behind: "Trivy",
    every_field_of_an_exporter_leaves_nothing_behind: "Exporter",
}

async fn check(kind: &str) {
    let kind = Kind::of(kind);
    let portal = Kind::of("Portal").fields();
    let mut server = Server::start(&kind).await;
    let mut problems = Vec::new();
    let fields = kind.fields();
    let tried = |field: &&Field| {
        let kept = KEPT.iter().any(|kept| field.path.ends_with(kept));
        field.optional && !kept && !tried_with_the_portal(&kind.name, field, &portal)
    };
    // To a server, scalars side by side in an object of ours are alike: one stands for all of them.
    let mut alike = BTreeSet::new();
    for field in fields.iter().filter(tried) {
        let beside = Path(field.path.parents().into()).to_string();
        if field.is_scalar() && alike.contains(&beside) {
            continue;
        }
        let changes = changes(&kind, field);
        if field.is_scalar() && !changes.is_empty() && changes.iter().all(Change::is_of_ours) {
            alike.insert(beside);
        }
        for change in changes {
            let outcome = server.round_trip(&change).await;
            if let Err(problem) = outcome
                && server.accepts(&kind, &change.owners).await
            {
                problems.push(format!("{}: {problem}", field.path));
            }
        }
    }
    assert!(problems.is_empty(), "{}:\n{}", kind.name, problems.join("\n"));
}

/// Fields of objects that cannot be changed, and fields that go to where the cluster makes a choice once, and keeps it.
const KEPT: [&str; 5] = [
    "create.accessMode",
    "create.storageClassName",
    "expose.core.service.clusterIP",
    "expose.core.service.httpNodePort",
    "expose.core.service.httpsNodePort",
];

/// Whether a field is about pods of any component. Those are tried with the portal, which has no others: they go to the
/// same places whichever component has them. Not so for the reverse proxy, which Harbor makes itself.
fn tried_with_the_portal(kind: &str, field: &Field, portal: &[Field]) -> bool {
    let steps = &field.path.0;
    let within = match (kind, steps.get(1)) {
        ("Portal", _) => return false,
        ("Harbor", Some(Step::Field(part))) if part == "nginx" => return false,
        ("Harbor" | "HarborCluster", Some(Step::Field(part))) if part == "portal" => return false,
        ("Harbor" | "HarborCluster", _) => 2,
        _ => 1,
    };
    portal.iter().any(|other| steps.get(within..) == other.path.0.get(1..) && field.schema == other.schema)
}

/// What setting a field changes, in the first base in which it changes anything that is applied; those that say least
/// first, since small objects are quick to apply.
fn changes(kind: &Kind, field: &Field) -> Vec<Change> {
    let bases = kind.bases.iter().rev().map(|base| changes_in(kind, base, field));
    bases.into_iter().find(|changes| !changes.is_empty()).unwrap_or_default()
}

fn changes_in(kind: &Kind, base: &Base, field: &Field) -> Vec<Change> {
    let Trial { before, without, with } = kind.trial(base, field);
    let Ok(rendered) = base.render(&without) else { return Vec::new() };
    let mut changes = Vec::new();
    for owner in with.into_iter().chain([before]).filter(|owner| *owner != without) {
        // Another value in the same place is no other case, unless it is one of a few that mean something.
        if field.is_scalar() && field.schema["enum"].is_null() && !changes.is_empty() {
            break;
        }
        for (key, with) in base.render(&owner).into_iter().flatten() {
            let differs = |before: &&Rendered| before.policy == Policy::Apply && before.object != with.object;
            // The API server refuses changes of a pod, so the operator never sends one: it replaces the pod, which the tests of
            // migrations show.
            let Some(before) = rendered.get(&key).filter(differs).filter(|_| key.kind != "Pod") else {
                continue;
            };
            changes.push(Change {
                owners: [without.clone(), owner.clone()],
                resource: with.resource,
                without: of_one_family(&before.object),
                with: of_one_family(&with.object),
            });
        }
    }
    changes.retain(|change| change.without != change.with);
    // And so are all objects of ours that a field goes to.
    let mut first = true;
    changes.retain(|change| !change.is_of_ours() || std::mem::take(&mut first));
    changes
}

/// A Service as it can be where there is one family of addresses, which is what the server here has.
fn of_one_family(object: &Value) -> Value {
    let mut object = object.clone();
    if object["kind"] == "Service" {
        let spec = object["spec"].as_object_mut().unwrap();
        spec.remove("ipFamilies");
        if let Some(policy) = spec.get_mut("ipFamilyPolicy").filter(|policy| **policy == "RequireDualStack") {
            *policy = "PreferDualStack".into();
        }
    }
    object
}
