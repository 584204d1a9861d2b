use super::{Readiness, unobserved};
use crate::{Manifest, Observe};
use api::thirdparty::gateway::{HTTPRoute, ParentReference, RouteParentStatus};

/// Ready when every gateway it names has accepted it. A gateway that says nothing has not picked it up, or does not
/// exist: nobody would be served, so that is not ready either.
impl Manifest for HTTPRoute {
    const PROVIDER: &'static str = "the Gateway API";

    const OBSERVE: Observe = Observe::Status;

    fn readiness(&self) -> Readiness {
        let namespace = self.metadata.namespace.as_deref().unwrap_or_default();
        let told = self.status.as_ref().map_or(&[][..], |status| &status.parents);
        let mut waiting = None;
        for parent in &self.spec.parent_refs {
            // Several controllers may speak of one gateway.
            let mut verdicts =
                told.iter().filter(|told| same(&told.parent_ref, parent, namespace)).peekable();
            if verdicts.peek().is_none() {
                let words = format!("{} has not looked at it yet; does it exist?", named(parent, namespace));
                waiting.get_or_insert(Readiness::Progressing(words));
            }
            for verdict in verdicts {
                match accepted(self.metadata.generation, verdict) {
                    Readiness::Ready => {}
                    Readiness::Failed(words) => {
                        let words = format!("{} refuses it: {words}", named(parent, namespace));
                        return Readiness::Failed(words);
                    }
                    Readiness::Progressing(words) => {
                        let words = format!("{}: {words}", named(parent, namespace));
                        waiting.get_or_insert(Readiness::Progressing(words));
                    }
                }
            }
        }
        waiting.unwrap_or(Readiness::Ready)
    }
}

fn accepted(generation: Option<i64>, verdict: &RouteParentStatus) -> Readiness {
    let Some(accepted) = verdict.conditions.iter().find(|condition| condition.type_ == "Accepted") else {
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

/// Whether two references mean the same; gateways write down what the API server filled in, and may fill in more.
fn same(one: &ParentReference, other: &ParentReference, namespace: &str) -> bool {
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
