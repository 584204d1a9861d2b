//! A MinIO that its own operator runs: a Tenant, the claims of its volumes, and its credentials.
//!
//! The MinIO operator creates the bucket, and only then reports a tenant as initialized.

mod access;
mod credentials;
mod namespace;
mod tenant;
mod volumes;

use self::{access::Access, credentials::Credentials, volumes::Claims};
use super::{super::STORAGE, external};
use crate::{
    certificates::{CA_CERTIFICATE, pem_file, serving_certificate},
    harborcluster::cluster::Cluster,
    pods::{Scheme, check_resource_claims},
    secrets::{SecretKey, Secrets},
};
use api::{
    thirdparty::minio::Tenant,
    v1beta1::{
        ObjectName,
        harbor::storage::{HarborStorageSpec, ObjectStoreSpec},
        harborcluster::storage::{MinioSpec, StorageKind},
        storage::{RedirectDisable, S3Spec},
    },
};
use k8s_openapi::api::{
    core::v1::{PersistentVolumeClaim, Secret, Service},
    networking::v1::Ingress,
};
use plan::{All, Builder, Deps, Desired, PlanError, World};

/// The bucket of images and charts.
const BUCKET: &str = "harbor";

/// MinIO's default region.
const REGION: &str = "us-east-1";

/// A validated MinIO.
pub(super) struct Minio {
    credentials: Credentials,
    claims: Vec<Desired>,
    tenant: Desired,
    service: Desired,
    ingress: Option<Desired>,
}

/// What all parts of a MinIO are made from.
struct Request<'a> {
    cluster: &'a Cluster<'a>,
    spec: &'a MinioSpec,
    /// Name of the Tenant and of most other children.
    name: String,
}

impl<'a> Request<'a> {
    /// The Secret with the certificate of the servers, if they use TLS.
    fn certificate(&self) -> Option<&'a ObjectName> {
        self.spec.tls.as_ref().map(|tls| &tls.certificate_ref)
    }

    /// How the servers are served.
    fn scheme(&self) -> Scheme {
        if self.certificate().is_some() { Scheme::Https } else { Scheme::Http }
    }
}

/// Validates the certificate: MinIO would not start with an invalid one, or the registry would not trust it.
fn certified(request: &Request<'_>, world: &World<'_>) -> Result<(), PlanError> {
    let secrets = Secrets::new(world, request.cluster.namespace);
    let files = request
        .certificate()
        .into_iter()
        .flat_map(|secret| ["tls.crt", "tls.key", CA_CERTIFICATE].map(|key| SecretKey::new(secret, key)));
    files.map(|file| secrets.checked(&file, pem_file(file.key))).collect::<Vec<_>>().all().map(drop)
}

/// The name of the Tenant and of most other children.
pub(super) fn name(cluster: &Cluster<'_>) -> String {
    format!("minio-{}", cluster.name)
}

impl Minio {
    /// Validates the HarborCluster's settings for it. Also returns the Harbor's settings for it.
    pub fn of(cluster: &Cluster<'_>, world: &World<'_>) -> Result<(HarborStorageSpec, Self), PlanError> {
        let spec = cluster.spec.storage.spec.minio.as_deref();
        let spec = spec.ok_or_else(|| external::missing("minIO", StorageKind::MinIO))?;
        let request = Request { cluster, spec, name: namespace::name(cluster)? };
        let (existing, credentials, claims, access, ..) = (
            world.read::<Tenant>(&request.name),
            Credentials::of(&request, world),
            Claims::of(&request),
            Access::of(&request).and_then(|access| exposed(access, cluster, world)),
            certified(&request, world),
            namespace::has_room_for(&request.name, world),
            check_resource_claims(spec.resources.as_ref(), "spec.storage.spec.minIO"),
        )
            .all()?;
        if let Some(existing) = &existing {
            claims.fit(&request, existing)?;
        }
        let tenant = tenant::tenant(&request, existing.as_ref(), &claims, &credentials);
        let part = |desired: Desired| desired.of(STORAGE);
        let data = |desired: Desired| part(desired).on_deletion(cluster.deletion_of_data());
        let settings = settings(&access, &credentials);
        let minio = Self {
            claims: claims.objects(&request).map(|claim| data(Desired::once(claim))).collect(),
            tenant: data(tenant.into()),
            service: part(access::service(&request, &access).into()),
            ingress: access.ingress(&request).map(|ingress| part(ingress.into())),
            credentials: credentials.map(data),
        };
        Ok((settings, minio))
    }

    /// Adds its children. The Harbor waits for them.
    pub fn add<'g>(self, graph: &mut Builder<'g>) -> impl Deps<'g> + use<'g> {
        let made = self.credentials.made.map(|secret| graph.add::<Secret>(secret, ()));
        let used = graph.add::<Secret>(self.credentials.used, made);
        let claims: Vec<_> =
            self.claims.into_iter().map(|claim| graph.add::<PersistentVolumeClaim>(claim, ())).collect();
        let tenant = graph.add::<Tenant>(self.tenant, (used, claims));
        let service = graph.add::<Service>(self.service, ());
        let ingress = self.ingress.map(|ingress| graph.add::<Ingress>(ingress, ()));
        (tenant, service, ingress)
    }
}

/// Refuses a certificate that is invalid for the Ingress.
fn exposed<'a>(
    access: Access<'a>,
    cluster: &Cluster<'_>,
    world: &World<'_>,
) -> Result<Access<'a>, PlanError> {
    if let Some(secret) = access.redirect.as_ref().and_then(access::Redirect::certificate) {
        serving_certificate(&secret, &Secrets::new(world, cluster.namespace))?;
    }
    Ok(access)
}

/// The Harbor's settings for it.
fn settings(access: &Access<'_>, credentials: &Credentials) -> HarborStorageSpec {
    let s3 = S3Spec {
        access_key_ref: Some(credentials.source.clone()),
        secret_key_ref: Some(credentials.shared.clone()),
        region_endpoint: Some(access.endpoint.clone()),
        secure: access.is_secure(),
        certificate_ref: access.certificate(),
        ..S3Spec::new(REGION, BUCKET)
    };
    HarborStorageSpec {
        object_store: ObjectStoreSpec { s3: Some(s3), ..ObjectStoreSpec::default() },
        redirect: Some(RedirectDisable { disable: access.redirect.is_none() }),
        ..HarborStorageSpec::default()
    }
}
