use super::{Readiness, replicas};
use crate::{Manifest, Observe};
use api::thirdparty::minio::{Tenant, TenantStatus};

/// What the MinIO operator says of a tenant it will not bring up, and what helps.
const HOPELESS: [(&str, &str); 4] = [
    (
        "Another MinIO Tenant already exists in the namespace",
        "the MinIO operator runs one in each; delete the one that is not needed",
    ),
    ("Statefulset not controlled by operator", "delete the StatefulSet, or use another name"),
    ("Pool Decommissioning Not Allowed", "give the pool back"),
    ("Can't modify server count", "give the pool its number of servers back"),
];

/// Ready when it is initialized, which includes its buckets, and all its servers answer.
///
/// Its status does not tell which spec it speaks of. A tenant loses `Initialized` with the first drive that fails; red,
/// without a quorum, it may be for a moment before.
impl Manifest for Tenant {
    const PROVIDER: &'static str = "the MinIO operator";

    const OBSERVE: Observe = Observe::Status;

    fn readiness(&self) -> Readiness {
        let Some(status) = &self.status else { return Readiness::Progressing("no status yet".into()) };
        let TenantStatus { current_state, available_replicas, pools, health_status, health_message } = status;
        let hopeless = HOPELESS.iter().find(|(words, _)| current_state.starts_with(words));
        if let Some((_, remedy)) = hopeless {
            return Readiness::Failed(format!("{current_state}: {remedy}"));
        }
        if current_state != "Initialized" {
            let words = if current_state.is_empty() { "no state yet" } else { current_state };
            return Readiness::Progressing(words.to_owned());
        }
        if let Some(pool) = pools.iter().find(|pool| pool.state != "PoolInitialized") {
            let words = format!("StatefulSet {} is not initialized yet", pool.stateful_set);
            return Readiness::Progressing(words);
        }
        let wanted = self.spec.pools.iter().map(|pool| pool.servers).fold(0, i32::saturating_add);
        if *available_replicas < wanted {
            return replicas(*available_replicas, wanted, "available");
        }
        match health_status.as_deref() {
            Some("red") => {
                let words = health_message.as_deref().unwrap_or("too few of its drives are online");
                Readiness::Progressing(words.to_owned())
            }
            _ => Readiness::Ready,
        }
    }
}
