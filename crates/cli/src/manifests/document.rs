//! Files with objects: YAML or JSON, one document or many.

use crate::output::Error;
use serde_json::Value;
use serde_saphyr::DeserializeError;
use std::{
    fmt, fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

/// One document of a file.
#[derive(Clone, Debug)]
pub struct Document {
    /// The file that it is in.
    pub origin: Origin,
    /// Its content.
    pub content: Value,
}

/// The place of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    file: String,
    /// Counted from one; `None` if the file has a single document.
    document: Option<usize>,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.document {
            None => write!(f, "{}", self.file),
            Some(number) => write!(f, "{} (document {number})", self.file),
        }
    }
}

/// All documents of a file that are not empty; `-` is standard input.
pub fn read_file(path: &Path) -> Result<Vec<Document>, Error> {
    let file = file_name(path);
    let text = if is_standard_input(path) {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        fs::read_to_string(path)
    };
    let text = text.map_err(|error| unreadable(&file, &error))?;
    let contents = parse(path, &text).map_err(|problem| Error::input(&file, problem, "correct the file"))?;
    let single = contents.len() == 1;
    let documents = contents.into_iter().enumerate().map(|(index, content)| {
        let origin = Origin { file: file.clone(), document: (!single).then_some(index + 1) };
        Document { origin, content }
    });
    Ok(documents.collect())
}

/// The names of files, for messages.
pub fn file_names(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| file_name(path)).collect::<Vec<_>>().join(", ")
}

fn file_name(path: &Path) -> String {
    if is_standard_input(path) { "standard input".to_owned() } else { path.display().to_string() }
}

fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

fn unreadable(file: &str, error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::NotFound => Error::input(file, "does not exist", "check the path"),
        io::ErrorKind::IsADirectory => {
            Error::input(file, "is a directory", "give the files in it, or give it with --inputs")
        }
        io::ErrorKind::PermissionDenied => {
            Error::input(file, "permission denied", "check its permissions and your user")
        }
        io::ErrorKind::InvalidData => Error::input(file, "is not text in UTF-8", "check the path"),
        _ => Error::input(file, format!("cannot be read ({error})"), "check the path"),
    }
}

/// The documents, or an error that quotes no value: it may be a secret.
fn parse(path: &Path, text: &str) -> Result<Vec<Value>, String> {
    let named_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    if named_json || text.trim_start().starts_with('{') {
        match serde_json::Deserializer::from_str(text).into_iter().collect() {
            Err(error) if named_json => return Err(format!("is not valid JSON: {error}")),
            // It may be YAML, which has braces, too.
            Err(_) => {}
            Ok(documents) => return Ok(documents),
        }
    }
    // `mode: 0420` is octal for kubectl. A snippet of the source could show a password.
    let options = serde_saphyr::options! { legacy_octal_numbers: true, with_snippet: false };
    serde_saphyr::from_multiple_with_options(text, options).map_err(|error| syntax(&error))
}

/// The message of the parser, if it is about syntax only.
fn syntax(error: &DeserializeError) -> String {
    let error = match error {
        DeserializeError::AliasError { error, .. } => &**error,
        error => error,
    };
    let at = error.location().map(|at| format!(" at line {}, column {}", at.line(), at.column()));
    let at = at.unwrap_or_default();
    match error {
        DeserializeError::DuplicateMappingKey { key: Some(key), .. } => {
            format!("the key {key:?} is there twice{at}")
        }
        DeserializeError::UnknownAnchor { .. } => {
            format!("is not valid YAML: a value that begins with * is an alias{at}; put it in quotes")
        }
        DeserializeError::AliasReplayLimitExceeded { .. }
        | DeserializeError::AliasReplayStackDepthExceeded { .. }
        | DeserializeError::Budget { .. } => {
            format!("is too large, with aliases expanded{at}; split it")
        }
        DeserializeError::ExternalMessage { .. }
        | DeserializeError::Unexpected { .. }
        | DeserializeError::Eof { .. } => format!("is not valid YAML: {error}"),
        DeserializeError::InvalidScalar { .. } | DeserializeError::NonFiniteFloat { .. } => {
            format!("has a value that is not a number{at}; put it in quotes")
        }
        _ => format!("is not valid YAML{at}"),
    }
}

#[cfg(any(test, feature = "sandbox"))]
impl Origin {
    /// A file with one document.
    pub fn of(file: &str) -> Self {
        Self { file: file.into(), document: None }
    }
}
