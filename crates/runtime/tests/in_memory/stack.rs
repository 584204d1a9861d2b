//! Children that outlive their owner, children that others make, and conditions of their own for parts of an owner.
//!
//! In one process and in virtual time, as in `faults.rs`.

use crate::memory::Cluster;
use api::names::KEPT_ANNOTATION;
use api::v1beta1::ComponentStatus;
use envtest::clock;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::{CustomResource, ResourceExt as _, core::ObjectMeta};
use plan::{
    Aspect, Builder, Children, Component, Conclusion, DeletionBehavior, Desired, PlanError, Recipe, Verdict,
    World,
};
use runtime::Options;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// What a test asks for.
#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "engine.test", version = "v1", kind = "Stack", namespaced, status = "StackStatus")]
#[serde(rename_all = "camelCase", default)]
#[schemars(!default)]
pub struct StackSpec {
    /// Whether the ledger and its key stay when the stack is deleted.
    pub keeps: bool,
    /// Whether there is a ledger at all.
    pub ledgerless: bool,
    /// A Secret that another program creates, with the key `word`.
    pub awaits: Option<String>,
}

/// A status with a field of its own.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct StackStatus {
    #[serde(flatten)]
    common: ComponentStatus,
    #[serde(default)]
    mood: String,
}

struct StackComponent;

const LEDGER: Aspect = Aspect::new("LedgerReady");
const WORD: Aspect = Aspect::new("WordReady");

impl Component for StackComponent {
    type Owner = Stack;

    const NAME: &'static str = "stack";
    const ASPECTS: &'static [Aspect] = &[LEDGER, WORD];

    fn details(_: &Stack, conclusion: &Conclusion<'_>) -> Map<String, Value> {
        let mood = if *conclusion.verdict == Verdict::Ready { "fine" } else { "tense" };
        Map::from_iter([("mood".to_owned(), json!(mood))])
    }

    fn children() -> Children {
        Children::none().and::<ConfigMap>().and::<Secret>()
    }

    fn desired(stack: &Stack, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let name = stack.name_any();
        let metadata = |suffix: &str| ObjectMeta {
            name: Some(format!("{name}-{suffix}")),
            namespace: stack.namespace(),
            ..ObjectMeta::default()
        };
        let deletion = if stack.spec.keeps { DeletionBehavior::Kept } else { DeletionBehavior::Owned };
        if !stack.spec.ledgerless {
            let key = Secret { metadata: metadata("key"), ..Secret::default() };
            let key = Desired::generated(key, [("key".to_owned(), Recipe::Alphanumeric { length: 16 })]);
            let key = graph.add::<Secret>(key.on_deletion(deletion).of(LEDGER), ());
            let ledger = ConfigMap { metadata: metadata("ledger"), ..ConfigMap::default() };
            graph.add::<ConfigMap>(Desired::from(ledger).on_deletion(deletion).of(LEDGER), key);
        }
        let Some(source) = &stack.spec.awaits else { return Ok(()) };
        let copy = Secret { metadata: metadata("word"), ..Secret::default() };
        let copy = match world.read::<Secret>(source)? {
            Some(source) => Desired::from(Secret { data: source.data, ..copy }),
            None => Desired::awaited(copy, format!("another program has to create Secret {source}")),
        };
        let copy = graph.add::<Secret>(copy.of(WORD), ());
        graph.add::<ConfigMap>(ConfigMap { metadata: metadata("reader"), ..ConfigMap::default() }, copy);
        Ok(())
    }
}

async fn cluster() -> Cluster {
    let mut cluster = Cluster::new::<StackComponent>(Options { clock, ..Options::default() }).await;
    cluster.start::<StackComponent>();
    cluster
}

impl Cluster {
    async fn stack(&self, spec: StackSpec) {
        self.create(&Stack::new("a", spec)).await;
    }

    async fn until_harbor_is_ready(&self) -> StackStatus {
        self.until_reason::<Stack>("a", "Ready").await;
        self.get::<Stack>("a").await.status.unwrap()
    }
}

fn keeps() -> StackSpec {
    StackSpec { keeps: true, ..StackSpec::default() }
}

fn kept_for(meta: &ObjectMeta) -> Option<&str> {
    meta.annotations.as_ref()?.get(KEPT_ANNOTATION).map(String::as_str)
}

fn condition(status: &StackStatus, kind: &str) -> (String, String) {
    let condition = status.common.conditions.iter().find(|condition| condition.type_ == kind).unwrap();
    (condition.status.clone(), condition.reason.clone().unwrap_or_default())
}

fn pair(status: &str, reason: &str) -> (String, String) {
    (status.to_owned(), reason.to_owned())
}

#[tokio::test(start_paused = true)]
async fn what_is_kept_outlives_its_owner_and_the_next_one_takes_it_over() {
    let cluster = cluster().await;
    cluster.stack(keeps()).await;
    cluster.until_harbor_is_ready().await;
    let key = cluster.get::<Secret>("a-key").await;
    assert_eq!(
        (kept_for(&key.metadata), &key.metadata.owner_references),
        (Some("Stack.engine.test/a"), &None)
    );

    cluster.delete::<Stack>("a").await;
    cluster.until_gone::<Stack>("a").await;
    cluster.stack(keeps()).await;
    cluster.until_harbor_is_ready().await;

    assert_eq!(cluster.get::<Secret>("a-key").await.data, key.data);
    cluster.delete::<ConfigMap>("a-ledger").await;
    cluster.until::<ConfigMap>("a-ledger", "is made again", |_| true).await;
}

#[tokio::test(start_paused = true)]
async fn what_is_owned_goes_with_its_owner() {
    let cluster = cluster().await;
    cluster.stack(StackSpec::default()).await;
    cluster.until_harbor_is_ready().await;
    cluster.delete::<Stack>("a").await;
    cluster.until_gone::<Secret>("a-key").await;
    cluster.until_gone::<ConfigMap>("a-ledger").await;
}

#[tokio::test(start_paused = true)]
async fn to_keep_or_not_can_be_decided_later_also_for_what_is_never_written_again() {
    let cluster = cluster().await;
    cluster.stack(StackSpec::default()).await;
    cluster.until_harbor_is_ready().await;
    let key = cluster.get::<Secret>("a-key").await;

    cluster.merge::<Stack>("a", json!({"spec": {"keeps": true}})).await;
    for freed in [
        cluster.until::<Secret>("a-key", "is freed", |s| kept_for(&s.metadata).is_some()).await.metadata,
        cluster
            .until::<ConfigMap>("a-ledger", "is freed", |c| kept_for(&c.metadata).is_some())
            .await
            .metadata,
    ] {
        assert_eq!(freed.owner_references.unwrap_or_default(), []);
    }
    cluster.merge::<Stack>("a", json!({"spec": {"keeps": false}})).await;
    let tied = cluster.until::<Secret>("a-key", "is tied", |s| kept_for(&s.metadata).is_none()).await;
    assert_eq!((tied.metadata.owner_references, tied.data), (key.metadata.owner_references, key.data));
}

#[tokio::test(start_paused = true)]
async fn what_is_kept_stays_when_it_is_no_longer_wanted() {
    let cluster = cluster().await;
    cluster.stack(keeps()).await;
    cluster.until_harbor_is_ready().await;
    cluster.merge::<Stack>("a", json!({"spec": {"ledgerless": true, "awaits": "word"}})).await;
    cluster.create(&secret("word", "hello")).await;
    cluster.until::<ConfigMap>("a-reader", "is made", |_| true).await;
    assert!(cluster.find::<ConfigMap>("a-ledger").await.is_some());
}

fn secret(name: &str, word: &str) -> Secret {
    let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
    let data = [("word".to_owned(), k8s_openapi::ByteString(word.into()))];
    Secret { metadata, data: Some(data.into()), ..Secret::default() }
}

#[tokio::test(start_paused = true)]
async fn what_others_make_is_awaited_copied_and_followed() {
    let cluster = cluster().await;
    cluster.stack(StackSpec { awaits: Some("word".into()), ..keeps() }).await;
    let message = cluster.until_reason::<Stack>("a", "ChildrenNotReady").await;
    let expected = "Secret default/a-word: does not exist yet; another program has to create Secret word";
    assert_eq!(message, expected);
    assert!(cluster.find::<ConfigMap>("a-reader").await.is_none());

    cluster.create(&secret("word", "hello")).await;
    cluster.until_harbor_is_ready().await;
    cluster.merge::<Secret>("word", json!({"stringData": {"word": "goodbye"}})).await;
    cluster
        .until::<Secret>("a-word", "follows", |copy| copy.data.as_ref().unwrap()["word"].0 == b"goodbye")
        .await;

    cluster.delete::<Secret>("word").await;
    cluster.merge::<Stack>("a", json!({"metadata": {"labels": {"look": "again"}}})).await;
    cluster.until_harbor_is_ready().await;
    assert!(cluster.find::<Secret>("a-word").await.is_some(), "what exists stays in use");
}

#[tokio::test(start_paused = true)]
async fn each_aspect_of_an_owner_has_its_own_condition() {
    let cluster = cluster().await;
    cluster.stack(StackSpec { awaits: Some("word".into()), ..keeps() }).await;
    cluster.until_reason::<Stack>("a", "ChildrenNotReady").await;
    let status = cluster.get::<Stack>("a").await.status.unwrap();
    assert_eq!(condition(&status, "LedgerReady"), pair("True", "Ready"));
    assert_eq!(condition(&status, "WordReady"), pair("False", "ChildrenNotReady"));
    assert_eq!(status.mood, "tense");

    cluster.create(&secret("word", "hello")).await;
    let status = cluster.until_harbor_is_ready().await;
    assert_eq!(condition(&status, "WordReady"), pair("True", "Ready"));
    assert_eq!(status.mood, "fine");

    cluster.merge::<Stack>("a", json!({"spec": {"ledgerless": true}})).await;
    cluster
        .until::<Stack>("a", "has no ledger", |stack| {
            let status = stack.status.as_ref().unwrap();
            condition(status, "LedgerReady") == pair("True", "External")
        })
        .await;
}
