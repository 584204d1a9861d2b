//! Flags for webhooks.

use super::http::Listen;
use crate::{flags::namespace, output::Error};
use clap::Args;
use std::fmt::Display;
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;
use webhookserver::{Certificate, Conversion, FailurePolicy, Reach, Rewriting, Settings, WebhookServer};

/// The default name of the Service, the Secret and the MutatingWebhookConfiguration.
pub const WEBHOOK: &str = "harbor-operator-webhook";

/// Flags for webhooks.
#[derive(Debug, Args)]
#[command(next_help_heading = "Webhooks")]
pub struct WebhookArgs {
    /// Rewrite images of new pods, so that they are pulled through a Harbor, in namespaces with the label
    /// harbor-day2-webhook-configuration=enabled
    ///
    /// The operator serves a mutating webhook and registers it. It needs further permissions: harbor-operator rbac
    /// --rewrite-images
    #[arg(
        long,
        env = "HARBOR_OPERATOR_REWRITE_IMAGES",
        value_parser = clap::builder::BoolishValueParser::new(),
        conflicts_with = "namespace",
    )]
    rewrite_images: bool,

    /// Convert objects between v1alpha3 and v1beta1, for definitions that have both versions: harbor-operator crds
    /// --conversion-webhook
    ///
    /// The operator serves a conversion webhook, and registers it in those definitions. Then it has the API server store all
    /// objects as v1beta1, and removes v1alpha3 from status.storedVersions. It needs further permissions: harbor-operator
    /// rbac --convert-v1alpha3
    #[arg(
        long,
        env = "HARBOR_OPERATOR_CONVERT_V1ALPHA3",
        value_parser = clap::builder::BoolishValueParser::new(),
        conflicts_with = "namespace",
    )]
    convert_v1alpha3: bool,

    /// Address of the webhooks: IP:PORT or :PORT
    #[arg(long, value_name = "ADDRESS", env = "HARBOR_OPERATOR_WEBHOOK_ADDRESS", default_value_t = Listen::Port(9443))]
    webhook_address: Listen,

    /// The name of the Service of the webhooks, of the Secret with their certificate, and of the
    /// MutatingWebhookConfiguration
    #[arg(long, value_name = "NAME", env = "HARBOR_OPERATOR_WEBHOOK_NAME", default_value = WEBHOOK, value_parser = namespace)]
    webhook_name: String,

    /// What the API server does with a pod when the webhook that rewrites images does not answer: Ignore admits it
    /// unchanged, Fail refuses it
    #[arg(long, value_name = "POLICY", env = "HARBOR_OPERATOR_WEBHOOK_FAILURE_POLICY", default_value_t = FailurePolicy::Ignore)]
    webhook_failure_policy: FailurePolicy,

    /// A Certificate of cert-manager, in the namespace of the operator, whose Secret has the name of --webhook-name
    /// [default: the operator issues the certificate]
    #[arg(long, value_name = "NAME", env = "HARBOR_OPERATOR_WEBHOOK_CERTIFICATE")]
    webhook_certificate: Option<String>,

    /// Host and port at which the API server reaches the webhooks, for an operator outside of the cluster [default: the
    /// Service]
    #[arg(long, value_name = "HOST:PORT", env = "HARBOR_OPERATOR_WEBHOOK_HOST", value_parser = host)]
    webhook_host: Option<Reach>,
}

impl WebhookArgs {
    /// The address and the settings of the webhooks, if one is enabled. `namespace` is that of the operator.
    pub fn settings(&self, namespace: String) -> Option<(Listen, Settings)> {
        let certificate = self.webhook_certificate.clone().filter(|name| !name.is_empty());
        let rewriting = Rewriting { failure_policy: self.webhook_failure_policy };
        let settings = Settings {
            namespace,
            name: self.webhook_name.clone(),
            reach: self.webhook_host.clone().unwrap_or(Reach::Service),
            certificate: certificate.map_or(Certificate::Issued, Certificate::CertManager),
            rewriting: self.rewrite_images.then_some(rewriting),
            conversion: self.convert_v1alpha3.then(Conversion::default),
        };
        (self.rewrite_images || self.convert_v1alpha3).then_some((self.webhook_address, settings))
    }
}

/// Binds the address of the webhooks.
pub async fn bind(address: Listen) -> Result<TcpListener, Error> {
    let listener = address.bind("--webhook-address").await?;
    listener.ok_or_else(|| Error::Listen {
        address: address.to_string(),
        problem: "webhooks need an address".to_owned(),
        flag: "--webhook-address".to_owned(),
    })
}

/// A running server of webhooks.
pub struct Webhooks(JoinHandle<Result<(), String>>);

/// Serves webhooks until stopped. If the server ends sooner, it stops the operator: a restart is better than pods that are
/// created unreviewed.
pub fn serve(server: WebhookServer, listener: TcpListener, stop: &CancellationToken) -> Webhooks {
    supervise(server.run(listener, stop.clone()), stop.clone())
}

/// Runs a server, and stops everything else when it ends.
fn supervise<E: Display + Send + 'static>(
    server: impl Future<Output = Result<(), E>> + Send + 'static,
    stop: CancellationToken,
) -> Webhooks {
    let serving = tokio::spawn(server);
    Webhooks(tokio::spawn(async move {
        let ended = match serving.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(format!("the server of webhooks failed: {error}")),
            Err(_) => Err("the server of webhooks panicked".to_owned()),
        };
        stop.cancel();
        ended
    }))
}

impl Webhooks {
    /// Waits until the server has ended; returns why, unless it was stopped.
    pub async fn ended(self) -> Result<(), Error> {
        self.0.await.unwrap_or_else(|error| Err(error.to_string())).map_err(Error::Run)
    }
}

fn host(text: &str) -> Result<Reach, String> {
    let wrong = || "write it as HOST:PORT, as IP:PORT or as [IPv6]:PORT".to_owned();
    let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
    let port = port.parse().map_err(|_| wrong())?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    if host.is_empty() {
        return Err(wrong());
    }
    Ok(Reach::At { host: host.to_owned(), port })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use std::{convert::Infallible, future::ready};

    #[tokio::test]
    async fn a_server_that_fails_stops_the_operator_with_the_reason() {
        let stop = CancellationToken::new();
        let webhooks = supervise(ready(Err("no TLS")), stop.clone());
        stop.cancelled().await;
        let why = webhooks.ended().await.unwrap_err().to_string();
        assert!(why.contains("the server of webhooks failed: no TLS"), "{why}");
    }

    #[tokio::test]
    async fn a_server_that_is_stopped_has_time_to_end() {
        let (stop, answered) = (CancellationToken::new(), CancellationToken::new());
        let (stopped, last) = (stop.clone(), answered.clone());
        let server = async move {
            stopped.cancelled().await;
            tokio::task::yield_now().await;
            last.cancel();
            Ok::<_, Infallible>(())
        };
        let webhooks = supervise(server, stop.clone());
        stop.cancel();
        assert!(webhooks.ended().await.is_ok());
        assert!(answered.is_cancelled());
    }

    #[derive(Parser)]
    struct Only {
        #[arg(long)]
        namespace: Vec<String>,
        #[command(flatten)]
        args: WebhookArgs,
    }

    fn settings(args: &[&str]) -> Result<Option<(Listen, Settings)>, String> {
        let parsed = Only::try_parse_from([&["run"], args].concat()).map_err(|error| error.to_string())?;
        assert!(parsed.namespace.is_empty());
        Ok(parsed.args.settings("ops".into()))
    }

    #[test]
    fn no_webhook_is_served_by_default() {
        assert_eq!(settings(&[]), Ok(None));
    }

    #[test]
    fn the_webhook_is_reached_by_its_service_and_ignored_when_it_fails() {
        let expected = Settings {
            namespace: "ops".into(),
            name: "harbor-operator-webhook".into(),
            reach: Reach::Service,
            certificate: Certificate::Issued,
            rewriting: Some(Rewriting { failure_policy: FailurePolicy::Ignore }),
            conversion: None,
        };
        assert_eq!(settings(&["--rewrite-images"]), Ok(Some((Listen::Port(9443), expected.clone()))));
        let args = [
            "--rewrite-images",
            "--webhook-failure-policy=Fail",
            "--webhook-certificate=serving",
            "--webhook-host=[::1]:8443",
        ];
        let changed = Settings {
            reach: Reach::At { host: "::1".into(), port: 8443 },
            certificate: Certificate::CertManager("serving".into()),
            rewriting: Some(Rewriting { failure_policy: FailurePolicy::Fail }),
            ..expected
        };
        assert_eq!(settings(&args), Ok(Some((Listen::Port(9443), changed))));
    }

    #[test]
    fn objects_are_converted_with_or_without_image_rewriting() {
        let served = |args: &[&str]| {
            let (_, settings) = settings(args).unwrap().unwrap();
            (settings.rewriting.is_some(), settings.conversion)
        };
        let conversion = Some(Conversion::default());
        assert_eq!(served(&["--convert-v1alpha3"]), (false, conversion));
        assert_eq!(served(&["--convert-v1alpha3", "--rewrite-images"]), (true, conversion));
    }

    #[test]
    fn an_operator_of_some_namespaces_serves_no_webhook() {
        assert!(settings(&["--convert-v1alpha3", "--namespace=a"]).is_err());
        assert!(settings(&["--rewrite-images", "--namespace=a"]).is_err());
        assert!(settings(&["--rewrite-images", "--webhook-failure-policy=fail"]).is_err());
        assert!(settings(&["--rewrite-images", "--webhook-host=8443"]).is_err());
    }
}
