//! Bearer tokens: those of a fixed table, and those that service accounts are issued.
//!
//! An issued token has the form of a JWT with true claims, but it is valid because the server remembers it:
//! no other process has to verify it.

use super::User;
use crate::failure::{Cause, Failure};
use crate::uid;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// The issuer of tokens, and their audience unless the request names others.
const ISSUER: &str = "https://kubernetes.default.svc";

const GROUP: &str = "authentication.k8s.io";
const HOUR: i64 = 3600;
const SHORTEST: i64 = 600;
const LONGEST: i64 = 1 << 32;

/// The objects that tokens depend on.
pub(crate) trait ServiceAccounts {
    /// The service account, while it exists.
    fn service_account(&self, namespace: &str, name: &str) -> Option<Arc<Value>>;

    /// What a token may be bound to: a pod or secret of the namespace, or a node.
    fn bound(&self, plural: &str, namespace: &str, name: &str) -> Option<Arc<Value>>;
}

/// All bearer tokens of a server.
#[derive(Default)]
pub(crate) struct Tokens {
    fixed: BTreeMap<String, User>,
    issued: Mutex<HashMap<String, Issued>>,
}

struct Issued {
    namespace: String,
    account: String,
    /// The uid of the account. Another account with the same name has another one.
    uid: String,
    id: String,
    audiences: Vec<String>,
    expires: Timestamp,
    bound: Option<Bound>,
}

struct Bound {
    kind: &'static str,
    plural: &'static str,
    name: String,
    uid: String,
}

/// The service account to issue a token for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenTarget<'a> {
    pub namespace: &'a str,
    pub name: &'a str,
}

impl Tokens {
    /// Tokens that never expire.
    pub fn new(fixed: impl IntoIterator<Item = (String, User)>) -> Self {
        Self { fixed: fixed.into_iter().collect(), issued: Mutex::default() }
    }

    /// The user of a token, or why it is invalid.
    pub fn user(
        &self,
        token: &str,
        accounts: &dyn ServiceAccounts,
        now: Timestamp,
    ) -> Result<User, &'static str> {
        self.user_for(token, &[], accounts, now).map(|(user, _)| user).map_err(|_| "invalid bearer token")
    }

    /// The user of a token, and for which of `audiences` it is valid; without audiences, for the server
    /// itself.
    pub(super) fn user_for(
        &self,
        token: &str,
        audiences: &[String],
        accounts: &dyn ServiceAccounts,
        now: Timestamp,
    ) -> Result<(User, Vec<String>), String> {
        let server = [ISSUER.to_owned()];
        let wanted = if audiences.is_empty() { &server } else { audiences };
        if let Some(user) = self.fixed.get(token) {
            return Ok((user.clone(), wanted.to_vec()));
        }
        let issued = self.issued.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(issued) = issued.get(token) else { return Err("invalid bearer token".into()) };
        let matching: Vec<String> =
            wanted.iter().filter(|audience| issued.audiences.contains(audience)).cloned().collect();
        if matching.is_empty() {
            let (had, wanted) = (quoted(&issued.audiences), quoted(wanted));
            return Err(format!(
                "[invalid bearer token, token audiences {had} is invalid for the target audiences {wanted}]"
            ));
        }
        if issued.expires <= now {
            return Err("[invalid bearer token, service account token has expired]".into());
        }
        if !issued.stands(accounts) {
            return Err("[invalid bearer token, service account token has been invalidated]".into());
        }
        Ok((issued.user(), matching))
    }

    /// Answers a `TokenRequest`.
    pub fn issue(
        &self,
        target: TokenTarget<'_>,
        request: &Value,
        accounts: &dyn ServiceAccounts,
        now: Timestamp,
    ) -> Result<Value, Failure> {
        let TokenTarget { namespace, name } = target;
        let asked = |field: &str| request["metadata"][field].as_str().filter(|text| !text.is_empty());
        for (field, expected) in [("name", name), ("namespace", namespace)] {
            if let Some(other) = asked(field).filter(|&other| other != expected) {
                let why = format!("must match the service account {field} if specified");
                let cause = Cause::invalid(format!("metadata.{field}"), &other.into(), why);
                return Err(Failure::invalid(GROUP, "TokenRequest", name, &[cause]));
            }
        }
        let account = accounts
            .service_account(namespace, name)
            .ok_or_else(|| Failure::not_found("", "serviceaccounts", name))?;
        let account_uid = uid_of(&account);
        if let Some(other) = asked("uid").filter(|&other| other != account_uid) {
            let why = format!(
                "the UID in the token request ({other}) does not match the UID of the service account ({account_uid})"
            );
            return Err(Failure::conflict(GROUP, "TokenRequest", name, &why));
        }

        let spec = &request["spec"];
        let audiences = match texts(&spec["audiences"]) {
            none if none.is_empty() => vec![ISSUER.to_owned()],
            some => some,
        };
        let seconds = spec["expirationSeconds"].as_i64().unwrap_or(HOUR);
        lifetime(seconds)?;
        let bound = bound(&spec["boundObjectRef"], target, accounts)?;
        let expires = now.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MAX);

        let issued = Issued {
            namespace: namespace.into(),
            account: name.into(),
            uid: account_uid.clone(),
            id: uid::random(),
            audiences: audiences.clone(),
            expires,
            bound,
        };
        let token = issued.token(now);
        let mut all = self.issued.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, old| old.expires > now);
        all.insert(token.clone(), issued);

        Ok(json!({
            "kind": "TokenRequest",
            "apiVersion": "authentication.k8s.io/v1",
            "metadata": {
                "name": name,
                "namespace": namespace,
                "uid": account_uid,
                "creationTimestamp": seconds_of(now),
            },
            "spec": {
                "audiences": audiences,
                "expirationSeconds": seconds,
                "boundObjectRef": spec["boundObjectRef"],
            },
            "status": { "token": token, "expirationTimestamp": seconds_of(expires) },
        }))
    }
}

impl Issued {
    fn user(&self) -> User {
        let mut user = User::service_account(&self.namespace, &self.account);
        user.uid.clone_from(&self.uid);
        let mut add = |key: &str, value: String| {
            user.extra.insert(format!("authentication.kubernetes.io/{key}"), vec![value]);
        };
        add("credential-id", format!("JTI={}", self.id));
        match &self.bound {
            Some(bound) if bound.kind != "secret" => {
                add(&format!("{}-name", bound.kind), bound.name.clone());
                add(&format!("{}-uid", bound.kind), bound.uid.clone());
            }
            _ => {}
        }
        user
    }

    /// Whether the account and the object that the token is bound to still exist.
    fn stands(&self, accounts: &dyn ServiceAccounts) -> bool {
        let account = accounts.service_account(&self.namespace, &self.account);
        account.is_some_and(|account| uid_of(&account) == self.uid)
            && self.bound.as_ref().is_none_or(|bound| {
                let found = accounts.bound(bound.plural, &self.namespace, &bound.name);
                found.is_some_and(|found| uid_of(&found) == bound.uid)
            })
    }

    fn token(&self, now: Timestamp) -> String {
        let mut kubernetes = Map::new();
        kubernetes.insert("namespace".into(), self.namespace.as_str().into());
        kubernetes.insert("serviceaccount".into(), json!({ "name": self.account, "uid": self.uid }));
        if let Some(bound) = &self.bound {
            kubernetes.insert(bound.kind.into(), json!({ "name": bound.name, "uid": bound.uid }));
        }
        let claims = json!({
            "iss": ISSUER,
            "sub": format!("system:serviceaccount:{}:{}", self.namespace, self.account),
            "aud": self.audiences,
            "iat": now.as_second(),
            "nbf": now.as_second(),
            "exp": self.expires.as_second(),
            "jti": self.id,
            "kubernetes.io": kubernetes,
        });
        let secret: [u8; 32] = rand::random();
        let head = json!({ "alg": "HS256", "typ": "JWT" });
        format!(
            "{}.{}.{}",
            URL_SAFE_NO_PAD.encode(head.to_string()),
            URL_SAFE_NO_PAD.encode(claims.to_string()),
            URL_SAFE_NO_PAD.encode(secret)
        )
    }
}

fn lifetime(seconds: i64) -> Result<(), Failure> {
    let why = match seconds {
        ..SHORTEST => "may not specify a duration less than 10 minutes",
        SHORTEST..=LONGEST => return Ok(()),
        _ => "may not specify a duration larger than 2^32 seconds",
    };
    let cause = Cause::invalid("spec.expirationSeconds", &seconds.into(), why);
    Err(Failure::invalid(GROUP, "TokenRequest", "", &[cause]))
}

fn bound(
    reference: &Value,
    target: TokenTarget<'_>,
    accounts: &dyn ServiceAccounts,
) -> Result<Option<Bound>, Failure> {
    if reference.is_null() {
        return Ok(None);
    }
    let text = |field: &str| reference[field].as_str().unwrap_or_default();
    let (kind, plural) = match (text("apiVersion"), text("kind")) {
        ("v1", "Pod") => ("pod", "pods"),
        ("v1", "Secret") => ("secret", "secrets"),
        ("v1", "Node") => ("node", "nodes"),
        (version, kind) => {
            let (group, version) = version.split_once('/').unwrap_or(("", version));
            let what = format!("cannot bind token to object of type {group}/{version}, Kind={kind}");
            return Err(Failure::bad_request(what));
        }
    };
    let name = text("name").to_owned();
    let object = accounts
        .bound(plural, target.namespace, &name)
        .ok_or_else(|| Failure::not_found("", plural, &name))?;
    if kind == "pod" && object["spec"]["serviceAccountName"].as_str() != Some(target.name) {
        return Err(Failure::bad_request(format!(
            "cannot bind token for serviceaccount {:?} to pod running with different serviceaccount name.",
            target.name
        )));
    }
    let uid = uid_of(&object);
    let asked = text("uid");
    if !asked.is_empty() && asked != uid {
        let why = format!(
            "the UID in the bound object reference ({asked}) does not match the UID in record. The object might \
             have been deleted and then recreated"
        );
        return Err(Failure::conflict("", text("kind"), &name, &why));
    }
    Ok(Some(Bound { kind, plural, name, uid }))
}

fn uid_of(object: &Value) -> String {
    object["metadata"]["uid"].as_str().unwrap_or_default().to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// A list as Go prints it with `%q`.
pub(super) fn quoted(texts: &[String]) -> String {
    format!("[{}]", texts.iter().map(|text| format!("{text:?}")).collect::<Vec<_>>().join(" "))
}

/// A time in the format of objects.
fn seconds_of(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
