//! The operator, and what `run` and `sandbox` start with it: the web page, the log, signal handlers.
//!
//! Uses: nothing.

mod kinds;
mod log;
mod page;
mod signals;

pub use kinds::{GROUP, component, kind_names};
#[cfg(feature = "otlp")]
pub use log::BoxedLayer;
#[cfg(feature = "sandbox")]
pub use log::Log;
pub use log::Logging;
pub use page::{WebPage, setup as page_setup, summary};
#[cfg(feature = "sandbox")]
pub use signals::Signal;
pub use signals::Signals;

use harbordriver::{HarborDriver, Network};
use kube::Client;
use plan::ComponentKind;
use runtime::{ExternalDriver, Operator, Options};
use std::{collections::BTreeSet, sync::Arc};

/// The drivers of systems outside the cluster, which reach them over a network.
pub fn drivers(network: impl Network) -> Vec<Arc<dyn ExternalDriver>> {
    vec![Arc::new(HarborDriver::over(network))]
}

/// The kinds that an operator reconciles, with or without `--bind-namespaces`.
pub fn reconciled(bind_namespaces: bool) -> Vec<ComponentKind> {
    if bind_namespaces { components::with_optional() } else { components::all() }
}

/// An operator for these kinds, which takes over the fields of the old operator.
pub fn operator(client: Client, components: Vec<ComponentKind>, options: Options) -> Operator {
    Operator::new(client, components, Options { predecessors: predecessors(), ..options })
}

/// The field managers of the old operator: the name of its program, and that of each controller.
pub fn predecessors() -> BTreeSet<String> {
    let controllers = components::all().into_iter().map(|component| component.name.to_owned());
    ["harbor-operator", "manager"].map(str::to_owned).into_iter().chain(controllers).collect()
}
