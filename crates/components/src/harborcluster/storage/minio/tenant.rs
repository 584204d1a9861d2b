//! The Tenant. An existing one keeps what cannot change, or what changes only on request.

use super::{BUCKET, Request, credentials::Credentials, volumes::Claims};
use crate::versions::{named_image, with_pull_settings};
use api::{
    thirdparty::minio::{Bucket, CertificateReference, Pool, Tenant, TenantSpec},
    v1beta1::{harborcluster::storage::MinioSpec, image::ImagePullPolicy},
};
use k8s_openapi::api::core::v1::{
    Capabilities, EnvVar, LocalObjectReference, PodSecurityContext, SeccompProfile, SecurityContext,
};
use kube::core::ObjectMeta;

/// Name of the only pool.
pub(super) const POOL: &str = "zone-harbor";

/// User, group and owner of the files.
const USER: i64 = 10000;

/// The Tenant.
pub(super) fn tenant(
    request: &Request<'_>,
    existing: Option<&Tenant>,
    claims: &Claims,
    credentials: &Credentials,
) -> Tenant {
    let source = request.cluster.spec.installation.image_source.as_ref();
    let MinioSpec {
        image,
        // In `pool`, `Claims`, `Credentials` and `Access`.
        replicas: _,
        volumes_per_server: _,
        volume_claim_template: _,
        resources: _,
        secret_ref: _,
        tls: _,
        redirect: _,
        // Without effect.
        operator_version: _,
        mc: _,
    } = request.spec;
    let pulled = with_pull_settings(image.clone(), source);
    let existing = existing.map(|tenant| &tenant.spec);
    Tenant {
        metadata: metadata(request),
        spec: TenantSpec {
            pools: vec![pool(request, claims)],
            image: self::image(request, existing),
            image_pull_policy: pulled.image_pull_policy.map(ImagePullPolicy::as_str).map(Into::into),
            // A Tenant supports one pull secret.
            image_pull_secret: pulled.image_pull_secrets.into_iter().next(),
            configuration: Some(reference(&credentials.shared)),
            // MinIO operators before 4.2 read it; newer ones prefer the configuration, or never stored it.
            creds_secret: existing
                .and_then(|spec| spec.creds_secret.clone())
                .map(|_| reference(&credentials.source)),
            mount_path: Some("/export".into()),
            pod_management_policy: Some("Parallel".into()),
            request_auto_cert: Some(false),
            external_cert_secret: request
                .certificate()
                .map(|secret| certificate(secret))
                .into_iter()
                .collect(),
            env: vec![EnvVar { name: "MINIO_BROWSER".into(), value: Some("on".into()), value_from: None }],
            buckets: vec![Bucket { name: BUCKET.into() }],
        },
        status: None,
    }
}

fn metadata(request: &Request<'_>) -> ObjectMeta {
    let mut metadata = request.cluster.metadata(&request.name);
    let labels = [("type", "harbor-cluster-minio"), ("app", "minio")];
    let labels = labels.map(|(key, value)| (key.to_owned(), value.to_owned()));
    metadata.labels.get_or_insert_default().extend(labels);
    metadata
}

fn pool(request: &Request<'_>, claims: &Claims) -> Pool {
    let profile = SeccompProfile { type_: "RuntimeDefault".into(), localhost_profile: None };
    Pool {
        name: POOL.into(),
        servers: request.spec.replicas,
        volumes_per_server: request.spec.volumes_per_server,
        volume_claim_template: claims.template.clone(),
        resources: request.spec.resources.clone(),
        security_context: Some(PodSecurityContext {
            run_as_user: Some(USER),
            run_as_group: Some(USER),
            fs_group: Some(USER),
            run_as_non_root: Some(true),
            seccomp_profile: Some(profile.clone()),
            ..PodSecurityContext::default()
        }),
        container_security_context: Some(SecurityContext {
            run_as_user: Some(USER),
            run_as_group: Some(USER),
            run_as_non_root: Some(true),
            allow_privilege_escalation: Some(false),
            capabilities: Some(Capabilities { drop: Some(vec!["ALL".into()]), add: None }),
            seccomp_profile: Some(profile),
            ..SecurityContext::default()
        }),
    }
}

/// The image that the user names, otherwise the running one, since MinIO is upgraded only on request, otherwise
/// the one of the mirror, otherwise the default of the MinIO operator.
fn image(request: &Request<'_>, existing: Option<&TenantSpec>) -> Option<String> {
    let named = named_image(&request.spec.image).map(ToOwned::to_owned);
    let running = || existing.and_then(|spec| spec.image.clone());
    named.or_else(running).or_else(|| mirrored(request))
}

/// The image in the mirror; `None` without a mirror.
fn mirrored(request: &Request<'_>) -> Option<String> {
    // Mirrors for Harbor up to 2.6 have the image of the operator's predecessor; later ones have the default of
    // MinIO operator 7.1.
    let tag = if request.cluster.version.minor() <= (2, 6) {
        "RELEASE.2022-08-26T19-53-15Z"
    } else {
        "RELEASE.2025-04-08T15-41-24Z"
    };
    let mirror = &request.cluster.mirror;
    (!mirror.is_none()).then(|| mirror.image("docker.io/minio", "minio", tag))
}

/// With this type, keys have the names of cert-manager, and servers trust each other's `ca.crt`.
fn certificate(secret: &str) -> CertificateReference {
    CertificateReference { name: secret.into(), type_: "cert-manager.io/v1".into() }
}

fn reference(secret: &str) -> LocalObjectReference {
    LocalObjectReference { name: secret.into() }
}
