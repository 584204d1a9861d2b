//! Encrypting the credentials in the database with another key, which Harbor itself cannot.
//!
//! No Core may run meanwhile: it has the key from its start. All values change in one transaction, which also leaves a proof of
//! the key, as the comment of a table. So a second run knows for certain whether the first one was committed.

mod cipher;
mod columns;
mod decision;

pub use cipher::{Key, KeyError};
pub use columns::{COLUMNS, Column, Place};
pub use decision::Refusal;

use crate::{connection::Connection, error::Error, relations::is_column};
use cipher::{PREFIX, Start};
use decision::{Decision, Value, decide, proof};
use tokio_postgres::{GenericClient, Transaction};

/// How the comment of table `properties` with the proof begins.
const COMMENT: &str = "goharbor.io/encryption-key ";

/// What has been done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reencrypted {
    /// This many values are encrypted with the new key now.
    Now(usize),
    /// The database was encrypted with the new key before.
    Before,
}

/// Why the database has the key that it had.
#[derive(Debug, thiserror::Error)]
pub enum ReencryptError {
    /// The values do not allow it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The database could not be read or written.
    #[error(transparent)]
    Database(#[from] Error),
}

impl Connection {
    /// Encrypts all credentials with the new key: all of them, or none.
    ///
    /// Each must be a text in the old key, or each in the new one, which is the state after a run whose end was not seen. A
    /// credential that is not encrypted stays as it is.
    ///
    /// # Errors
    /// When a value is a text in neither key. Nothing has been written then.
    pub async fn reencrypt(&mut self, old: &Key, new: &Key) -> Result<Reencrypted, ReencryptError> {
        let transaction = self.client_mut().transaction().await;
        let transaction = transaction.map_err(Error::while_it("begins a transaction"))?;
        let columns = columns(&transaction).await?;
        for column in &columns {
            lock(&transaction, *column).await?;
        }
        let decided = decision(&transaction, &columns, old, new).await;
        let texts = match decided {
            Ok(Decision::Encrypt(texts)) => texts,
            decided => {
                transaction.rollback().await.map_err(Error::while_it("ends a transaction"))?;
                return decided.map(|_| Reencrypted::Before);
            }
        };
        for (place, text) in &texts {
            write(&transaction, *place, &new.encrypt(text, rand::random::<Start>())).await?;
        }
        if columns.iter().any(|column| column.table == "properties") {
            // Base64 needs no quotes, and a comment takes no parameters.
            let proof = proof(new, rand::random::<Start>());
            let statement = format!("COMMENT ON TABLE properties IS '{COMMENT}{proof}'");
            transaction.batch_execute(&statement).await.map_err(Error::while_it("records the new key"))?;
        }
        transaction.commit().await.map_err(Error::while_it("commits the new key"))?;
        Ok(Reencrypted::Now(texts.len()))
    }

    /// Whether [`Self::reencrypt`] would do something, decided in the same way. Locks and writes nothing, so that Core may run.
    pub async fn can_reencrypt(&self, old: &Key, new: &Key) -> Result<Reencrypted, ReencryptError> {
        let columns = columns(self.client()).await?;
        Ok(match decision(self.client(), &columns, old, new).await? {
            Decision::Done => Reencrypted::Before,
            Decision::Encrypt(texts) => Reencrypted::Now(texts.len()),
        })
    }
}

/// The columns that this Harbor has.
async fn columns(client: &impl GenericClient) -> Result<Vec<Column>, Error> {
    let mut columns = Vec::new();
    for column in COLUMNS {
        if is_column(client, column.table, column.column).await? {
            columns.push(column);
        }
    }
    Ok(columns)
}

async fn decision(
    client: &impl GenericClient,
    columns: &[Column],
    old: &Key,
    new: &Key,
) -> Result<Decision, ReencryptError> {
    let mut values = Vec::new();
    for column in columns {
        values.extend(read(client, *column).await?);
    }
    let comment = comment(client).await?;
    let known = comment.as_deref().and_then(|comment| comment.strip_prefix(COMMENT));
    Ok(decide(&values, known, old, new)?)
}

/// Has nothing else change a table until the end of the transaction.
async fn lock(transaction: &Transaction<'_>, Column { table, .. }: Column) -> Result<(), Error> {
    let lock = format!("LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE");
    transaction.batch_execute(&lock).await.map_err(Error::while_it("locks the tables with credentials"))
}

/// The encrypted values of a column.
async fn read(client: &impl GenericClient, column: Column) -> Result<Vec<Value>, Error> {
    let Column { table, column: name } = column;
    let statement = format!(
        "SELECT id::bigint, {name}::text FROM {table} WHERE starts_with({name}::text, $1) ORDER BY id"
    );
    let rows = client.query(&statement, &[&PREFIX]).await;
    let rows = rows.map_err(Error::while_it("reads the credentials"))?;
    let value =
        |row: tokio_postgres::Row| Value { place: Place { column, id: row.get(0) }, value: row.get(1) };
    Ok(rows.into_iter().map(value).collect())
}

async fn write(transaction: &Transaction<'_>, place: Place, value: &str) -> Result<(), Error> {
    let Place { column: Column { table, column }, id } = place;
    let statement = format!("UPDATE {table} SET {column} = $1 WHERE id = $2::bigint");
    let written = transaction.execute(&statement, &[&value, &id]).await;
    written.map_err(Error::while_it("writes the credentials")).map(drop)
}

async fn comment(client: &impl GenericClient) -> Result<Option<String>, Error> {
    let row = client.query_one("SELECT obj_description(to_regclass('properties'), 'pg_class')", &[]).await;
    Ok(row.map_err(Error::while_it("reads the schema"))?.get(0))
}
