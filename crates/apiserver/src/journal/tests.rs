use super::{Header, Journal, JournalError, SMALL};
use crate::serve::Authority;
use crate::store::{Change, Key};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

fn key(name: &str) -> Key {
    Key { group: "apps".into(), plural: "deployments".into(), namespace: "a".into(), name: name.into() }
}

fn change(revision: u64, name: &str, after: Option<Value>) -> Change {
    Change { revision, key: key(name), before: None, after: after.map(Arc::new) }
}

/// The content of a journal: revision, name and object.
fn held(path: &Path) -> Vec<(u64, String, Value)> {
    let (_, changes) = Journal::open(path).expect("a journal");
    changes
        .into_iter()
        .map(|change| {
            let object = change.after.expect("an object").as_ref().clone();
            (change.revision, change.key.name.to_string(), object)
        })
        .collect()
}

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    (folder, path)
}

/// A journal with two objects, one of them changed, and a deleted third.
fn written(path: &Path) {
    let (mut journal, _) = Journal::open(path).expect("a journal");
    for change in [
        change(1, "x", Some(json!({ "n": 1 }))),
        change(2, "y", Some(json!({ "n": 2 }))),
        change(3, "z", Some(json!({ "n": 3 }))),
        change(4, "x", Some(json!({ "n": 4 }))),
        change(5, "z", None),
    ] {
        journal.record(&change).expect("recorded");
    }
}

fn wanted() -> Vec<(u64, String, Value)> {
    vec![(2, "y".into(), json!({ "n": 2 })), (4, "x".into(), json!({ "n": 4 }))]
}

#[test]
fn recorded_changes_are_restored_and_the_revision_does_not_go_back() {
    let (_folder, path) = folder();
    written(&path);
    for _ in 0..2 {
        assert_eq!(held(&path), wanted());
        assert_eq!(Journal::open(&path).expect("a journal").0.revision(), 5);
    }
    assert_eq!(fs::read_to_string(&path).expect("text").lines().count(), 3);
    assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
}

#[test]
fn the_header_is_kept() {
    let (_folder, path) = folder();
    let authority = Authority::generate().expect("an authority").pems().clone();
    let header = Header { authority: Some(authority), state: json!({ "seed": 7 }) };
    let (mut journal, _) = Journal::open(&path).expect("a journal");
    journal.set_header(header.clone()).expect("kept");
    journal.record(&change(1, "x", Some(json!({})))).expect("recorded");
    drop(journal);
    let (journal, changes) = Journal::open(&path).expect("a journal");
    assert_eq!((journal.header(), changes.len()), (&header, 1));
}

#[test]
fn a_line_that_was_torn_off_is_left_out() {
    let (_folder, path) = folder();
    written(&path);
    let whole = fs::read(&path).expect("bytes");
    for missing in 2..20 {
        fs::write(&path, &whole[..whole.len() - missing]).expect("written");
        let (revision, names): (Vec<u64>, Vec<String>) =
            held(&path).into_iter().map(|(revision, name, _)| (revision, name)).unzip();
        assert_eq!(
            (revision, names.join("")),
            (vec![2, 3, 4], "yzx".to_owned()),
            "{missing} bytes are missing"
        );
    }
}

#[test]
fn a_damaged_line_is_named_and_nothing_is_written() {
    let (_folder, path) = folder();
    written(&path);
    let text = fs::read_to_string(&path).expect("text").replacen("\"revision\":2", "\"revision\":oops", 1);
    fs::write(&path, &text).expect("written");
    let error = Journal::open(&path).expect_err("it is damaged");
    assert!(matches!(error, JournalError::Corrupt { line: 3, .. }), "{error}");
    assert_eq!(fs::read_to_string(&path).expect("text"), text);
}

#[test]
fn a_file_that_is_not_a_journal_is_not_changed() {
    let (_folder, path) = folder();
    for text in ["precious\n", "{}\n", "{\"format\":\"other\",\"version\":1}\n"] {
        fs::write(&path, text).expect("written");
        assert!(matches!(Journal::open(&path), Err(JournalError::Foreign(at)) if at == path));
        assert_eq!(fs::read_to_string(&path).expect("text"), text);
    }
    fs::write(&path, "{\"format\":\"kubernetes-in-memory\",\"version\":2}\n").expect("written");
    assert!(matches!(Journal::open(&path), Err(JournalError::Version { version: 2, .. })));
}

#[test]
fn a_journal_has_one_user_at_a_time() {
    let (_folder, path) = folder();
    let (first, _) = Journal::open(&path).expect("a journal");
    assert!(matches!(Journal::open(&path), Err(JournalError::Locked(at)) if at == path));
    drop(first);
    assert!(Journal::open(&path).is_ok());
}

#[test]
fn a_journal_does_not_outgrow_its_objects() {
    let (folder, path) = folder();
    let (mut journal, _) = Journal::open(&path).expect("a journal");
    let large = "x".repeat(10_000);
    for revision in 1..=200 {
        journal
            .record(&change(revision, "x", Some(json!({ "text": large, "n": revision }))))
            .expect("recorded");
        let length = fs::metadata(&path).expect("a file").len();
        assert!(length < SMALL + 11_000, "{length}");
    }
    assert!(matches!(Journal::open(&path), Err(JournalError::Locked(_))));
    drop(journal);
    assert_eq!(held(&path), [(200, "x".to_owned(), json!({ "text": large, "n": 200 }))]);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}
