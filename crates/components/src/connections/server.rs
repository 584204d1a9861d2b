//! The servers outside of Harbor that several components log in to, and in which order the pods of these restart for another
//! password.

use crate::{pods::Instance, secrets::SecretKey};
use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
use plan::{ChildName, ObjectKey, RestartOrder, Supply};

/// A server outside of Harbor.
///
/// A component restarts for another password when those before it have. The credentials of a store are in the pods of the
/// registry only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Server {
    /// PostgreSQL. JobService gets the password from Core, and the databases of Notary are on the same server in most
    /// installations.
    Database,
    /// Redis. Its first user is the registry, because pods of Core that have the new password clear the cache of the registry.
    Redis,
}

impl Server {
    /// The components that log in to it, in the order in which they restart.
    const fn order(self) -> &'static [&'static str] {
        match self {
            Self::Database => &["core", "jobservice", "exporter", "notaryserver", "notarysigner"],
            Self::Redis => &["registry", "core", "jobservice", "chartmuseum", "trivy", "exporter"],
        }
    }

    /// After which others the pods of a component restart when this password changes.
    fn restart(self, instance: &Instance<'_>, password: SecretKey<'_>) -> RestartOrder {
        let before = self.order().iter().take_while(|component| **component != instance.component());
        let names = before.filter_map(|component| ChildName::of(instance.owner, component).ok());
        RestartOrder {
            secret: ObjectKey::of::<Secret>(instance.namespace, password.secret),
            key: password.key.to_owned(),
            after: names.map(|name| ObjectKey::of::<Deployment>(instance.namespace, &name)).collect(),
            supply: Supply::Present,
        }
    }
}

/// For which passwords the pods of a component restart after those of others. Of several that change at once, the first one
/// decides: pods start with all of the new ones.
pub(crate) fn restarts<'a>(
    instance: &Instance<'_>,
    passwords: impl IntoIterator<Item = (Server, Option<SecretKey<'a>>)>,
) -> Vec<RestartOrder> {
    let named = passwords.into_iter().filter_map(|(server, password)| Some((server, password?)));
    named.map(|(server, password)| server.restart(instance, password)).collect()
}
