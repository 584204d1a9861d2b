//! One login and one pull on every way that Kubernetes may route them.

use super::{Client, Server, trust};
use bytes::Bytes;
use harborserver::HarborServer;
use http::{Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use k8s_openapi::ByteString;
use serde_json::{Value, json};
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};
use tower::ServiceExt as _;

/// The file of Core with the key that signs tokens.
const TOKEN_KEY: &str = "/etc/core/private_key.pem";
/// The file of the registry with its users.
const HTPASSWD: &str = "/etc/registry/auth/htpasswd";

/// An account that Harbor's database has.
#[derive(Clone, Debug)]
pub struct Account {
    pub name: String,
    pub password: String,
}

impl Account {
    /// The administrator, with a password.
    pub fn admin(password: &str) -> Self {
        Self { name: "admin".into(), password: password.into() }
    }

    /// A new robot account that may pull everything.
    pub async fn robot(harbor: &HarborServer) -> Self {
        let access = json!([{"resource": "repository", "action": "pull"}]);
        let wanted = json!({
            "name": "puller", "level": "system", "duration": -1,
            "permissions": [{"kind": "project", "namespace": "*", "access": access}],
        });
        let admin = Self::admin(crate::cluster::ADMIN_PASSWORD);
        let (status, robot) = admin.ask(harbor, "POST", "/robots", wanted.to_string()).await;
        assert_eq!(status, StatusCode::CREATED, "{robot}");
        let text = |field: &str| robot[field].as_str().unwrap().to_owned();
        Self { name: text("name"), password: text("secret") }
    }

    /// Whether Harbor's database knows the password.
    pub async fn is_known(&self, harbor: &HarborServer) -> bool {
        // Robot accounts get 412 here, and strangers 401.
        self.ask(harbor, "GET", "/users/current", String::new()).await.0 != StatusCode::UNAUTHORIZED
    }

    async fn ask(
        &self,
        harbor: &HarborServer,
        method: &str,
        path: &str,
        body: String,
    ) -> (StatusCode, Value) {
        let login = json!(ByteString(format!("{}:{}", self.name, self.password).into_bytes()));
        let request = Request::builder()
            .method(method)
            .uri(format!("/api/v2.0{path}"))
            .header(header::AUTHORIZATION, format!("Basic {}", login.as_str().unwrap()))
            .header(header::CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from(body)))
            .unwrap();
        let Ok(answer) = harbor.clone().oneshot(request).await;
        let status = answer.status();
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }
}

impl Client {
    /// Logs in and pulls on every way, and returns what failed.
    pub(super) async fn pull(&self) -> Vec<String> {
        let mut failed = Vec::new();
        let cores = self.pods.ready(&format!("{}-core", self.core));
        let registries = self.pods.ready(&format!("{}-registry", self.core));
        if cores.is_empty() {
            return vec!["GET /service/token: no pod of Core is ready".into()];
        }
        for account in &self.accounts {
            if !account.is_known(&self.harbor).await {
                failed.push(format!(
                    "GET /service/token: Harbor does not know the password of {}",
                    account.name
                ));
            }
        }
        failed.extend(cores.iter().flat_map(|core| self.refused_by_servers("core", core)));
        failed.extend(self.refused_tokens(&cores));
        failed.extend(trust::untrusted(&self.pods, &self.core));
        if registries.is_empty() {
            failed.push("GET /v2/library/busybox/manifests/latest: no pod of the registry is ready".into());
        }
        failed.extend(registries.iter().flat_map(|registry| self.refused_by_servers("registry", registry)));
        for registry in &registries {
            failed.extend(cores.iter().filter_map(|core| self.refused_by_registry(core, registry)));
        }
        failed
    }

    /// The servers that a pod cannot log in to.
    fn refused_by_servers(&self, component: &'static str, pod: &str) -> Vec<String> {
        let servers = self.servers.lock().unwrap();
        let used = servers.values().filter(|server| server.used_by == component);
        let refuses = |server: &&Server| {
            let value = self.pods.variable(pod, component, server.variable);
            value.is_some_and(|value| !server.admits(&value))
        };
        used.filter(refuses).map(|server| format!("{} refuses the password of {pod}", server.name)).collect()
    }

    /// A client gets its token from one pod of Core, and shows it to any.
    fn refused_tokens(&self, cores: &[String]) -> Vec<String> {
        let keys: Vec<_> = cores.iter().map(|core| (core, self.pods.file(core, "core", TOKEN_KEY))).collect();
        let mut failed = Vec::new();
        for (issuer, signs) in &keys {
            if signs.is_empty() {
                failed.push(format!("GET /service/token: {issuer} has no key"));
            }
            let differs = |(_, verifies): &&(_, BTreeSet<_>)| signs.union(verifies).count() > 1;
            let refused = keys.iter().filter(differs).map(|(core, _)| {
                format!("GET /v2/library/busybox/manifests/latest: {core} refuses the token of {issuer}")
            });
            failed.extend(refused);
        }
        failed
    }

    /// Core gets manifests and blobs from the registry.
    fn refused_by_registry(&self, core: &str, registry: &str) -> Option<String> {
        let variable = |name: &str| self.pods.variable(core, "core", name).unwrap_or_default();
        let (user, password) =
            (variable("REGISTRY_CREDENTIAL_USERNAME"), variable("REGISTRY_CREDENTIAL_PASSWORD"));
        let files = self.pods.file(registry, "registry", HTPASSWD);
        let admitted = !files.is_empty() && files.iter().all(|file| admits(file, &user, &password));
        (!admitted).then(|| {
            format!("HEAD /v2/library/busybox/blobs/…: {registry} refuses the login of {core} as {user}")
        })
    }
}

/// Whether an htpasswd file has this user with this password. Of several lines of a user, the last one counts.
fn admits(file: &[u8], user: &str, password: &str) -> bool {
    // Each check costs milliseconds, and there are few different ones.
    thread_local!(static CHECKED: RefCell<BTreeMap<(String, String), bool>> = RefCell::default());
    let file = String::from_utf8_lossy(file);
    let mut lines = file.lines().filter_map(|line| line.strip_prefix(user)?.strip_prefix(':'));
    let Some(hash) = lines.next_back() else { return false };
    CHECKED.with_borrow_mut(|checked| {
        let entry = checked.entry((hash.to_owned(), password.to_owned()));
        *entry.or_insert_with(|| bcrypt::verify(password, hash).unwrap_or(false))
    })
}
