//! How users reach Harbor.

mod certificates;
mod front;
mod host;
mod ingress;
mod route;

pub(crate) use self::host::advice;
pub(super) use self::{
    certificates::certificates,
    front::FrontParts,
    ingress::{core as core_ingress, notary as notary_ingress},
    route::route,
};

use super::inputs::Inputs;
use crate::versions::Feature;

/// Paths Core answers; all others are the portal's.
fn core_paths(harbor: &Inputs<'_>) -> impl Iterator<Item = &'static str> {
    let charts = harbor.version.has(Feature::ChartMuseum).then_some("/chartrepo/");
    ["/api/", "/service/", "/v2"].into_iter().chain(charts).chain(["/c/"])
}
