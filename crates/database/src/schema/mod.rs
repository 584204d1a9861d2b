//! The version of the schema, and its repair after a migration that Core saw no end of.
//!
//! Core records a file as dirty, executes it, and records it as clean. A file that fails is rolled back as a whole; one whose
//! Core was killed is executed to its end and committed. So a dirty row alone does not say whether the file has been applied:
//! the tables do.

mod files;
mod finding;
mod sessions;

pub use files::{FILES, File, Mark, Release};
pub use finding::{FileState, Finding, Refusal, Repair, Row};
pub use sessions::Session;

use crate::{
    connection::Connection,
    error::Error,
    relations::{is_column, is_relation},
};
use std::{collections::HashSet, time::Duration};
use tokio_postgres::GenericClient;

/// How often the sessions are read while one may still migrate.
const PAUSE: Duration = Duration::from_secs(1);

/// The state of a schema, and who may be changing it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// What state it is in.
    pub finding: Finding,
    /// Other sessions that migrate it now.
    pub migrating: Vec<Session>,
}

/// Why a schema was not repaired.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// The database does not prove what is right. Nothing was written.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The database could not be read or written.
    #[error(transparent)]
    Database(#[from] Error),
}

impl Connection {
    /// Reads the state of the schema.
    pub async fn schema(&self) -> Result<Schema, Error> {
        let finding = finding(self.client()).await?;
        let busy = sessions::busy(self.client()).await?;
        Ok(Schema { finding, migrating: sessions::unfinished(&[], busy) })
    }

    /// Repairs the schema if it is dirty, and returns what was written.
    ///
    /// Waits without limit until no session can still execute the file: until no session migrates, and every transaction that
    /// existed before has ended. `waiting` gets those sessions whenever they change.
    pub async fn repair_schema(
        &mut self,
        mut waiting: impl FnMut(&[Session]),
    ) -> Result<Repair, RepairError> {
        if !matches!(finding(self.client()).await?, Finding::Dirty { .. }) {
            return Ok(Repair::Nothing);
        }
        let first = sessions::busy(self.client()).await?;
        let mut told = Vec::new();
        loop {
            let left = sessions::unfinished(&first, sessions::busy(self.client()).await?);
            if left.is_empty() {
                if let Some(repair) = self.repair_now().await? {
                    return Ok(repair);
                }
            } else if left != told {
                waiting(&left);
                told = left;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Repairs the schema in one transaction, unless a session has begun to migrate it.
    async fn repair_now(&mut self) -> Result<Option<Repair>, RepairError> {
        let transaction = self.client_mut().transaction().await;
        let transaction = transaction.map_err(Error::while_it("begins a transaction"))?;
        // A Core that begins to migrate may read the row, but not write it.
        let lock = "LOCK TABLE schema_migrations IN SHARE ROW EXCLUSIVE MODE";
        transaction.batch_execute(lock).await.map_err(Error::while_it("locks table schema_migrations"))?;
        let busy = sessions::busy(&transaction).await?;
        let repair = finding(&transaction).await?.repair();
        if busy.iter().any(|session| session.migrates) || repair.is_err() {
            transaction.rollback().await.map_err(Error::while_it("ends a transaction"))?;
            return repair.map(|_| None).map_err(RepairError::from);
        }
        if let Ok(Repair::Set(Row { version, dirty })) = repair {
            let update = "UPDATE schema_migrations SET version = $1, dirty = $2";
            let update = transaction.execute(update, &[&version, &dirty]).await;
            update.map_err(Error::while_it("changes table schema_migrations"))?;
        }
        transaction.commit().await.map_err(Error::while_it("commits the repair"))?;
        Ok(Some(repair?))
    }
}

async fn finding(client: &impl GenericClient) -> Result<Finding, Error> {
    let Some(row) = row(client).await? else { return Ok(Finding::New) };
    let mut holding = HashSet::new();
    if let Some(file) = File::numbered(row.version).filter(|_| row.dirty) {
        for mark in file.marks {
            if holds(client, mark).await? {
                holding.insert(*mark);
            }
        }
    }
    Ok(Finding::of(Some(row), |mark| holding.contains(mark)))
}

async fn row(client: &impl GenericClient) -> Result<Option<Row>, Error> {
    let doing = "reads table schema_migrations";
    if !is_relation(client, "schema_migrations").await? {
        return Ok(None);
    }
    // The newest, should anything but Core have added rows.
    let statement = "SELECT version, dirty FROM schema_migrations ORDER BY version DESC LIMIT 1";
    let row = client.query_opt(statement, &[]).await.map_err(Error::while_it(doing))?;
    Ok(row.map(|row| Row { version: row.get(0), dirty: row.get(1) }))
}

async fn holds(client: &impl GenericClient, mark: &Mark) -> Result<bool, Error> {
    match mark {
        Mark::Table(name) | Mark::Index(name) => is_relation(client, name).await,
        Mark::NoTable(name) => Ok(!is_relation(client, name).await?),
        Mark::Column(table, column) => is_column(client, table, column).await,
    }
}
