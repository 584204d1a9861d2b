//! One session of the sandbox: the operator reconciles the applied objects until they are ready, or until it is stopped.

use super::ready;
use crate::{
    manifests::{Applier, Object, Purpose},
    operator::{Signal, operator},
    output::{Error, Failure, SandboxError, Unready, duration},
    tree::{Live, Node, Tree, sentence},
};
use kube::Client;
use progress::Observer;
use runtime::Options;
use std::{future::pending, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// Why the sandbox runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// To serve the API until it is stopped.
    Serve,
    /// To wait until all applied objects are ready.
    Ready {
        /// The longest time to wait.
        within: Duration,
    },
}

/// How the session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All applied objects are ready.
    Ready,
    /// The time to wait is over, and an object is not ready.
    NotReady,
    /// A signal.
    Interrupted(Signal),
}

/// Runs the operator, applies the objects and pursues the goal. Progress is shown in `live`, and reported to the
/// observers.
pub async fn run(
    client: Client,
    options: Options,
    objects: Vec<Object>,
    goal: Goal,
    live: &Arc<Live>,
    mut observers: Vec<Arc<dyn Observer>>,
    interrupted: impl Future<Output = Signal>,
) -> Result<Ended, Failure> {
    observers.push(live.clone());
    let options = Options { observer: Some(Arc::new(observers)), ..options };
    let stop = CancellationToken::new();
    let mut operating =
        tokio::spawn(operator(client.clone(), components::with_optional(), options).run(stop.clone()));
    let ended = tokio::select! {
        ended = pursue(client, objects, goal, live) => ended,
        signal = interrupted => Ok(Ended::Interrupted(signal)),
        () = timed_out(goal, live) => Ok(Ended::NotReady),
        _ = &mut operating => return Err(Error::Run("one of its tasks panicked".into()).into()),
    };
    stop.cancel();
    let operated = operating.await.map_err(runtime::Ended::from).flatten();
    operated.map_err(|error| Error::Run(error.to_string()))?;
    ended
}

async fn timed_out(goal: Goal, live: &Live) {
    match goal {
        Goal::Serve => pending().await,
        Goal::Ready { within } => tokio::time::sleep(within.saturating_sub(live.now())).await,
    }
}

async fn pursue(client: Client, objects: Vec<Object>, goal: Goal, live: &Live) -> Result<Ended, Failure> {
    let mut applier = Applier::new(client, Purpose::Apply);
    let (mut done, mut errors) = (Vec::new(), Vec::new());
    for object in objects {
        match applier.apply(object).await {
            Ok(object) => done.push(object),
            Err(error) => errors.push(error),
        }
    }
    Failure::unless_empty(errors)?;
    let following = ready::follow(done, live);
    let reached = async {
        match goal {
            Goal::Serve => pending().await,
            Goal::Ready { .. } => live.until(is_ready).await,
        }
    };
    tokio::select! {
        never = following => match never {},
        () = reached => Ok(Ended::Ready),
    }
}

fn is_ready(tree: &Tree) -> bool {
    tree.expected().iter().all(Node::is_ready)
}

/// An error for each applied object that is not ready, with the reason.
pub fn unready(live: &Live, within: Duration) -> Failure {
    let after = duration(within);
    let expected = live.read(Tree::expected);
    let errors = expected.iter().filter(|node| !node.is_ready()).map(|node| {
        let children = node.children.iter().filter(|child| !child.is_ready());
        let children = children.map(|child| format!("{}: {}", child.key, sentence(&child.state))).collect();
        let (object, after) = (node.key.to_string(), after.clone());
        let unready = Unready { object, after, why: sentence(&node.state), children };
        Error::from(SandboxError::Unready(unready))
    });
    let errors: Vec<_> = errors.collect();
    let slow = || Error::from(SandboxError::Slow { after }).into();
    Failure::unless_empty(errors).map_or_else(|failure| failure, |()| slow())
}

#[cfg(test)]
mod tests {
    use super::{Ended, Goal, run};
    use crate::{
        commands::sandbox::{Cluster, ClusterOptions},
        manifests::read_objects,
        operator::Signal,
        tree::Live,
    };
    use api::v1beta1::HarborProject;
    use kube::{Api, runtime::wait::await_condition};
    use runtime::Options;
    use std::{path::Path, sync::Arc, time::Duration};
    use tempfile::TempDir;

    #[tokio::test(flavor = "multi_thread")]
    async fn an_annotated_namespace_gets_its_objects() {
        let folder = TempDir::new().unwrap();
        let kubeconfig = folder.path().join("kubeconfig");
        let cluster = Cluster::start(ClusterOptions {
            listen: "127.0.0.1:0".parse().unwrap(),
            state: None,
            delay: Duration::ZERO,
            kubeconfig: &kubeconfig,
            webhooks: "127.0.0.1:0".parse().unwrap(),
        });
        let cluster = cluster.await.unwrap();
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/day-2/namespace.yaml");
        let objects = read_objects(&[example]).unwrap();
        let projects: Api<HarborProject> = Api::namespaced(cluster.client.clone(), "team");
        let created = async {
            await_condition(projects, "4k8s", |it: Option<&HarborProject>| it.is_some()).await.unwrap();
            Signal::Terminate
        };
        let (live, options) = (Arc::new(Live::begin()), Options::default());
        let session = run(cluster.client.clone(), options, objects, Goal::Serve, &live, Vec::new(), created);
        let ended = tokio::time::timeout(Duration::from_mins(1), Box::pin(session)).await.unwrap();
        assert_eq!(ended.unwrap(), Ended::Interrupted(Signal::Terminate));
        cluster.end().await;
    }
}
