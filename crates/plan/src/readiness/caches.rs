use super::Readiness;
use crate::{Manifest, Observe};
use api::thirdparty::{
    opstree::{RedisReplication, RedisSentinel},
    spotahome::RedisFailover,
};

/// It has no status. To wait for it, a component awaits the workloads that its operator creates.
impl Manifest for RedisFailover {
    const PROVIDER: &'static str = "the Redis operator of Spotahome";
}

/// Ready while there is a master. Its status has no observed generation. To wait for all servers, a component also
/// awaits the `StatefulSet` that its operator creates.
impl Manifest for RedisReplication {
    const PROVIDER: &'static str = "the Redis operator of OT-Container-Kit";

    const OBSERVE: Observe = Observe::Status;

    fn readiness(&self) -> Readiness {
        let master = self.status.as_ref().and_then(|status| status.master_node.as_deref());
        match master.filter(|pod| !pod.is_empty()) {
            Some(_) => Readiness::Ready,
            None => Readiness::Progressing("no server is the master yet".into()),
        }
    }
}

/// Its status is empty. To wait for it, a component awaits the workloads that its operator creates.
impl Manifest for RedisSentinel {
    const PROVIDER: &'static str = "the Redis operator of OT-Container-Kit";
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn replication(status: &Value) -> Readiness {
        let spec = json!({"clusterSize": 3, "kubernetesConfig": {"image": "redis"}});
        let object = json!({"metadata": {}, "spec": spec, "status": status});
        serde_json::from_value::<RedisReplication>(object).unwrap().readiness()
    }

    #[test]
    fn b27_a_replication_is_ready_while_one_of_its_servers_is_the_master() {
        let not_yet = Readiness::Progressing("no server is the master yet".into());
        assert_eq!(replication(&Value::Null), not_yet);
        assert_eq!(replication(&json!({"masterNode": ""})), not_yet);
        let connection = json!({"host": "acme-redis-master.ns.svc.cluster.local", "port": 6379});
        assert_eq!(replication(&json!({"connectionInfo": connection})), not_yet);
        let status = json!({"masterNode": "acme-redis-1", "connectionInfo": connection});
        assert_eq!(replication(&status), Readiness::Ready);
    }
}
