use super::{Shown, plain, secured};
use api::v1beta1::network::Network;

fn configuration(shown: &Shown) -> String {
    shown.front().unwrap().config_map().data.unwrap().remove("nginx.conf").unwrap()
}

#[test]
fn the_configuration_in_clear_text_is_as_written_down() {
    assert_eq!(configuration(&plain()), include_str!("http.conf"));
}

#[test]
fn the_configuration_with_tls_outside_and_inside_is_as_written_down() {
    assert_eq!(configuration(&secured()), include_str!("https.conf"));
}

#[test]
fn charts_lead_to_core_where_harbor_has_them() {
    let charts = |version| {
        configuration(&Shown { version, ..plain() })
            .contains("location /chartrepo/ {\n            proxy_pass http://h-harbor-core/chartrepo/;")
    };
    assert_eq!(["2.5.0", "2.7.4", "2.8.0", "2.15.0"].map(charts), [true, true, false, false]);
}

#[test]
fn users_are_sent_on_to_the_port_of_the_url_they_type() {
    let target = |external| {
        let text = configuration(&Shown { external, ..secured() });
        text.lines().find_map(|line| line.trim().strip_prefix("return 308 ").map(ToOwned::to_owned))
    };
    assert_eq!(target("https://h.example.com:30003").unwrap(), "https://$host:30003$request_uri;");
    assert_eq!(target("https://h.example.com").unwrap(), "https://$host$request_uri;");
    assert_eq!(target("http://h.example.com:8080").unwrap(), "https://$host$request_uri;");
}

#[test]
fn every_server_listens_on_the_families_listed() {
    let network = Network { ip_families: vec!["IPv6".into()], ..Network::default() };
    let text = configuration(&Shown { network: Some(network), ..secured() });
    let listeners: Vec<&str> =
        text.lines().map(str::trim).filter(|line| line.starts_with("listen ")).collect();
    assert_eq!(listeners, ["listen [::]:8443 ssl;", "listen [::]:8080;"]);
}
