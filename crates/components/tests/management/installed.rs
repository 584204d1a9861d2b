//! A Harbor that the operator runs, whose Core is the Harbor in memory.

use crate::world::{World, settled};
use api::v1beta1::{Core, Harbor, HarborProject, HarborServerConfiguration};
use envtest::clock;
use harborserver::Version;
use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
use kube::{
    Api,
    api::{DeleteParams, ListParams},
};
use sandbox::StandIns;
use serde_json::{Value, json};
use std::time::Duration;
use tokio_util::sync::{CancellationToken, DropGuard};

/// The Secret with the password that Harbor has since the operator has changed it.
pub const CURRENT: &str = "acme-harbor-core-admin-current";

/// A cluster with the Harbor `acme` and the HarborProject `team` in it, both ready.
pub struct Installed {
    pub world: World,
    _stop: DropGuard,
}

impl Installed {
    pub async fn new(version: Version) -> Self {
        let mut world = World::without_operator(version).await;
        // It would go on with the first password, and lock the administrator.
        let described: Api<HarborServerConfiguration> = Api::all(world.client.clone());
        described.delete("acme", &DeleteParams::default()).await.unwrap();
        let stop = CancellationToken::new();
        tokio::spawn(StandIns::new(world.client.clone()).clock(clock).run(stop.clone()));
        world.secret("admin", &[("secret", crate::world::PASSWORD)]).await;
        world.secret("postgres", &[("postgres-password", "postgres-1")]).await;
        let key = "-----BEGIN RSA PRIVATE KEY-----\nZm9yIHRlc3RzIG9ubHk=\n-----END RSA PRIVATE KEY-----\n";
        world.secret("token", &[("tls.key", key)]).await;
        world
            .create(json!({
                "kind": "Harbor", "metadata": {"name": "acme"},
                "spec": {
                    "externalURL": "http://harbor.example.com", "version": version.to_string(),
                    "harborAdminPasswordRef": "admin",
                    "database": {
                        "hosts": [{"host": "postgres"}], "username": "harbor", "passwordRef": "postgres",
                    },
                    "redis": {"host": "redis"},
                    "core": {"tokenCertificateRef": "token"},
                    "portal": {},
                    "expose": {"core": {"service": {"type": "ClusterIP"}}},
                    "imageChartStorage": {"s3": {"bucket": "images", "region": "eu"}},
                },
            }))
            .await;
        let target = json!({"name": "acme", "kind": "Harbor"});
        let spec = json!({"projectName": "team", "harborRef": target});
        world.create(json!({"kind": "HarborProject", "metadata": {"name": "team"}, "spec": spec})).await;
        world.start();
        world.until_reason::<Harbor>("acme", "Ready").await;
        world.until_reason::<HarborProject>("team", "Ready").await;
        settled().await;
        world.take_calls();
        world.take_requests();
        Self { world, _stop: stop.drop_guard() }
    }

    /// Writes another password into the user's Secret.
    pub async fn wish(&self, password: &str) {
        self.world.merge::<Secret>("admin", json!({"stringData": {"secret": password}})).await;
    }

    /// Waits until the operator has recorded that Harbor has this password, and everything is ready.
    pub async fn until_changed(&self, password: &str) {
        let recorded = async || {
            let secrets = self.world.secret_names().await;
            secrets.iter().any(|name| name == CURRENT)
                && self.world.secret_values(CURRENT).await["password"] == password
        };
        let changed = async {
            while !recorded().await {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        };
        let in_time = tokio::time::timeout(Duration::from_mins(30), changed).await.is_ok();
        assert!(in_time, "not changed: {:#}", self.world.get::<Core>("acme-harbor").await["status"]);
        self.until_ready().await;
        assert!(self.logs_in(password).await, "{password} is recorded, and Harbor refuses it");
    }

    pub async fn until_ready(&self) {
        settled().await;
        self.world.until_reason::<Core>("acme-harbor", "Ready").await;
        self.world.until_reason::<Harbor>("acme", "Ready").await;
        self.world.until_reason::<HarborProject>("team", "Ready").await;
    }

    pub async fn logs_in(&self, password: &str) -> bool {
        self.world.status_for("admin", password, "/users/current").await == 200
    }

    /// Changes the password as its user does in Harbor's pages.
    pub async fn change_in_pages(&self, from: &str, to: &str) {
        let body = json!({"old_password": from, "new_password": to});
        self.world.ask_as(from, "PUT", "/users/1/password", body).await;
    }

    /// The pods of all Deployments.
    pub async fn templates(&self) -> Vec<Value> {
        let deployments: Api<Deployment> = self.world.api();
        let all = deployments.list(&ListParams::default()).await.unwrap().items;
        all.iter().map(|it| json!([it.metadata.name, json!(it.spec.as_ref().unwrap().template)])).collect()
    }

    /// How often Harbor has refused credentials since its requests were last taken.
    pub fn rejections(&self) -> usize {
        self.world.harbor.served().iter().filter(|it| it.status.as_u16() == 401).count()
    }
}
