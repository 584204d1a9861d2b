//! How users reach Harbor.

mod certificates;
mod front;
mod host;
mod ingress;
mod route;

pub(crate) use self::host::advice;
pub(super) use self::{
    certificates::{certificates, served},
    front::{FrontObjects, front},
    ingress::{core as core_ingress, notary as notary_ingress},
    route::route,
};

use super::validated::Validated;
use crate::versions::Feature;

/// The paths of Core; all others belong to the portal.
fn core_paths(harbor: &Validated<'_>) -> impl Iterator<Item = &'static str> {
    let charts = harbor.version.has(Feature::ChartMuseum).then_some("/chartrepo/");
    ["/api/", "/service/", "/v2"].into_iter().chain(charts).chain(["/c/"])
}
