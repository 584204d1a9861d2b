//! The Tenant. One that exists keeps what cannot change, or changes only when asked.

use super::{BUCKET, Wish, credentials::Credentials, volumes::Claims};
use crate::versions::{named_image, with_pull_settings};
use api::{
    thirdparty::minio::{Bucket, CertificateReference, Pool, Tenant, TenantSpec},
    v1beta1::image::ImagePullPolicy,
};
use k8s_openapi::api::core::v1::{
    Capabilities, EnvVar, LocalObjectReference, PodSecurityContext, SeccompProfile, SecurityContext,
};
use kube::core::ObjectMeta;

/// Name of the one pool.
pub(super) const POOL: &str = "zone-harbor";

/// User, group and owner of files.
const USER: i64 = 10000;

/// The Tenant.
pub(super) fn tenant(
    wish: &Wish<'_>,
    existing: Option<&Tenant>,
    claims: &Claims,
    credentials: &Credentials,
) -> Tenant {
    let source = wish.cluster.spec.installation.image_source.as_ref();
    let Wish { spec, .. } = wish;
    let pulled = with_pull_settings(spec.image.clone(), source);
    let existing = existing.map(|tenant| &tenant.spec);
    Tenant {
        metadata: metadata(wish),
        spec: TenantSpec {
            pools: vec![pool(wish, claims)],
            image: image(wish, existing),
            image_pull_policy: pulled.image_pull_policy.map(ImagePullPolicy::as_str).map(Into::into),
            // A Tenant has room for one.
            image_pull_secret: pulled.image_pull_secrets.into_iter().next(),
            configuration: Some(reference(&credentials.shared)),
            // What an operator before 4.2 goes by; newer ones prefer the configuration, or have never stored this.
            creds_secret: existing
                .and_then(|spec| spec.creds_secret.clone())
                .map(|_| reference(&credentials.source)),
            mount_path: Some("/export".into()),
            pod_management_policy: Some("Parallel".into()),
            request_auto_cert: Some(false),
            external_cert_secret: wish.certificate().map(|secret| certificate(secret)).into_iter().collect(),
            env: vec![EnvVar { name: "MINIO_BROWSER".into(), value: Some("on".into()), value_from: None }],
            buckets: vec![Bucket { name: BUCKET.into() }],
        },
        status: None,
    }
}

fn metadata(wish: &Wish<'_>) -> ObjectMeta {
    let mut metadata = wish.cluster.metadata(&wish.name);
    let labels = [("type", "harbor-cluster-minio"), ("app", "minio")];
    let labels = labels.map(|(key, value)| (key.to_owned(), value.to_owned()));
    metadata.labels.get_or_insert_default().extend(labels);
    metadata
}

fn pool(wish: &Wish<'_>, claims: &Claims) -> Pool {
    let profile = SeccompProfile { type_: "RuntimeDefault".into(), localhost_profile: None };
    Pool {
        name: POOL.into(),
        servers: wish.spec.replicas,
        volumes_per_server: wish.spec.volumes_per_server,
        volume_claim_template: claims.template.clone(),
        resources: wish.spec.resources.clone(),
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

/// The image the user names; else the one that runs, since MinIO is upgraded only when asked; else one from where all
/// images come from; else the choice of the MinIO operator.
fn image(wish: &Wish<'_>, existing: Option<&TenantSpec>) -> Option<String> {
    let named = named_image(&wish.spec.image).map(ToOwned::to_owned);
    let running = || existing.and_then(|spec| spec.image.clone());
    named.or_else(running).or_else(|| mirrored(wish))
}

/// The image in a mirror; `None` where there is none.
fn mirrored(wish: &Wish<'_>) -> Option<String> {
    // Mirrors of Harbor up to 2.6 were filled for the operator's predecessor; later ones hold what MinIO operator 7.1
    // runs unless told otherwise.
    let tag = if wish.cluster.version.minor() <= (2, 6) {
        "RELEASE.2022-08-26T19-53-15Z"
    } else {
        "RELEASE.2025-04-08T15-41-24Z"
    };
    let mirror = &wish.cluster.mirror;
    (!mirror.is_none()).then(|| mirror.image("docker.io/minio", "minio", tag))
}

/// The names of the keys are those of cert-manager, with which servers trust each other by `ca.crt`.
fn certificate(secret: &str) -> CertificateReference {
    CertificateReference { name: secret.into(), type_: "cert-manager.io/v1".into() }
}

fn reference(secret: &str) -> LocalObjectReference {
    LocalObjectReference { name: secret.into() }
}
