//! Runs the binary.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use tempfile::TempDir;

/// The result of a run.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// The result of a run that failed with this message.
pub fn failed(stderr: &str) -> Ran {
    Ran { code: Some(1), stdout: String::new(), stderr: stderr.into() }
}

/// A folder to run in.
pub struct Folder(TempDir);

impl Folder {
    pub fn empty() -> Self {
        Self(TempDir::new().unwrap())
    }

    /// A Core in `core.yaml`, and in `inputs` all it refers to.
    pub fn with_a_core() -> Self {
        let folder = Self::empty();
        for file in ["core.yaml", "inputs/secrets.yaml", "inputs/postgres.json"] {
            folder.file(file, &fixture(file));
        }
        folder
    }

    /// Writes a file.
    pub fn file(&self, name: &str, text: &str) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Reads a file.
    #[cfg(feature = "sandbox")]
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Changes a file.
    pub fn replace(&self, name: &str, from: &str, to: &str) -> &Self {
        let text = fs::read_to_string(self.path(name)).unwrap();
        assert!(text.contains(from), "{name} does not contain {from:?}");
        self.file(name, &text.replace(from, to))
    }

    pub fn remove(&self, name: &str) -> &Self {
        fs::remove_file(self.path(name)).unwrap();
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs `harbor-operator` with these arguments, separated by spaces, in this folder.
    pub fn run(&self, arguments: &str) -> Ran {
        self.run_with_input(arguments, "")
    }

    /// The same, with this standard input.
    pub fn run_with_input(&self, arguments: &str, input: &str) -> Ran {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let [stdout, stderr] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        Ran { code: output.status.code(), stdout, stderr }
    }

    /// The command, which has not run yet.
    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harbor-operator"));
        command
            .args(arguments.split_whitespace())
            .current_dir(self.0.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// A file that comes with the tests.
pub fn fixture(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)).unwrap()
}

/// Kind and name of every object in a YAML stream.
pub fn names(yaml: &str) -> Vec<String> {
    let name = |object: &serde_json::Value| {
        format!("{} {}", object["kind"].as_str().unwrap(), object["metadata"]["name"].as_str().unwrap())
    };
    documents(yaml).iter().map(name).collect()
}

/// Every object in a YAML stream.
pub fn documents(yaml: &str) -> Vec<serde_json::Value> {
    serde_saphyr::from_multiple(yaml).unwrap()
}
