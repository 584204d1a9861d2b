//! Certificates that the operator issues itself, from the first to the renewed one.
//!
//! In one process and in virtual time, as in `faults.rs`.

use crate::memory::{Cluster, Kind};
use api::names::INPUTS_ANNOTATION;
use envtest::clock;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
use kube::{CustomResource, ResourceExt as _, core::ObjectMeta};
use pki::{Authority, Issued, Purpose, Request};
use plan::{Builder, Children, Component, Desired, Issuance, Manifest as _, PlanError, Recipe, Role, World};
use runtime::{Format, Options};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{collections::BTreeMap, time::Duration};

/// What a test asks for.
#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "engine.test",
    version = "v1",
    kind = "Vault",
    namespaced,
    status = "api::v1beta1::ComponentStatus"
)]
#[serde(rename_all = "camelCase", default)]
#[schemars(!default)]
pub struct VaultSpec {
    /// Host names of the leaf.
    pub names: Vec<String>,
    /// The authority; one of its own unless set.
    pub authority: Option<String>,
    /// Another authority that the leaf has programs trust.
    pub beside: Option<String>,
    /// Lifetime of the authority.
    pub days: u32,
    /// The only names the authority may sign for.
    pub only_for: Option<Vec<String>>,
}

impl Default for VaultSpec {
    fn default() -> Self {
        Self { names: vec!["vault".into()], authority: None, beside: None, days: 30, only_for: None }
    }
}

struct VaultComponent;

impl Component for VaultComponent {
    type Owner = Vault;

    const NAME: &'static str = "vault";

    fn children() -> Children {
        Children::none().and::<Secret>().and::<Deployment>()
    }

    fn desired(vault: &Vault, _: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let secret = |name: &str| Secret { metadata: meta(vault, name), ..Secret::default() };
        let own = Issuance {
            subject: "authority".into(),
            dns_names: vec![],
            ip_addresses: vec![],
            role: Role::Authority { only_for: vault.spec.only_for.clone() },
            days: vault.spec.days,
        };
        let own = vault.spec.authority.is_none().then(|| Desired::issued(secret("ca"), own));
        let own = own.map(|own| graph.add::<Secret>(own, ()));
        let name = vault.spec.authority.clone().unwrap_or_else(|| "ca".to_owned());
        let leaf = Issuance {
            subject: "leaf".into(),
            dns_names: vault.spec.names.clone(),
            ip_addresses: vec![],
            role: Role::Leaf { authority: Some(name), also_trusted: vault.spec.beside.clone() },
            days: 3,
        };
        let leaf = graph.add::<Secret>(Desired::issued(secret("leaf"), leaf), own);
        let password = ("password".to_owned(), Recipe::Alphanumeric { length: 16 });
        let copy = ("copy".to_owned(), Recipe::SameAs { key: "password".into() });
        let htpasswd =
            ("htpasswd".to_owned(), Recipe::Htpasswd { user: "admin".into(), password: "password".into() });
        let generated = Desired::generated(secret("generated"), [password, copy, htpasswd]);
        let generated = graph.add::<Secret>(generated, ());
        graph.add::<Deployment>(deployment(vault, "with-leaf", "leaf"), leaf);
        graph.add::<Deployment>(deployment(vault, "without", "generated"), generated);
        Ok(())
    }
}

fn meta(vault: &Vault, name: &str) -> ObjectMeta {
    ObjectMeta { name: Some(name.to_owned()), namespace: vault.namespace(), ..ObjectMeta::default() }
}

fn deployment(vault: &Vault, name: &str, secret: &str) -> Deployment {
    let volume = json!({"name": "v", "secret": {"secretName": secret}});
    let pod = json!({"containers": [{"name": "c", "image": "example/c:1"}], "volumes": [volume]});
    serde_json::from_value(json!({
        "metadata": meta(vault, name),
        "spec": {
            "selector": {"matchLabels": {"name": name}},
            "template": {"metadata": {"labels": {"name": name}}, "spec": pod},
        },
    }))
    .unwrap()
}

async fn stopped_cluster() -> Cluster {
    Cluster::new::<VaultComponent>(Options { clock, ..Options::default() }).await
}

/// A cluster with a vault that is ready.
async fn cluster() -> Cluster {
    let mut cluster = stopped_cluster().await;
    cluster.start::<VaultComponent>();
    cluster.vault(VaultSpec::default()).await;
    cluster.until_ready().await;
    cluster
}

impl Cluster {
    async fn vault(&self, spec: VaultSpec) {
        self.create(&Vault::new("v", spec)).await;
    }

    async fn until_ready(&self) {
        self.until_reason::<Vault>("v", "Ready").await;
    }

    async fn certificate(&self, name: &str) -> Issued {
        issued(&self.get::<Secret>(name).await)
    }

    async fn until_reissued(&self, name: &str, before: &Issued) -> Issued {
        let (what, before) = ("is issued anew", before.chain.clone());
        issued(&self.until::<Secret>(name, what, move |secret| text(secret, "tls.crt") != before).await)
    }

    async fn inputs(&self, deployment: &str) -> String {
        let deployment = self.get::<Deployment>(deployment).await;
        let template = deployment.pod_template().unwrap().metadata.clone().unwrap();
        template.annotations.unwrap()[INPUTS_ANNOTATION].clone()
    }

    /// Requests other than those that renew watches.
    fn take_real_requests(&self) -> Vec<String> {
        let kinds = ["vaults", "secrets", "configmaps", "deployments"];
        let is_watch = |line: &str| line.starts_with("GET") && kinds.iter().any(|kind| line.ends_with(kind));
        self.take_requests().into_iter().filter(|line| !is_watch(line)).collect()
    }
}

fn text(secret: &Secret, key: &str) -> String {
    let bytes = secret.data.as_ref().and_then(|data| data.get(key)).map(|bytes| bytes.0.clone());
    String::from_utf8(bytes.unwrap_or_default()).unwrap()
}

fn issued(secret: &Secret) -> Issued {
    Issued { chain: text(secret, "tls.crt"), key: text(secret, "tls.key"), authority: text(secret, "ca.crt") }
}

fn leaf_request() -> Request {
    Request {
        subject: "leaf".into(),
        dns_names: vec!["vault".into()],
        ip_addresses: vec![],
        purpose: Purpose::Leaf,
        days: 3,
    }
}

fn authority_request() -> Request {
    Request {
        subject: "authority".into(),
        dns_names: vec![],
        ip_addresses: vec![],
        purpose: Purpose::Authority { only_for: None },
        days: 30,
    }
}

fn authority(issued: &Issued) -> Authority {
    Authority::from_pem(issued.chain.clone(), issued.key.clone()).unwrap()
}

/// An authority that a user made, who knows nothing of `ca.crt`.
fn an_authority_of_a_user(subject: &str) -> (Issued, Secret) {
    let request = Request { subject: subject.into(), ..authority_request() };
    let key = pki::generate(pki::KeySpec::DEFAULT).unwrap();
    let issued = request.issue(&Authority::Itself, key, [7; 16], clock()).unwrap();
    let secret = tls_secret("theirs", [("tls.crt", &issued.chain), ("tls.key", &issued.key)]);
    (issued, secret)
}

fn tls_secret<'a>(name: &str, data: impl IntoIterator<Item = (&'a str, &'a String)>) -> Secret {
    let data: BTreeMap<_, _> = data.into_iter().collect();
    let secret = json!({"metadata": {"name": name}, "type": "kubernetes.io/tls", "stringData": data});
    serde_json::from_value(secret).unwrap()
}

fn version<K: Kind>(object: &K) -> String {
    object.resource_version().unwrap()
}

#[tokio::test(start_paused = true)]
async fn an_authority_and_its_leaf_are_issued_into_secrets_of_ours() {
    let cluster = cluster().await;
    let (ca, leaf) = (cluster.certificate("ca").await, cluster.certificate("leaf").await);
    let ready_after = |days: i64| clock() + SignedDuration::from_hours(24 * days);
    let due = authority_request().due(&ca, &Authority::Itself, clock()).unwrap();
    assert!(due > ready_after(19) && due < ready_after(20), "{due}");
    assert!(leaf_request().due(&leaf, &authority(&ca), clock()).unwrap() < ready_after(2));
    assert_eq!(leaf.authority, ca.chain);

    for name in ["ca", "leaf"] {
        let secret = cluster.get::<Secret>(name).await;
        assert_eq!(secret.type_.as_deref(), Some("kubernetes.io/tls"));
        assert_eq!(secret.owner_references()[0].kind, "Vault");
        assert_eq!(secret.annotations(), &BTreeMap::new(), "not marked as untouchable");
        assert_eq!(
            secret.data.as_ref().unwrap().keys().collect::<Vec<_>>(),
            ["ca.crt", "tls.crt", "tls.key"]
        );
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_or_read_while_all_certificates_are_valid() {
    let cluster = cluster().await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    cluster.dismiss_stand_ins();
    cluster.take_requests();
    tokio::time::sleep(Duration::from_hours(40)).await;
    assert_eq!(cluster.take_real_requests(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_certificate_is_renewed_in_time_with_its_old_key_and_exactly_its_users_restart() {
    let cluster = cluster().await;
    let (ca, leaf) = (cluster.certificate("ca").await, cluster.certificate("leaf").await);
    let (with, without) = (cluster.inputs("with-leaf").await, cluster.inputs("without").await);

    cluster.dismiss_stand_ins();
    tokio::time::sleep(Duration::from_hours(48)).await;
    let renewed = cluster.until_reissued("leaf", &leaf).await;

    let late = clock();
    assert!(late < Timestamp::UNIX_EPOCH + SignedDuration::from_hours(49), "{late}");
    assert!(leaf_request().due(&renewed, &authority(&ca), late).is_ok());
    assert_eq!(renewed.key, leaf.key);
    assert_eq!(cluster.certificate("ca").await, ca, "whose time has not come");
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_ne!(cluster.inputs("with-leaf").await, with);
    assert_eq!(cluster.inputs("without").await, without);
}

#[tokio::test(start_paused = true)]
async fn a_renewed_authority_keeps_its_key_and_its_leaves_follow() {
    let cluster = cluster().await;
    let (ca, leaf) = (cluster.certificate("ca").await, cluster.certificate("leaf").await);
    // Another lifetime is another certificate, and quicker than twenty days.
    cluster.merge::<Vault>("v", json!({"spec": {"days": 60}})).await;
    let renewed = cluster.until_reissued("ca", &ca).await;
    let followed = cluster.until_reissued("leaf", &leaf).await;
    assert_eq!((&renewed.key, &followed.key), (&ca.key, &leaf.key));
    assert_eq!(followed.authority, renewed.chain);
}

/// Pods trust the certificate they have: an authority that is replaced at once would cut off those that are not
/// restarted yet.
#[tokio::test(start_paused = true)]
async fn an_authority_without_limits_stays_until_it_is_renewed_and_then_has_them() {
    let cluster = cluster().await;
    let (ca, leaf) = (cluster.certificate("ca").await, cluster.certificate("leaf").await);
    let limits = json!({"spec": {"onlyFor": ["vault", "other"]}});
    cluster.merge::<Vault>("v", limits.clone()).await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(cluster.certificate("ca").await, ca);
    assert_eq!(cluster.certificate("leaf").await, leaf);

    cluster.dismiss_stand_ins();
    tokio::time::sleep(Duration::from_hours(24 * 21)).await;
    let renewed = cluster.until_reissued("ca", &ca).await;
    assert_eq!(renewed.key, ca.key);
    let only_for = Some(vec!["vault".to_owned(), "other".to_owned()]);
    let limited = Request { purpose: Purpose::Authority { only_for }, ..authority_request() };
    assert!(limited.due(&renewed, &Authority::Itself, clock()).is_ok());
    assert!(authority_request().due(&renewed, &Authority::Itself, clock()).is_err(), "it has limits now");
}

#[tokio::test(start_paused = true)]
async fn other_names_are_another_certificate_for_the_same_key() {
    let cluster = cluster().await;
    let (ca, leaf) = (cluster.certificate("ca").await, cluster.certificate("leaf").await);
    cluster.merge::<Vault>("v", json!({"spec": {"names": ["vault", "other"]}})).await;
    let reissued = cluster.until_reissued("leaf", &leaf).await;
    assert_eq!(reissued.key, leaf.key);
    let asked = Request { dns_names: vec!["other".into(), "vault".into()], ..leaf_request() };
    assert!(asked.due(&reissued, &authority(&ca), clock()).is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_certificate_that_was_tampered_with_or_deleted_is_issued_anew() {
    let cluster = cluster().await;
    let leaf = cluster.certificate("leaf").await;
    cluster.merge::<Secret>("leaf", json!({"data": {"tls.crt": "eA=="}})).await;
    let ca = authority(&cluster.certificate("ca").await);
    let mended = cluster.until::<Secret>("leaf", "is mended", |secret| {
        leaf_request().due(&issued(secret), &ca, clock()).is_ok()
    });
    let mended = issued(&mended.await);
    assert_eq!(mended.key, leaf.key, "which was not tampered with");

    cluster.delete::<Secret>("ca").await;
    let followed = cluster.until_reissued("leaf", &mended).await;
    let new = cluster.certificate("ca").await;
    assert!(leaf_request().due(&followed, &authority(&new), clock()).is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_leaf_has_programs_trust_another_authority_as_long_as_it_is_asked_for_and_keeps_its_key() {
    let cluster = cluster().await;
    let (ca, leaf) = (cluster.certificate("ca").await, cluster.certificate("leaf").await);
    let (theirs, secret) = an_authority_of_a_user("another");
    cluster.merge::<Vault>("v", json!({"spec": {"beside": "theirs"}})).await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(cluster.certificate("leaf").await, leaf, "it waits for the authority");
    cluster.create(&secret).await;
    let with_both = cluster.until_reissued("leaf", &leaf).await;
    assert_eq!(with_both.authority, format!("{}{}", ca.chain, theirs.chain));
    assert_eq!(with_both.key, leaf.key);
    assert_eq!(cluster.certificate("ca").await, ca);

    cluster.merge::<Vault>("v", json!({"spec": {"beside": null}})).await;
    let with_one = cluster.until_reissued("leaf", &with_both).await;
    assert_eq!(with_one.authority, ca.chain);
}

#[tokio::test(start_paused = true)]
async fn a_label_of_another_program_is_no_reason_to_write_and_a_lost_one_of_ours_is() {
    let cluster = cluster().await;
    let leaf = cluster.certificate("leaf").await;
    cluster.merge::<Secret>("leaf", json!({"metadata": {"labels": {"theirs": "x"}}})).await;
    let labelled = version(&cluster.get::<Secret>("leaf").await);
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(version(&cluster.get::<Secret>("leaf").await), labelled);

    let label = "app.kubernetes.io/managed-by";
    cluster.merge::<Secret>("leaf", json!({"metadata": {"labels": {label: null}}})).await;
    cluster.until::<Secret>("leaf", "is labelled again", |s| s.labels().contains_key(label)).await;
    assert_eq!(cluster.certificate("leaf").await, leaf);
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_starts_again_issues_nothing() {
    let mut cluster = cluster().await;
    let before =
        [cluster.get::<Secret>("ca").await, cluster.get::<Secret>("leaf").await].map(|s| version(&s));
    cluster.restart::<VaultComponent>().await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    let after = [cluster.get::<Secret>("ca").await, cluster.get::<Secret>("leaf").await].map(|s| version(&s));
    assert_eq!(after, before);

    cluster.dismiss_stand_ins();
    tokio::time::sleep(Duration::from_hours(48)).await;
    cluster.until::<Secret>("leaf", "is renewed all the same", |secret| version(secret) != before[1]).await;
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_a_user_made_is_used_as_it_is_however_it_is() {
    let mut cluster = stopped_cluster().await;
    let nonsense = "nonsense".to_owned();
    cluster.create(&tls_secret("leaf", [("tls.crt", &nonsense), ("tls.key", &nonsense)])).await;
    let before = version(&cluster.get::<Secret>("leaf").await);
    cluster.start::<VaultComponent>();
    cluster.vault(VaultSpec::default()).await;
    cluster.until_ready().await;
    cluster.dismiss_stand_ins();
    tokio::time::sleep(Duration::from_hours(72)).await;
    assert_eq!(version(&cluster.get::<Secret>("leaf").await), before);

    cluster.delete::<Secret>("leaf").await;
    let made = cluster.until::<Secret>("leaf", "is issued, for want of theirs", |_| true).await;
    assert_eq!(made.owner_references()[0].kind, "Vault");
}

#[tokio::test(start_paused = true)]
async fn a_leaf_of_an_authority_that_a_user_made_follows_it() {
    let mut cluster = stopped_cluster().await;
    cluster.start::<VaultComponent>();
    cluster.vault(VaultSpec { authority: Some("theirs".into()), ..VaultSpec::default() }).await;
    let message = cluster.until_reason::<Vault>("v", "DependencyMissing").await;
    assert_eq!(message, "Secret default/theirs does not exist; create it");

    let (first, secret) = an_authority_of_a_user("theirs");
    cluster.create(&secret).await;
    cluster.until_ready().await;
    let leaf = cluster.certificate("leaf").await;
    assert!(leaf_request().due(&leaf, &authority(&first), clock()).is_ok());

    let (second, secret) = an_authority_of_a_user("theirs too");
    let change = json!({"stringData": serde_json::to_value(&secret).unwrap()["stringData"]});
    cluster.merge::<Secret>("theirs", change).await;
    let followed = cluster.until_reissued("leaf", &leaf).await;
    assert!(leaf_request().due(&followed, &authority(&second), clock()).is_ok());
}

#[tokio::test(start_paused = true)]
async fn an_authority_that_is_none_is_named_with_what_to_do_and_not_quoted() {
    let mut cluster = stopped_cluster().await;
    let nonsense = "nonsense".to_owned();
    cluster.create(&tls_secret("theirs", [("tls.crt", &nonsense), ("tls.key", &nonsense)])).await;
    cluster.start::<VaultComponent>();
    cluster.vault(VaultSpec { authority: Some("theirs".into()), ..VaultSpec::default() }).await;
    let message = cluster.until_reason::<Vault>("v", "InvalidSpec").await;
    let expected = "Secret default/theirs: the authority has no certificate; \
                    put an authority's certificate into tls.crt and its key into tls.key";
    assert_eq!(message, expected);
}

#[tokio::test(start_paused = true)]
async fn generated_values_may_refer_to_each_other() {
    let cluster = cluster().await;
    let secret = cluster.get::<Secret>("generated").await;
    let (password, line) = (text(&secret, "password"), text(&secret, "htpasswd"));
    assert_eq!((password.len(), text(&secret, "copy")), (16, password.clone()));
    let hash = line.strip_prefix("admin:").unwrap();
    assert!(hash.starts_with("$2b$04$"), "{hash}");
    assert!(bcrypt::verify(&password, hash).unwrap());
    let annotations: Value = json!(secret.annotations());
    assert_eq!(annotations, json!({"goharbor.io/immutable": "true"}));
}

#[tokio::test(start_paused = true)]
async fn a_scrape_tells_when_the_first_certificate_expires_and_that_it_was_renewed() {
    let cluster = cluster().await;
    let shown = || {
        let text = cluster.options.metrics.text(Format::OpenMetrics);
        let name = "harbor_operator_certificate_expiry_timestamp_seconds{issuer=\"Operator\"} ";
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        Timestamp::from_second(line.parse().unwrap()).unwrap()
    };
    let leaf = cluster.certificate("leaf").await;
    assert_eq!(Some(shown()), leaf.expires());
    cluster.dismiss_stand_ins();
    tokio::time::sleep(Duration::from_hours(48)).await;
    let renewed = cluster.until_reissued("leaf", &leaf).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(Some(shown()), renewed.expires());
}

#[tokio::test(start_paused = true)]
async fn a_restart_reads_neither_certificates_nor_generated_values() {
    let mut cluster = cluster().await;
    tokio::time::sleep(Duration::from_secs(20)).await;
    cluster.stop().await;
    cluster.take_requests();
    cluster.start::<VaultComponent>();
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(cluster.take_real_requests(), Vec::<String>::new());
}
