//! Teaches a cluster the kinds the operator knows.

use crate::{
    manifests::{Applier, Document, Object, Origin, Purpose},
    output::Error,
};
use kube::Client;
use serde_json::Value;

/// Installs custom resource definitions, and waits until the kinds they define can be used.
pub async fn install(client: Client, definitions: Vec<Value>) -> Result<(), Error> {
    let mut applier = Applier::new(client, Purpose::Apply);
    for content in definitions {
        for object in Object::all(Document { origin: Origin::of("built-in definitions"), content })? {
            applier.apply(object).await?;
        }
    }
    Ok(())
}
