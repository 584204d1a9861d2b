//! `plan`: it shows the changes that an apply causes, and writes nothing.

use crate::{
    account,
    command::{changes, planned},
    harbor::{Cluster, called, inputs, minimal, with},
};
use envtest::Requests;
use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs, path::Path};

/// Versions of all objects: any write changes one.
async fn versions(cluster: &Cluster) -> BTreeMap<String, String> {
    let version = |(key, object): (plan::ObjectKey, Value)| {
        (key.to_string(), object["metadata"]["resourceVersion"].to_string())
    };
    cluster.everything().await.into_iter().map(version).collect()
}

#[tokio::test]
async fn on_an_unchanged_cluster_it_says_so_and_exits_with_0() {
    let cluster = Cluster::new().await;
    let _operator = cluster.ready(&Requests::default(), minimal()).await;
    let before = versions(&cluster).await;
    let all = inputs().into_iter().chain([minimal()]).collect();
    let ran = cluster.plan(all).await;
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "No changes.\n", ""));
    assert_eq!(versions(&cluster).await, before);
}

#[tokio::test]
async fn without_the_operators_digest_key_it_warns_and_still_finds_the_pods_that_change() {
    let cluster = Cluster::new().await;
    let _operator = cluster.ready(&Requests::default(), minimal()).await;
    let plan = async |objects| cluster.plan_with(&["--digest-key-namespace", "nowhere"], objects).await;
    let unchanged = plan(vec![minimal()]).await;
    let expected = "warning: the digests in pod templates cannot be computed, the stored ones count as current: \
                    Secret nowhere/harbor-operator-digest-key does not exist; \
                    give the operator's namespace with --digest-key-namespace\n";
    assert_eq!(
        (unchanged.code, unchanged.out.as_str(), unchanged.err.as_str()),
        (Some(0), "No changes.\n", expected)
    );

    let changed = plan(vec![with(minimal(), "/spec/portal", json!({"replicas": 2}))]).await;
    assert_eq!(changed.code, Some(2), "{}", changed.err);
    assert!(changed.out.contains("no pods are replaced"), "{}", changed.out);
}

#[tokio::test]
async fn it_shows_that_an_autoscaler_takes_no_pods_away() {
    let cluster = Cluster::new().await;
    if !cluster.plane.version().at_least(1, 23) {
        println!("skipped: autoscaling/v2 is not served");
        return;
    }
    let resources = json!({"requests": {"cpu": "100m"}});
    let portal = |number: &str, value: Value| {
        with(minimal(), "/spec/portal", json!({number: value, "resources": resources}))
    };
    let _operator = cluster.ready(&Requests::default(), portal("replicas", json!(3))).await;

    let ran = cluster.plan(vec![portal("autoscaling", json!({"minReplicas": 3, "maxReplicas": 9}))]).await;
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.out.contains("+ HorizontalPodAutoscaler "), "{}", ran.out);
    assert!(!ran.out.contains("Deployment "), "{}", ran.out);
}

#[tokio::test]
async fn what_it_shows_of_an_edit_is_exactly_what_applying_it_does() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let harbor = with(minimal(), "/spec/exporter", json!({}));
    let _operator = cluster.ready(&requests, harbor).await;
    let edited =
        with(with(minimal(), "/spec/logLevel", json!("debug")), "/spec/portal", json!({"replicas": 2}));
    let before = cluster.everything().await;

    let ran = cluster.plan(vec![edited.clone()]).await;
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert_eq!(cluster.everything().await, before, "it writes nothing");

    cluster.apply(vec![edited]).await;
    cluster.until_gone::<Deployment>("acme-harbor-exporter").await;
    cluster.until_ready("acme").await;
    requests.until_quiet().await;
    let done = changes(&before, &cluster.everything().await);
    assert!(done.iter().any(|block| block.starts_with("- Deployment ")), "{done:#?}");
    let plan = planned(&ran.out);
    let unseen: Vec<_> = done.difference(&plan).map(String::as_str).collect();
    let untrue: Vec<_> = plan.difference(&done).map(String::as_str).collect();
    assert!(
        unseen.is_empty() && untrue.is_empty(),
        "not planned:\n{}\n\nnot done:\n{}",
        unseen.join("\n"),
        untrue.join("\n")
    );
    assert!(ran.out.contains("acme-harbor-registry (1 pod)\n"), "{}", ran.out);
    assert!(!ran.out.contains("acme-harbor-portal (1 pod)"), "more pods are no other pods: {}", ran.out);
}

/// What `plan` prints about the hops of an upgrade from 2.9 to 2.15. The page about upgrades shows it, too.
const STEPS: &str = "tests/fixtures/upgrade-plan.txt";

#[tokio::test]
async fn it_shows_the_hops_of_an_upgrade_and_what_each_of_them_does() {
    let cluster = Cluster::new().await;
    let at = |version: &str| with(minimal(), "/spec/version", json!(version));
    let _operator = cluster.ready(&Requests::default(), at("2.9.5")).await;
    let ran = cluster.plan(vec![at("2.15.2")]).await;
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert_eq_golden(&steps(&cluster, &ran.out), STEPS, "docs/upgrade.md");
    assert!(ran.out.contains("+ Pod "), "{}", ran.out);
    assert_eq!(cluster.plan(vec![at("2.9.5")]).await.out, "No changes.\n");
}

/// What `plan` prints about the steps of rotations. The page about rotations shows it, too.
const ROTATIONS: &str = "tests/fixtures/rotation-plan.txt";

#[tokio::test]
async fn it_shows_the_steps_of_rotations_and_what_the_first_of_them_changes() {
    let cluster = Cluster::new().await;
    let _operator = cluster.ready(&Requests::default(), minimal()).await;
    let mut asked = minimal();
    asked["metadata"]["annotations"]["goharbor.io/rotate"] = json!("all@2026-11-19");
    let ran = cluster.plan(vec![asked]).await;
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert_eq_golden(&beginning_with_steps(&cluster, &ran.out), ROTATIONS, "docs/rotation.md");
    assert!(ran.out.contains("+   data:\n+     REGISTRY_HTTP_SECRET: <masked>\n"), "{}", ran.out);
    assert_eq!(cluster.plan(vec![minimal()]).await.out, "No changes.\n");
}

/// What `plan` prints about the steps that lead to what a Harbor asks for.
fn steps(cluster: &Cluster, printed: &str) -> String {
    format!("{}\n", beginning_with_steps(cluster, printed).split("\n\n").next().unwrap().trim_end())
}

/// The same, and everything after it.
fn beginning_with_steps(cluster: &Cluster, printed: &str) -> String {
    let shown = printed.replace(&cluster.name, "registry");
    let (_, steps) = shown.split_once("\nHarbor registry/acme gets there").expect(&shown);
    format!("Harbor registry/acme gets there{}\n", steps.trim_end())
}

fn assert_eq_golden(printed: &str, golden: &str, page: &str) {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join(golden);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&golden, printed).unwrap();
    }
    let expected = fs::read_to_string(golden).unwrap_or_default();
    assert_eq!(printed, expected, "run with UPDATE_GOLDEN=1, review, and copy it to {page}");
}

#[tokio::test]
async fn of_a_new_harbor_it_lists_everything_and_writes_nothing() {
    let cluster = Cluster::new().await;
    let before = versions(&cluster).await;
    let harbor = called(minimal(), "acme");
    let ran = cluster.plan(vec![harbor.clone()]).await;
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("are unknown before creation"), "{}", ran.err);
    assert_eq!(versions(&cluster).await, before);

    let requests = Requests::default();
    let _operator = cluster.ready(&requests, harbor).await;
    let names = |blocks: std::collections::BTreeSet<String>| -> Vec<String> {
        blocks.iter().map(|block| block.lines().next().unwrap().to_owned()).collect()
    };
    let mut made = names(changes(&BTreeMap::new(), &cluster.everything().await));
    // What users and cert-manager have made.
    let theirs: Vec<_> = before.keys().map(|key| format!("+ {key}")).collect();
    made.retain(|name| !theirs.contains(name) && !name.ends_with("-core-tokencert"));
    let mut plan = names(planned(&ran.out));
    plan.retain(|name| !name.ends_with("-core-tokencert"));
    assert_eq!(plan, made);
}

#[tokio::test]
async fn a_rotated_secret_shows_which_pods_restart_and_never_a_value() {
    let cluster = Cluster::new().await;
    let _operator = cluster.ready(&Requests::default(), minimal()).await;
    let redis = inputs().into_iter().find(|object| object["metadata"]["name"] == "redis").unwrap();
    let old = cluster.get::<Secret>("redis").await.data.unwrap();
    let mut rotated = redis.clone();
    let fields = rotated["stringData"].as_object_mut().unwrap();
    fields.values_mut().for_each(|value| *value = "a-new-and-secret-word".into());

    let ran = cluster.plan(vec![rotated]).await;
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.out.contains("<masked, changed>"), "{}", ran.out);
    let (_, restarts) = ran.out.split_once("Pods that are replaced:\n").expect(&ran.out);
    for part in ["core", "jobservice", "registry"] {
        assert!(restarts.contains(&format!("acme-harbor-{part} (1 pod)\n")), "{restarts}");
    }
    assert!(!restarts.contains("acme-harbor-portal"), "{restarts}");
    assert!(restarts.contains("    Secret acme-harbor-core changes ("), "{restarts}");
    let values = old.values().map(|value| String::from_utf8_lossy(&value.0).into_owned());
    for value in values.chain(["a-new-and-secret-word".to_owned()]) {
        assert!(!ran.out.contains(&value) && !ran.err.contains(&value), "a value is shown: {}", ran.out);
    }
}

#[tokio::test]
async fn a_refusal_of_the_rules_or_the_server_is_an_error() {
    let cluster = Cluster::new().await;
    let _operator = cluster.ready(&Requests::default(), minimal()).await;
    let ran = cluster.plan(vec![with(minimal(), "/spec/version", json!("2.14.0"))]).await;
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    assert!(ran.err.contains("error: Harbor ") && ran.err.contains("cannot go back"), "{}", ran.err);
    assert!(ran.out.contains("~ Harbor ") && !ran.out.contains("to change"), "{}", ran.out);
    assert!(!ran.out.contains("replaced"), "{}", ran.out);

    let ran = cluster.plan(vec![with(minimal(), "/spec/externalURL", Value::Null)]).await;
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{}", ran.err);
    assert!(ran.err.contains("spec.externalURL"), "{}", ran.err);
}

#[tokio::test]
async fn a_user_without_permissions_reads_which_one_is_missing() {
    let cluster = Cluster::new().await;
    let plan_as = async |user: &str| {
        let kubeconfig = account::kubeconfig(&cluster.plane, user);
        let flags = ["--kubeconfig", kubeconfig.path().to_str().unwrap()];
        let ran = cluster.plan_with(&flags, vec![minimal()]).await;
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{}", ran.err);
        ran.err
    };
    let err = plan_as("stranger").await;
    let expected = format!(
        ": Harbor {0}/acme: harbors.goharbor.io \"acme\" is forbidden: User \"stranger\" cannot get resource \"harbors\" in \
         API group \"goharbor.io\" in the namespace \"{0}\"; \
         give that user this permission, which a dry run needs, too, or use another user\n",
        cluster.name
    );
    assert!(err.ends_with(&expected), "{err}");

    cluster.allow("editor", "get,create,patch", "harbors.goharbor.io").await;
    let err = plan_as("editor").await;
    let (_, error) = err.split_once("\nerror: cannot read the cluster: cannot list ").expect(&err);
    assert!(error.contains("User \"editor\" cannot list resource "), "{error}");
    assert!(error.ends_with("; give that user this permission, or use another user\n"), "{error}");
}

#[tokio::test]
async fn a_namespace_that_is_missing_or_not_the_wanted_one_is_named() {
    let cluster = Cluster::new().await;
    let folder = tempfile::TempDir::new().unwrap();
    let plan_in = async |namespace: &str, harbor: Value| {
        let file = folder.path().join("in.json");
        std::fs::write(&file, harbor.to_string()).unwrap();
        let file = file.to_str().unwrap();
        let ran = cluster.run_in(namespace, &["plan", "-f", file]).await;
        (ran.code, ran.out, ran.err.replace(file, "in.json"))
    };
    let unplaced = with(minimal(), "/metadata/namespace", Value::Null);
    let error = |text: &str| (Some(1), String::new(), format!("error: in.json: {text}\n"));
    assert_eq!(
        plan_in("nowhere", unplaced).await,
        error(
            "Harbor nowhere/acme: the namespace nowhere does not exist; \
             create it first: a dry run needs the namespace"
        )
    );
    assert_eq!(
        plan_in(&cluster.name, with(minimal(), "/metadata/namespace", json!("registry"))).await,
        error(&format!(
            "Harbor registry/acme: it is in the namespace registry, not in {}; leave out --namespace, or correct it",
            cluster.name
        ))
    );
}

#[tokio::test]
async fn what_is_missing_is_waited_for_and_no_error() {
    let cluster = Cluster::new().await;
    let harbor = with(minimal(), "/spec/database/passwordRef", json!("nowhere"));
    let ran = cluster.plan(vec![harbor]).await;
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("would wait: Secret ") && ran.err.contains("/nowhere"), "{}", ran.err);
}

#[tokio::test]
async fn a_paused_harbor_is_left_alone() {
    let cluster = Cluster::new().await;
    let paused = with(minimal(), "/metadata/annotations", json!({"goharbor.io/pause": "true"}));
    let ran = cluster.plan(vec![paused]).await;
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert_eq!(planned(&ran.out).len(), 1, "{}", ran.out);
    assert!(ran.err.contains("is paused"), "{}", ran.err);
}

#[tokio::test]
async fn what_was_applied_on_the_client_side_is_planned_so() {
    let cluster = Cluster::new().await;
    let map = |data: Value| {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "notes", "namespace": cluster.name}, "data": data,
        })
    };
    let file = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
    std::fs::write(file.path(), map(json!({"a": "1", "b": "2"})).to_string()).unwrap();
    cluster.kubectl(&["apply", "-f", file.path().to_str().unwrap()]).await;
    let ran = cluster.plan(vec![map(json!({"a": "3"}))]).await;
    let expected = format!(
        "~ ConfigMap {}/notes\n    data:\n-     a: \"1\"\n-     b: \"2\"\n+     a: \"3\"\n",
        cluster.name
    );
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    let lines = ran.out.lines().take_while(|line| !line.is_empty());
    let shown: Vec<_> = lines.filter(|line| !line.contains("namespace:")).collect();
    assert_eq!(shown.join("\n") + "\n", expected);
}
