//! What components prove themselves with: made up once, or named by the user.

use super::inputs::Inputs;
use crate::data::installation_retention;
use api::v1beta1::ObjectName;
use k8s_openapi::{ByteString, api::core::v1::Secret};
use plan::{Builder, Desired, Node, Recipe, Tie};

/// User the registry knows.
pub(super) const REGISTRY_USER: &str = "harbor_registry_user";

/// A Secret with credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Credential {
    /// Named by the user.
    Given(ObjectName),
    /// Made by the operator, unless somebody did beforehand.
    Made(ObjectName),
}

impl Credential {
    /// The Secret's name.
    pub fn name(&self) -> ObjectName {
        match self {
            Self::Given(name) | Self::Made(name) => name.clone(),
        }
    }
}

/// All Secrets with credentials.
pub(super) struct Credentials {
    /// Logs Core and JobService in to the registry.
    pub registry: Credential,
    /// Protects uploads that go through several pods.
    pub registry_http: Credential,
    /// Protects forms.
    pub csrf: Credential,
    /// Proves who Core is.
    pub core: Credential,
    /// Encrypts secrets in the database.
    pub encryption: Credential,
    /// Proves who JobService is.
    pub jobservice: Credential,
    /// Encrypts the keys Notary signs with.
    pub notary_aliases: Credential,
}

/// The Secrets among them that the operator makes.
pub(super) struct Made<'g> {
    pub registry: Option<Node<'g, Secret>>,
    pub registry_http: Option<Node<'g, Secret>>,
    pub csrf: Option<Node<'g, Secret>>,
    pub core: Option<Node<'g, Secret>>,
    pub encryption: Option<Node<'g, Secret>>,
    pub jobservice: Option<Node<'g, Secret>>,
    pub notary_aliases: Option<Node<'g, Secret>>,
}

impl Credentials {
    /// Those the user names, and usual names for the rest.
    pub fn of(harbor: &Inputs<'_>) -> Self {
        let core = harbor.installation.core.as_ref();
        let jobservice = harbor.installation.jobservice.as_ref();
        let registry = harbor.installation.registry.as_ref();
        let or = |named: Option<&ObjectName>, suffix: &str| {
            let made = || Credential::Made(harbor.child(suffix).into());
            named.map_or_else(made, |named| Credential::Given(named.clone()))
        };
        Self {
            registry: or(registry.and_then(|it| it.credentials_ref.as_ref()), "registry-basicauth"),
            registry_http: or(registry.and_then(|it| it.http_secret_ref.as_ref()), "registry-http"),
            csrf: or(core.and_then(|it| it.csrf_key_ref.as_ref()), "core-csrf"),
            core: or(core.and_then(|it| it.secret_ref.as_ref()), "core-secret"),
            encryption: or(core.and_then(|it| it.encryption_key_ref.as_ref()), "core-encryptionkey"),
            jobservice: or(jobservice.and_then(|it| it.secret_ref.as_ref()), "jobservice-secret"),
            notary_aliases: or(None, "notarysigner-encryption-key"),
        }
    }

    /// Adds those that nobody made. Each is created once and never changed: all that was encrypted, and everybody who
    /// is logged in, depends on it.
    pub fn add<'g>(&self, harbor: &Inputs<'_>, graph: &mut Builder<'g>) -> Made<'g> {
        let letters = |length| Recipe::Alphanumeric { length };
        let mut once = |credential: &Credential,
                        type_: &str,
                        tie: Tie,
                        recipes: Vec<(&str, Recipe)>,
                        fixed: &[(&str, &str)]| {
            let Credential::Made(name) = credential else { return None };
            let data = fixed.iter().map(|(key, value)| ((*key).to_owned(), ByteString((*value).into())));
            let secret = Secret {
                metadata: harbor.metadata(name.as_str()),
                type_: Some(type_.into()),
                data: (!fixed.is_empty()).then(|| data.collect()),
                ..Secret::default()
            };
            let recipes = recipes.into_iter().map(|(key, recipe)| (key.to_owned(), recipe));
            Some(graph.add::<Secret>(Desired::generated(secret, recipes).tied(tie), ()))
        };
        let htpasswd = Recipe::Htpasswd { user: REGISTRY_USER.into(), password: "secret".into() };
        let single = "goharbor.io/single";
        // Without these, what is in the database cannot be read any more.
        let data = installation_retention(harbor.installation);
        Made {
            registry: once(
                &self.registry,
                "goharbor.io/htpasswd",
                Tie::Owned,
                vec![("secret", letters(32)), ("htpasswd", htpasswd)],
                &[],
            ),
            registry_http: once(
                &self.registry_http,
                "goharbor.io/registry",
                Tie::Owned,
                vec![("REGISTRY_HTTP_SECRET", letters(128))],
                &[],
            ),
            csrf: once(&self.csrf, single, Tie::Owned, vec![("key", letters(32))], &[]),
            core: once(
                &self.core,
                single,
                Tie::Owned,
                vec![("secret", letters(128)), ("password", Recipe::SameAs { key: "secret".into() })],
                // What ChartMuseum asks Core for.
                &[("username", "chart_controller")],
            ),
            encryption: once(&self.encryption, single, data, vec![("secret", letters(16))], &[]),
            jobservice: once(&self.jobservice, single, Tie::Owned, vec![("secret", letters(16))], &[]),
            notary_aliases: harbor.installation.notary.as_ref().and_then(|_| {
                once(
                    &self.notary_aliases,
                    "goharbor.io/notary-signer-aliases",
                    data,
                    vec![("DEFAULT", letters(128))],
                    &[],
                )
            }),
        }
    }
}
