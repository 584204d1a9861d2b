//! Operators of PostgreSQL.

use super::builder::{AGE, Definition, anything, boolean, choice, conditions, list, number, open, text};
use serde_json::json;

pub(super) fn zalando() -> Definition {
    let postgresql = open(
        [("version", choice(&["14", "15", "16", "17", "18"])), ("parameters", anything())],
        &["version"],
    );
    let quantity = r"^(\d+(e\d+)?|\d+(\.\d+)?(e\d+)?[EPTGMK]i?)$";
    let volume =
        open([("size", json!({"type": "string", "pattern": quantity})), ("storageClass", text())], &["size"]);
    let users = json!({"type": "object", "additionalProperties": {
        "type": "array", "nullable": true, "items": choice(&["bypassrls", "BYPASSRLS", "nobypassrls", "NOBYPASSRLS",
            "createdb", "CREATEDB", "nocreatedb", "NOCREATEDB", "createrole", "CREATEROLE", "nocreaterole",
            "NOCREATEROLE", "inherit", "INHERIT", "noinherit", "NOINHERIT", "login", "LOGIN", "nologin", "NOLOGIN",
            "replication", "REPLICATION", "noreplication", "NOREPLICATION", "superuser", "SUPERUSER", "nosuperuser",
            "NOSUPERUSER"]),
    }});
    Definition {
        group: "acid.zalan.do",
        versions: &["v1"],
        kind: "postgresql",
        plural: "postgresqls",
        short: &["pg"],
        category: Some("all"),
        scope: "Namespaced",
        columns: &[
            ("Team", "string", ".spec.teamId"),
            ("Version", "string", ".spec.postgresql.version"),
            ("Pods", "integer", ".spec.numberOfInstances"),
            ("Volume", "string", ".spec.volume.size"),
            ("CPU-Request", "string", ".spec.resources.requests.cpu"),
            ("Memory-Request", "string", ".spec.resources.requests.memory"),
            AGE,
            ("Status", "string", ".status.PostgresClusterStatus"),
        ],
        subresources: json!({"status": {}}),
        spec: open(
            [
                ("teamId", text()),
                ("numberOfInstances", number(0)),
                ("postgresql", postgresql),
                ("volume", volume),
                ("users", users),
                ("databases", json!({"type": "object", "additionalProperties": text()})),
                ("dockerImage", text()),
            ],
            &["numberOfInstances", "postgresql", "teamId", "volume"],
        ),
        status: anything(),
    }
}

pub(super) fn cloud_native_pg() -> Definition {
    let initdb =
        open([("database", text()), ("owner", text()), ("secret", open([("name", text())], &["name"]))], &[]);
    Definition {
        group: "postgresql.cnpg.io",
        versions: &["v1"],
        kind: "Cluster",
        plural: "clusters",
        short: &[],
        category: None,
        scope: "Namespaced",
        columns: &[
            AGE,
            ("Instances", "integer", ".status.instances"),
            ("Ready", "integer", ".status.readyInstances"),
            ("Status", "string", ".status.phase"),
            ("Primary", "string", ".status.currentPrimary"),
        ],
        subresources: json!({
            "status": {},
            "scale": {
                "specReplicasPath": ".spec.instances",
                "statusReplicasPath": ".status.instances",
                "labelSelectorPath": ".status.selector",
            },
        }),
        spec: open(
            [
                ("instances", number(1)),
                ("imageName", text()),
                ("bootstrap", open([("initdb", initdb)], &[])),
                ("storage", open([("size", text()), ("storageClass", text())], &[])),
                ("enableSuperuserAccess", boolean()),
            ],
            &["instances"],
        ),
        status: open(
            [
                ("conditions", conditions()),
                ("instances", number(0)),
                ("readyInstances", number(0)),
                ("instanceNames", list(text())),
                ("phase", text()),
                ("selector", text()),
            ],
            &[],
        ),
    }
}
