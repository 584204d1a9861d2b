//! `crds`: the custom resource definitions, as text.

use crate::output::{Error, Failure, Output, Printed, print};
use api::conversion::{ConversionWebhook, serve_v1alpha3};
use clap::Args;

/// Print the custom resource definitions to install
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harbor-operator crds | kubectl apply -f -
  harbor-operator crds --without-rules | kubectl apply -f -  # Kubernetes < 1.30
  harbor-operator crds --conversion-webhook ops/hooks > crds.yaml
  harbor-operator crds --output json > crds.json")]
pub struct Crds {
    /// Output format
    #[arg(long, short, value_enum, value_name = "FORMAT", default_value = "yaml")]
    output: Output,

    /// Omit validation rules, which Kubernetes before 1.30 does not support
    #[arg(long)]
    without_rules: bool,

    /// Also serve v1alpha3, converted by the webhook behind this Service or at this URL: that of run --convert-v1alpha3
    #[arg(long, value_name = "NAMESPACE/SERVICE|URL", value_parser = webhook)]
    conversion_webhook: Option<ConversionWebhook>,
}

fn webhook(text: &str) -> Result<ConversionWebhook, &'static str> {
    if text.strip_prefix("https://").is_some_and(|host| !host.is_empty()) {
        return Ok(ConversionWebhook::Url(text.to_owned()));
    }
    match text.split_once('/') {
        Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() && !name.contains('/') => {
            Ok(ConversionWebhook::Service { namespace: namespace.to_owned(), name: name.to_owned() })
        }
        _ => Err(
            "write the namespace and the name of the Service, with a slash between them, or https://HOST:PORT",
        ),
    }
}

impl Crds {
    /// Prints them all.
    pub fn run(self) -> Result<(), Failure> {
        let mut definitions = api::crds::all();
        if let Some(webhook) = &self.conversion_webhook {
            definitions = serve_v1alpha3(definitions, webhook);
        }
        if self.without_rules {
            definitions = api::crds::without_rules(definitions);
        }
        let objects = definitions.iter().map(|definition| {
            serde_json::to_value(definition).map_err(|error| Error::Encode {
                object: definition.metadata.name.clone().unwrap_or_default(),
                problem: error.to_string(),
            })
        });
        let objects = objects.collect::<Result<Vec<_>, _>>()?;
        let printed = objects.iter().map(|object| Printed { notes: &[], object });
        Ok(print(&self.output.text(printed)?)?)
    }
}
