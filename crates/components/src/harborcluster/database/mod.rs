//! The PostgreSQL of a HarborCluster: an existing one, or one that another operator runs in this cluster.

mod cloud_native_pg;
mod external;
mod password;
#[cfg(test)]
mod tests;
mod zalando;
mod zalando_version;

use self::{cloud_native_pg::CloudNativePg, zalando::Zalando};
use super::cluster::Cluster;
use crate::versions::Feature;
use api::{
    thirdparty::{cloud_native_pg::PostgresCluster, zalando::Postgresql},
    v1beta1::{harborcluster::database::DatabaseKind, postgres::HarborDatabaseSpec},
};
use k8s_openapi::api::core::v1::Secret;
use plan::{Builder, Children, Deps, PlanError, World};

/// The owner of the databases, as which the Harbor connects.
const USER: &str = "harbor";

/// The database of Core.
const CORE: &str = "core";

/// The databases of Notary.
const NOTARY: [&str; 2] = ["notaryserver", "notarysigner"];

/// The setting of how many connections a server accepts.
const CONNECTIONS: &str = "max_connections";

/// Connections a server accepts: each Core opens up to 1000.
const MAX_CONNECTIONS: &str = "1024";

/// The PostgreSQL, and the Harbor's settings for it.
pub(super) struct Database {
    settings: HarborDatabaseSpec,
    server: Server,
}

/// What runs it.
enum Server {
    /// It exists already.
    External,
    /// Zalando's operator.
    Zalando(Box<Zalando>),
    /// CloudNativePG.
    CloudNativePg(Box<CloudNativePg>),
}

/// The kinds of its children.
pub(super) fn children(children: Children) -> Children {
    children.and::<Postgresql>().and::<PostgresCluster>().and::<Secret>()
}

impl Database {
    /// Validates the HarborCluster's settings for it. It ignores settings of other kinds.
    pub fn of(cluster: &Cluster<'_>, world: &World<'_>) -> Result<Self, PlanError> {
        let (settings, server) = match cluster.spec.database.kind {
            DatabaseKind::PostgreSql => (external::settings(cluster)?, Server::External),
            DatabaseKind::ZalandoPostgreSql => {
                let zalando = Zalando::of(cluster, world)?;
                (zalando.settings(), Server::Zalando(Box::new(zalando)))
            }
            DatabaseKind::CloudNativePg => {
                let cloud_native_pg = CloudNativePg::of(cluster, world)?;
                (cloud_native_pg.settings(), Server::CloudNativePg(Box::new(cloud_native_pg)))
            }
        };
        Ok(Self { settings, server })
    }

    /// The Harbor's settings for it.
    pub fn settings(&self) -> &HarborDatabaseSpec {
        &self.settings
    }

    /// Adds its children. The Harbor waits for them.
    pub fn add<'g>(self, graph: &mut Builder<'g>) -> impl Deps<'g> + use<'g> {
        match self.server {
            Server::External => (None, None),
            Server::Zalando(zalando) => (Some(zalando.add(graph)), None),
            Server::CloudNativePg(cloud_native_pg) => (None, Some(cloud_native_pg.add(graph))),
        }
    }
}

/// The operator that runs a Harbor's PostgreSQL, if it runs in this cluster.
pub(super) fn runner(cluster: &Cluster<'_>, database: &HarborDatabaseSpec) -> Option<&'static str> {
    let name = format!("{}-{}", team(cluster), cluster.name);
    let host = database.hosts.first().map(|server| server.host.as_str());
    if host == Some(&*zalando::host(&name, cluster.namespace)) {
        Some("the PostgreSQL of Zalando's operator")
    } else if host == Some(&*cloud_native_pg::host(&name, cluster.namespace)) {
        Some("the PostgreSQL of CloudNativePG")
    } else {
        None
    }
}

/// The name of a database that runs in this cluster. Zalando's operator requires a team as the prefix. A name
/// longer than `most` is too long for the children of its operator.
fn name(cluster: &Cluster<'_>, most: usize) -> Result<String, PlanError> {
    let name = format!("{}-{}", team(cluster), cluster.name);
    if name.len() > most {
        return Err(PlanError::invalid(
            "metadata.name",
            format!("the database is called {name:?}, which is longer than {most} characters"),
            format!("use names of at most {} characters together for HarborCluster and namespace", {
                most.saturating_sub(name.len() - cluster.name.len() - cluster.namespace.len())
            }),
        ));
    }
    Ok(name)
}

fn team(cluster: &Cluster<'_>) -> String {
    format!("postgresql-{}", cluster.namespace)
}

fn has_notary(cluster: &Cluster<'_>) -> bool {
    cluster.version.has(Feature::Notary)
}

fn wants_notary(cluster: &Cluster<'_>) -> bool {
    cluster.spec.installation.notary.is_some() && has_notary(cluster)
}
