//! Impersonation: a user acts as another user, if they have permission.

use super::authorize::{Authorizer, Question, Target};
use super::user::{
    ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED, User, as_service_account, service_account_groups,
};
use crate::failure::Failure;
use http::HeaderMap;
use std::collections::BTreeMap;

const USER: &str = "impersonate-user";
const GROUP: &str = "impersonate-group";
const UID: &str = "impersonate-uid";
const EXTRA: &str = "impersonate-extra-";

const AUTHENTICATION: &str = "authentication.k8s.io";

/// The user that `headers` ask to act as; None if they do not impersonate.
pub(crate) fn impersonated(
    headers: &HeaderMap,
    user: &User,
    authorizer: &Authorizer<'_>,
) -> Result<Option<User>, Failure> {
    let name = first(headers, USER);
    let mut groups: Vec<String> = headers.get_all(GROUP).iter().filter_map(text).collect();
    let uid = first(headers, UID);
    let extra = extra(headers);
    let Some(name) = name else {
        if groups.is_empty() && uid.is_none() && extra.is_empty() {
            return Ok(None);
        }
        return Err(Failure::bad_request(without_user(&groups, &extra, uid.as_deref())));
    };

    let ask = |group: &str, resource: &str, subresource: &str, namespace: &str, name: &str| {
        let target = Target::Resource { group, resource, subresource, namespace, name };
        authorizer.authorize(user, &Question { verb: "impersonate", target })
    };
    match as_service_account(&name) {
        Some((namespace, account)) => {
            ask("", "serviceaccounts", "", namespace, account)?;
            if groups.is_empty() {
                groups.extend(service_account_groups(namespace));
            }
        }
        None => ask("", "users", "", "", &name)?,
    }
    for group in headers.get_all(GROUP).iter().filter_map(text) {
        ask("", "groups", "", "", &group)?;
    }
    for (key, values) in &extra {
        for value in values {
            ask(AUTHENTICATION, "userextras", key, "", value)?;
        }
    }
    if let Some(uid) = &uid {
        ask(AUTHENTICATION, "uids", "", "", uid)?;
    }

    let has = |wanted: &str| groups.iter().any(|group| group == wanted);
    if name == ANONYMOUS {
        if !has(UNAUTHENTICATED) {
            groups.push(UNAUTHENTICATED.into());
        }
    } else if !has(AUTHENTICATED) && !has(UNAUTHENTICATED) {
        groups.push(AUTHENTICATED.into());
    }
    Ok(Some(User { name, uid: uid.unwrap_or_default(), groups, extra }))
}

fn text(value: &http::HeaderValue) -> Option<String> {
    value.to_str().ok().map(str::to_owned)
}

fn first(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(text).filter(|value| !value.is_empty())
}

fn extra(headers: &HeaderMap) -> BTreeMap<String, Vec<String>> {
    let mut extra: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in headers {
        if let (Some(key), Some(value)) = (name.as_str().strip_prefix(EXTRA), text(value)) {
            extra.entry(unescaped(key)).or_default().push(value);
        }
    }
    extra
}

/// Decodes `%2f`; a key with an invalid encoding is not changed.
fn unescaped(key: &str) -> String {
    let mut bytes = Vec::with_capacity(key.len());
    let mut rest = key.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = rest.split_first_chunk::<2>().and_then(|(digits, after)| {
            let value = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
            Some((value, after))
        });
        let Some((value, after)) = digits else { return key.to_owned() };
        bytes.push(value);
        rest = after;
    }
    String::from_utf8(bytes).unwrap_or_else(|_| key.to_owned())
}

/// The answer of kube-apiserver, which prints the object references that it derives from the headers.
fn without_user(groups: &[String], extra: &BTreeMap<String, Vec<String>>, uid: Option<&str>) -> String {
    let reference =
        |kind: &str, name: &str, version: &str, path: &str| format!("{{{kind}  {name}  {version}  {path}}}");
    let groups = groups.iter().map(|group| format!("{{Group  {group}    }}"));
    let version = format!("{AUTHENTICATION}/v1");
    let extra = extra
        .iter()
        .flat_map(|(key, values)| values.iter().map(|value| reference("UserExtra", value, &version, key)));
    let uid = uid.iter().map(|uid| reference("UID", uid, &version, ""));
    let asked: Vec<String> = groups.chain(extra).chain(uid).collect();
    format!("requested [{}] without impersonating a user", asked.join(" "))
}
