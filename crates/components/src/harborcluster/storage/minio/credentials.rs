//! The credentials of MinIO: named by the user, or generated once.

use super::Request;
use crate::{
    secrets::{SecretKey, SecretValue, Secrets},
    values::Fault,
};
use api::v1beta1::ObjectName;
use k8s_openapi::{ByteString, api::core::v1::Secret};
use plan::{All, Desired, ObjectKey, PlanError, Recipe, World};

const ACCESS_KEY: &str = "accesskey";
const SECRET_KEY: &str = "secretkey";

/// Key of the secret key, for the registry and ChartMuseum.
const SHARED_KEY: &str = "secret";

/// Key of both, for MinIO.
const CONFIGURATION: &str = "config.env";

/// The Secrets with the credentials of MinIO.
pub(super) struct Credentials {
    /// Name of the Secret with both keys.
    pub source: ObjectName,
    /// Name of the Secret with the keys in the form that the components read.
    pub shared: ObjectName,
    /// The former, if the user names none.
    pub made: Option<Desired>,
    /// The latter.
    pub used: Desired,
}

impl Credentials {
    /// The credentials that the user names, or the generated ones.
    pub fn of(request: &Request<'_>, world: &World<'_>) -> Result<Self, PlanError> {
        let cluster = request.cluster;
        let secrets = Secrets::new(world, cluster.namespace);
        let given = request.spec.secret_ref.clone().filter(|name| !name.is_empty());
        let source = given.clone().unwrap_or_else(|| format!("{}-creds", request.name).into());
        let (access, secret) = (SecretKey::new(&source, ACCESS_KEY), SecretKey::new(&source, SECRET_KEY));
        let found = if given.is_some() {
            let keys =
                (secrets.checked(&access, at_least::<3>), secrets.checked(&secret, at_least::<8>)).all()?;
            Some(keys)
        } else {
            let (access, secret) =
                (secrets.optional_value(&access), secrets.optional_value(&secret)).all()?;
            access.zip(secret)
        };
        let used = used(request, found.as_ref());
        let used = if found.is_some() {
            Desired::from(used)
        } else {
            let source = ObjectKey::of::<Secret>(cluster.namespace, &source);
            Desired::awaited(used, format!("its values come from {source}"))
        };
        let made = given.is_none().then(|| made(request, &source));
        Ok(Self { shared: request.name.clone().into(), source, made, used })
    }

    /// Applies a function to each Secret.
    pub fn map(self, change: impl Fn(Desired) -> Desired) -> Self {
        Self { made: self.made.map(&change), used: change(self.used), ..self }
    }
}

fn made(request: &Request<'_>, name: &str) -> Desired {
    let secret = Secret { metadata: request.cluster.metadata(name), ..Secret::default() };
    let letters = |length| Recipe::Alphanumeric { length };
    // The lengths of S3 keys.
    Desired::generated(secret, [(ACCESS_KEY.to_owned(), letters(20)), (SECRET_KEY.to_owned(), letters(32))])
}

fn used(request: &Request<'_>, values: Option<&(SecretValue, SecretValue)>) -> Secret {
    let (shared, configuration) = values.map(|(access, secret)| of_users(access, secret)).unwrap_or_default();
    let data = [(SHARED_KEY, shared), (CONFIGURATION, configuration)];
    Secret {
        metadata: request.cluster.metadata(&request.name),
        data: Some(data.into_iter().map(|(key, value)| (key.to_owned(), ByteString(value))).collect()),
        ..Secret::default()
    }
}

/// The values in the form of the registry and in that of MinIO. MinIO removes only the outer quotes.
fn of_users(access: &SecretValue, secret: &SecretValue) -> (Vec<u8>, Vec<u8>) {
    let line = |name: &str, value: &SecretValue| {
        [b"export ", name.as_bytes(), b"=\"", value.bytes(), b"\"\n"].concat()
    };
    let configuration = [line("MINIO_ROOT_USER", access), line("MINIO_ROOT_PASSWORD", secret)].concat();
    (secret.bytes().to_vec(), configuration)
}

/// Refuses keys with which MinIO would not start.
fn at_least<const LEAST: usize>(value: &[u8]) -> Result<(), Fault> {
    let text = std::str::from_utf8(value).unwrap_or("\0");
    if text.chars().any(char::is_control) {
        return Err(Fault::new(
            "is not one line of text",
            "remove what is not a character, such as a newline",
        ));
    }
    if value.len() < LEAST {
        let problem = format!("is shorter than the {LEAST} characters that MinIO asks for");
        return Err(Fault::new(problem, "choose a longer one"));
    }
    Ok(())
}
