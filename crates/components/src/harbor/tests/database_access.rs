//! What the components reach the database with.

use super::a_harbor;
use crate::cases::base64;
use serde_json::{Value, json};

#[test]
fn jobservice_restarts_for_another_access_to_the_database_after_core_only() {
    let record = |changes: Option<&str>| {
        let mut case = a_harbor();
        let mut data = json!({"migrated-by": base64(b"2.15.0"), "completed": base64(b"2.15.0")});
        if let Some(changes) = changes {
            data["database-access-changes"] = base64(changes.as_bytes());
        }
        case.inputs.push(json!({
            "apiVersion": "v1", "kind": "Secret", "data": data,
            "metadata": {"name": "acme-harbor-core-database", "namespace": "registry"},
        }));
        case.child("JobService")["metadata"]["annotations"]["goharbor.io/database-access"].clone()
    };
    assert_eq!(record(None), Value::Null);
    assert_eq!(record(Some("1")), "acme-harbor-core-database");
}
