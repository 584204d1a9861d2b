//! A PostgreSQL that Zalando's operator runs. Names, user and settings are those of the operator's predecessor,
//! so that an existing installation keeps its database and no server restarts.

use super::{
    CONNECTIONS, CORE, MAX_CONNECTIONS, NOTARY, USER, name, password, team, wants_notary, zalando_version,
};
use crate::{
    harborcluster::{
        DATABASE,
        cluster::Cluster,
        volume::{Volume, VolumeRequest},
    },
    pods::check_resource_claims,
};
use api::{
    thirdparty::zalando::{
        Patroni, Postgresql, PostgresqlAmounts, PostgresqlResources, PostgresqlSettings, PostgresqlSpec,
        PostgresqlVolume,
    },
    v1beta1::{
        harborcluster::database::ZalandoPostgreSqlSpec,
        postgres::{HarborDatabaseSpec, PostgresCredentials, PostgresHostSpec},
    },
};
use k8s_openapi::{
    ByteString,
    api::core::v1::{ResourceRequirements, Secret},
    apimachinery::pkg::api::resource::Quantity,
};
use plan::{All, Builder, Desired, Node, ObjectKey, PlanError, World};
use std::collections::BTreeMap;

pub(super) const FIELD: &str = "spec.database.spec.zlandoPostgreSql";

/// The longest name of a `StatefulSet`: its pods have it in a label, with a hash of eleven characters.
const LONGEST_NAME: usize = 52;

/// A PostgreSQL that Zalando's operator runs.
pub(super) struct Zalando {
    settings: HarborDatabaseSpec,
    postgresql: Desired,
    password: Desired,
}

impl Zalando {
    /// Validates the HarborCluster's settings for it against what exists.
    pub fn of(cluster: &Cluster<'_>, world: &World<'_>) -> Result<Self, PlanError> {
        let spec = cluster.spec.database.spec.zalando_postgresql.as_ref().ok_or_else(|| {
            PlanError::invalid(
                FIELD,
                "is required for kind Zlando/PostgreSQL",
                format!("set {FIELD}.operatorVersion"),
            )
        })?;
        let unbounded = name(cluster, usize::MAX)?;
        let (existing, password, secret) = (
            world.read::<Postgresql>(&unbounded),
            password(spec, &unbounded, world),
            password::name(cluster),
        )
            .all()?;
        let most = if existing.is_some() { usize::MAX } else { LONGEST_NAME };
        let existing = existing.map(|existing| existing.spec);
        let (name, spec_of_it) =
            (name(cluster, most), postgresql(cluster, spec, existing.as_ref(), world)).all()?;
        let host = host(&name, cluster.namespace);
        let settings = HarborDatabaseSpec {
            credentials: PostgresCredentials {
                username: Some(USER.into()),
                password_ref: Some(String::from(secret.clone()).into()),
                password_key: None,
            },
            hosts: vec![PostgresHostSpec { host, port: Some(5432) }],
            // The Harbor's default applies unless set: the servers always offer TLS, and Patroni's rules accept
            // IPv6 addresses only with TLS.
            ssl_mode: spec.ssl_mode,
            prefix: None,
            name: None,
        };
        let postgresql = Postgresql { metadata: cluster.metadata(&name), spec: spec_of_it, status: None };
        let why = || match &spec.credentials_ref {
            Some(named) => {
                let named = ObjectKey::of::<Secret>(cluster.namespace, named);
                format!(
                    "{named}, named in {FIELD}.credentialsRef, does not exist or has no key `{}`",
                    password::SOURCE
                )
            }
            None => format!(
                "the Zalando postgres operator has not made a Secret with the password of user {USER} yet; if its \
                 secret_name_template is not the default, name the Secret in {FIELD}.credentialsRef"
            ),
        };
        Ok(Self {
            settings,
            postgresql: Desired::from(postgresql).of(DATABASE).on_deletion(cluster.deletion_of_data()),
            password: password::copy(cluster, &secret, password, why),
        })
    }

    /// The Harbor's settings for it.
    pub fn settings(&self) -> HarborDatabaseSpec {
        self.settings.clone()
    }

    /// Adds its children.
    pub fn add<'g>(self, graph: &mut Builder<'g>) -> (Node<'g, Postgresql>, Node<'g, Secret>) {
        // Independent of each other, so that a new password arrives while the servers are not ready.
        (graph.add::<Postgresql>(self.postgresql, ()), graph.add::<Secret>(self.password, ()))
    }
}

/// The host of the database with this name.
pub(super) fn host(name: &str, namespace: &str) -> String {
    format!("{name}.{namespace}.svc")
}

/// The password of the user, from the Secret that the spec names, or from the one with a default name: that of
/// Zalando's operator, or that of the operator's predecessor.
fn password(
    spec: &ZalandoPostgreSqlSpec,
    name: &str,
    world: &World<'_>,
) -> Result<Option<ByteString>, PlanError> {
    let candidates = match &spec.credentials_ref {
        Some(named) => vec![named.to_string()],
        None => vec![
            format!("{USER}.{name}.credentials.postgresql.acid.zalan.do"),
            format!("{USER}.{name}.credentials"),
        ],
    };
    let secrets = candidates.iter().map(|name| world.read::<Secret>(name)).collect::<Vec<_>>().all()?;
    Ok(secrets.into_iter().flatten().find_map(password::of))
}

fn postgresql(
    cluster: &Cluster<'_>,
    spec: &ZalandoPostgreSqlSpec,
    existing: Option<&PostgresqlSpec>,
    world: &World<'_>,
) -> Result<PostgresqlSpec, PlanError> {
    let ZalandoPostgreSqlSpec {
        image,
        replicas,
        storage,
        storage_class_name,
        resources,
        // In `zalando_version`, `password` and the Harbor's settings.
        version: _,
        credentials_ref: _,
        ssl_mode: _,
        // Without effect.
        image_pull_policy: _,
        image_pull_secrets: _,
        operator_version: _,
        ssl_config: _,
        connect_timeout: _,
    } = spec;
    let request = VolumeRequest {
        field: FIELD,
        service: "the database",
        size: storage.as_deref(),
        class: storage_class_name.as_deref(),
    };
    let present = existing.map(|existing| Volume {
        size: existing.volume.size.clone(),
        class: existing.volume.storage_class.clone(),
    });
    let (volume, number_of_instances, version, ()) = (
        Volume::of(&request, present),
        servers(*replicas),
        zalando_version::version(spec, existing, world),
        check_resource_claims(resources.as_ref(), FIELD),
    )
        .all()?;
    // Another image may lack the version of PostgreSQL that the data needs.
    let image = image.clone().filter(|image| !image.is_empty());
    let image = image.or_else(|| existing.and_then(|existing| existing.docker_image.clone()));
    let databases =
        std::iter::once(CORE).chain(wants_notary(cluster).then_some(NOTARY).into_iter().flatten());
    Ok(PostgresqlSpec {
        team_id: team(cluster),
        number_of_instances,
        volume: PostgresqlVolume { size: volume.size, storage_class: volume.class },
        users: Some(map([(USER, Some(vec!["superuser".to_owned(), "createdb".to_owned()]))])),
        databases: Some(databases.map(|database| (database.to_owned(), USER.to_owned())).collect()),
        patroni: Some(patroni()),
        postgresql: PostgresqlSettings { version, parameters: Some(parameters(cluster, existing)) },
        resources: Some(self::resources(resources.as_ref())),
        docker_image: image,
    })
}

fn servers(replicas: Option<i64>) -> Result<i32, PlanError> {
    match replicas {
        None | Some(0) => Ok(3),
        Some(replicas) => match i32::try_from(replicas) {
            Ok(replicas @ 1..) => Ok(replicas),
            _ => Err(PlanError::invalid(
                format_args!("{FIELD}.replicas"),
                format!("there cannot be {replicas} servers"),
                "set it to 1 or more, such as 3",
            )),
        },
    }
}

/// Parameters of PostgreSQL. The number of connections stays as it is: the operator's predecessor made it
/// configurable, and servers restart when it changes.
fn parameters(cluster: &Cluster<'_>, existing: Option<&PostgresqlSpec>) -> BTreeMap<String, String> {
    let present = existing.and_then(|existing| existing.postgresql.parameters.as_ref());
    let present = present.and_then(|present| present.get(CONNECTIONS)).map(String::as_str);
    let mut parameters = map([(CONNECTIONS, present.unwrap_or(MAX_CONNECTIONS).to_owned())]);
    if wants_notary(cluster) {
        // Notary supports no other hash, and it is no longer the default of Zalando's operator.
        parameters.insert("password_encryption".to_owned(), "md5".to_owned());
    }
    parameters
}

fn patroni() -> Patroni {
    const RULES: [&str; 9] = [
        "hostssl all all 0.0.0.0/0 md5",
        "host all all 0.0.0.0/0 md5",
        "local all all trust",
        "local replication postgres trust",
        "hostssl replication postgres all md5",
        "local   replication standby trust",
        "hostssl replication standby all md5",
        "hostssl all +zalandos all pam",
        "hostssl all all all md5",
    ];
    let initdb = [("encoding", "UTF8"), ("locale", "en_US.UTF-8"), ("data-checksums", "true")];
    Patroni {
        initdb: Some(map(initdb.map(|(option, value)| (option, value.to_owned())))),
        pg_hba: Some(RULES.map(ToOwned::to_owned).into()),
    }
}

/// All four amounts, which old definitions require. `0` leaves one to Zalando's operator.
fn resources(requested: Option<&ResourceRequirements>) -> PostgresqlResources {
    let amounts = |list: Option<&BTreeMap<String, Quantity>>| {
        let amount = |name| list.and_then(|list| list.get(name)).map_or("0", |quantity| quantity.0.as_str());
        Some(PostgresqlAmounts {
            cpu: Some(amount("cpu").to_owned()),
            memory: Some(amount("memory").to_owned()),
        })
    };
    PostgresqlResources {
        requests: amounts(requested.and_then(|requested| requested.requests.as_ref())),
        limits: amounts(requested.and_then(|requested| requested.limits.as_ref())),
    }
}

fn map<V, const N: usize>(entries: [(&str, V); N]) -> BTreeMap<String, V> {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
