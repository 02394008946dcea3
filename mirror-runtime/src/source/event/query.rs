//! QUERY: a statement with the session settings that its meaning depends on.

use super::{Bytes, RawEvent};
use crate::source::error::SourceError;

/// Bits of [`QueryEvent::flags`] (MySQL source `OPTION_*`).
pub mod query_flags {
    /// `autocommit = 0`.
    pub const NOT_AUTOCOMMIT: u32 = 1 << 19;
    /// `foreign_key_checks = 0`.
    pub const NO_FOREIGN_KEY_CHECKS: u32 = 1 << 26;
    /// `unique_checks = 0`.
    pub const RELAXED_UNIQUE_CHECKS: u32 = 1 << 27;
}

/// Numbers of the session's collations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryCharset {
    /// `character_set_client`: how the statement's bytes are to be read.
    pub client: u16,
    /// `collation_connection`.
    pub connection: u16,
    /// `collation_server`.
    pub server: u16,
}

/// Body of a QUERY event (MySQL source `Query_event`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryEvent<'a> {
    /// Id of the session on the server.
    pub thread_id: u32,
    /// Seconds that the statement took.
    pub execution_seconds: u32,
    /// Error with which the statement ended; 0 for none.
    pub error_code: u16,
    /// See [`query_flags`]; `None` when the server did not write them.
    pub flags: Option<u32>,
    /// `sql_mode` as bits; `None` when the server did not write it.
    pub sql_mode: Option<u64>,
    /// Character sets; `None` when the server did not write them.
    pub charset: Option<QueryCharset>,
    /// Microseconds to add to the header's timestamp.
    pub microseconds: Option<u32>,
    /// Transaction number of an atomic DDL statement (MySQL 8.0, MariaDB 10.6).
    pub ddl_xid: Option<u64>,
    /// The default database; empty for none.
    pub database: &'a [u8],
    /// The statement; compressed in a QUERY_COMPRESSED event.
    pub statement: &'a [u8],
}

/// `sql_mode` bit ANSI_QUOTES: double quotes enclose names.
const ANSI_QUOTES: u64 = 1 << 2;
/// `sql_mode` bit NO_BACKSLASH_ESCAPES.
const NO_BACKSLASH_ESCAPES: u64 = 1 << 20;

impl<'a> QueryEvent<'a> {
    /// Reads the body of a QUERY (or QUERY_COMPRESSED) event.
    ///
    /// # Errors
    /// When the body ends within a field.
    pub fn parse(event: &RawEvent<'a>) -> Result<Self, SourceError> {
        Self::read(event.body).ok_or_else(|| event.malformed("the body ends within a field"))
    }

    fn read(body: &'a [u8]) -> Option<Self> {
        let mut bytes = Bytes::new(body);
        let thread_id = bytes.u32()?;
        let execution_seconds = bytes.u32()?;
        let database_length = usize::from(bytes.u8()?);
        let error_code = bytes.u16()?;
        let variables_length = usize::from(bytes.u16()?);
        let variables = bytes.take(variables_length)?;
        let database = bytes.take(database_length)?;
        if bytes.u8()? != 0 {
            return None;
        }
        let mut query = Self {
            thread_id,
            execution_seconds,
            error_code,
            flags: None,
            sql_mode: None,
            charset: None,
            microseconds: None,
            ddl_xid: None,
            database,
            statement: bytes.rest(),
        };
        let mut variables = Bytes::new(variables);
        while let Some(code) = variables.u8() {
            if !query.read_variable(code, &mut variables)? {
                break;
            }
        }
        Some(query)
    }

    /// Reads one status variable; `Some(false)` for one of unknown length, after which nothing
    /// can be read (the servers do the same), `None` when its bytes are missing.
    fn read_variable(&mut self, code: u8, bytes: &mut Bytes<'a>) -> Option<bool> {
        match code {
            0 => self.flags = Some(bytes.u32()?),
            1 => self.sql_mode = Some(bytes.u64()?),
            2 => {
                bytes.short_bytes()?;
                bytes.u8()?;
            }
            3 | 10 => _ = bytes.u32()?,
            4 => {
                self.charset = Some(QueryCharset {
                    client: bytes.u16()?,
                    connection: bytes.u16()?,
                    server: bytes.u16()?,
                });
            }
            5 | 6 => _ = bytes.short_bytes()?,
            7 | 8 | 18 => _ = bytes.u16()?,
            9 => _ = bytes.u64()?,
            11 => {
                bytes.short_bytes()?;
                bytes.short_bytes()?;
            }
            12 => read_database_names(bytes)?,
            13 | 128 => self.microseconds = u32::try_from(bytes.uint(3)?).ok(),
            16 | 19 | 20 => _ = bytes.u8()?,
            17 | 129 => self.ddl_xid = Some(bytes.u64()?),
            _ => return Some(false),
        }
        Some(true)
    }

    /// Whether double quotes enclose names in the statement.
    #[must_use]
    pub fn ansi_quotes(&self) -> bool {
        self.sql_mode.unwrap_or(0) & ANSI_QUOTES != 0
    }

    /// Whether a backslash in a string of the statement is an ordinary character.
    #[must_use]
    pub fn no_backslash_escapes(&self) -> bool {
        self.sql_mode.unwrap_or(0) & NO_BACKSLASH_ESCAPES != 0
    }

    /// The statement as text; bytes that are not UTF-8 become replacement characters.
    #[must_use]
    pub fn statement_text(&self) -> std::borrow::Cow<'a, str> {
        String::from_utf8_lossy(self.statement)
    }
}

/// Names of updated databases; 254 in place of their number means "too many".
fn read_database_names(bytes: &mut Bytes<'_>) -> Option<()> {
    let count = bytes.u8()?;
    if count != 254 {
        for _ in 0..count {
            bytes.until_zero()?;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::{event_type, testing::with_event};
    use super::*;

    fn body(variables: &[u8]) -> Vec<u8> {
        let mut body = 9_u32.to_le_bytes().to_vec();
        body.extend(2_u32.to_le_bytes());
        body.push(3);
        body.extend(1062_u16.to_le_bytes());
        body.extend((variables.len() as u16).to_le_bytes());
        body.extend(variables);
        body.extend(b"ads\0TRUNCATE t");
        body
    }

    fn parsed<T>(variables: &[u8], check: impl FnOnce(QueryEvent<'_>) -> T) -> T {
        let body = body(variables);
        with_event(event_type::QUERY, &body, |event| {
            check(QueryEvent::parse(event).unwrap())
        })
    }

    #[test]
    fn fields_and_statement_are_read() {
        parsed(&[], |query| {
            assert_eq!(query.thread_id, 9);
            assert_eq!(query.execution_seconds, 2);
            assert_eq!(query.error_code, 1062);
            assert_eq!(query.database, b"ads");
            assert_eq!(query.statement_text(), "TRUNCATE t");
            assert!(!query.ansi_quotes());
        });
    }

    #[test]
    fn known_status_variables_are_read_behind_each_other() {
        let mut variables = vec![0];
        variables.extend(query_flags::NO_FOREIGN_KEY_CHECKS.to_le_bytes());
        variables.push(1);
        variables.extend((ANSI_QUOTES | NO_BACKSLASH_ESCAPES).to_le_bytes());
        variables.extend(b"\x06\x03std\x04\x2d\x00\xff\x00\x08\x00");
        variables.extend(b"\x0c\x02ads\0stats\0\x0d\x01\x02\x00");
        variables.extend(b"\x0b\x01u\x01h\x11\x05\0\0\0\0\0\0\0\x14\x01");
        parsed(&variables, |query| {
            assert_eq!(query.flags, Some(query_flags::NO_FOREIGN_KEY_CHECKS));
            assert!(query.ansi_quotes() && query.no_backslash_escapes());
            assert_eq!(query.charset.map(|c| c.connection), Some(255));
            assert_eq!(query.microseconds, Some(513));
            assert_eq!(query.ddl_xid, Some(5));
        });
    }

    #[test]
    fn an_unknown_status_variable_ends_their_reading_only() {
        parsed(b"\x0d\x01\x00\x00\xf0\x01\x02\x03", |query| {
            assert_eq!(query.microseconds, Some(1));
            assert_eq!(query.statement, b"TRUNCATE t");
        });
        parsed(b"\x0c\xfe\x0d\x01\x00\x00", |query| {
            assert_eq!(query.microseconds, Some(1));
        });
    }

    #[test]
    fn every_cut_before_the_statement_is_an_error() {
        let whole = body(b"\x0d\x01\x02\x00");
        let statement = b"TRUNCATE t".len();
        for length in 0..whole.len() - statement {
            let error = with_event(event_type::QUERY, &whole[..length], |event| {
                QueryEvent::parse(event).is_err()
            });
            assert!(error, "{length} bytes");
        }
        let variable_cut = body(b"\x01\x02");
        assert!(with_event(event_type::QUERY, &variable_cut, |event| {
            QueryEvent::parse(event).is_err()
        }));
    }
}
