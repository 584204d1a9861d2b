//! `sandbox`: a control plane, the operator and stand-ins for the rest of a cluster, in one process.

mod cluster;
mod definitions;
mod harbors;
mod kubeconfig;
mod ready;
mod session;
#[cfg(test)]
mod tests;
mod webhooks;

use crate::{
    flags::DefaultsArgs,
    manifests::{Object, read_objects, warn_about_unreconciled},
    operator::{Log, Signals, WebPage},
    output::{Error, Failure, SandboxError, duration, print},
    tree::{Live, Style},
};
use api::{conversion::Version, v1beta1::GoDuration};
use clap::Args;
pub use cluster::{Cluster, ClusterOptions};
use harbordriver::HarborDriver;
use harbors::Harbors;
use kubeconfig::Kubeconfig;
use runtime::Options;
use session::{Ended, Goal};
use std::{env, io, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Try the operator without a cluster
///
/// Starts a Kubernetes API in memory and the operator, with stand-ins for the other controllers of a cluster: workloads
/// become ready, certificates are issued, databases become available; no container ever runs. Every Core that is
/// available serves Harbor's API from memory, so projects, robot accounts and settings can be tried, too. The custom
/// resource definitions of the operator and of the third-party kinds it uses are installed. kubectl works with it: the
/// command prints the line to use.
///
/// While objects converge, the terminal shows what each of them waits for; without a terminal, the command prints a
/// line for each object that becomes ready, waits or fails. To see the log, set RUST_LOG, such as RUST_LOG=info.
///
/// Ends with the first Ctrl-C, SIGTERM or SIGHUP, or when --wait ends. Exits with 0 on success, with 1 if an object could
/// not be applied or did not become ready, and with 129, 130 or 143 if --wait was interrupted.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harbor-operator sandbox
  harbor-operator sandbox --apply examples/in-cluster.yaml
  harbor-operator sandbox --apply examples/in-cluster.yaml --wait
  harbor-operator sandbox --state sandbox.json
  harbor-operator sandbox --kubeconfig ~/.kube/sandbox --listen 127.0.0.1:6443")]
pub struct Sandbox {
    /// Apply the objects in this YAML or JSON file, or in those of a directory, in order; - is standard input
    #[arg(long, short = 'f', value_name = "FILE", num_args = 1..)]
    apply: Vec<PathBuf>,

    /// Wait until all applied objects are ready, then end; on timeout, print the objects that are not ready and why
    #[arg(long, requires = "apply")]
    wait: bool,

    /// How long --wait waits, such as 90s or 5m
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = span)]
    timeout: Duration,

    /// File to write the kubeconfig to [default: a file in a temporary directory, removed at the end]
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,

    /// Keep all objects in this file, so that another sandbox can continue with them
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,

    /// How long a workload, a certificate or a database takes to become ready
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = span)]
    delay: Duration,

    /// Address of the API; port 0 is any free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    listen: SocketAddr,

    /// Address of a read-only web page about all objects; port 0 is any free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    page_address: SocketAddr,

    #[command(flatten)]
    defaults: DefaultsArgs,
}

fn unavailable(error: io::Error) -> Error {
    SandboxError::Start(error.to_string()).into()
}

fn span(text: &str) -> Result<Duration, String> {
    GoDuration::from(text).to_std().map_err(|error| error.to_string())
}

impl Sandbox {
    /// Runs until stopped, or until --wait ends.
    pub fn run(self) -> Result<(), Failure> {
        // Errors in files are reported before anything starts.
        let objects = read_objects(&self.apply)?;
        warn_about_unreconciled(&objects);
        let logging = env::var_os("RUST_LOG").is_some_and(|log| !log.is_empty());
        if logging {
            Log::Text.start();
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(unavailable)?;
        runtime.block_on(self.operate(objects, Style::choose(logging)))
    }

    async fn operate(self, objects: Vec<Object>, style: Style) -> Result<(), Failure> {
        let mut signals = Signals::catch().map_err(unavailable)?;
        let kubeconfig = Kubeconfig::at(self.kubeconfig.as_deref())?;
        let (listener, webhooks) = webhooks::listen().await?;
        let mut cluster = Cluster::start(ClusterOptions {
            listen: self.listen,
            state: self.state.clone(),
            delay: self.delay,
            kubeconfig: kubeconfig.path(),
            webhooks,
        })
        .await?;
        let live = Arc::new(Live::begin());
        let page = self.page().await?;
        let done = CancellationToken::new();
        let harbors = Harbors::default();
        let address = harbors.listen(done.clone()).await?;
        print(&self.greeting(&kubeconfig, &page, address))?;

        let goal = if self.wait { Goal::Ready { within: self.timeout } } else { Goal::Serve };
        let interrupted = async {
            let signal = signals.next().await;
            tokio::spawn(async move {
                let signal = signals.insistent().await;
                std::process::exit(signal.exit_code().into());
            });
            signal
        };
        let work = async {
            let client = cluster.client.clone();
            tokio::spawn(done.clone().run_until_cancelled_owned(harbors.clone().follow(client.clone())));
            let observers = vec![page.observer()];
            tokio::spawn(page.serve(client.clone(), done.clone()));
            let options = Options {
                digest_key: cluster.digest_key.clone(),
                defaults: self.defaults.defaults(),
                external_drivers: vec![Arc::new(HarborDriver::over(harbors.clone()))],
                ..Options::default()
            };
            webhooks::serve(listener, client.clone(), &options, done.clone());
            if objects.iter().any(|object| object.version == Version::V1alpha3.name()) {
                webhooks::until_registered(&client).await;
            }
            let session = session::run(client, options, objects, goal, &live, observers, interrupted);
            let ended = tokio::select! {
                ended = session => ended,
                error = cluster.failed() => Err(error.into()),
            };
            done.cancel();
            ended
        };
        let mut out = io::stdout();
        let (ended, ()) = tokio::join!(work, style.show(&live, &mut out, &done));
        cluster.end().await;
        self.conclude(ended?, &live)
    }

    async fn page(&self) -> Result<WebPage, Error> {
        let address = self.page_address;
        let listener = TcpListener::bind(address).await;
        listener.and_then(WebPage::on).map_err(|error| {
            let problem = format!("cannot listen on it ({error})");
            Error::input(address, problem, "name another address with --page-address")
        })
    }

    fn greeting(&self, kubeconfig: &Kubeconfig, page: &WebPage, harbors: SocketAddr) -> String {
        let line = kubeconfig.kubectl("get goharbor -A");
        let end = if self.wait { "" } else { "Ctrl-C ends it.\n" };
        format!(
            "The sandbox is up; in another terminal:\n\n  {line}\n\nIn a browser:\n\n  {}\n\nThe API of each Harbor, once its Core is \
             available:\n\n  curl -u admin http://{harbors}/NAMESPACE/CORE/api/v2.0/systeminfo\n\n{end}",
            page.url()
        )
    }

    fn conclude(&self, ended: Ended, live: &Live) -> Result<(), Failure> {
        let after = duration(live.now());
        match ended {
            Ended::Ready => Ok(print(&format!("everything is ready after {after}\n"))?),
            Ended::NotReady => Err(session::unready(live, self.timeout)),
            Ended::Interrupted(signal) if self.wait => {
                Err(Error::from(SandboxError::Interrupted { exit_code: signal.exit_code() }).into())
            }
            Ended::Interrupted(_) => Ok(print(&format!("ended after {after}\n"))?),
        }
    }
}
