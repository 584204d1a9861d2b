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
    v1beta1::expose::{ExposeRouteSpec, RouteParentSpec},
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
            "a gateway uses clear text for components, which require TLS",
            "set internalTLS.enabled to false, or expose Harbor in another way",
        ));
    }
    if !world.serves::<HTTPRoute>()? {
        return Err(PlanError::unserved::<HTTPRoute>("the Gateway API, or remove spec.expose.core.route"));
    }
    let ExposeRouteSpec { parent_refs, hostnames, annotations, labels } = requested;
    let hostnames = if hostnames.is_empty() {
        vec![url_host(harbor.external_url()).to_owned()]
    } else {
        hostnames.clone()
    };
    let set =
        |map: &std::collections::BTreeMap<String, String>| Some(map.clone()).filter(|map| !map.is_empty());
    let to_core = rule(harbor, core_paths(harbor), Part::Core);
    let to_portal = harbor.installation.portal.as_ref().map(|_| rule(harbor, ["/"], Part::Portal));
    Ok(Some(HTTPRoute {
        metadata: ObjectMeta {
            annotations: set(annotations),
            labels: set(labels),
            ..harbor.metadata(&*harbor.name)
        },
        spec: HTTPRouteSpec {
            parent_refs: parent_refs.iter().map(parent).collect(),
            hostnames,
            rules: [Some(to_core), to_portal].into_iter().flatten().collect(),
        },
        status: None,
    }))
}

fn parent(spec: &RouteParentSpec) -> ParentReference {
    let RouteParentSpec { name, namespace, section_name, port, kind, group } = spec.clone();
    ParentReference { group, kind, namespace, name, section_name, port }
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
