use super::Readiness;
use crate::{Manifest, Observe};
use k8s_openapi::api::batch::v1::{CronJob, Job};

/// A CronJob of a user, whose template the operator makes Jobs from.
impl Manifest for CronJob {}

/// A Job is ready when it has completed: its dependents wait for the result, not for the start.
///
/// Its pods are those of a user, from the template of a CronJob: the operator neither labels them nor reads what they use.
impl Manifest for Job {
    const OBSERVE: Observe = Observe::Status;

    fn readiness(&self) -> Readiness {
        let conditions = self.status.iter().flat_map(|status| status.conditions.iter().flatten());
        for condition in conditions.filter(|condition| condition.status == "True") {
            match condition.type_.as_str() {
                "Complete" | "SuccessCriteriaMet" => return Readiness::Ready,
                "Failed" | "FailureTarget" => {
                    return Readiness::Failed(condition.message.clone().unwrap_or_default());
                }
                _ => {}
            }
        }
        Readiness::Progressing("has not completed yet".into())
    }
}
