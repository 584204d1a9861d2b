//! The object or collection of a path.

/// The resource of a path below `/api` or `/apis`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub group: String,
    pub version: String,
    pub namespace: Option<String>,
    pub plural: String,
    pub name: Option<String>,
    pub subresource: Option<String>,
    /// Whether the path requests a watch, in the deprecated form.
    pub watch: bool,
}

impl Target {
    /// The resource of a path, if it has the form of one. Whether the kind is served is checked elsewhere.
    pub fn parse(path: &str) -> Option<Self> {
        let segments: Vec<String> = path.strip_prefix('/')?.split('/').map(decoded).collect();
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        let (group, version, rest) = match segments.as_slice() {
            ["api", version, rest @ ..] => ("", *version, rest),
            ["apis", group, version, rest @ ..] => (*group, *version, rest),
            _ => return None,
        };
        let (watch, rest) = match rest {
            ["watch", rest @ ..] if !rest.is_empty() => (true, rest),
            rest => (false, rest),
        };
        let target =
            |namespace: Option<&str>, plural: &str, name: Option<&str>, subresource: Option<&str>| {
                let named = [Some(plural), namespace, name, subresource];
                named.into_iter().flatten().all(|part| !part.is_empty()).then(|| Self {
                    group: group.to_owned(),
                    version: version.to_owned(),
                    namespace: namespace.map(str::to_owned),
                    plural: plural.to_owned(),
                    name: name.map(str::to_owned),
                    subresource: subresource.map(str::to_owned),
                    watch,
                })
            };
        match rest {
            // A namespace's own subresources look like kinds in it.
            ["namespaces", name, sub @ ("status" | "finalize")] if group.is_empty() => {
                target(None, "namespaces", Some(name), Some(sub))
            }
            ["namespaces", namespace, plural] => target(Some(namespace), plural, None, None),
            ["namespaces", namespace, plural, name] => target(Some(namespace), plural, Some(name), None),
            ["namespaces", namespace, plural, name, sub] => {
                target(Some(namespace), plural, Some(name), Some(sub))
            }
            [plural] => target(None, plural, None, None),
            [plural, name] => target(None, plural, Some(name), None),
            [plural, name, sub] => target(None, plural, Some(name), Some(sub)),
            _ => None,
        }
    }
}

/// A path segment without percent-encoding. An invalid one is not changed, and is not found later.
fn decoded(segment: &str) -> String {
    if !segment.contains('%') {
        return segment.to_owned();
    }
    // `+` has no special meaning in a path, unlike in the form encoding that the crate parses.
    let form = segment.replace('+', "%2B").replace('&', "%26").replace('=', "%3D");
    form_urlencoded::parse(form.as_bytes()).next().map_or_else(String::new, |(key, _)| key.into_owned())
}

#[cfg(test)]
mod tests {
    use super::Target;

    fn shown(path: &str) -> Option<String> {
        let target = Target::parse(path)?;
        let part = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".into());
        let (namespace, name, subresource) =
            (part(&target.namespace), part(&target.name), part(&target.subresource));
        Some(format!(
            "{}|{}|{namespace}|{}|{name}|{subresource}",
            target.group, target.version, target.plural
        ))
    }

    #[test]
    fn paths_name_collections_objects_and_subresources() {
        let cases = [
            ("/api/v1/pods", "|v1|-|pods|-|-"),
            ("/api/v1/namespaces", "|v1|-|namespaces|-|-"),
            ("/api/v1/namespaces/x", "|v1|-|namespaces|x|-"),
            ("/api/v1/namespaces/x/finalize", "|v1|-|namespaces|x|finalize"),
            ("/api/v1/namespaces/x/pods", "|v1|x|pods|-|-"),
            ("/api/v1/namespaces/x/pods/p/log", "|v1|x|pods|p|log"),
            ("/apis/apps/v1/namespaces/x/deployments/d", "apps|v1|x|deployments|d|-"),
            ("/apis/apps/v1/deployments", "apps|v1|-|deployments|-|-"),
            ("/api/v1/watch/namespaces/x/pods", "|v1|x|pods|-|-"),
            ("/apis/g.io/v2/things/a%3Ab/status", "g.io|v2|-|things|a:b|status"),
        ];
        for (path, expected) in cases {
            assert_eq!(shown(path).as_deref(), Some(expected), "{path}");
        }
    }

    #[test]
    fn what_is_not_a_resource_path_has_no_target() {
        for path in
            ["", "/", "/api", "/api/v1", "/apis/apps", "/apis/apps/v1", "/version", "/api/v1/pods//x", "x"]
        {
            assert_eq!(shown(path), None, "{path}");
        }
    }
}
