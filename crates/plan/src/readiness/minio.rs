use super::{Readiness, replicas};
use crate::{Manifest, Observe};
use api::thirdparty::minio::{Tenant, TenantStatus};

/// States in which the MinIO operator does not start a tenant before a user acts, and the remedy for each.
const STUCK: [(&str, &str); 4] = [
    (
        "Another MinIO Tenant already exists in the namespace",
        "the MinIO operator runs one in each; delete the one that is not needed",
    ),
    ("Statefulset not controlled by operator", "delete the StatefulSet, or use another name"),
    ("Pool Decommissioning Not Allowed", "give the pool back"),
    ("Can't modify server count", "give the pool its number of servers back"),
];

/// Ready when it is initialized, which includes its buckets, and all its servers are available.
///
/// Its status has no observed generation. A tenant loses `Initialized` with the first drive that fails. It may be red,
/// without a quorum, for a moment before that.
impl Manifest for Tenant {
    const PROVIDER: &'static str = "the MinIO operator";

    const OBSERVE: Observe = Observe::Status;

    fn readiness(&self) -> Readiness {
        let Some(status) = &self.status else { return Readiness::Progressing("no status yet".into()) };
        let TenantStatus { current_state, available_replicas, pools, health_status, health_message } = status;
        let stuck = STUCK.iter().find(|(message, _)| current_state.starts_with(message));
        if let Some((_, remedy)) = stuck {
            return Readiness::Failed(format!("{current_state}: {remedy}"));
        }
        if current_state != "Initialized" {
            let message = if current_state.is_empty() { "no state yet" } else { current_state };
            return Readiness::Progressing(message.to_owned());
        }
        if let Some(pool) = pools.iter().find(|pool| pool.state != "PoolInitialized") {
            let message = format!("StatefulSet {} is not initialized yet", pool.stateful_set);
            return Readiness::Progressing(message);
        }
        let wanted = self.spec.pools.iter().map(|pool| pool.servers).fold(0, i32::saturating_add);
        if *available_replicas < wanted {
            return replicas(*available_replicas, wanted, "available");
        }
        match health_status.as_deref() {
            Some("red") => {
                let message = health_message.as_deref().unwrap_or("too few of its drives are online");
                Readiness::Progressing(message.to_owned())
            }
            _ => Readiness::Ready,
        }
    }
}
