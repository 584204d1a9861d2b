//! Containers that users describe.

use super::{Complaint, is};
use k8s_openapi::api::core::v1::{
    AppArmorProfile, Capabilities, Container, HTTPGetAction, LifecycleHandler, Probe, SELinuxOptions,
    SeccompProfile, SecurityContext, TCPSocketAction,
};

/// The container with privileges dropped, if it complies with the standard. A container that the administrator
/// allowed stays as the user wrote it.
pub(crate) fn restricted(requested: &Container) -> Container {
    let mut container = requested.clone();
    if complaints(requested).is_empty() {
        let context = container.security_context.get_or_insert_default();
        context.allow_privilege_escalation.get_or_insert(false);
        context.capabilities.get_or_insert_default().drop.get_or_insert_with(|| vec!["ALL".into()]);
    }
    container
}

/// Everything about a container that the "restricted" standard does not permit.
pub(super) fn complaints(container: &Container) -> Vec<Complaint> {
    let context = container.security_context.iter().flat_map(of_context);
    let ports = container.ports.iter().flatten().enumerate();
    let ports = ports.filter(|(_, port)| port.host_port.unwrap_or_default() != 0).map(|(index, port)| {
        Complaint::new(
            format!("ports[{index}].hostPort"),
            format!("is {}, a port of the node", port.host_port.unwrap_or_default()),
        )
    });
    context.map(|it| it.within("securityContext")).chain(ports).chain(of_requests(container)).collect()
}

fn of_context(context: &SecurityContext) -> Vec<Complaint> {
    // Without `..`: a new field may weaken the isolation, too.
    let SecurityContext {
        allow_privilege_escalation,
        app_armor_profile,
        capabilities,
        privileged,
        proc_mount,
        read_only_root_filesystem: _,
        run_as_group: _,
        run_as_non_root,
        run_as_user,
        se_linux_options,
        seccomp_profile,
        windows_options,
    } = context;
    let when = |wrong: bool, field: &str, problem: &str| wrong.then(|| Complaint::new(field, problem));
    let host_process = windows_options.as_ref().and_then(|windows| windows.host_process);
    let plain = [
        when(*privileged == Some(true), "privileged", "is true"),
        when(*allow_privilege_escalation == Some(true), "allowPrivilegeEscalation", "is true"),
        when(*run_as_non_root == Some(false), "runAsNonRoot", "is false"),
        when(*run_as_user == Some(0), "runAsUser", "is root"),
        when(host_process == Some(true), "windowsOptions.hostProcess", "is true"),
        proc_mount.as_ref().filter(|it| *it != "Default").map(|it| Complaint::new("procMount", is(it))),
    ];
    plain
        .into_iter()
        .flatten()
        .chain(seccomp_profile.iter().filter_map(of_seccomp))
        .chain(app_armor_profile.iter().filter_map(of_app_armor))
        .chain(se_linux_options.iter().flat_map(of_se_linux))
        .chain(capabilities.iter().filter_map(of_capabilities))
        .collect()
}

fn of_seccomp(profile: &SeccompProfile) -> Option<Complaint> {
    let confined = matches!(profile.type_.as_str(), "RuntimeDefault" | "Localhost");
    (!confined).then(|| Complaint::new("seccompProfile.type", is(&profile.type_)))
}

fn of_app_armor(profile: &AppArmorProfile) -> Option<Complaint> {
    let confined = matches!(profile.type_.as_str(), "RuntimeDefault" | "Localhost");
    (!confined).then(|| Complaint::new("appArmorProfile.type", is(&profile.type_)))
}

/// Whether an AppArmor profile, as an annotation names it, confines a container.
pub(super) fn confines(profile: &str) -> bool {
    profile == "runtime/default" || profile.starts_with("localhost/")
}

fn of_se_linux(options: &SELinuxOptions) -> Vec<Complaint> {
    const TYPES: [&str; 5] = ["", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"];
    let set = |field: &str, value: &Option<String>, allowed: &[&str]| {
        let refused = value.as_deref().filter(|value| !allowed.contains(value));
        refused.map(|value| Complaint::new(format!("seLinuxOptions.{field}"), is(value)))
    };
    [
        set("type", &options.type_, &TYPES),
        set("user", &options.user, &[""]),
        set("role", &options.role, &[""]),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn of_capabilities(capabilities: &Capabilities) -> Option<Complaint> {
    let added = capabilities.add.iter().flatten().map(String::as_str);
    let added: Vec<_> = added.filter(|capability| *capability != "NET_BIND_SERVICE").collect();
    (!added.is_empty()).then(|| Complaint::new("capabilities.add", format!("names {}", added.join(", "))))
}

/// The kubelet sends these requests from the node, so a user could reach a host that the pod cannot reach.
fn of_requests(container: &Container) -> Vec<Complaint> {
    let probe = |probe: Option<&Probe>| probe.map(|it| hosts(it.http_get.as_ref(), it.tcp_socket.as_ref()));
    let hook =
        |hook: Option<&LifecycleHandler>| hook.map(|it| hosts(it.http_get.as_ref(), it.tcp_socket.as_ref()));
    let lifecycle = container.lifecycle.as_ref();
    let all = [
        ("livenessProbe", probe(container.liveness_probe.as_ref())),
        ("readinessProbe", probe(container.readiness_probe.as_ref())),
        ("startupProbe", probe(container.startup_probe.as_ref())),
        ("lifecycle.postStart", hook(lifecycle.and_then(|it| it.post_start.as_ref()))),
        ("lifecycle.preStop", hook(lifecycle.and_then(|it| it.pre_stop.as_ref()))),
    ];
    let named = all.into_iter().flat_map(|(field, hosts)| {
        hosts.into_iter().flatten().filter_map(move |(action, host)| {
            let problem = format!("is {:?}, which the node would connect to", host?);
            Some(Complaint::new(format!("{field}.{action}.host"), problem))
        })
    });
    named.collect()
}

/// The hosts that requests name, by the kind of request.
fn hosts(http: Option<&HTTPGetAction>, tcp: Option<&TCPSocketAction>) -> [(&'static str, Option<String>); 2] {
    let named = |host: Option<&String>| host.filter(|host| !host.is_empty()).cloned();
    [
        ("httpGet", named(http.and_then(|it| it.host.as_ref()))),
        ("tcpSocket", named(tcp.and_then(|it| it.host.as_ref()))),
    ]
}
