//! A PostgreSQL that CloudNativePG runs.

use super::{CONNECTIONS, CORE, MAX_CONNECTIONS, NOTARY, USER, has_notary, name, password};
use crate::{
    harborcluster::{
        DATABASE,
        cluster::Cluster,
        volume::{Volume, VolumeRequest},
    },
    pods::check_resource_claims,
    versions::named_image,
};
use api::{
    thirdparty::cloud_native_pg::{
        Bootstrap, ImageCatalogRef, InitDb, PostgresCluster, PostgresClusterSpec, PostgresConfiguration,
        StorageConfiguration,
    },
    v1beta1::{
        harborcluster::database::{CloudNativePgSpec, ImageCatalogKind, ImageCatalogReference},
        image::ImageSpec,
        postgres::{HarborDatabaseSpec, PostgresCredentials, PostgresHostSpec, PostgresSslMode},
    },
};
use k8s_openapi::{
    ByteString,
    api::core::v1::{LocalObjectReference, Secret},
};
use kube::Resource as _;
use plan::{All, Builder, Desired, Node, PlanError, Recipe, World};
use std::collections::BTreeMap;

const FIELD: &str = "spec.database.spec.cloudNativePG";

/// The longest name CloudNativePG accepts.
const LONGEST_NAME: usize = 50;

/// Notary supports md5 authentication only. For users with a SCRAM password, PostgreSQL still uses SCRAM.
const NOTARY_RULE: &str = "host all harbor all md5";

/// The annotation with which CloudNativePG leaves the hashing of passwords to PostgreSQL.
const PASSTHROUGH: &str = "cnpg.io/passwordPassthrough";

/// A PostgreSQL that CloudNativePG runs.
pub(super) struct CloudNativePg {
    settings: HarborDatabaseSpec,
    access: Desired,
    cluster: Desired,
    password: Desired,
}

impl CloudNativePg {
    /// Validates the HarborCluster's settings for it against what exists.
    pub fn of(cluster: &Cluster<'_>, world: &World<'_>) -> Result<Self, PlanError> {
        let defaults = CloudNativePgSpec::default();
        let spec = cluster.spec.database.spec.cloud_native_pg.as_ref().unwrap_or(&defaults);
        let (name, access, secret) =
            (name(cluster, LONGEST_NAME), cluster.child("database"), password::name(cluster)).all()?;
        let (existing, source) =
            (world.read::<PostgresCluster>(&name), world.read::<Secret>(&access)).all()?;
        let existing = existing.map(|existing| existing.spec);
        let settings = HarborDatabaseSpec {
            credentials: PostgresCredentials {
                username: Some(USER.into()),
                password_ref: Some(String::from(secret.clone()).into()),
                password_key: None,
            },
            hosts: vec![PostgresHostSpec { host: host(&name, cluster.namespace), port: Some(5432) }],
            ssl_mode: Some(spec.ssl_mode.unwrap_or(PostgresSslMode::Require)),
            prefix: None,
            name: None,
        };
        let postgres = PostgresCluster {
            metadata: cluster.metadata(&name),
            spec: postgres(cluster, spec, &access, existing.as_ref())?,
            status: None,
        };
        let why = || format!("it becomes a copy of key `password` of the Secret {access}");
        let password = password::copy(cluster, &secret, source.and_then(password::of), why);
        Ok(Self {
            settings,
            access: credentials(cluster, &access).of(DATABASE).on_deletion(cluster.deletion_of_data()),
            cluster: Desired::from(postgres).of(DATABASE).on_deletion(cluster.deletion_of_data()),
            password,
        })
    }

    /// The Harbor's settings for it.
    pub fn settings(&self) -> HarborDatabaseSpec {
        self.settings.clone()
    }

    /// Adds its children.
    pub fn add<'g>(self, graph: &mut Builder<'g>) -> (Node<'g, PostgresCluster>, Node<'g, Secret>) {
        let access = graph.add::<Secret>(self.access, ());
        (graph.add::<PostgresCluster>(self.cluster, access), graph.add::<Secret>(self.password, access))
    }
}

/// Name and password of the user, generated once. If a user changes the password here, CloudNativePG and the
/// Harbor follow.
fn credentials(cluster: &Cluster<'_>, name: &str) -> Desired {
    let mut metadata = cluster.metadata(name);
    if has_notary(cluster) {
        metadata.annotations = Some(BTreeMap::from([(PASSTHROUGH.to_owned(), "enabled".to_owned())]));
    }
    let secret = Secret {
        metadata,
        type_: Some("kubernetes.io/basic-auth".into()),
        data: Some(BTreeMap::from([("username".to_owned(), ByteString(USER.into()))])),
        ..Secret::default()
    };
    Desired::generated(secret, [("password".to_owned(), Recipe::Alphanumeric { length: 32 })])
}

fn postgres(
    cluster: &Cluster<'_>,
    spec: &CloudNativePgSpec,
    access: &str,
    existing: Option<&PostgresClusterSpec>,
) -> Result<PostgresClusterSpec, PlanError> {
    let CloudNativePgSpec {
        image,
        image_catalog_ref,
        instances,
        storage,
        storage_class_name,
        resources,
        // In the Harbor's settings.
        ssl_mode: _,
    } = spec;
    let request = VolumeRequest {
        field: FIELD,
        service: "the database",
        size: storage.as_deref(),
        class: storage_class_name.as_deref(),
    };
    // Without a size here, the user has set one in a template.
    let present = existing.and_then(|existing| existing.storage.clone());
    let present =
        present.and_then(|present| Some(Volume { size: present.size?, class: present.storage_class }));
    let (volume, instances, (image_name, catalog), ()) = (
        Volume::of(&request, present),
        servers(*instances),
        images(image, image_catalog_ref.as_ref()),
        check_resource_claims(resources.as_ref(), FIELD),
    )
        .all()?;
    Ok(PostgresClusterSpec {
        instances,
        image_name,
        image_catalog_ref: catalog,
        image_pull_policy: image.image_pull_policy.map(|policy| policy.as_str().to_owned()),
        image_pull_secrets: image.image_pull_secrets.clone(),
        postgresql: Some(configuration(cluster, existing)),
        bootstrap: bootstrap(cluster, access, existing),
        storage: Some(StorageConfiguration { size: Some(volume.size), storage_class: volume.class }),
        resources: resources.clone(),
    })
}

fn servers(instances: Option<i32>) -> Result<i32, PlanError> {
    match instances.unwrap_or(3) {
        instances @ 1.. => Ok(instances),
        instances => Err(PlanError::invalid(
            format_args!("{FIELD}.instances"),
            format!("there cannot be {instances} servers"),
            "set it to 1 or more, such as 3",
        )),
    }
}

fn images(
    image: &ImageSpec,
    catalog: Option<&ImageCatalogReference>,
) -> Result<(Option<String>, Option<ImageCatalogRef>), PlanError> {
    match (named_image(image), catalog) {
        (Some(_), Some(_)) => Err(PlanError::invalid(
            format_args!("{FIELD}.imageCatalogRef"),
            "cannot be set together with image",
            "keep one of them",
        )),
        (image, catalog) => Ok((image.map(ToOwned::to_owned), catalog.map(catalogue))),
    }
}

fn catalogue(reference: &ImageCatalogReference) -> ImageCatalogRef {
    let ImageCatalogReference { kind, name, major } = reference;
    let kind = match kind.unwrap_or_default() {
        ImageCatalogKind::ImageCatalog => "ImageCatalog",
        ImageCatalogKind::ClusterImageCatalog => "ClusterImageCatalog",
    };
    ImageCatalogRef {
        api_group: PostgresCluster::group(&()).into(),
        kind: kind.to_owned(),
        name: name.clone(),
        major: *major,
    }
}

fn configuration(cluster: &Cluster<'_>, existing: Option<&PostgresClusterSpec>) -> PostgresConfiguration {
    let mut parameters = BTreeMap::from([(CONNECTIONS.to_owned(), MAX_CONNECTIONS.to_owned())]);
    if has_notary(cluster) {
        parameters.insert("password_encryption".to_owned(), "md5".to_owned());
    }
    // A password that was hashed for Notary needs the rule, even after Notary is removed.
    let ruled = existing.and_then(|existing| existing.postgresql.as_ref());
    let ruled = ruled.is_some_and(|postgresql| postgresql.pg_hba.iter().any(|rule| rule == NOTARY_RULE));
    let rule = (has_notary(cluster) || ruled).then(|| NOTARY_RULE.to_owned());
    PostgresConfiguration { parameters, pg_hba: rule.into_iter().collect() }
}

/// The bootstrap of a new cluster. A cluster that a user bootstrapped in another way, for example from a
/// backup, stays unchanged.
///
/// Databases are created only here, so those of Notary are created whenever Notary can be enabled later.
fn bootstrap(
    cluster: &Cluster<'_>,
    access: &str,
    existing: Option<&PostgresClusterSpec>,
) -> Option<Bootstrap> {
    if existing.is_some_and(|existing| {
        existing.bootstrap.as_ref().is_none_or(|bootstrap| bootstrap.initdb.is_none())
    }) {
        return None;
    }
    let notary = has_notary(cluster).then_some(NOTARY).into_iter().flatten();
    let create = |database| format!("CREATE DATABASE {database} OWNER {USER}");
    Some(Bootstrap {
        initdb: Some(InitDb {
            database: CORE.to_owned(),
            owner: USER.to_owned(),
            secret: Some(LocalObjectReference { name: access.to_owned() }),
            data_checksums: Some(true),
            post_init_sql: notary.map(create).collect(),
        }),
    })
}

/// The host of the primary of the database with this name.
pub(super) fn host(name: &str, namespace: &str) -> String {
    format!("{name}-rw.{namespace}.svc")
}
