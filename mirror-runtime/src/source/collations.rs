//! Which character set a collation's number belongs to, as the server says.

use std::collections::HashMap;

use mysql::Conn;
use mysql::prelude::Queryable;

use super::error::{Context, SourceError, from_mysql};
use super::server_info::{Family, ServerInfo};
use crate::charset::Charset;

/// The character sets of a server's collations; the default knows none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collations(HashMap<u64, Charset>);

impl Collations {
    /// Asks a server for its collations.
    ///
    /// # Errors
    /// When the query fails.
    pub fn read(conn: &mut Conn, info: &ServerInfo) -> Result<Self, SourceError> {
        let action = "reading the collations";
        let mut rows: Vec<(Option<u64>, Option<String>)> = Vec::new();
        if info.family == Family::MariaDb {
            // From 10.10 on, one name may stand for collations of several character sets, whose
            // numbers are here only; before, this table has no numbers.
            let sql = "SELECT ID, CHARACTER_SET_NAME \
                       FROM information_schema.COLLATION_CHARACTER_SET_APPLICABILITY";
            rows = conn.query(sql).unwrap_or_default();
        }
        if rows.is_empty() {
            let sql = "SELECT ID, CHARACTER_SET_NAME FROM information_schema.COLLATIONS";
            rows = conn
                .query(sql)
                .map_err(|error| from_mysql(error, &Context::query(action)))?;
        }
        let known = rows.into_iter().filter_map(|(id, charset)| {
            let charset = Charset::from_name(charset.as_deref()?)?;
            Some((id?, charset))
        });
        Ok(Self(known.collect()))
    }

    /// The character set of the collation with this number; `None` for one that is not known,
    /// and for the set `binary`.
    #[must_use]
    pub fn charset(&self, collation: u64) -> Option<Charset> {
        self.0.get(&collation).copied()
    }
}

impl FromIterator<(u64, Charset)> for Collations {
    fn from_iter<I: IntoIterator<Item = (u64, Charset)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}
