//! A PostgreSQL that Zalando's operator runs. Names, user and settings are those of the Go operator: an installation
//! that exists goes on with its database, and none of its servers restarts.

use super::{
    CONNECTIONS, CORE, MAX_CONNECTIONS, NOTARY, USER, name, password, team, wants_notary, zalando_version,
};
use crate::{
    harborcluster::{
        DATABASE,
        cluster::Cluster,
        volume::{Volume, Wish},
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

/// The longest name of a `StatefulSet` that can have pods: they carry it, with a hash of eleven characters, in a label.
const LONGEST_NAME: usize = 52;

/// A PostgreSQL that Zalando's operator runs.
pub(super) struct Zalando {
    settings: HarborDatabaseSpec,
    postgresql: Desired,
    password: Desired,
}

impl Zalando {
    /// Judges what the HarborCluster says of it, next to what exists.
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
            // Left to the Harbor unless set: the servers always offer TLS, and only with TLS do the rules of
            // `patroni` let IPv6 addresses in.
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
                 secret_name_template is not the usual one, name the Secret in {FIELD}.credentialsRef"
            ),
        };
        Ok(Self {
            settings,
            postgresql: Desired::from(postgresql).of(DATABASE).tied(cluster.tie_of_data()),
            password: password::copy(cluster, &secret, password, why),
        })
    }

    /// Where the Harbor finds it.
    pub fn settings(&self) -> HarborDatabaseSpec {
        self.settings.clone()
    }

    /// Adds its children.
    pub fn add<'g>(self, graph: &mut Builder<'g>) -> (Node<'g, Postgresql>, Node<'g, Secret>) {
        // Apart from each other: a password is followed while the servers are busy.
        (graph.add::<Postgresql>(self.postgresql, ()), graph.add::<Secret>(self.password, ()))
    }
}

/// Where the database of this name is found.
pub(super) fn host(name: &str, namespace: &str) -> String {
    format!("{name}.{namespace}.svc")
}

/// The password of the user, from the Secret that is named, or that has one of the names it usually has: by the
/// template of Zalando's operator, or by that of the Go operator.
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
    let wish = Wish {
        field: FIELD,
        service: "the database",
        size: spec.storage.as_deref(),
        class: spec.storage_class_name.as_deref(),
    };
    let present = existing.map(|existing| Volume {
        size: existing.volume.size.clone(),
        class: existing.volume.storage_class.clone(),
    });
    let (volume, number_of_instances, version, ()) = (
        Volume::of(&wish, present),
        servers(spec),
        zalando_version::version(spec, existing, world),
        check_resource_claims(spec.resources.as_ref(), FIELD),
    )
        .all()?;
    // Another image may not have the version of PostgreSQL that the data belongs to.
    let image = spec.image.clone().filter(|image| !image.is_empty());
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
        resources: Some(resources(spec.resources.as_ref())),
        docker_image: image,
    })
}

fn servers(spec: &ZalandoPostgreSqlSpec) -> Result<i32, PlanError> {
    match spec.replicas {
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

/// Settings of PostgreSQL. The Go operator could be told how many connections there are, and servers restart when that
/// changes.
fn parameters(cluster: &Cluster<'_>, existing: Option<&PostgresqlSpec>) -> BTreeMap<String, String> {
    let present = existing.and_then(|existing| existing.postgresql.parameters.as_ref());
    let present = present.and_then(|present| present.get(CONNECTIONS)).map(String::as_str);
    let mut parameters = map([(CONNECTIONS, present.unwrap_or(MAX_CONNECTIONS).to_owned())]);
    if wants_notary(cluster) {
        // Notary knows no other way to log in; by default Zalando's operator no longer offers it.
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

/// All four amounts, as old definitions ask for: `0` leaves one to Zalando's operator.
fn resources(wished: Option<&ResourceRequirements>) -> PostgresqlResources {
    let amounts = |list: Option<&BTreeMap<String, Quantity>>| {
        let amount = |name| list.and_then(|list| list.get(name)).map_or("0", |quantity| quantity.0.as_str());
        Some(PostgresqlAmounts {
            cpu: Some(amount("cpu").to_owned()),
            memory: Some(amount("memory").to_owned()),
        })
    };
    PostgresqlResources {
        requests: amounts(wished.and_then(|wished| wished.requests.as_ref())),
        limits: amounts(wished.and_then(|wished| wished.limits.as_ref())),
    }
}

fn map<V, const N: usize>(entries: [(&str, V); N]) -> BTreeMap<String, V> {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
