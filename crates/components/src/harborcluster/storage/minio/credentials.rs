//! What opens MinIO: given by the user, or made up once.

use super::Wish;
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

/// The Secrets that open MinIO.
pub(super) struct Credentials {
    /// Name of the Secret that has both keys.
    pub source: ObjectName,
    /// Name of the Secret that has them as their users read them.
    pub shared: ObjectName,
    /// The former, where the user gives none.
    pub made: Option<Desired>,
    /// The latter.
    pub used: Desired,
}

impl Credentials {
    /// Those the user gives, or those that were made up once.
    pub fn of(wish: &Wish<'_>, world: &World<'_>) -> Result<Self, PlanError> {
        let cluster = wish.cluster;
        let secrets = Secrets::new(world, cluster.namespace);
        let given = wish.spec.secret_ref.clone().filter(|name| !name.is_empty());
        let source = given.clone().unwrap_or_else(|| format!("{}-creds", wish.name).into());
        let (access, secret) = (SecretKey::new(&source, ACCESS_KEY), SecretKey::new(&source, SECRET_KEY));
        let found = if given.is_some() {
            let keys =
                (secrets.sound(&access, at_least::<3>), secrets.sound(&secret, at_least::<8>)).all()?;
            Some(keys)
        } else {
            let (access, secret) = (secrets.found(&access), secrets.found(&secret)).all()?;
            access.zip(secret)
        };
        let used = used(wish, found.as_ref());
        let used = if found.is_some() {
            Desired::from(used)
        } else {
            let source = ObjectKey::of::<Secret>(cluster.namespace, &source);
            Desired::awaited(used, format!("its values come from {source}"))
        };
        let made = given.is_none().then(|| made(wish, &source));
        Ok(Self { shared: wish.name.clone().into(), source, made, used })
    }

    /// The same with each Secret changed.
    pub fn map(self, change: impl Fn(Desired) -> Desired) -> Self {
        Self { made: self.made.map(&change), used: change(self.used), ..self }
    }
}

fn made(wish: &Wish<'_>, name: &str) -> Desired {
    let secret = Secret { metadata: wish.cluster.metadata(name), ..Secret::default() };
    let letters = |length| Recipe::Alphanumeric { length };
    // No longer than S3 has them.
    Desired::generated(secret, [(ACCESS_KEY.to_owned(), letters(20)), (SECRET_KEY.to_owned(), letters(32))])
}

fn used(wish: &Wish<'_>, values: Option<&(SecretValue, SecretValue)>) -> Secret {
    let (shared, configuration) = values.map(|(access, secret)| of_users(access, secret)).unwrap_or_default();
    let data = [(SHARED_KEY, shared), (CONFIGURATION, configuration)];
    Secret {
        metadata: wish.cluster.metadata(&wish.name),
        data: Some(data.into_iter().map(|(key, value)| (key.to_owned(), ByteString(value))).collect()),
        ..Secret::default()
    }
}

/// The values as the registry and as MinIO read them. MinIO takes the outer quotes away, and no others.
fn of_users(access: &SecretValue, secret: &SecretValue) -> (Vec<u8>, Vec<u8>) {
    let line = |name: &str, value: &SecretValue| {
        [b"export ", name.as_bytes(), b"=\"", value.bytes(), b"\"\n"].concat()
    };
    let configuration = [line("MINIO_ROOT_USER", access), line("MINIO_ROOT_PASSWORD", secret)].concat();
    (secret.bytes().to_vec(), configuration)
}

/// Refuses what MinIO would not start with.
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
