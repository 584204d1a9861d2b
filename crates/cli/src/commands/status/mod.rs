//! `status`: the state of the Harbors of a cluster.

mod gaps;
mod table;

use crate::{
    flags::{DefaultsArgs, Place, Target, class},
    operator::{Signals, predecessors, reconciled, summary},
    output::{Error, Failure, plain, print, print_styled, terminal_width, warn},
    tree::{Details, Header, Live, Node, Style, Tree, details, json, still},
};
use clap::{Args, ValueEnum};
use jiff::Timestamp;
use kube::Client;
use plan::{HarborClass, ObjectKey};
use pods::{Report, Standing};
use progress::{Observer as _, Progress, Stage, Summary};
use runtime::{Inspector, Options, Scope};
use std::{collections::BTreeMap, io, process::ExitCode, sync::Arc, time::Duration};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

/// The exit code if an object is not ready.
const NOT_READY: u8 = 3;
/// With --watch, the pods of workloads that are not ready are read at this interval.
const PODS_INTERVAL: Duration = Duration::from_secs(5);

/// Show the state of Harbors and what they wait for
///
/// With a name, prints the object's URL, version, expiry of the certificate that clients see and number of pods, and draws
/// its children, their order and what each waits for; without, a table. Below a Deployment that is not ready, and below an object
/// of another operator, are its pods: their states, restarts and last warnings, and the last lines of the logs of containers that
/// fail, in which what looks like a secret is masked. The command reads the cluster and plans as the operator does, so it works
/// whether the operator runs or not. Nothing is written.
///
/// Exits with 0 if all objects are ready, with 3 if one is not, and with 1 if the state cannot be determined.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harbor-operator status
  harbor-operator status -A
  harbor-operator status acme --namespace registry
  harbor-operator status harborcluster/acme --watch
  harbor-operator status acme --output json | jq '.[].children[].state'")]
pub struct Status {
    /// Name of a HarborCluster, of a Harbor or of a component; KIND/NAME if several kinds have that name
    name: Option<String>,

    /// Show all namespaces
    #[arg(long, short = 'A', conflicts_with = "namespace")]
    all_namespaces: bool,

    /// Show objects of this class only (annotation goharbor.io/harbor-class) [default: all classes]
    #[arg(long, value_name = "NAME", value_parser = class)]
    class: Option<String>,

    /// Watch until Ctrl-C: on a terminal, the tree is redrawn in place; otherwise, a line for each object that becomes
    /// ready, waits or fails
    #[arg(long, short)]
    watch: bool,

    /// Output format
    #[arg(long, short, value_enum, value_name = "FORMAT", default_value = "text", conflicts_with = "watch")]
    output: Output,

    /// Also show Namespaces with the annotation goharbor.io/project, for which an operator with run --bind-namespaces
    /// creates objects
    #[arg(long, env = "HARBOR_OPERATOR_BIND_NAMESPACES", value_parser = clap::builder::BoolishValueParser::new())]
    bind_namespaces: bool,

    #[command(flatten)]
    target: Target,

    #[command(flatten)]
    defaults: DefaultsArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// A tree or a table
    Text,
    /// A list of trees
    Json,
}

impl Status {
    /// Prints the state.
    pub fn run(self) -> Result<ExitCode, Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Error::Run(error.to_string()))?;
        Ok(runtime.block_on(self.show())?)
    }

    async fn show(self) -> Result<ExitCode, Error> {
        let Place { client, namespace } = self.target.connect().await?;
        let scope = if self.all_namespaces { Scope::Cluster } else { Scope::Namespace(namespace.clone()) };
        let live = Arc::new(Live::timeless());
        let options = Options {
            predecessors: predecessors(),
            defaults: self.defaults.defaults(),
            observer: Some(live.clone()),
            ..Options::default()
        };
        let components = reconciled(self.bind_namespaces).into();
        let inspector = Inspector::start(client.clone(), scope, components, &options).await;
        let inspector = inspector.map_err(|failure| Error::Inspect(failure.message))?;
        let place = if self.all_namespaces { "the cluster".into() } else { format!("namespace {namespace}") };
        self.inspect(&inspector, inspector.owners().into_keys(), &live).await;
        let roots = live.read(Tree::roots);
        gaps::warn_about_plan(&inspector);
        let report = match &self.name {
            Some(_) => about_pods(&client, &roots).await,
            None => Report::default(),
        };
        gaps::warn_about_pods(&report);
        match &self.name {
            Some(name) if roots.is_empty() => {
                let remedy = "`status -A` without a name lists all objects";
                return Err(Error::input(name, format!("not found in {place}"), remedy));
            }
            None if roots.is_empty() && !self.watch && self.output == Output::Text => {
                let remedy = if self.all_namespaces { "" } else { "; `status -A` shows all namespaces" };
                warn(format_args!("no Harbor found in {place}{remedy}"));
            }
            _ if self.watch => return self.follow(&client, &inspector, &live, &report).await,
            _ => self.print(&inspector, &roots, &report).await?,
        }
        Ok(code(&roots))
    }

    async fn print(&self, inspector: &Inspector, roots: &[Node], report: &Report) -> Result<(), Error> {
        let owners = inspector.owners();
        let fields = |node: &Node| match owners.get(&node.key) {
            Some(owner) => summary(&owner.data),
            None => Summary::default(),
        };
        let mut headers = Vec::new();
        for root in roots {
            let header = Header { summary: fields(root), ..Header::default() };
            headers.push(match &self.name {
                Some(_) => looked_up(header, inspector, root, report).await,
                None => header,
            });
        }
        match (self.output, &self.name) {
            (Output::Json, _) => print(&json(roots.iter().zip(headers), report)?),
            (Output::Text, Some(_)) => {
                let about = details(report, Timestamp::now());
                print_styled(&drawing(roots, &headers, &about, terminal_width()))
            }
            (Output::Text, None) => {
                let version = |header: Header| header.summary.version.map(String::from);
                let mut rows: Vec<_> = roots.iter().zip(headers.into_iter().map(version)).collect();
                // Phases are in the order in which they need attention.
                rows.sort_by_key(|(node, _)| node.state.phase);
                print_styled(&table::table(&rows, self.all_namespaces, terminal_width()))
            }
        }
    }

    async fn follow(
        &self,
        client: &Client,
        inspector: &Inspector,
        live: &Live,
        report: &Report,
    ) -> Result<ExitCode, Error> {
        let mut signals = Signals::catch().map_err(|error| Error::Run(error.to_string()))?;
        let stop = CancellationToken::new();
        live.read_pods(report, Timestamp::now());
        let following = async {
            let mut next = Instant::now() + PODS_INTERVAL;
            // Once everything is ready, the pods are not read before something changes.
            let mut is_stale = has_unready(&live.read(Tree::roots));
            loop {
                tokio::select! {
                    keys = inspector.changed() => {
                        self.inspect(inspector, keys, live).await;
                        is_stale = self.name.is_some();
                    }
                    () = sleep_until(next), if is_stale && self.name.is_some() => {
                        let roots = live.read(Tree::roots);
                        live.read_pods(&about_pods(client, &roots).await, Timestamp::now());
                        is_stale = has_unready(&roots);
                        next = Instant::now() + PODS_INTERVAL;
                    }
                    _ = signals.next() => break,
                }
            }
            stop.cancel();
        };
        let mut out = io::stdout();
        tokio::join!(following, Style::choose(false).show(live, &mut out, &stop));
        Ok(code(&live.read(Tree::roots)))
    }

    /// Inspects an object if it is of the class, and if it was named or belongs to one that was.
    async fn inspect(&self, inspector: &Inspector, keys: impl IntoIterator<Item = ObjectKey>, live: &Live) {
        let class = self.class.as_deref().and_then(HarborClass::named);
        let owners = if class.is_some() { inspector.owners() } else { BTreeMap::new() };
        let is_of_class = |key: &ObjectKey| {
            class.is_none() || owners.get(key).is_some_and(|owner| HarborClass::of(&owner.metadata) == class)
        };
        let is_named = |key: &ObjectKey| match &self.name {
            None => true,
            Some(name) => inspector.lineage(key).iter().any(|key| is_called(key, name)),
        };
        for owner in keys {
            if !is_of_class(&owner) {
                // It may have been of this class before.
                live.observe(Progress { owner, stage: Stage::Deleted });
            } else if is_named(&owner) {
                inspector.inspect(&owner).await;
            }
        }
    }
}

/// What the pods of all workloads below these objects report.
async fn about_pods(client: &Client, roots: &[Node]) -> Report {
    pods::read(client, &workloads(roots), Timestamp::now()).await
}

fn workloads(roots: &[Node]) -> BTreeMap<ObjectKey, Standing> {
    roots.iter().flat_map(pods::workloads).collect()
}

fn has_unready(roots: &[Node]) -> bool {
    workloads(roots).values().any(|standing| *standing == Standing::Unready)
}

/// The header with what takes requests to find out, and how many pods below the object are ready.
async fn looked_up(header: Header, inspector: &Inspector, root: &Node, report: &Report) -> Header {
    // The certificate of a HarborCluster is that of its Harbor.
    let mut certificate = None;
    for node in [root].into_iter().chain(&root.children).filter(|node| node.is_owner) {
        certificate = certificate.or(inspector.served_until(&node.key).await);
    }
    let below = pods::workloads(root);
    Header { certificate, pods: report.tally(|key| below.contains_key(key)), ..header }
}

/// The trees below their headers. With several trees, a header names its object.
fn drawing(roots: &[Node], headers: &[Header], about: &Details, room: usize) -> String {
    let mut text = String::new();
    for (root, header) in roots.iter().zip(headers) {
        let mut lines = header.lines(room);
        if roots.len() > 1 && !lines.is_empty() {
            lines.insert(0, plain(&format!("{}:", root.key)));
        }
        text.extend(lines.into_iter().map(|line| line + "\n"));
    }
    text + &still(roots, about, room)
}

fn is_called(key: &ObjectKey, wanted: &str) -> bool {
    match wanted.split_once('/') {
        None => key.name == wanted,
        Some((kind, name)) => {
            let kind = kind.to_lowercase();
            let own = key.kind.to_lowercase();
            key.name == name && (kind == own || kind == format!("{own}s"))
        }
    }
}

fn code(roots: &[Node]) -> ExitCode {
    if roots.iter().all(Node::is_ready) { ExitCode::SUCCESS } else { ExitCode::from(NOT_READY) }
}
