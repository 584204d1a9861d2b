//! The Harbors of the sandbox: every Core that is available serves Harbor's API from memory, to the operator and over HTTP.

use super::unavailable;
use crate::output::Error;
use api::{
    names::VERSION_ANNOTATION,
    v1beta1::{self, Core},
};
use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{StatusCode, Uri, uri::PathAndQuery},
    response::{IntoResponse as _, Response},
};
use futures::StreamExt as _;
use harbordriver::{Network, Unconnected};
use harborserver::HarborServer;
use harborstate::Access;
use k8s_openapi::api::core::v1::Secret;
use kube::{
    Api, Client, ResourceExt as _,
    runtime::{WatchStreamExt as _, watcher, watcher::Event},
};
use server::Limits;
use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower::Service as _;

/// Which Core: its namespace and its name.
type Place = (String, String);

/// The Harbors of the sandbox, by their Cores.
#[derive(Clone, Default)]
pub struct Harbors(Arc<Mutex<BTreeMap<Place, HarborServer>>>);

impl Harbors {
    /// Serves the Harbors over HTTP, each below `/<namespace>/<name of its Core>`; the address.
    pub async fn listen(&self, stop: CancellationToken) -> Result<SocketAddr, Error> {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.map_err(unavailable)?;
        let address = listener.local_addr().map_err(unavailable)?;
        let router = Router::new().fallback(answer).with_state(self.clone());
        tokio::spawn(server::serve(listener, router, Limits::DEFAULT, stop));
        Ok(address)
    }

    /// Starts, upgrades and ends Harbors as Cores come and go.
    pub async fn follow(self, client: Client) {
        let cores = watcher(Api::<Core>::all(client.clone()), watcher::Config::default()).default_backoff();
        let mut cores = std::pin::pin!(cores);
        while let Some(event) = cores.next().await {
            match event {
                Ok(Event::Apply(core) | Event::InitApply(core)) => self.serve(&client, &core).await,
                Ok(Event::Delete(core)) => drop(self.all().remove(&place(&core))),
                Ok(Event::Init | Event::InitDone) => {}
                Err(error) => tracing::warn!(%error, "the watch of Cores failed"),
            }
        }
    }

    async fn serve(&self, client: &Client, core: &Core) {
        if !is_available(core) {
            return;
        }
        let version = core.annotations().get(VERSION_ANNOTATION).and_then(|version| version.parse().ok());
        let Some(version) = version else { return };
        let known = self.all().get(&place(core)).cloned();
        let harbor = if let Some(harbor) = known {
            if harbor.version() != version {
                harbor.upgrade(version);
            }
            harbor
        } else if let Some(password) = admin_password(client, core).await {
            let harbor = HarborServer::new(version, &password);
            // Registries and scanners that objects name are not there either.
            harbor.network().open_everything();
            self.all().insert(place(core), harbor.clone());
            harbor
        } else {
            return;
        };
        harbor.set_external_url(&core.spec.external_endpoint);
    }

    /// The Core of the Harbor that users have this URL for.
    fn at(&self, url: &Uri) -> Option<Place> {
        let wanted = host_and_port(url)?;
        let is_it = |harbor: &HarborServer| {
            harbor.external_url().parse().ok().and_then(|url| host_and_port(&url)).as_ref() == Some(&wanted)
        };
        self.all().iter().find(|(_, harbor)| is_it(harbor)).map(|(place, _)| place.clone())
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<Place, HarborServer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Network for Harbors {
    fn connect(&self, access: &Access) -> Result<harbor::Harbor, Unconnected> {
        let nowhere = || Unconnected::Nowhere(access.url.clone());
        let uri: Uri = access.url.parse().map_err(|_| nowhere())?;
        let place = match uri.host().and_then(|host| host.split_once("-core.")) {
            // The Service of a Core.
            Some((name, namespace)) => (namespace.trim_end_matches(".svc").to_owned(), name.to_owned()),
            // The URL that users have, or the address that `listen` returned.
            None => self.at(&uri).or_else(|| Some(in_path(uri.path())?.0)).ok_or_else(nowhere)?,
        };
        let harbor = self.all().get(&place).cloned().ok_or_else(nowhere)?;
        let access = Access { url: format!("http://{}", uri.host().unwrap_or_default()), ..access.clone() };
        harbordriver::over(harbor, &access)
    }
}

async fn answer(State(harbors): State<Harbors>, request: Request) -> Response {
    let found = in_path(request.uri().path()).and_then(|(place, rest)| {
        let harbor = harbors.all().get(&place).cloned()?;
        let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
        Some((harbor, format!("{rest}{query}").parse::<PathAndQuery>().ok()?))
    });
    let Some((mut harbor, path)) = found else {
        return (StatusCode::NOT_FOUND, "There is no such Harbor, or it is not ready.\n").into_response();
    };
    let (mut head, body) = request.into_parts();
    head.uri = path.into();
    let Ok(answer) = harbor.call(Request::from_parts(head, body)).await;
    answer.map(Body::new)
}

/// The host and the port of a URL.
fn host_and_port(url: &Uri) -> Option<(String, u16)> {
    let default = if url.scheme_str() == Some("http") { 80 } else { 443 };
    Some((url.host()?.to_lowercase(), url.port_u16().unwrap_or(default)))
}

/// The Core that a path is about, and the path below it.
fn in_path(path: &str) -> Option<(Place, String)> {
    let mut parts = path.trim_start_matches('/').splitn(3, '/');
    let place = (parts.next()?.to_owned(), parts.next()?.to_owned());
    Some((place, format!("/{}", parts.next().unwrap_or_default())))
}

fn place(core: &Core) -> Place {
    (core.namespace().unwrap_or_default(), core.name_any())
}

fn is_available(core: &Core) -> bool {
    let status: Option<&v1beta1::ComponentStatus> = core.status.as_ref();
    let mut conditions = status.into_iter().flat_map(|status| &status.conditions);
    conditions.any(|condition| condition.type_ == "Available" && condition.status == "True")
}

async fn admin_password(client: &Client, core: &Core) -> Option<String> {
    let secrets: Api<Secret> = Api::namespaced(client.clone(), &core.namespace()?);
    let secret = secrets.get_opt(&core.spec.admin_initial_password_ref).await.ok().flatten()?;
    let key = core.spec.admin_initial_password_key.as_deref().unwrap_or("secret");
    let password = secret.data?.remove(key)?;
    String::from_utf8(password.0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use harborserver::Version;
    use harborstate::Trust;

    fn access(url: &str) -> Access {
        Access {
            url: url.into(),
            trust: Trust::Public,
            username: "admin".into(),
            password: "Harbor12345".into(),
        }
    }

    #[tokio::test]
    async fn a_harbor_is_reached_by_the_service_of_its_core_by_its_path_and_by_its_external_url() {
        let harbors = Harbors::default();
        let server = HarborServer::new(Version::new(15, 2), "Harbor12345");
        server.set_external_url("https://Harbor.example.com/");
        harbors.all().insert(("registry".into(), "acme-harbor".into()), server);
        for url in [
            "http://acme-harbor-core.registry.svc",
            "http://127.0.0.1:1/registry/acme-harbor",
            "https://harbor.example.com",
            "https://harbor.example.com:443/",
        ] {
            let harbor = harbors.connect(&access(url)).unwrap();
            assert_eq!(harbor.server_info().await.unwrap().version.to_string(), "2.15.2", "{url}");
        }
        for url in [
            "http://other-core.registry.svc",
            "http://harbor.example.com",
            "https://other.example.com",
            "nonsense",
        ] {
            assert!(harbors.connect(&access(url)).is_err(), "{url}");
        }
    }
}
