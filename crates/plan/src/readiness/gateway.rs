use super::{Readiness, unobserved};
use crate::{Manifest, Observe};
use api::thirdparty::gateway::{HTTPRoute, ParentReference, RouteParentStatus};

/// Ready when every gateway that it names has accepted it. Without a status of a gateway it is not ready: the gateway
/// has not processed it yet or does not exist, and would not serve its requests.
impl Manifest for HTTPRoute {
    const PROVIDER: &'static str = "the Gateway API";

    const OBSERVE: Observe = Observe::Status;

    fn readiness(&self) -> Readiness {
        let namespace = self.metadata.namespace.as_deref().unwrap_or_default();
        let reported = self.status.as_ref().map_or(&[][..], |status| &status.parents);
        let mut waiting = None;
        for parent in &self.spec.parent_refs {
            // Several controllers may report on one gateway.
            let mut statuses =
                reported.iter().filter(|it| is_same(&it.parent_ref, parent, namespace)).peekable();
            if statuses.peek().is_none() {
                let message =
                    format!("{} has not processed it yet; does it exist?", named(parent, namespace));
                waiting.get_or_insert(Readiness::Progressing(message));
            }
            for status in statuses {
                match accepted(self.metadata.generation, status) {
                    Readiness::Ready => {}
                    Readiness::Failed(message) => {
                        let message = format!("{} refuses it: {message}", named(parent, namespace));
                        return Readiness::Failed(message);
                    }
                    Readiness::Progressing(message) => {
                        let message = format!("{}: {message}", named(parent, namespace));
                        waiting.get_or_insert(Readiness::Progressing(message));
                    }
                }
            }
        }
        waiting.unwrap_or(Readiness::Ready)
    }
}

fn accepted(generation: Option<i64>, status: &RouteParentStatus) -> Readiness {
    let Some(accepted) = status.conditions.iter().find(|condition| condition.type_ == "Accepted") else {
        return Readiness::Progressing("has not accepted it yet".into());
    };
    if accepted.observed_generation.is_some()
        && let Some(not_yet) = unobserved(generation, accepted.observed_generation)
    {
        return not_yet;
    }
    match accepted.status.as_str() {
        "True" => Readiness::Ready,
        "False" => Readiness::Failed(format!("{} ({})", accepted.message, accepted.reason)),
        _ => Readiness::Progressing("has not accepted it yet".into()),
    }
}

/// Whether two references name the same gateway. Gateways report references with defaults filled in.
fn is_same(one: &ParentReference, other: &ParentReference, namespace: &str) -> bool {
    let identity = |parent: &ParentReference| {
        (
            parent.namespace.clone().unwrap_or_else(|| namespace.to_owned()),
            parent.name.clone(),
            parent.section_name.clone(),
            parent.port,
        )
    };
    identity(one) == identity(other)
}

fn named(parent: &ParentReference, namespace: &str) -> String {
    let kind = parent.kind.as_deref().unwrap_or("Gateway");
    let namespace = parent.namespace.as_deref().unwrap_or(namespace);
    match &parent.section_name {
        Some(section) => format!("{kind} {namespace}/{} (listener {section})", parent.name),
        None => format!("{kind} {namespace}/{}", parent.name),
    }
}
