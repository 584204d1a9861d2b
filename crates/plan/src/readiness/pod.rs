use super::{Readiness, shortened};
use crate::{Manifest, Observe};
use api::names::REMEDY_ANNOTATION;
use k8s_openapi::api::core::v1::{ContainerStateTerminated, ContainerStatus, Pod};

/// How much of the end of a failed container's log is quoted.
const LAST_WORDS: usize = 700;

/// A pod that the operator creates does one task and ends. It is ready when it has succeeded. A failed pod is quoted: its
/// container reports the end of its log, see `terminationMessagePolicy`.
impl Manifest for Pod {
    const OBSERVE: Observe = Observe::Status;

    fn readiness(&self) -> Readiness {
        let status = self.status.as_ref();
        let containers = || {
            let of = |list: Option<&'_ Vec<ContainerStatus>>| list.cloned().unwrap_or_default();
            let init = of(status.and_then(|status| status.init_container_statuses.as_ref()));
            init.into_iter().chain(of(status.and_then(|status| status.container_statuses.as_ref())))
        };
        match status.and_then(|status| status.phase.as_deref()) {
            Some("Succeeded") => Readiness::Ready,
            Some("Failed") => {
                let ended = containers().find_map(|container| {
                    let ended = container.state?.terminated?;
                    (ended.exit_code != 0).then(|| quoted(&container.name, &ended))
                });
                let evicted = || status.and_then(|status| status.message.clone());
                let what = ended.or_else(evicted).unwrap_or_else(|| "has failed".into());
                let remedy = self.metadata.annotations.as_ref().and_then(|all| all.get(REMEDY_ANNOTATION));
                Readiness::Failed(match remedy {
                    Some(remedy) => format!("{what}; {remedy}"),
                    None => what,
                })
            }
            Some("Running") => Readiness::Progressing("is running".into()),
            _ => {
                let waiting = containers().find_map(|container| container.state?.waiting);
                let reason = waiting.as_ref().and_then(|waiting| waiting.reason.clone());
                let message = waiting.and_then(|waiting| waiting.message).filter(|it| !it.is_empty());
                let why = [reason, message].into_iter().flatten().collect::<Vec<_>>().join(": ");
                Readiness::Progressing(if why.is_empty() {
                    "has not started yet".into()
                } else {
                    format!("has not started yet: {}", shortened(&why))
                })
            }
        }
    }
}

fn quoted(container: &str, ended: &ContainerStateTerminated) -> String {
    let ContainerStateTerminated { exit_code, message, .. } = ended;
    let log = message.as_deref().unwrap_or_default().trim();
    if log.is_empty() {
        return format!("container {container} ended with exit code {exit_code}");
    }
    let skipped = log.chars().count().saturating_sub(LAST_WORDS);
    let end: String = log.chars().skip(skipped).collect();
    let gap = if skipped > 0 { "…" } else { "" };
    format!("container {container} ended with exit code {exit_code}: {gap}{end}")
}
