//! Which fields a write through an endpoint cannot change or own.

use crate::kinds::resource::{Origin, Resource};

type Paths = &'static [&'static [&'static str]];

/// The fields that a write through `subresource` (None for the object itself) cannot change.
pub(crate) fn reset_fields(resource: &Resource, subresource: Option<&str>) -> Paths {
    match (resource.origin, subresource) {
        (_, None | Some("finalize")) if resource.subresources.status => &[&["status"]],
        (Origin::Builtin, Some("ephemeralcontainers")) => &[&["metadata"], &["status"]],
        (Origin::Custom, Some("status")) => &[&["metadata"], &["spec"]],
        (Origin::Builtin, Some("status")) => match resource.id() {
            ("apps", "deployments") => &[&["spec"], &["metadata", "labels"]],
            ("", "pods") => {
                &[&["spec"], &["metadata", "deletionTimestamp"], &["metadata", "ownerReferences"]]
            }
            _ => &[&["spec"]],
        },
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::reset_fields;
    use crate::kinds::Kinds;

    #[test]
    fn a_status_endpoint_leaves_the_spec_alone_and_the_main_one_the_status() {
        let pods = Kinds::builtin().find("", "v1", "services").expect("services are served");
        assert_eq!(reset_fields(&pods, None), [["status"]]);
        assert_eq!(reset_fields(&pods, Some("status")), [["spec"]]);
    }
}
