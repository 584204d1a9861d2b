//! The state of a schema and its repair, in a real PostgreSQL with the tables by which a file is recognised.

use crate::server::Server;
use database::{
    Connection,
    schema::{FILES, FileState, Finding, Mark, Refusal, Repair, RepairError, Row},
};

/// Statements after which a mark holds, or does not.
fn marked(mark: &Mark, holds: bool) -> String {
    match (mark, holds) {
        (Mark::Table(name), true) | (Mark::NoTable(name), false) => format!("CREATE TABLE {name} (id int);"),
        (Mark::Column(table, column), true) => format!("CREATE TABLE {table} ({column} int);"),
        // The column of a table may also have been there, and be gone.
        (Mark::Column(table, column), false) => {
            format!("CREATE TABLE {table} (id int, {column} int); ALTER TABLE {table} DROP COLUMN {column};")
        }
        (Mark::Index(name), true) => format!("CREATE TABLE t (id int); CREATE INDEX {name} ON t (id);"),
        (Mark::Table(_) | Mark::Index(_), false) | (Mark::NoTable(_), true) => String::new(),
    }
}

const EMPTY: &str = "DROP SCHEMA public CASCADE; CREATE SCHEMA public;";

/// A database whose newest file is `version`; its marks hold or do not.
fn database(server: &Server, row: impl Into<Option<Row>>, holds: impl Fn(&Mark) -> bool) {
    let row = row.into();
    let marks = row.and_then(|row| FILES.iter().find(|file| i64::from(file.number) == row.version));
    let marks: String =
        marks.iter().flat_map(|file| file.marks).map(|mark| marked(mark, holds(mark))).collect();
    let row = row
        .map(|Row { version, dirty }| format!("INSERT INTO schema_migrations VALUES ({version}, {dirty});"));
    let table =
        "CREATE TABLE schema_migrations (version bigint NOT NULL PRIMARY KEY, dirty boolean NOT NULL);";
    server.run(&format!("{EMPTY} {table} {} {marks}", row.unwrap_or_default()));
}

/// The row, as `psql` shows it.
fn row(server: &Server) -> String {
    server.run("SELECT version, dirty FROM schema_migrations")
}

fn dirty(version: u32) -> Row {
    Row { version: version.into(), dirty: true }
}

async fn repair(connection: &mut Connection) -> Result<Repair, RepairError> {
    connection.repair_schema(|_| ()).await
}

#[tokio::test]
async fn every_dirty_file_that_was_applied_becomes_clean_and_stays() {
    let server = Server::start();
    let mut connection = server.connect().await;
    for file in FILES.iter().filter(|file| !file.marks.is_empty()) {
        database(&server, dirty(file.number), |_| true);
        let finding = Finding::Dirty { version: file.number.into(), file: FileState::Applied };
        assert_eq!(connection.schema().await.unwrap().finding, finding);
        let expected = Row { version: file.number.into(), dirty: false };
        assert_eq!(repair(&mut connection).await.unwrap(), Repair::Set(expected));
        assert_eq!(row(&server), format!("{}|f", file.number));
    }
}

#[tokio::test]
async fn every_dirty_file_that_was_not_applied_is_executed_again_by_the_next_core() {
    let server = Server::start();
    let mut connection = server.connect().await;
    for file in &FILES {
        database(&server, dirty(file.number), |_| false);
        let repaired = repair(&mut connection).await;
        if let Some(before) = file.before() {
            let expected = Row { version: before.number.into(), dirty: false };
            assert_eq!(repaired.unwrap(), Repair::Set(expected), "{}", file.number);
            assert_eq!(row(&server), format!("{}|f", before.number));
        } else {
            assert!(matches!(repaired, Err(RepairError::Refused(Refusal::First { version: 80 }))));
            assert_eq!(row(&server), "80|t");
        }
    }
}

#[tokio::test]
async fn a_clean_schema_and_a_new_database_stay_as_they_are() {
    let server = Server::start();
    let mut connection = server.connect().await;
    assert_eq!(connection.schema().await.unwrap().finding, Finding::New);
    assert_eq!(repair(&mut connection).await.unwrap(), Repair::Nothing);

    database(&server, None::<Row>, |_| false);
    assert_eq!(connection.schema().await.unwrap().finding, Finding::New);

    for file in &FILES {
        let version = file.number.into();
        database(&server, Row { version, dirty: false }, |_| false);
        assert_eq!(connection.schema().await.unwrap().finding, Finding::Clean { version });
        assert_eq!(repair(&mut connection).await.unwrap(), Repair::Nothing);
        assert_eq!(row(&server), format!("{version}|f"));
    }
}

#[tokio::test]
async fn what_the_tables_do_not_prove_is_refused_and_left_alone() {
    let server = Server::start();
    let mut connection = server.connect().await;
    database(&server, dirty(110), |mark| matches!(mark, Mark::Column(..)));
    let refused = repair(&mut connection).await.unwrap_err();
    assert!(
        matches!(refused, RepairError::Refused(Refusal::Contradictory { version: 110, .. })),
        "{refused}"
    );
    assert_eq!(row(&server), "110|t");

    database(&server, dirty(190), |_| true);
    let refused = repair(&mut connection).await.unwrap_err();
    assert!(matches!(refused, RepairError::Refused(Refusal::Unknown { version: 190 })), "{refused}");
    assert_eq!(row(&server), "190|t");
}

/// The script of file 140 as a Core that was killed has left it: its transaction is open, and it has the lock or not.
async fn script(server: &Server, lock: &str) -> tokio_postgres::Client {
    let script = server.session().await;
    let statements = format!("{lock} BEGIN; CREATE TABLE sbom_report (id int);");
    script.batch_execute(&statements).await.unwrap();
    script
}

/// Repairs, and ends the script with `end` when the repair says that it waits for it.
async fn repaired_after(script: tokio_postgres::Client, server: &Server, end: &'static str) -> Repair {
    let (waits, mut waited) = tokio::sync::mpsc::unbounded_channel();
    let mut connection = server.connect().await;
    let repair = tokio::spawn(async move {
        connection.repair_schema(|sessions| waits.send(sessions.to_vec()).unwrap()).await
    });
    let pid: i32 = script.query_one("SELECT pg_backend_pid()", &[]).await.unwrap().get(0);
    let sessions = waited.recv().await.unwrap();
    assert_eq!(sessions.iter().map(|session| session.pid).collect::<Vec<_>>(), [pid]);
    assert_eq!(row(server), "140|t", "nothing is written before the script has ended");
    script.batch_execute(end).await.unwrap();
    drop(script);
    repair.await.unwrap().unwrap()
}

#[tokio::test]
async fn a_script_that_still_runs_is_waited_for_and_its_end_decides() {
    let server = Server::start();
    for lock in ["", "SELECT pg_advisory_lock(4711);"] {
        database(&server, dirty(140), |_| false);
        let script = script(&server, lock).await;
        let repair = repaired_after(script, &server, "COMMIT").await;
        assert_eq!((repair, row(&server)), (Repair::Set(Row { version: 140, dirty: false }), "140|f".into()));

        database(&server, dirty(140), |_| false);
        let script = self::script(&server, lock).await;
        let repair = repaired_after(script, &server, "ROLLBACK").await;
        assert_eq!((repair, row(&server)), (Repair::Set(Row { version: 130, dirty: false }), "130|f".into()));
    }
}

#[tokio::test]
async fn a_session_with_the_lock_of_migrations_is_shown_and_other_transactions_are_not() {
    let server = Server::start();
    database(&server, dirty(140), |_| false);
    let core = server.session().await;
    core.batch_execute("BEGIN; SELECT * FROM schema_migrations").await.unwrap();
    let connection = server.connect().await;
    assert_eq!(connection.schema().await.unwrap().migrating, []);
    let migrator = server.session().await;
    migrator.batch_execute("SELECT pg_advisory_lock(4711)").await.unwrap();
    let pid: i32 = migrator.query_one("SELECT pg_backend_pid()", &[]).await.unwrap().get(0);
    let migrating = connection.schema().await.unwrap().migrating;
    assert_eq!(migrating.iter().map(|session| session.pid).collect::<Vec<_>>(), [pid]);
}

#[tokio::test]
async fn transactions_that_begin_later_hold_nothing_up() {
    let server = Server::start();
    database(&server, dirty(140), |_| false);
    let script = script(&server, "").await;
    let later = server.session().await;
    let (waits, mut waited) = tokio::sync::mpsc::unbounded_channel();
    let mut connection = server.connect().await;
    let repair = tokio::spawn(async move { connection.repair_schema(|_| waits.send(()).unwrap()).await });
    waited.recv().await.unwrap();
    later.batch_execute("BEGIN; SELECT version FROM schema_migrations").await.unwrap();
    script.batch_execute("COMMIT").await.unwrap();
    assert_eq!(repair.await.unwrap().unwrap(), Repair::Set(Row { version: 140, dirty: false }));
    later.batch_execute("COMMIT").await.unwrap();
}

#[tokio::test]
async fn a_role_that_may_not_see_other_sessions_waits_for_them_all_the_same() {
    let server = Server::start();
    database(&server, dirty(140), |_| false);
    server.run(
        "CREATE ROLE harbor LOGIN PASSWORD 'p@ss'; GRANT USAGE ON SCHEMA public TO harbor;
         GRANT ALL ON schema_migrations TO harbor",
    );
    // Of the administrator, whose queries others do not see.
    let script = script(&server, "").await;
    let (waits, mut waited) = tokio::sync::mpsc::unbounded_channel();
    let mut settings = server.settings();
    settings.username = "harbor".into();
    settings.password = Some("p@ss".to_owned().into());
    let mut connection = Connection::open(&settings).await.unwrap();
    let repair =
        tokio::spawn(async move { connection.repair_schema(|it| waits.send(it.to_vec()).unwrap()).await });
    assert_eq!(waited.recv().await.unwrap().len(), 1);
    script.batch_execute("COMMIT").await.unwrap();
    assert_eq!(repair.await.unwrap().unwrap(), Repair::Set(Row { version: 140, dirty: false }));
}

#[tokio::test]
async fn a_connection_that_is_lost_while_it_waits_changes_nothing_and_a_second_run_repairs() {
    let server = Server::start();
    database(&server, dirty(140), |_| false);
    let script = script(&server, "").await;
    let (waits, mut waited) = tokio::sync::mpsc::unbounded_channel();
    let mut connection = server.connect().await;
    let repair = tokio::spawn(async move { connection.repair_schema(|_| waits.send(()).unwrap()).await });
    waited.recv().await.unwrap();
    server.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'harbor-operator'",
    );
    let lost = repair.await.unwrap().unwrap_err().to_string();
    assert!(lost.starts_with("the connection to PostgreSQL was lost while this program"), "{lost}");
    assert_eq!(row(&server), "140|t");
    script.batch_execute("ROLLBACK").await.unwrap();
    let repaired = repair_again(&server).await;
    assert_eq!((repaired, row(&server)), (Repair::Set(Row { version: 130, dirty: false }), "130|f".into()));
}

async fn repair_again(server: &Server) -> Repair {
    repair(&mut server.connect().await).await.unwrap()
}
