use super::{Reached, Readiness, unobserved};
use crate::{Manifest, Observe};
use api::thirdparty::cert_manager::{CertManagerCondition, Certificate, Issuer};

impl Manifest for Issuer {
    const PROVIDER: &'static str = "cert-manager";

    const OBSERVE: Observe = Observe::Status;

    fn readiness(&self) -> Readiness {
        by_ready_condition(self.metadata.generation, self.status.iter().flat_map(|status| &status.conditions))
    }
}

/// It never fails for good: cert-manager retries the issuance without end.
impl Manifest for Certificate {
    const PROVIDER: &'static str = "cert-manager";

    const OBSERVE: Observe = Observe::Status;

    fn readiness(&self) -> Readiness {
        by_ready_condition(self.metadata.generation, self.status.iter().flat_map(|status| &status.conditions))
    }

    /// cert-manager reports `notAfter` while the Secret holds a certificate. A renewal that fails leaves the Secret as
    /// it is.
    fn reached(&self, readiness: &Readiness) -> Reached {
        let is_issued = self.status.as_ref().is_some_and(|status| status.not_after.is_some());
        match readiness {
            Readiness::Ready => Reached::Ready,
            _ if is_issued => Reached::Available,
            _ => Reached::Nothing,
        }
    }
}

fn by_ready_condition<'a>(
    generation: Option<i64>,
    mut conditions: impl Iterator<Item = &'a CertManagerCondition>,
) -> Readiness {
    let Some(ready) = conditions.find(|condition| condition.type_ == "Ready") else {
        return Readiness::Progressing("cert-manager has not reconciled it yet".into());
    };
    if ready.observed_generation.is_some()
        && let Some(not_yet) = unobserved(generation, ready.observed_generation)
    {
        return not_yet;
    }
    match ready.status.as_str() {
        "True" => Readiness::Ready,
        _ => Readiness::Progressing(ready.message.clone().unwrap_or_default()),
    }
}
