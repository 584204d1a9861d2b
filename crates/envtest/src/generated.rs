//! What takes a while to generate, generated once for all test processes of a run.

use crate::{assets, folder};
use serde_json::Value;
use std::{env, fs, path::PathBuf};

/// Values that `generate` always generates alike, such as definitions. The first test process of a run of nextest generates them,
/// and the others read them: nextest starts a process for each test, and our definitions alone take a quarter of a second of each.
///
/// Without nextest, every call generates them.
///
/// # Panics
///
/// If what another process wrote cannot be parsed.
#[allow(clippy::expect_used)]
pub fn generated(what: &str, generate: impl FnOnce() -> Vec<Value>) -> Vec<Value> {
    let Some(path) = path(what) else { return generate() };
    if let Ok(text) = fs::read(&path) {
        return serde_json::from_slice(&text).expect("files are written atomically");
    }
    let values = generate();
    // Other processes generate them if this one cannot write them.
    if path.parent().is_some_and(|place| fs::create_dir_all(place).is_ok()) {
        let _ = folder::write(&path, &Value::from(values.clone()).to_string());
    }
    values
}

/// The file of this run. Those of earlier runs are removed with their control planes.
fn path(what: &str) -> Option<PathBuf> {
    let run = env::var("NEXTEST_RUN_ID").ok()?;
    Some(assets::cache().join("envtest").join(format!("{run}-{what}.json")))
}

#[cfg(test)]
mod tests {
    use super::{generated, path};
    use serde_json::{Value, json};
    use std::fs;

    #[test]
    fn values_are_generated_once_in_a_run() {
        let values = || vec![json!({"kind": "Core"}), json!(1)];
        let Some(path) = path("test") else {
            assert_eq!(generated("test", values), values(), "without a run");
            return;
        };
        assert_eq!(generated("test", values), values());
        let none = || -> Vec<Value> { panic!("generated twice") };
        assert_eq!(generated("test", none), values());
        fs::remove_file(path).unwrap();
    }
}
