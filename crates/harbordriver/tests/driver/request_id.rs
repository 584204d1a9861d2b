//! What Core's log shows for the requests of the operator.

use crate::support::World;
use bytes::Bytes;
use harbordriver::HarborDriver;
use harborstate::{Access, project::Project};
use http::Request;
use http_body_util::Full;
use plan::ObjectKey;
use runtime::{At, Collection, ExternalDriver as _};
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};
use tower::ServiceExt as _;

#[tokio::test(start_paused = true)]
async fn a_write_leads_to_its_owner_and_a_list_to_its_collection() {
    let mut world = World::new((15, 2));
    let seen: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let (server, noted) = (world.server.clone(), Arc::clone(&seen));
    world.driver = HarborDriver::over(move |access: &Access| {
        let (server, noted) = (server.clone(), Arc::clone(&noted));
        let service = tower::service_fn(move |request: Request<Full<Bytes>>| {
            let id = request.headers()["x-request-id"].to_str().unwrap().to_owned();
            noted.lock().unwrap().insert(id);
            server.clone().oneshot(request)
        });
        harbordriver::over(service, access)
    });
    let ids = || std::mem::take(&mut *seen.lock().unwrap()).into_iter().collect::<Vec<_>>();
    let owner = ObjectKey::new("goharbor.io", "HarborProject", "payments", "checkout");
    let at = At { owner: Some(&owner), ..world.at() };
    let wanted = world.wanted("alpha", &Project::default());
    let actual = world.driver.create(at, &wanted).await.unwrap();
    assert_eq!(ids(), ["HarborProject/payments/checkout"]);
    world.driver.update(at, &wanted, &actual).await.unwrap();
    assert_eq!(ids(), ["HarborProject/payments/checkout"]);
    let collection = Collection { name: "members", part: Some("alpha") };
    let answer = world.driver.list(world.at(), collection).await.unwrap();
    assert_eq!((answer.objects.len(), answer.requests), (1, 1));
    assert_eq!(ids(), ["registry/acme/members/alpha"]);
}
