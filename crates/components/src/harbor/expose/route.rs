//! An HTTPRoute of the Gateway API.

use super::{
    super::{part::Part, validated::Validated},
    core_paths,
};
use crate::{connections::url_host, pods::Scheme};
use api::{
    thirdparty::gateway::{
        HTTPBackendRef, HTTPRoute, HTTPRouteMatch, HTTPRouteRule, HTTPRouteSpec, ParentReference,
    },
    v1beta1::expose::RouteParentSpec,
};
use kube::core::ObjectMeta;
use plan::{PlanError, World};

/// The route, if the user requests one and the API server serves the Gateway API.
///
/// Gateways use clear text for backends unless a policy says otherwise, and that policy is still experimental.
/// So a route and TLS between components exclude each other.
pub(in super::super) fn route(
    harbor: &Validated<'_>,
    world: &World<'_>,
) -> Result<Option<HTTPRoute>, PlanError> {
    let Some(requested) = &harbor.installation.expose.core.route else { return Ok(None) };
    if harbor.scheme() == Scheme::Https {
        return Err(PlanError::invalid(
            "spec.expose.core.route",
            "a gateway talks clear text to components, which want TLS",
            "set internalTLS.enabled to false, or expose Harbor in another way",
        ));
    }
    if !world.serves::<HTTPRoute>()? {
        return Err(PlanError::unserved::<HTTPRoute>("the Gateway API, or remove spec.expose.core.route"));
    }
    let hostnames = if requested.hostnames.is_empty() {
        vec![url_host(harbor.external_url()).to_owned()]
    } else {
        requested.hostnames.clone()
    };
    let set =
        |map: &std::collections::BTreeMap<String, String>| Some(map.clone()).filter(|map| !map.is_empty());
    let to_core = rule(harbor, core_paths(harbor), Part::Core);
    let to_portal = harbor.installation.portal.as_ref().map(|_| rule(harbor, ["/"], Part::Portal));
    Ok(Some(HTTPRoute {
        metadata: ObjectMeta {
            annotations: set(&requested.annotations),
            labels: set(&requested.labels),
            ..harbor.metadata(&*harbor.name)
        },
        spec: HTTPRouteSpec {
            parent_refs: requested.parent_refs.iter().map(parent).collect(),
            hostnames,
            rules: [Some(to_core), to_portal].into_iter().flatten().collect(),
        },
        status: None,
    }))
}

fn parent(spec: &RouteParentSpec) -> ParentReference {
    ParentReference {
        group: spec.group.clone(),
        kind: spec.kind.clone(),
        namespace: spec.namespace.clone(),
        name: spec.name.clone(),
        section_name: spec.section_name.clone(),
        port: spec.port,
    }
}

fn rule(
    harbor: &Validated<'_>,
    prefixes: impl IntoIterator<Item = &'static str>,
    part: Part,
) -> HTTPRouteRule {
    HTTPRouteRule {
        matches: prefixes.into_iter().map(HTTPRouteMatch::prefix).collect(),
        backend_refs: vec![HTTPBackendRef {
            name: harbor.child(part.name()),
            port: Some(harbor.scheme().port()),
        }],
        ..HTTPRouteRule::default()
    }
}
