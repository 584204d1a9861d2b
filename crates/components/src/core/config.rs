//! `app.conf`, Core's configuration file. All other settings are in its environment.

use super::validated::Validated;
use api::names::VERSION_ANNOTATION;
use k8s_openapi::api::core::v1::ConfigMap;
use std::fmt;

/// Key of the ConfigMap, and name of the file.
pub(super) const FILE: &str = "app.conf";

/// The ConfigMap with Core's configuration file.
pub(super) fn config_map(core: &Validated<'_>) -> ConfigMap {
    let http = core.spec.http.clone().unwrap_or_default();
    let app_conf = AppConf {
        appname: core.instance.owner,
        enablegzip: http.enable_gzip,
        httpport: core.scheme().container_port(),
    };
    let mut config_map = core.instance.config_map(FILE, app_conf.to_string());
    // A Harbor reads from it which version it is upgraded from.
    let version = (VERSION_ANNOTATION.to_owned(), core.instance.version.to_string());
    config_map.metadata.annotations = Some([version].into());
    config_map
}

/// The content of the file. With TLS, Harbor listens on 8443 and ignores `httpport`.
struct AppConf<'a> {
    appname: &'a str,
    enablegzip: bool,
    httpport: i32,
}

impl fmt::Display for AppConf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const RUNMODE: &str = "prod";
        setting(f, "appname", self.appname)?;
        setting(f, "runmode", RUNMODE)?;
        setting(f, "enablegzip", self.enablegzip)?;
        writeln!(f, "\n[{RUNMODE}]")?;
        setting(f, "httpport", self.httpport)
    }
}

fn setting(f: &mut fmt::Formatter<'_>, key: &str, value: impl fmt::Display) -> fmt::Result {
    writeln!(f, "{key} = {value}")
}
