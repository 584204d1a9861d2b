//! The line the registry checks with every request: cheap when it is generated, and made so where it is not.

use super::{Cluster, counts::restarted, minimal};
use envtest::{Requests, writes};
use k8s_openapi::{
    ByteString,
    api::{apps::v1::Deployment, core::v1::Secret},
};
use kube::ResourceExt as _;
use serde_json::json;

const SECRET: &str = "acme-harbor-registry-basicauth";
const REGISTRY: &str = "acme-harbor-registry";

fn text(secret: &Secret, key: &str) -> String {
    String::from_utf8(secret.data.as_ref().unwrap()[key].0.clone()).unwrap()
}

fn line(user: &str, password: &str, cost: u32) -> String {
    let hash = bcrypt::hash_with_salt(password, cost, [7; 16]).unwrap();
    format!("{user}:{}", hash.format_for_version(bcrypt::Version::TwoA))
}

/// A Harbor that is ready and without an operator, whose registry knows its users from this file.
async fn with_file(cluster: &Cluster, file: impl FnOnce(&str) -> String) -> Secret {
    let requests = Requests::default();
    let operator = cluster.ready(&requests, minimal()).await;
    let password = text(&cluster.get::<Secret>(SECRET).await, "secret");
    let file = json!(ByteString(file(&password).into_bytes()));
    let written = cluster.merge::<Secret>(SECRET, json!({"data": {"htpasswd": file}})).await;
    requests.until_quiet().await;
    drop(operator);
    written
}

#[tokio::test]
async fn a_generated_line_costs_the_registry_little() {
    let cluster = Cluster::new().await;
    let _operator = cluster.ready(&Requests::default(), minimal()).await;
    let secret = cluster.get::<Secret>(SECRET).await;
    let line = text(&secret, "htpasswd");
    let hash = line.strip_prefix("harbor_registry_user:").unwrap();
    assert!(hash.starts_with("$2b$04$"), "{hash}");
    assert!(bcrypt::verify(text(&secret, "secret"), hash).unwrap());
}

/// What a new process writes.
async fn rewritten(cluster: &Cluster) -> Vec<String> {
    writes(&restarted(cluster).await).into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn an_expensive_line_is_rewritten_with_one_write_and_no_pod_is_restarted() {
    let cluster = Cluster::new().await;
    let before = with_file(&cluster, |password| line("harbor_registry_user", password, 6)).await;
    let registry = cluster.get::<Deployment>(REGISTRY).await;

    let written = rewritten(&cluster).await;
    let expected = format!("PATCH /api/v1/namespaces/{}/secrets/{SECRET}", cluster.name);
    assert_eq!(written, [expected]);
    let after = cluster.get::<Secret>(SECRET).await;
    let (password, line) = (text(&after, "secret"), text(&after, "htpasswd"));
    assert_eq!(password, text(&before, "secret"), "Core and JobService keep their password");
    let hash = line.strip_prefix("harbor_registry_user:").unwrap();
    assert!(hash.starts_with("$2b$04$"), "{hash}");
    assert!(bcrypt::verify(&password, hash).unwrap());
    assert_eq!(after.annotations()["goharbor.io/immutable"], "true");
    assert_eq!(cluster.get::<Deployment>(REGISTRY).await.spec, registry.spec);

    assert_eq!(rewritten(&cluster).await, Vec::<String>::new(), "once");

    let requests = Requests::default();
    let _operator = cluster.operator(&requests);
    requests.until_quiet().await;
    let theirs = json!(ByteString(line_of_a_user().into_bytes()));
    cluster.merge::<Secret>(SECRET, json!({"data": {"htpasswd": theirs}})).await;
    requests.until_quiet().await;
    let rolled = cluster.get::<Deployment>(REGISTRY).await;
    assert_ne!(rolled.spec.unwrap().template, registry.spec.unwrap().template, "another password");
}

fn line_of_a_user() -> String {
    line("harbor_registry_user", "another password", 5)
}

#[tokio::test]
async fn lines_that_users_wrote_stay() {
    let cluster = Cluster::new().await;
    let several = |password: &str| {
        format!("{}\n{}", line("harbor_registry_user", password, 5), line("someone", "else", 5))
    };
    let before = with_file(&cluster, several).await;
    assert_eq!(rewritten(&cluster).await, Vec::<String>::new());
    assert_eq!(cluster.get::<Secret>(SECRET).await, before);

    let cluster = Cluster::new().await;
    let before = with_file(&cluster, |_| line_of_a_user()).await;
    assert_eq!(rewritten(&cluster).await, Vec::<String>::new(), "not of the password beside it");
    assert_eq!(cluster.get::<Secret>(SECRET).await, before);
}

#[tokio::test]
async fn a_secret_that_a_user_made_stays_and_so_does_one_that_is_sealed() {
    let cluster = Cluster::new().await;
    let password = "0123456789abcdefghijklmnopqrstuv";
    let theirs = json!({
        "metadata": {"name": SECRET},
        "stringData": {"secret": password, "htpasswd": line("harbor_registry_user", password, 5)},
    });
    let theirs = cluster.post_json::<Secret>(theirs).await;
    drop(cluster.ready(&Requests::default(), minimal()).await);
    assert_eq!(rewritten(&cluster).await, Vec::<String>::new());
    assert_eq!(cluster.get::<Secret>(SECRET).await, theirs);

    let cluster = Cluster::new().await;
    with_file(&cluster, |password| line("harbor_registry_user", password, 5)).await;
    let sealed = cluster.merge::<Secret>(SECRET, json!({"immutable": true})).await;
    assert_eq!(rewritten(&cluster).await, Vec::<String>::new());
    assert_eq!(cluster.get::<Secret>(SECRET).await, sealed);
}
