//! Preheating: images are sent to peer-to-peer networks before they are pulled.

mod instances;
mod policies;

pub(crate) use instances::PreheatInstance;
pub(crate) use policies::PreheatPolicy;

use crate::rest::Route;

/// The endpoints of preheating.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/p2p/preheat/providers", instances::providers),
    Route::get("/p2p/preheat/instances", instances::list),
    Route::post("/p2p/preheat/instances", instances::create),
    Route::post("/p2p/preheat/instances/ping", instances::ping),
    Route::get("/p2p/preheat/instances/{preheat_instance_name}", instances::read),
    Route::put("/p2p/preheat/instances/{preheat_instance_name}", instances::update),
    Route::delete("/p2p/preheat/instances/{preheat_instance_name}", instances::delete),
    Route::get("/projects/{project_name}/preheat/policies", policies::list),
    Route::post("/projects/{project_name}/preheat/policies", policies::create),
    Route::get("/projects/{project_name}/preheat/policies/{preheat_policy_name}", policies::read),
    Route::put("/projects/{project_name}/preheat/policies/{preheat_policy_name}", policies::update),
    Route::delete("/projects/{project_name}/preheat/policies/{preheat_policy_name}", policies::delete),
];

/// Letters and digits, in parts joined by one dot, underscore or dash.
fn is_name(name: &str) -> bool {
    let part = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    name.split(['.', '_', '-']).all(part)
}
