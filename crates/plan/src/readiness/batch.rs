use super::Readiness;
use crate::{Manifest, Observe};
use k8s_openapi::api::{batch::v1::Job, core::v1::PodTemplateSpec};

/// A Job is ready when it has completed: its dependents wait for the result, not for the start.
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

    fn pod_template(&self) -> Option<&PodTemplateSpec> {
        self.spec.as_ref().map(|spec| &spec.template)
    }

    fn pod_template_mut(&mut self) -> Option<&mut PodTemplateSpec> {
        self.spec.as_mut().map(|spec| &mut spec.template)
    }
}
