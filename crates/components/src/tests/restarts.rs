//! After which others the pods of each component restart for another password.

use crate::{
    cases::{Case, base64},
    chartmuseum::ChartMuseum,
    core::Core,
    exporter::Exporter,
    jobservice::JobService,
    notaryserver::NotaryServer,
    notarysigner::NotarySigner,
    registry::Registry,
    trivy::Trivy,
};
use plan::{Component, RestartOrder, Supply};
use serde_json::{Value, json};

/// For which passwords the pods of a component restart after others.
fn orders<C: Component>(case: &Case<C>) -> Vec<RestartOrder> {
    let plan = case.plan().unwrap();
    let is_it = |key: &plan::ObjectKey| key.kind == "Deployment";
    let (_, desired, _) = plan.graph.iter().find(|(_, it, _)| is_it(&it.object.key())).unwrap();
    desired.restarts.clone()
}

/// The same as text, for the golden case `full`, which has all passwords.
fn of<C: Component>() -> Vec<String> {
    texts(&orders(&Case::<C>::golden("full")))
}

fn texts(orders: &[RestartOrder]) -> Vec<String> {
    let name = |name: &str| name.strip_prefix("harbor-").unwrap().to_owned();
    let text = |order: &RestartOrder| {
        let after: Vec<_> = order.after.iter().map(|before| name(&before.name)).collect();
        format!("{} after {}", order.secret.name, after.join(", "))
    };
    orders.iter().map(text).collect()
}

#[test]
fn for_a_password_of_the_database_jobservice_follows_core_and_the_exporter_and_notary_follow_jobservice() {
    assert_eq!(of::<Core>()[0], "postgres after ");
    assert_eq!(of::<Exporter>()[0], "postgres after core, jobservice");
    assert_eq!(of::<NotaryServer>(), ["postgres after core, jobservice, exporter"]);
    assert_eq!(of::<NotarySigner>(), ["postgres after core, jobservice, exporter, notaryserver"]);
}

#[test]
fn for_a_password_of_redis_the_registry_is_first_and_the_exporter_is_last() {
    assert_eq!(of::<Registry>(), ["redis after "]);
    assert_eq!(of::<Core>()[1], "redis after registry");
    assert_eq!(of::<JobService>(), ["redis after registry, core", "cache after registry, core"]);
    assert_eq!(of::<ChartMuseum>(), ["redis after registry, core, jobservice"]);
    assert_eq!(of::<Trivy>(), ["redis after registry, core, jobservice, chartmuseum"]);
    assert_eq!(of::<Exporter>()[1], "redis after registry, core, jobservice, chartmuseum, trivy");
}

/// A JobService beside a Core of its name, whose password of the database is this.
fn beside_core(password: &str) -> Case<JobService> {
    let mut case = Case::<JobService>::golden("minimal");
    let core = Case::<Core>::golden("minimal").set("/metadata/uid", json!("1-2-3"));
    let core = core.set("/spec/database/passwordRef", json!("postgres"));
    case.inputs.push(json!(core.owner));
    case.inputs.push(json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "postgres", "namespace": "registry"},
        "data": {"postgres-password": base64(password.as_bytes())},
    }));
    case
}

/// What Core has recorded when all of its pods had this password.
fn record(password: &str) -> Value {
    let mut core = Case::<Core>::golden("minimal").set("/metadata/uid", json!("1-2-3"));
    core = core.set("/spec/database/passwordRef", json!("postgres"));
    core.inputs
        .extend(beside_core(password).inputs.into_iter().filter(|it| it["metadata"]["name"] == "postgres"));
    let is_it = |it: &Value| it["metadata"]["name"] == "harbor-core-database";
    core.children().into_iter().find(is_it).unwrap()
}

#[test]
fn jobservice_has_the_password_of_the_database_when_all_pods_of_core_have_it() {
    let supply = |recorded: Option<&str>| {
        let mut case = beside_core("another");
        case.inputs.extend(recorded.map(record));
        let orders = orders(&case);
        assert_eq!(texts(&orders)[0], "postgres after core");
        orders[0].supply
    };
    assert_eq!(supply(Some("before")), Supply::Earlier);
    assert_eq!(supply(Some("another")), Supply::Present);
    assert_eq!(supply(None), Supply::Present, "no other one was ever recorded");
}

#[test]
fn a_core_whose_secret_is_gone_goes_on_with_the_password_that_jobservice_has() {
    let mut case = beside_core("another").without("postgres");
    case.inputs.push(record("before"));
    assert_eq!(orders(&case)[0].supply, Supply::Earlier);
}
