//! `status`: how the Harbors of a cluster are, and what they wait for.

mod table;

use crate::{
    flags::{DefaultsArgs, Place, Target},
    operator::{Signals, predecessors},
    output::{Error, Failure, print, print_styled, terminal_width, warn},
    tree::{Live, Node, Style, Tree, json, still},
};
use clap::{Args, ValueEnum};
use plan::ObjectKey;
use runtime::{Inspector, Options, Scope};
use std::{io, process::ExitCode, sync::Arc};
use tokio_util::sync::CancellationToken;

/// What the command exits with when something is not ready.
const NOT_READY: u8 = 3;

/// Show how the Harbors of a cluster are, and what they wait for
///
/// With a name, draws what the object wants to exist, in which order, and what each of that waits for; without, a table
/// of all. Everything is worked out from the cluster itself, with the functions the operator plans with, whether the
/// operator runs or not. Nothing is written.
///
/// Exits with 0 if everything is ready, with 3 if something is not, and with 1 if it cannot be told.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harbor-operator status
  harbor-operator status -A
  harbor-operator status acme --namespace registry
  harbor-operator status harborcluster/acme --watch
  harbor-operator status acme --output json | jq '.[].children[].state'")]
pub struct Status {
    /// Name of a HarborCluster, a Harbor or one of their parts; KIND/NAME where there are several of that name
    name: Option<String>,

    /// Look at all namespaces
    #[arg(long, short = 'A', conflicts_with = "namespace")]
    all_namespaces: bool,

    /// Go on until Ctrl-C: on a terminal the tree is redrawn in place, elsewhere there is a line per change
    #[arg(long, short)]
    watch: bool,

    /// How to write it
    #[arg(long, short, value_enum, value_name = "FORMAT", default_value = "text", conflicts_with = "watch")]
    output: Output,

    #[command(flatten)]
    target: Target,

    #[command(flatten)]
    defaults: DefaultsArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// A tree or a table for people
    Text,
    /// A list of trees for programs
    Json,
}

impl Status {
    /// Shows it.
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
        let inspector = Inspector::start(client, scope, components::all().into(), &options).await;
        let inspector = inspector.map_err(|failure| Error::Look(failure.message))?;
        let place = if self.all_namespaces { "the cluster".into() } else { format!("namespace {namespace}") };
        for key in inspector.owners().keys() {
            self.inspect(&inspector, key).await;
        }
        let roots = live.read(Tree::roots);
        match &self.name {
            Some(name) if roots.is_empty() => {
                let remedy = "`status -A` without a name lists what there is";
                return Err(Error::input(name, format!("there is no such object in {place}"), remedy));
            }
            None if roots.is_empty() && !self.watch && self.output == Output::Text => {
                warn(format_args!("there is no Harbor in {place}"));
            }
            _ if self.watch => return self.follow(&inspector, &live).await,
            _ => self.print(&inspector, &roots)?,
        }
        Ok(code(&roots))
    }

    fn print(&self, inspector: &Inspector, roots: &[Node]) -> Result<(), Error> {
        match (self.output, &self.name) {
            (Output::Json, _) => print(&json(roots)?),
            (Output::Text, Some(_)) => print_styled(&still(roots, terminal_width())),
            (Output::Text, None) => {
                let owners = inspector.owners();
                let version = |node: &Node| {
                    owners.get(&node.key)?.data.pointer("/spec/version")?.as_str().map(str::to_owned)
                };
                let rows = roots.iter().map(|node| (node, version(node))).collect::<Vec<_>>();
                print_styled(&table::table(&rows, self.all_namespaces, terminal_width()))
            }
        }
    }

    async fn follow(&self, inspector: &Inspector, live: &Live) -> Result<ExitCode, Error> {
        let mut signals = Signals::catch().map_err(|error| Error::Run(error.to_string()))?;
        let stop = CancellationToken::new();
        let following = async {
            loop {
                tokio::select! {
                    keys = inspector.changed() => {
                        for key in &keys {
                            self.inspect(inspector, key).await;
                        }
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

    /// Looks at an object, if it is meant or belongs to one that is.
    async fn inspect(&self, inspector: &Inspector, key: &ObjectKey) {
        let meant = match &self.name {
            None => true,
            Some(name) => inspector.lineage(key).iter().any(|key| is_called(key, name)),
        };
        if meant {
            inspector.inspect(key).await;
        }
    }
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
