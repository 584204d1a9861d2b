//! Errors of a database.

use tokio_postgres::error::SqlState;

/// Why nothing could be read or written. Never contains a password, or the text of a query.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server does not answer, or TLS fails.
    #[error("cannot connect to PostgreSQL at {server}: {problem}")]
    Unreachable {
        /// Host and port.
        server: String,
        /// What happened.
        problem: String,
    },
    /// The server refuses the role, the password or the database.
    #[error("PostgreSQL at {server} refuses the connection: {problem}; {remedy}")]
    Refused {
        /// Host and port.
        server: String,
        /// What the server says.
        problem: String,
        /// What a user can do.
        remedy: &'static str,
    },
    /// The authorities cannot be read.
    #[error("the authorities in {place}: {problem}")]
    Authorities {
        /// The file, the folder or the system.
        place: String,
        /// What is wrong.
        problem: String,
    },
    /// The connection was lost. What was not committed is not in the database.
    #[error("the connection to PostgreSQL was lost while this program {doing}; to run it again is safe")]
    Lost {
        /// What the program did.
        doing: &'static str,
    },
    /// The server refuses a statement.
    #[error("PostgreSQL refuses that this program {doing}: {problem}")]
    Statement {
        /// What the program did.
        doing: &'static str,
        /// What the server says.
        problem: String,
    },
}

impl Error {
    /// The error of a connection that could not be opened.
    pub(crate) fn connecting(server: String, error: &tokio_postgres::Error) -> Self {
        let Some(answer) = error.as_db_error() else {
            return Self::Unreachable { server, problem: causes(error) };
        };
        let remedy = match answer.code() {
            code if *code == SqlState::INVALID_PASSWORD
                || *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION =>
            {
                "check POSTGRESQL_USERNAME, POSTGRESQL_PASSWORD and POSTGRESQL_SSLMODE"
            }
            code if *code == SqlState::INVALID_CATALOG_NAME => "check POSTGRESQL_DATABASE",
            _ => "correct that and run it again",
        };
        Self::Refused { server, problem: answer.message().to_owned(), remedy }
    }

    /// The error of a statement.
    pub(crate) fn while_it(doing: &'static str) -> impl Fn(tokio_postgres::Error) -> Self {
        move |error| match error.as_db_error() {
            Some(answer) if !ended_session(answer.code()) => {
                Self::Statement { doing, problem: answer.message().to_owned() }
            }
            Some(_) => Self::Lost { doing },
            None if error.is_closed() => Self::Lost { doing },
            None => Self::Statement { doing, problem: causes(&error) },
        }
    }
}

/// Whether the server ended the session with this answer.
fn ended_session(code: &SqlState) -> bool {
    [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN].contains(code)
}

/// The error and its causes, each once.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let said = cause.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        next = cause.source();
    }
    text
}
