//! The users of the API.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The group that may do everything, whatever the roles say.
pub(super) const MASTERS: &str = "system:masters";
pub(super) const AUTHENTICATED: &str = "system:authenticated";
pub(super) const UNAUTHENTICATED: &str = "system:unauthenticated";
pub(super) const ANONYMOUS: &str = "system:anonymous";

const SERVICE_ACCOUNT: &str = "system:serviceaccount:";

/// A user of the API.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct User {
    /// As in `jane` or `system:serviceaccount:default:builder`.
    pub name: String,
    /// Empty for none.
    pub uid: String,
    /// The groups that the user is a member of.
    pub groups: Vec<String>,
    /// Further attributes from the authenticator.
    pub extra: BTreeMap<String, Vec<String>>,
}

impl User {
    /// A user with the proven name `name`.
    pub fn authenticated(name: impl Into<String>, groups: impl IntoIterator<Item = String>) -> Self {
        let mut groups: Vec<String> = groups.into_iter().collect();
        if !groups.iter().any(|group| group == AUTHENTICATED) {
            groups.push(AUTHENTICATED.into());
        }
        Self { name: name.into(), groups, ..Self::default() }
    }

    /// The user of all requests while access is open.
    pub fn admin() -> Self {
        Self::authenticated("system:admin", [MASTERS.to_owned()])
    }

    /// The user of requests without credentials.
    pub(super) fn anonymous() -> Self {
        Self { name: ANONYMOUS.into(), groups: vec![UNAUTHENTICATED.into()], ..Self::default() }
    }

    /// A service account.
    pub(super) fn service_account(namespace: &str, name: &str) -> Self {
        Self::authenticated(format!("{SERVICE_ACCOUNT}{namespace}:{name}"), service_account_groups(namespace))
    }

    pub(super) fn is_master(&self) -> bool {
        self.groups.iter().any(|group| group == MASTERS)
    }

    /// `UserInfo` of `authentication.k8s.io`.
    pub(crate) fn info(&self) -> Value {
        let mut info = Map::new();
        info.insert("username".into(), self.name.as_str().into());
        if !self.uid.is_empty() {
            info.insert("uid".into(), self.uid.as_str().into());
        }
        if !self.groups.is_empty() {
            info.insert("groups".into(), json!(self.groups));
        }
        if !self.extra.is_empty() {
            info.insert("extra".into(), json!(self.extra));
        }
        Value::Object(info)
    }
}

/// The groups of each service account of a namespace.
pub(super) fn service_account_groups(namespace: &str) -> [String; 2] {
    ["system:serviceaccounts".into(), format!("system:serviceaccounts:{namespace}")]
}

/// The namespace and name of the service account that a user's name names.
pub(super) fn as_service_account(user: &str) -> Option<(&str, &str)> {
    let (namespace, name) = user.strip_prefix(SERVICE_ACCOUNT)?.split_once(':')?;
    (!namespace.is_empty() && !name.is_empty() && !name.contains(':')).then_some((namespace, name))
}
