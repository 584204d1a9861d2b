//! Where Harbor keeps encrypted values.

use std::fmt;

/// A column with values that may be encrypted. Its table has a numeric primary key `id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The table.
    pub table: &'static str,
    /// The column.
    pub column: &'static str,
}

/// One value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its column.
    pub column: Column,
    /// The `id` of its row.
    pub id: i64,
}

/// All of them, of Harbor 2.5 to 2.15. Older versions do not encrypt all of them; a value without the prefix stays as it is.
pub const COLUMNS: [Column; 6] = [
    column("registry", "access_secret"),
    // The passwords among the settings: of LDAP, OIDC, UAA and mail.
    column("properties", "v"),
    column("oidc_user", "secret"),
    column("oidc_user", "token"),
    // Since 2.14.4 and 2.15.1.
    column("scanner_registration", "access_cred"),
    column("p2p_preheat_instance", "auth_data"),
];

const fn column(table: &'static str, column: &'static str) -> Column {
    Column { table, column }
}

/// Such as `registry.access_secret (id 3)`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { column: Column { table, column }, id } = self;
        write!(f, "{table}.{column} (id {id})")
    }
}
