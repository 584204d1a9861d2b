//! Installs the custom resource definitions.

use crate::{
    manifests::{Applier, Document, Object, Origin, Purpose},
    output::Error,
};
use kube::Client;
use serde_json::Value;

/// Installs custom resource definitions, and waits until the API server serves them.
pub async fn install(client: Client, definitions: Vec<Value>) -> Result<(), Error> {
    let mut applier = Applier::new(client, Purpose::Apply);
    for content in definitions {
        for object in Object::all(Document { origin: Origin::of("built-in definitions"), content })? {
            applier.apply(object).await?;
        }
    }
    Ok(())
}
