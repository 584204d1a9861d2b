//! Projects with members in one Harbor: what they cost while nothing changes.

use crate::{
    TIMEOUT,
    manifests::{create, until_ready},
    operator::Operator,
    server::Server,
    until_idle,
};
use api::v1beta1::HarborProject;
use envtest::HarborApi;
use serde_json::json;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// Members of each project.
const MEMBERS: usize = 5;
/// How often the operator compares.
const INTERVAL: Duration = Duration::from_mins(5);
/// How many intervals are counted.
const INTERVALS: u32 = 1;

/// Prints a line for the adoption of these projects, and one for each interval after it.
///
/// The projects exist in Harbor: the operator sends twenty requests per second, so that their creation would take most of
/// the time. Tests assert what a creation costs.
pub async fn measure(number: usize) {
    println!(
        "{:>24} {:>18} {:>7} {:>21} {:>9} {:>9}",
        "projects", "requests to Harbor", "writes", "to the Kubernetes API", "CPU", "MiB"
    );
    let (server, harbor) = (Server::start().await, HarborApi::start().await);
    let operator = Operator::start(&server.kubeconfig);
    describe(&server, &harbor).await;
    let members = members(&harbor).await;
    for index in 0..number {
        let name = format!("p{index:04}");
        harbor.ask("POST", "/projects", json!({"project_name": name})).await;
        for user in &members {
            let member = json!({"role_id": 2, "member_user": {"username": user}});
            harbor.ask("POST", &format!("/projects/{name}/members"), member).await;
        }
    }
    until_idle(&server.counts).await;
    server.counts.take();
    requests(&harbor);

    let start = Instant::now();
    for index in 0..number {
        create(&server.client, project(&format!("p{index:04}"), &members)).await;
    }
    timeout(TIMEOUT, until_ready::<HarborProject>(&server.client, number)).await.expect("all become ready");
    let ready = start.elapsed();
    until_idle(&server.counts).await;
    let mut cpu =
        line(&format!("{number} ready after {:.0} s", ready.as_secs_f64()), &server, &harbor, &operator, 0.0);
    sleep(INTERVAL).await;
    cpu = line("first interval", &server, &harbor, &operator, cpu);
    for _ in 0..INTERVALS {
        sleep(INTERVAL).await;
        cpu = line("an interval", &server, &harbor, &operator, cpu);
    }
}

/// Prints what happened since the last line. The CPU time so far.
fn line(what: &str, server: &Server, harbor: &HarborApi, operator: &Operator, before: f64) -> f64 {
    let ((calls, writes), sent, cpu) = (requests(harbor), server.counts.take(), operator.cpu_seconds());
    println!(
        "{what:>24} {calls:>18} {writes:>7} {:>21} {:>7.2} s {:>9.1}",
        sent.requests(),
        cpu - before,
        operator.memory_mib(),
    );
    cpu
}

/// The requests to Harbor since the last call: all, and those that changed something.
fn requests(harbor: &HarborApi) -> (usize, usize) {
    let served = harbor.harbor.served();
    harbor.harbor.forget_served();
    let is_write = |method: &http::Method| method != http::Method::GET && method != http::Method::HEAD;
    (served.len(), served.iter().filter(|request| is_write(&request.method)).count())
}

/// Tells the operator how to reach the Harbor.
async fn describe(server: &Server, harbor: &HarborApi) {
    let secret = |name: &str, values: serde_json::Value| json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": values});
    let credentials = json!({"accessKey": "admin", "accessSecret": HarborApi::PASSWORD});
    create(&server.client, secret("harbor", credentials)).await;
    create(&server.client, secret("authority", json!({"ca.crt": harbor.authority}))).await;
    let configuration = json!({
        "apiVersion": "goharbor.io/v1beta1", "kind": "HarborServerConfiguration", "metadata": {"name": "harbor"},
        "spec": {
            "serverURL": harbor.url, "version": "v2.15.2",
            "accessCredential": {"namespace": "default", "accessSecretRef": "harbor"},
            "caRef": {"namespace": "default", "name": "authority"},
        },
    });
    create(&server.client, configuration).await;
}

async fn members(harbor: &HarborApi) -> Vec<String> {
    let names: Vec<_> = (0..MEMBERS).map(|index| format!("user{index}")).collect();
    for name in &names {
        let mail = format!("{name}@example.com");
        let user =
            json!({"username": name, "email": mail, "realname": "User", "password": HarborApi::PASSWORD});
        harbor.ask("POST", "/users", user).await;
    }
    names
}

fn project(name: &str, members: &[String]) -> serde_json::Value {
    let membership = |name: &String| json!({"name": name, "type": "user", "role": "developer"});
    json!({
        "apiVersion": "goharbor.io/v1beta1", "kind": "HarborProject", "metadata": {"name": name},
        "spec": {
            "projectName": name, "harborServerConfig": "harbor",
            "memberships": members.iter().map(membership).collect::<Vec<_>>(),
        },
    })
}
