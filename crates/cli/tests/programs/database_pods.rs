//! The steps of the pods that repair and encrypt a database, run as rendered, on a real PostgreSQL.

use crate::database::{ENCRYPTED, KEY, PASSWORD, run, sql};
use programs::{Postgres, Site};
use serde_json::{Value, json};
use std::{fs, path::Path, process::Command};

/// A rendered pod, with the Secrets that it uses.
struct Rendered {
    pod: Value,
    secrets: Vec<Value>,
}

/// The Secret with another key.
const OTHER: &str = "core-encryption-key-2";
const OTHER_KEY: &str = "fedcba9876543210";

impl Rendered {
    /// The pod of the Core in the golden case of an upgrade, with its database on a server, after a user has annotated it.
    fn of(server: &Postgres, completed: &str, annotation: (&str, &str), record: &[(&str, &str)]) -> Self {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../components/tests/golden/core/upgrade");
        let documents = |file: &str| -> Vec<Value> {
            let text = fs::read_to_string(golden.join(file)).unwrap();
            serde_saphyr::from_multiple(&text).unwrap()
        };
        let mut core = documents("in.yaml").remove(0);
        core["metadata"]["annotations"][annotation.0] = annotation.1.into();
        let database = &mut core["spec"]["database"];
        database["hosts"] = json!([{"host": "127.0.0.1", "port": server.port()}]);
        database["username"] = "postgres".into();
        database["database"] = "postgres".into();
        database["passwordRef"] = "postgres".into();
        let mut secrets = documents("inputs/core-secrets.yaml");
        let mut recorded = documents("inputs/record.yaml").remove(0);
        recorded["stringData"] =
            record.iter().map(|(key, value)| ((*key).to_owned(), json!(value))).collect();
        recorded["stringData"]["completed"] = completed.into();
        recorded["data"].as_object_mut().unwrap().remove("completed");
        secrets.extend([
            recorded,
            secret("postgres", "postgres-password", PASSWORD),
            secret(OTHER, "secret", OTHER_KEY),
        ]);

        let site = Site::new().unwrap();
        let file = site.write("core.json", core.to_string()).unwrap();
        let inputs = json!({"apiVersion": "v1", "kind": "List", "items": secrets});
        site.write("inputs/secrets.json", inputs.to_string()).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_harbor-operator"))
            .args(["render", "--operator-image", "example/harbor-operator", "--output", "json", "-f"])
            .arg(file)
            .arg("--inputs")
            .arg(site.folder().join("inputs"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let list: Value = serde_json::from_slice(&output.stdout).unwrap();
        let pod = list["items"].as_array().unwrap().iter().find(|object| object["kind"] == "Pod").unwrap();
        Self { pod: pod.clone(), secrets }
    }

    /// The value of a key of a Secret, as users write it.
    fn value(&self, secret: &str, key: &str) -> Option<String> {
        let secret = self.secrets.iter().find(|it| it["metadata"]["name"] == secret)?;
        secret["stringData"][key].as_str().map(str::to_owned)
    }

    /// The output of a step, run with its arguments, its variables and its keys. What it reads of no Secret is the entry of the
    /// record that it waits for.
    fn run(&self, step: &str) -> String {
        let spec = &self.pod["spec"];
        let steps =
            [&spec["initContainers"], &spec["containers"]].into_iter().filter_map(Value::as_array).flatten();
        let step = steps.into_iter().find(|it| it["name"] == step).unwrap();
        let site = Site::new().unwrap();
        let mut arguments: Vec<String> = serde_json::from_value(step["args"].clone()).unwrap();
        for mount in step["volumeMounts"].as_array().into_iter().flatten() {
            let volumes = spec["volumes"].as_array().unwrap();
            let volume = volumes.iter().find(|volume| volume["name"] == mount["name"]).unwrap();
            let secret = volume["secret"]["secretName"].as_str().unwrap();
            let item = &volume["secret"]["items"][0];
            assert_eq!(item["path"], mount["subPath"]);
            let key = self.value(secret, item["key"].as_str().unwrap()).unwrap();
            let (path, file) = (mount["mountPath"].as_str().unwrap(), site.write(secret, key).unwrap());
            for argument in &mut arguments {
                *argument = argument.replace(path, &file.display().to_string());
            }
        }
        let variables = step["env"].as_array().into_iter().flatten().filter_map(|variable| {
            let from = &variable["valueFrom"]["secretKeyRef"];
            let value = variable["value"].as_str().map(str::to_owned);
            let value = value.or_else(|| self.value(from["name"].as_str()?, from["key"].as_str()?));
            Some((variable["name"].as_str().unwrap(), value?))
        });
        let output = Command::new(env!("CARGO_BIN_EXE_harbor-operator"))
            .args(arguments)
            .env_clear()
            .envs(variables)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

fn secret(name: &str, key: &str, value: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "registry"},
        "stringData": {key: value},
    })
}

#[test]
fn the_step_of_a_migration_repairs_the_database_of_core() {
    let server = crate::database::dirty();
    let annotation = ("goharbor.io/repair-schema", "2.15.0-2");
    let record = [("migrating-to", "2.15.0"), ("migration-2.15.0-1", "allowed")];
    let pod = Rendered::of(&server, "2.14.2", annotation, &record);
    assert_eq!(pod.pod["metadata"]["name"], "harbor-core-migrate-2-15-0-2");
    let said = pod.run("repair-schema");
    assert!(said.ends_with("repaired: the schema has version 130, and is not dirty\n"), "{said}");
    assert_eq!(sql(&server, "SELECT version, dirty FROM schema_migrations"), "130|f");
    assert!(pod.run("pull-operator").starts_with("harbor-operator "));
}

#[test]
fn the_steps_of_a_rotation_check_and_encrypt_the_credentials_in_the_database_of_core() {
    let server = crate::database::dirty();
    sql(
        &server,
        &format!(
            "CREATE TABLE properties (id serial PRIMARY KEY, k text, v text);
             INSERT INTO properties (k, v) VALUES ('ldap_search_password', '{ENCRYPTED}')"
        ),
    );
    let pod = Rendered::of(&server, "2.15.0", ("goharbor.io/rotate-encryption-key", OTHER), &[]);
    let (site, core) = (Site::new().unwrap(), pod.value("core-encryption-key", "secret").unwrap());
    let file = |name: &str, key: &str| site.write(name, key).unwrap().display().to_string();
    let (first, core, other) = (file("first", KEY), file("core", &core), file("other", OTHER_KEY));
    let reencrypt = |old: &str, new: &str| {
        run(&server, PASSWORD, &["reencrypt", "--old-key", old, "--new-key", new]).stdout
    };
    reencrypt(&first, &core);

    assert_eq!(pod.run("check-credentials"), "the credentials can be encrypted with the new key\n");
    assert_eq!(pod.run("reencrypt"), "1 credential is encrypted with the new key now\n");
    assert_eq!(pod.run("reencrypt"), "the credentials were encrypted with the new key before\n");
    assert_eq!(reencrypt(&other, &first), "1 credential is encrypted with the new key now\n");
}
