//! Which tables, columns and indexes there are.

use crate::error::Error;
use tokio_postgres::GenericClient;

const DOING: &str = "reads the schema";

/// Whether there is a table or an index with this name.
pub(crate) async fn is_relation(client: &impl GenericClient, name: &str) -> Result<bool, Error> {
    let row = client.query_one("SELECT to_regclass($1) IS NOT NULL", &[&name]).await;
    Ok(row.map_err(Error::while_it(DOING))?.get(0))
}

/// Whether there is a table with this column.
pub(crate) async fn is_column(client: &impl GenericClient, table: &str, column: &str) -> Result<bool, Error> {
    let statement = "SELECT EXISTS (SELECT FROM pg_attribute
        WHERE attrelid = to_regclass($1) AND attname = $2 AND NOT attisdropped)";
    let row = client.query_one(statement, &[&table, &column]).await;
    Ok(row.map_err(Error::while_it(DOING))?.get(0))
}
