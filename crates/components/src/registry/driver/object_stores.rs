//! Stores that are services: S3, Swift, Azure, Google and Alibaba.

use super::{Driver, FIELD, Parameters, key_file};
use crate::{
    certificates::{AUTHORITIES_DIRECTORY, CA_CERTIFICATE, pem_certificates},
    registry::{
        files::Files,
        settings::{self, Settings},
    },
    secrets::{SecretKey, Secrets},
    values::not_empty,
};
use api::v1beta1::storage::{AzureSpec, GcsSpec, OssSpec, S3Spec, SwiftSpec};
use plan::{All, PlanError};

/// Key of a Secret that holds a password or a secret key.
const SECRET: &str = "secret";

/// Amazon S3, or a store with the same API.
///
/// `secure` and `v4auth` are always set: the registry's default is true.
pub(super) fn s3(spec: &S3Spec, secrets: &Secrets<'_>) -> Result<Driver, PlanError> {
    let (access_key, secret_key, files) = (
        access_key("s3", spec.access_key.as_ref(), spec.access_key_ref.as_deref(), secrets),
        secret(spec.secret_key_ref.as_deref(), secrets),
        service_authority(spec, secrets),
    )
        .all()?;
    let parameters = Parameters::default()
        .with("region", spec.region.as_str())
        .with("bucket", spec.bucket.as_str())
        .with_text("regionendpoint", spec.region_endpoint.as_deref())
        .with_text("rootdirectory", spec.root_directory.as_deref())
        .with_text("storageclass", Some(&spec.storage_class))
        .with_text("keyid", spec.key_id.as_deref())
        .with("encrypt", spec.encrypt)
        .with("secure", spec.secure)
        .with("skipverify", spec.skip_verify)
        .with("v4auth", spec.v4_auth)
        .with_some("chunksize", spec.chunk_size)
        .with_some("multipartcopychunksize", spec.multipart_copy_chunk_size)
        .with_some("multipartcopymaxconcurrency", spec.multipart_copy_max_concurrency)
        .with_some("multipartcopythresholdsize", spec.multipart_copy_threshold_size);
    let credentials = Settings::default()
        .with_some("REGISTRY_STORAGE_S3_ACCESSKEY", access_key)
        .with_some("REGISTRY_STORAGE_S3_SECRETKEY", secret_key);
    Ok(Driver { credentials, files, ..Driver::named("s3", parameters) })
}

/// The access key: in the spec or in a Secret, or in neither if the environment of the pods has credentials.
fn access_key(
    store: &str,
    plain: Option<&String>,
    kept: Option<&str>,
    secrets: &Secrets<'_>,
) -> Result<Option<String>, PlanError> {
    match (plain.filter(|key| !key.is_empty()), kept) {
        (Some(_), Some(_)) => Err(PlanError::invalid(
            format_args!("{FIELD}.{store}.accesskeyRef"),
            "is set beside accesskey",
            "keep one of them",
        )),
        (Some(plain), None) => Ok(Some(plain.clone())),
        (None, Some(secret)) => settings::text(&SecretKey::new(secret, "accesskey"), secrets).map(Some),
        (None, None) => Ok(None),
    }
}

fn service_authority(spec: &S3Spec, secrets: &Secrets<'_>) -> Result<Files, PlanError> {
    let Some(secret) = &spec.certificate_ref else { return Ok(Files::default()) };
    secrets.checked(&SecretKey::new(secret, CA_CERTIFICATE), pem_certificates)?;
    let path = format!("{AUTHORITIES_DIRECTORY}/custom-ca-bundle.crt");
    Ok(key_file("storage-service-ca", secret, CA_CERTIFICATE, CA_CERTIFICATE, &path))
}

/// OpenStack Swift.
pub(super) fn swift(spec: &SwiftSpec, secrets: &Secrets<'_>) -> Result<Driver, PlanError> {
    let (username, password, access_key, secret_key, auth_version) = (
        set(spec.username.as_deref(), "swift.username"),
        set(spec.password_ref.as_deref(), "swift.passwordRef").and_then(|name| secret(Some(name), secrets)),
        access_key("swift", spec.access_key.as_ref(), spec.access_key_ref.as_deref(), secrets),
        secret(spec.secret_key_ref.as_deref(), secrets),
        identity_version(spec),
    )
        .all()?;
    let parameters = Parameters::default()
        .with("authurl", spec.auth_url.as_str())
        .with("container", spec.container.as_str())
        .with("username", username)
        .with_text("region", spec.region.as_deref())
        .with_text("tenant", spec.tenant.as_deref())
        .with_text("tenantid", spec.tenant_id.as_deref())
        .with_text("domain", spec.domain.as_deref())
        .with_text("domainid", spec.domain_id.as_deref())
        .with_text("trustid", spec.trust_id.as_deref())
        .with_text("prefix", spec.prefix.as_deref())
        .with_some("authversion", auth_version)
        .with("endpointtype", spec.endpoint_type.as_str())
        .with("insecureskipverify", spec.insecure_skip_verify)
        .with_some("chunksize", spec.chunk_size);
    let credentials = Settings::default()
        .with_some("REGISTRY_STORAGE_SWIFT_PASSWORD", password)
        .with_some("REGISTRY_STORAGE_SWIFT_ACCESSKEY", access_key)
        .with_some("REGISTRY_STORAGE_SWIFT_SECRETKEY", secret_key);
    Ok(Driver { credentials, ..Driver::named("swift", parameters) })
}

/// The version as a number: the registry does not start with a text.
fn identity_version(spec: &SwiftSpec) -> Result<Option<u8>, PlanError> {
    let text = spec.auth_version.as_deref().filter(|text| !text.is_empty());
    text.map(str::parse).transpose().map_err(|_| {
        PlanError::invalid(
            format_args!("{FIELD}.swift.authversion"),
            "is not a version of the Identity API",
            "use \"1\", \"2\" or \"3\", or leave it out",
        )
    })
}

/// Azure Blob Storage. `pathPrefix` is for charts, so the registry does not use it.
pub(super) fn azure(spec: &AzureSpec, secrets: &Secrets<'_>) -> Result<Driver, PlanError> {
    let (account, container, key) = (
        set(spec.account_name.as_deref(), "azure.accountname"),
        set(spec.container.as_deref(), "azure.container"),
        set(spec.account_key_ref.as_deref(), "azure.accountkeyRef")
            .and_then(|name| secret(Some(name), secrets)),
    )
        .all()?;
    let parameters = Parameters::default()
        .with("accountname", account)
        .with("container", container)
        .with_text("realm", Some(&spec.base_url));
    let credentials = Settings::default().with_some("REGISTRY_STORAGE_AZURE_ACCOUNTKEY", key);
    Ok(Driver { credentials, ..Driver::named("azure", parameters) })
}

/// Google Cloud Storage. Without a key file, the registry uses the identity of the pods' service account.
pub(super) fn gcs(spec: &GcsSpec, secrets: &Secrets<'_>) -> Result<Driver, PlanError> {
    const KEY: &str = "GCS_KEY_DATA";
    const KEY_FILE: &str = "/etc/gcs/gcs-key.json";
    let key = spec.key_data_ref.as_deref().filter(|name| !name.is_empty());
    let found = key.map(|secret| secrets.checked(&SecretKey::new(secret, KEY), not_empty)).transpose();
    let (bucket, _) = (set(spec.bucket.as_deref(), "gcs.bucket"), found).all()?;
    let parameters = Parameters::default()
        .with("bucket", bucket)
        .with_some("keyfile", key.map(|_| KEY_FILE))
        .with_text("rootdirectory", spec.path_prefix.as_deref())
        .with_text("chunksize", spec.chunk_size.as_deref());
    let files = key.map(|secret| key_file("gcs-key", secret, KEY, "gcs-key.json", KEY_FILE));
    Ok(Driver { files: files.unwrap_or_default(), ..Driver::named("gcs", parameters) })
}

/// Alibaba Cloud OSS. Its client requires the bucket at the beginning of the endpoint.
pub(super) fn oss(spec: &OssSpec, secrets: &Secrets<'_>) -> Result<Driver, PlanError> {
    let access_secret = secret(Some(&spec.access_secret_ref), secrets)?;
    let endpoint = spec.endpoint.as_deref().filter(|endpoint| !endpoint.is_empty());
    let parameters = Parameters::default()
        .with("region", spec.region.as_str())
        .with("bucket", spec.bucket.as_str())
        .with("accesskeyid", spec.access_key_id.as_str())
        .with_some("endpoint", endpoint.map(|endpoint| format!("{}.{endpoint}", spec.bucket)))
        .with("internal", spec.internal)
        .with("encrypt", spec.encrypt)
        .with("secure", spec.secure)
        .with_some("chunksize", spec.chunk_size)
        .with_text("rootdirectory", spec.path_prefix.as_deref());
    let credentials = Settings::default().with_some("REGISTRY_STORAGE_OSS_ACCESSKEYSECRET", access_secret);
    Ok(Driver { credentials, ..Driver::named("oss", parameters) })
}

fn secret(name: Option<&str>, secrets: &Secrets<'_>) -> Result<Option<String>, PlanError> {
    let name = name.filter(|name| !name.is_empty());
    name.map(|name| settings::text(&SecretKey::new(name, SECRET), secrets)).transpose()
}

/// A field that the schema does not require, but the registry does.
fn set<'a>(value: Option<&'a str>, field: &str) -> Result<&'a str, PlanError> {
    value.filter(|value| !value.is_empty()).ok_or_else(|| {
        PlanError::invalid(
            format_args!("{FIELD}.{field}"),
            "is not set, and the registry does not start without it",
            "set it",
        )
    })
}
