//! The sandbox's session on a real API server.

use super::session::{self, Ended, Goal};
use crate::{
    manifests::{Document, Object, Origin, read_objects},
    operator::Signal,
    output::Failure,
    tree::{Details, Live, Size, Style, Tree, frame},
};
use envtest::{ControlPlane, Namespace, TIMEOUT};
use progress::{NodeState, Phase};
use runtime::{Options, Scope};
use serde_json::{Value, json};
use std::{future::pending, path::Path, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

struct World {
    namespace: Namespace,
    live: Arc<Live>,
}

impl World {
    /// A namespace on a server that has our definitions.
    async fn new() -> Self {
        let plane = ControlPlane::shared().await.unwrap();
        let install = async || {
            let definitions = api::crds::all();
            let rules = plane.version().serves_cel();
            let definitions = if rules { definitions } else { api::crds::without_rules(definitions) };
            plane.install(&definitions).await;
        };
        plane.once("kinds of Harbor without owners", install).await;
        let namespace = Namespace::create(plane, "sandbox").await;
        Self { namespace, live: Arc::new(Live::begin()) }
    }

    /// The example, in this namespace.
    fn example(&self) -> Vec<Value> {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        let objects = read_objects(&[examples.join("inputs"), examples.join("core.yaml")]).unwrap();
        let objects = objects.into_iter().map(|mut object| {
            object.json["metadata"]["namespace"] = json!(self.namespace.name);
            object.json
        });
        objects.collect()
    }

    async fn run(&self, objects: Vec<Value>, goal: Goal) -> Result<Ended, Failure> {
        self.run_until(objects, goal, pending()).await
    }

    async fn run_until(
        &self,
        objects: Vec<Value>,
        goal: Goal,
        interrupted: impl Future<Output = Signal>,
    ) -> Result<Ended, Failure> {
        let content = json!({"kind": "List", "items": objects});
        let objects = Object::all(Document { origin: Origin::of("in.yaml"), content }).unwrap();
        let scopes = vec![Scope::Namespace(self.namespace.name.clone())];
        let options = Options { scopes, ..Options::default() };
        let client = self.namespace.plane.client();
        Box::pin(session::run(client, options, objects, goal, &self.live, vec![], interrupted)).await
    }

    /// The errors about the applied objects, once one of them waits with a message that begins with these words.
    async fn unready(&self, objects: Vec<Value>, words: &str) -> Vec<String> {
        let waits = |state: &NodeState| {
            let why = state.message.as_ref().filter(|_| state.phase == Phase::Waiting);
            why.is_some_and(|why| why.starts_with(words))
        };
        let interrupted = async {
            self.live.until(|tree| tree.expected().iter().any(|node| waits(&node.state))).await;
            Signal::Terminate
        };
        self.run_until(objects, READY, interrupted).await.unwrap();
        self.words(&session::unready(&self.live, Duration::from_mins(5)))
    }

    /// The errors, without the name of the namespace.
    fn words(&self, failure: &Failure) -> Vec<String> {
        failure.errors().iter().map(|error| error.to_string().replace(&self.namespace.name, "NS")).collect()
    }
}

const READY: Goal = Goal::Ready { within: TIMEOUT };

#[tokio::test]
async fn an_applied_core_is_shown_until_it_is_ready() {
    let world = World::new().await;
    let available = world.namespace.make_available("harbor-core");
    let (ended, ()) = tokio::join!(world.run(world.example(), READY), available);
    assert_eq!(ended.unwrap(), Ended::Ready);

    let size = Size { width: 80, height: 24 };
    let shown = frame(&world.live.read(Tree::roots), &Details::new(), Some(Duration::ZERO), size);
    let shown = anstream::adapter::strip_str(&shown).to_string().replace(&world.namespace.name, "NS");
    let rows: Vec<_> = shown
        .lines()
        .map(|row| row.split_once(" ready ").map_or(row, |(row, _)| row).trim_end().to_owned())
        .collect();
    assert_eq!(
        rows,
        [
            "✓ Core NS/harbor",
            "├── ✓ Service harbor-core",
            "├── ✓ ConfigMap harbor-core",
            "├── ✓ Secret harbor-core",
            "├── ✓ Deployment harbor-core",
            "└── ✓ Secret harbor-core-database",
            "6 of 6 objects ready, 0.0s",
        ]
    );
    let lines = world.live.take_lines();
    assert!(lines.ends_with(&format!("Core {}/harbor: ready\n", world.namespace.name)), "{lines}");
}

#[tokio::test]
async fn an_object_that_is_not_ready_is_reported_with_its_children() {
    let world = World::new().await;
    assert_eq!(
        world.unready(world.example(), "Deployment").await,
        ["Core NS/harbor is not ready after 5m00s: waiting: \
          Deployment NS/harbor-core: the newest spec has not been observed yet\n  \
          Deployment NS/harbor-core: waiting: the newest spec has not been observed yet\n  \
          Secret NS/harbor-core-database: pending: until Deployment harbor-core is ready"]
    );
}

#[tokio::test]
async fn a_missing_secret_is_reported_as_the_reason() {
    let world = World::new().await;
    let mut objects = world.example();
    objects.retain(|object| object["metadata"]["name"] != "postgres");
    assert_eq!(
        world.unready(objects, "Secret").await,
        ["Core NS/harbor is not ready after 5m00s: waiting: Secret NS/postgres does not exist; create it"]
    );
}

#[tokio::test]
async fn the_timeout_includes_the_time_to_apply() {
    let world = World::new().await;
    let ended = world.run(world.example(), Goal::Ready { within: Duration::ZERO }).await;
    assert_eq!(ended.unwrap(), Ended::NotReady);
    assert_eq!(
        world.words(&session::unready(&world.live, Duration::ZERO)),
        ["not everything was applied after 0.0s; give it more time with --timeout"]
    );
}

#[tokio::test]
async fn every_object_that_cannot_be_applied_is_reported_with_the_remedy() {
    let world = World::new().await;
    let namespace = &world.namespace.name;
    let config = |namespace: &str, data: Value| {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "data": data,
               "metadata": {"name": "c", "namespace": namespace}})
    };
    let objects = vec![
        config("nowhere", json!({})),
        json!({"apiVersion": "example.com/v1", "kind": "Gizmo", "metadata": {"name": "g"}}),
        json!({"apiVersion": "v1", "kind": "Gizmo", "metadata": {"name": "g"}}),
        config(namespace, json!({"a": "b"})),
    ];
    let failure = world.run(objects, READY).await.unwrap_err();
    let remedy = "correct apiVersion and kind, or give its CustomResourceDefinition in an earlier --apply";
    assert_eq!(
        world.words(&failure),
        [
            "in.yaml: ConfigMap nowhere/c: the namespace nowhere does not exist; \
             give a Namespace called nowhere in an earlier --apply"
                .to_owned(),
            format!(
                "in.yaml: Gizmo g: the API server does not serve the kind Gizmo in example.com/v1; {remedy}"
            ),
            format!("in.yaml: Gizmo g: the API server does not serve the kind Gizmo in v1; {remedy}"),
        ]
    );
    assert!(world.namespace.has::<k8s_openapi::api::core::v1::ConfigMap>("c").await, "the rest is applied");
}

#[tokio::test]
async fn a_definition_is_followed_by_objects_of_its_kind() {
    let world = World::new().await;
    let group = format!("{}.test", world.namespace.name);
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("gizmos.{group}")},
        "spec": {
            "group": group, "scope": "Namespaced", "names": {"plural": "gizmos", "kind": "Gizmo"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                          "schema": {"openAPIV3Schema": {"type": "object"}}}],
        },
    });
    let gizmo = json!({"apiVersion": format!("{group}/v1"), "kind": "Gizmo",
                       "metadata": {"name": "g", "namespace": world.namespace.name}});
    let ended = world.run(vec![definition, gizmo], READY).await;
    assert_eq!(ended.unwrap(), Ended::Ready, "an object without a status is ready when it exists");
}

#[tokio::test]
async fn it_serves_until_it_is_interrupted_and_prints_a_line_for_each_phase_of_an_object() {
    let world = World::new().await;
    let (stop, mut out) = (CancellationToken::new(), Vec::new());
    let shown = Style::Lines.show(&world.live, &mut out, &stop);
    let work = async {
        let interrupted = async {
            world.live.until(|tree| !tree.is_settled()).await;
            world.namespace.make_available("harbor-core").await;
            world.live.until(Tree::is_settled).await;
            Signal::Terminate
        };
        let ended = world.run_until(world.example(), Goal::Serve, interrupted).await;
        stop.cancel();
        ended
    };
    let (ended, ()) = tokio::join!(work, shown);
    assert_eq!(ended.unwrap(), Ended::Interrupted(Signal::Terminate));
    let lines = String::from_utf8(out).unwrap();
    let core = format!("Core {}/harbor", world.namespace.name);
    let lines: Vec<_> = lines.lines().map(|line| line.split_once("s  ").unwrap().1).collect();
    // What it waits for first depends on which of its writes comes first.
    let phases: Vec<_> = lines.iter().map(|line| line.splitn(3, ": ").take(2).collect::<Vec<_>>()).collect();
    assert_eq!(phases, [[&*core, "waiting"], [&*core, "ready"]]);
}
