//! Other sessions that may still change the schema.
//!
//! PostgreSQL executes a file to its end even if the pod that sent it is gone. Such a session still has the transaction of the
//! file, and the advisory lock that Core takes before it migrates. `pg_locks` shows both to every role, unlike the text of
//! a query.

use crate::error::Error;
use std::fmt;
use tokio_postgres::GenericClient;

/// A session of this database that may still migrate it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The process of the server.
    pub pid: i32,
    /// The address of the client, if it connects over the network.
    pub client: Option<String>,
    /// What the client calls itself, if this role may see that.
    pub application: Option<String>,
    /// Since when its transaction, or else the session itself, exists, if this role may see that.
    pub since: Option<String>,
    /// Its transaction, if it has one.
    pub(super) transaction: Option<String>,
    /// Whether it has, or waits for, the lock with which Core migrates.
    pub(super) migrates: bool,
}

/// All sessions of this database, but for this one, that migrate it or have a transaction.
pub(super) async fn busy(client: &impl GenericClient) -> Result<Vec<Session>, Error> {
    let statement = "
        SELECT activity.pid, host(activity.client_addr), nullif(activity.application_name, ''),
               to_char(coalesce(activity.xact_start, activity.backend_start) AT TIME ZONE 'UTC',
                       'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'),
               min(locks.virtualtransaction) FILTER (WHERE locks.locktype = 'virtualxid'),
               bool_or(locks.locktype = 'advisory')
        FROM pg_locks AS locks JOIN pg_stat_activity AS activity ON activity.pid = locks.pid
        WHERE activity.datid = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND activity.usesysid IS NOT NULL AND activity.pid <> pg_backend_pid()
          AND locks.locktype IN ('advisory', 'virtualxid')
        GROUP BY activity.pid, activity.client_addr, activity.application_name, activity.xact_start,
                 activity.backend_start
        ORDER BY activity.pid";
    let rows = client.query(statement, &[]).await.map_err(Error::while_it("looks for other sessions"))?;
    let session = |row: tokio_postgres::Row| Session {
        pid: row.get(0),
        client: row.get(1),
        application: row.get(2),
        since: row.get(3),
        transaction: row.get(4),
        migrates: row.get(5),
    };
    Ok(rows.into_iter().map(session).collect())
}

/// Those of `now` that may execute a file which began before `first` was read: they migrate, or still have the
/// transaction that they had.
pub(super) fn unfinished(first: &[Session], now: Vec<Session>) -> Vec<Session> {
    let had = |session: &Session| {
        let same = |old: &Session| old.pid == session.pid && old.transaction == session.transaction;
        session.transaction.is_some() && first.iter().any(same)
    };
    now.into_iter().filter(|session| session.migrates || had(session)).collect()
}

/// Such as `backend 4711 (10.0.0.7, since 2026-01-01T00:00:00Z), which migrates`.
impl fmt::Display for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "backend {}", self.pid)?;
        let since = self.since.as_ref().map(|since| format!("since {since}"));
        let known: Vec<_> =
            [&self.application, &self.client, &since].into_iter().flatten().cloned().collect();
        if !known.is_empty() {
            write!(f, " ({})", known.join(", "))?;
        }
        f.write_str(if self.migrates { ", which migrates" } else { ", which has a transaction" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(pid: i32, transaction: Option<&str>, migrates: bool) -> Session {
        let transaction = transaction.map(str::to_owned);
        Session { pid, client: None, application: None, since: None, transaction, migrates }
    }

    #[test]
    fn a_session_counts_while_it_migrates_or_has_the_transaction_that_it_had() {
        let first = [session(1, Some("3/7"), false), session(2, Some("4/7"), false), session(3, None, true)];
        let now = vec![
            session(1, Some("3/7"), false),
            session(2, Some("4/8"), false),
            session(3, None, false),
            session(4, Some("5/1"), false),
            session(5, None, true),
        ];
        let left: Vec<_> = unfinished(&first, now).into_iter().map(|session| session.pid).collect();
        assert_eq!(left, [1, 5]);
    }

    #[test]
    fn a_session_says_who_it_is_and_since_when() {
        let known = Session {
            client: Some("10.0.0.7".into()),
            application: Some("core".into()),
            since: Some("2026-01-01T00:00:00Z".into()),
            ..session(4711, Some("3/7"), true)
        };
        assert_eq!(
            known.to_string(),
            "backend 4711 (core, 10.0.0.7, since 2026-01-01T00:00:00Z), which migrates"
        );
        assert_eq!(session(7, Some("3/7"), false).to_string(), "backend 7, which has a transaction");
    }
}
