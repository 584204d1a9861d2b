//! The format of the lines of a journal.

use super::JournalError;
use crate::serve::Pems;
use crate::store::Key;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

const FORMAT: &str = "kubernetes-in-memory";
const VERSION: u64 = 1;

/// What a journal contains besides objects.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    /// The certificate authority that kubeconfigs trust.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authority: Option<Pems>,
    /// Further data of the server.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub state: Value,
}

/// Does not show keys.
impl std::fmt::Debug for Header {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Header").field("state", &self.state).finish_non_exhaustive()
    }
}

/// The first line.
pub(super) struct Prelude {
    pub header: Header,
    pub revision: u64,
}

#[derive(Serialize, Deserialize)]
struct Written {
    format: String,
    version: u64,
    revision: u64,
    #[serde(flatten)]
    header: Header,
}

#[derive(Deserialize)]
struct Signature {
    format: String,
    version: u64,
}

impl Prelude {
    pub fn line(self) -> Vec<u8> {
        let written =
            Written { format: FORMAT.into(), version: VERSION, revision: self.revision, header: self.header };
        terminated(&written)
    }

    pub fn parse(line: &[u8], path: &Path) -> Result<Self, JournalError> {
        let signature: Signature = serde_json::from_slice(line)
            .ok()
            .filter(|signature: &Signature| signature.format == FORMAT)
            .ok_or_else(|| JournalError::Foreign(path.to_owned()))?;
        if signature.version != VERSION {
            let (version, ours) = (signature.version, VERSION);
            return Err(JournalError::Version { path: path.to_owned(), version, ours });
        }
        let written: Written = serde_json::from_slice(line).map_err(|error| JournalError::Corrupt {
            path: path.to_owned(),
            line: 1,
            why: error.to_string(),
        })?;
        Ok(Self { header: written.header, revision: written.revision })
    }
}

/// Each other line.
#[derive(Deserialize)]
pub(super) struct Line {
    revision: u64,
    /// Group, plural, namespace, name.
    key: [String; 4],
    /// Null where the object was deleted.
    after: Option<Value>,
}

#[derive(Serialize)]
struct LineRef<'a> {
    revision: u64,
    key: [&'a str; 4],
    after: Option<&'a Value>,
}

impl Line {
    pub fn of(revision: u64, key: &Key, after: Option<&Value>) -> Vec<u8> {
        let key = [&*key.group, &*key.plural, &*key.namespace, &*key.name];
        terminated(&LineRef { revision, key, after })
    }

    pub fn parse(line: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(line).map_err(|error| error.to_string())
    }

    pub fn into_parts(self) -> (u64, Key, Option<Arc<Value>>) {
        let [group, plural, namespace, name] = self.key.map(Arc::from);
        (self.revision, Key { group, plural, namespace, name }, self.after.map(Arc::new))
    }
}

fn terminated(value: &impl Serialize) -> Vec<u8> {
    // Strings and values always serialize.
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}
