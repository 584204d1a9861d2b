//! Services, endpoints, Ingresses, network policies.

use super::{
    AGE, About, NAME, Printer, each,
    reading::{
        created, int_or_string, labels, list, name, number, selector_or_none, shortened, text, text_or,
    },
    wide, words,
};
use serde_json::Value;
use std::collections::BTreeSet;

pub(super) const SERVICES: Printer = each(
    &[
        NAME,
        words("Type", About::Field("api.core.v1.ServiceSpec", "type")),
        words("Cluster-IP", About::Field("api.core.v1.ServiceSpec", "clusterIP")),
        words("External-IP", About::Field("api.core.v1.ServiceSpec", "externalIPs")),
        words("Port(s)", About::Field("api.core.v1.ServiceSpec", "ports")),
        AGE,
        wide("Selector", About::Field("api.core.v1.ServiceSpec", "selector")),
    ],
    |service, now| {
        let address = list(service, "/spec/clusterIPs").first().and_then(Value::as_str).unwrap_or("<none>");
        vec![
            name(service),
            text(service, "/spec/type").into(),
            address.into(),
            external(service).into(),
            ports(service).into(),
            created(service, now),
            labels(service, "/spec/selector").into(),
        ]
    },
);

fn strings<'o>(object: &'o Value, pointer: &str) -> Vec<&'o str> {
    list(object, pointer).iter().filter_map(Value::as_str).collect()
}

fn external(service: &Value) -> String {
    let given = strings(service, "/spec/externalIPs").join(",");
    match (text(service, "/spec/type"), given.as_str()) {
        ("ClusterIP" | "NodePort", "") => "<none>".into(),
        ("ClusterIP" | "NodePort", _) => given,
        ("LoadBalancer", _) => match (balancer(service).as_str(), given.as_str()) {
            ("", "") => "<pending>".into(),
            ("", given) => given.to_owned(),
            (balancer, "") => balancer.to_owned(),
            (balancer, given) => format!("{balancer},{given}"),
        },
        ("ExternalName", _) => text(service, "/spec/externalName").to_owned(),
        _ => "<unknown>".into(),
    }
}

/// The addresses of a load balancer.
fn balancer(object: &Value) -> String {
    let addresses: BTreeSet<&str> = list(object, "/status/loadBalancer/ingress")
        .iter()
        .map(|ingress| text_or(ingress, "/ip", text(ingress, "/hostname")))
        .filter(|address| !address.is_empty())
        .collect();
    addresses.into_iter().collect::<Vec<_>>().join(",")
}

fn ports(service: &Value) -> String {
    let ports: Vec<String> = list(service, "/spec/ports")
        .iter()
        .map(|port| {
            let protocol = text(port, "/protocol");
            match (number(port, "/port"), number(port, "/nodePort")) {
                (port, 0) => format!("{port}/{protocol}"),
                (port, node) => format!("{port}:{node}/{protocol}"),
            }
        })
        .collect();
    if ports.is_empty() { "<none>".into() } else { ports.join(",") }
}

pub(super) const ENDPOINTS: Printer = each(
    &[NAME, words("Endpoints", About::Field("api.core.v1.Endpoints", "subsets")), AGE],
    |object, now| vec![name(object), endpoints(object).into(), created(object, now)],
);

fn endpoints(object: &Value) -> String {
    let subsets = list(object, "/subsets");
    if subsets.is_empty() {
        return "<none>".into();
    }
    let mut all = Vec::new();
    for subset in subsets {
        let addresses = || list(subset, "/addresses").iter().map(|address| text(address, "/ip"));
        let ports = list(subset, "/ports");
        if ports.is_empty() {
            all.extend(addresses().map(str::to_owned));
        }
        for port in ports {
            let port = number(port, "/port");
            all.extend(addresses().map(|address| {
                if address.contains(':') {
                    format!("[{address}]:{port}")
                } else {
                    format!("{address}:{port}")
                }
            }));
        }
    }
    shortened(&all, 3, ",")
}

pub(super) const ENDPOINT_SLICES: Printer = each(
    &[
        NAME,
        words("AddressType", About::Field("api.discovery.v1.EndpointSlice", "addressType")),
        words("Ports", About::Field("api.discovery.v1.EndpointSlice", "ports")),
        words("Endpoints", About::Field("api.discovery.v1.EndpointSlice", "endpoints")),
        AGE,
    ],
    |object, now| {
        let ports: Vec<String> = list(object, "/ports")
            .iter()
            .map(|port| {
                int_or_string(port.get("port").or_else(|| port.get("name"))).unwrap_or_else(|| "*".into())
            })
            .collect();
        let addresses: Vec<String> = list(object, "/endpoints")
            .iter()
            .flat_map(|endpoint| strings(endpoint, "/addresses"))
            .map(str::to_owned)
            .collect();
        let shown = |items: &[String]| match shortened(items, 3, ",") {
            text if text.is_empty() => "<unset>".to_owned(),
            text => text,
        };
        vec![
            name(object),
            text(object, "/addressType").into(),
            shown(&ports).into(),
            shown(&addresses).into(),
            created(object, now),
        ]
    },
);

pub(super) const INGRESSES: Printer = each(
    &[
        NAME,
        words(
            "Class",
            About::Text(
                "The name of the IngressClass resource that should be used for additional configuration",
            ),
        ),
        words(
            "Hosts",
            About::Text("Hosts that incoming requests are matched against before the ingress rule"),
        ),
        words("Address", About::Text("Address is a list containing ingress points for the load-balancer")),
        words("Ports", About::Text("Ports of TLS configurations that open")),
        AGE,
    ],
    |ingress, now| {
        let ports = if list(ingress, "/spec/tls").is_empty() { "80" } else { "80, 443" };
        vec![
            name(ingress),
            text_or(ingress, "/spec/ingressClassName", "<none>").into(),
            hosts(ingress).into(),
            balancer(ingress).into(),
            ports.into(),
            created(ingress, now),
        ]
    },
);

/// The first three hosts; a rule without a host counts once there are three.
fn hosts(ingress: &Value) -> String {
    const SHOWN: usize = 3;
    let rules = list(ingress, "/spec/rules");
    let mut hosts = Vec::new();
    let mut more = false;
    for rule in rules {
        let host = text(rule, "/host");
        more |= hosts.len() == SHOWN;
        if !more && !host.is_empty() {
            hosts.push(host);
        }
    }
    match (hosts.join(","), more) {
        (hosts, _) if hosts.is_empty() => "*".into(),
        (hosts, true) => format!("{hosts} + {} more...", rules.len() - SHOWN),
        (hosts, false) => hosts,
    }
}

pub(super) const INGRESS_CLASSES: Printer = each(
    &[
        NAME,
        words("Controller", About::Text("Controller that is responsible for handling this class")),
        words("Parameters", About::Text("A reference to a resource with additional parameters")),
        AGE,
    ],
    |class, now| {
        let default =
            text(class, "/metadata/annotations/ingressclass.kubernetes.io~1is-default-class") == "true";
        let shown = format!("{}{}", text(class, "/metadata/name"), if default { " (default)" } else { "" });
        let parameters = class.pointer("/spec/parameters").map_or_else(
            || "<none>".to_owned(),
            |reference| {
                let group = match text(reference, "/apiGroup") {
                    "" => String::new(),
                    group => format!(".{group}"),
                };
                format!("{}{group}/{}", text(reference, "/kind"), text(reference, "/name"))
            },
        );
        vec![shown.into(), text(class, "/spec/controller").into(), parameters.into(), created(class, now)]
    },
);

pub(super) const NETWORK_POLICIES: Printer = each(
    &[NAME, words("Pod-Selector", About::Field("api.networking.v1.NetworkPolicySpec", "podSelector")), AGE],
    |object, now| {
        vec![name(object), selector_or_none(object, "/spec/podSelector").into(), created(object, now)]
    },
);
