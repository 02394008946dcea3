//! The events that start a transaction and name it.

use super::mysql::MAX_NUMBER;
use super::serialized;
use super::{Gtid, MariaDbGtid, MySqlGtid, Tsid, Uuid};
use crate::source::error::SourceError;
use crate::source::event::{Bytes, RawEvent, event_type};

/// Bits of [`GtidEvent::flags`] on MariaDB (MariaDB source `Gtid_log_event`).
pub mod mariadb_gtid_flags {
    /// No BEGIN and no terminating event: the one event that follows is the transaction.
    pub const STANDALONE: u8 = 1;
    /// Committed together with others; the event holds the number of the group.
    pub const GROUP_COMMIT_ID: u8 = 2;
    /// Changes transactional tables only.
    pub const TRANSACTIONAL: u8 = 4;
    /// May be applied in parallel.
    pub const ALLOW_PARALLEL: u8 = 8;
    /// Waited for a row lock.
    pub const WAITED: u8 = 16;
    /// DDL.
    pub const DDL: u8 = 32;
    /// XA PREPARE; the event holds the XID.
    pub const PREPARED_XA: u8 = 64;
    /// XA COMMIT or XA ROLLBACK; the event holds the XID.
    pub const COMPLETED_XA: u8 = 128;

    /// Of [`GtidEvent::extra_flags`](super::GtidEvent::extra_flags): the first phase of an ALTER
    /// TABLE, which has changed nothing yet.
    pub const START_ALTER: u8 = 2;
    /// The second phase of an ALTER TABLE.
    pub const COMMIT_ALTER: u8 = 4;
    /// The end of an ALTER TABLE that failed, and has changed nothing.
    pub const ROLLBACK_ALTER: u8 = 8;
}

/// The start of a transaction: GTID, ANONYMOUS_GTID, GTID_TAGGED, or MariaDB's GTID event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GtidEvent {
    /// The transaction's id; `None` when the server runs without GTIDs.
    pub gtid: Option<Gtid>,
    /// MySQL: 1 when there may be statements in the transaction; MariaDB: see
    /// [`mariadb_gtid_flags`].
    pub flags: u8,
    /// MariaDB 10.8 and later: the flags that have no room in the others, see
    /// [`mariadb_gtid_flags`].
    pub extra_flags: u8,
    /// Microseconds since 1970 when this server committed it; MySQL 8.0.1 and later.
    pub committed_at_micros: Option<u64>,
    /// Microseconds since 1970 when the first server committed it; MySQL 8.0.1 and later.
    pub originally_committed_at_micros: Option<u64>,
    /// Bytes of the whole transaction, this event included; MySQL 8.0.2 and later.
    pub transaction_length: Option<u64>,
    /// MariaDB: number of the group commit.
    pub commit_id: Option<u64>,
    /// MariaDB: XID of an XA transaction (format, global part, branch part).
    pub xa: Option<(u32, Vec<u8>, Vec<u8>)>,
}

impl GtidEvent {
    /// Reads the body; `None` for an event of another type.
    ///
    /// # Errors
    /// When the body ends within a field or holds a value that no server writes.
    pub fn parse(event: &RawEvent<'_>) -> Result<Option<Self>, SourceError> {
        let bytes = Bytes::new(event.body);
        let parsed = match event.header.type_code {
            event_type::GTID => Self::read_mysql(bytes, true),
            event_type::ANONYMOUS_GTID => Self::read_mysql(bytes, false),
            event_type::GTID_TAGGED => Self::read_tagged(bytes),
            event_type::MARIADB_GTID => Self::read_mariadb(bytes, event.header.server_id),
            _ => return Ok(None),
        };
        parsed
            .map(Some)
            .ok_or_else(|| event.malformed("the body is no valid GTID"))
    }

    fn new(gtid: Option<Gtid>, flags: u8) -> Self {
        Self {
            gtid,
            flags,
            extra_flags: 0,
            committed_at_micros: None,
            originally_committed_at_micros: None,
            transaction_length: None,
            commit_id: None,
            xa: None,
        }
    }

    /// MySQL source `Gtid_event::read_gtid_post_header` and the fields after it, each of which
    /// came with a later version.
    fn read_mysql(mut bytes: Bytes<'_>, named: bool) -> Option<Self> {
        let flags = bytes.u8()?;
        let uuid = Uuid(bytes.take(16)?.try_into().ok()?);
        let number = bytes.u64()?;
        if named && !is_number(number) {
            return None;
        }
        let gtid = named.then_some(MySqlGtid {
            tsid: Tsid { uuid, tag: None },
            number,
        });
        let mut event = Self::new(gtid.map(Gtid::MySql), flags);
        const LOGICAL_CLOCK: u8 = 2;
        if bytes.u8() == Some(LOGICAL_CLOCK) {
            bytes.take(16)?;
            event.read_times(&mut bytes)?;
        }
        Some(event)
    }

    fn read_times(&mut self, bytes: &mut Bytes<'_>) -> Option<()> {
        const ORIGINAL_FOLLOWS: u64 = 1 << 55;
        if bytes.len() < 7 {
            return Some(());
        }
        let immediate = bytes.uint(7)?;
        let committed = immediate & !ORIGINAL_FOLLOWS;
        let original = if immediate & ORIGINAL_FOLLOWS != 0 {
            bytes.uint(7)?
        } else {
            committed
        };
        self.set_times(committed, original);
        if !bytes.is_empty() {
            self.transaction_length = Some(bytes.length_encoded()?);
        }
        Some(())
    }

    /// Zero means "not known".
    fn set_times(&mut self, committed: u64, original: u64) {
        self.committed_at_micros = (committed != 0).then_some(committed);
        self.originally_committed_at_micros = (original != 0).then_some(original);
    }

    /// MySQL source `Gtid_event::define_fields`, in the serialization library's format:
    /// version, size of the whole, last field that must be understood, fields by rising id.
    fn read_tagged(mut bytes: Bytes<'_>) -> Option<Self> {
        const LAST_KNOWN_FIELD: u64 = 11;
        let whole = bytes.len();
        let _version = serialized::unsigned(&mut bytes)?;
        let size = usize::try_from(serialized::unsigned(&mut bytes)?).ok()?;
        let last_needed = serialized::unsigned(&mut bytes)?;
        if last_needed > LAST_KNOWN_FIELD {
            return None;
        }
        let mut fields = Bytes::new(bytes.take(size.checked_sub(whole - bytes.len())?)?);
        let (mut flags, mut uuid, mut tag, mut number) = (0, None, "", 0);
        let (mut immediate, mut original, mut length) = (0, 0, None);
        while !fields.is_empty() {
            match serialized::unsigned(&mut fields)? {
                0 => flags = u8::try_from(serialized::unsigned(&mut fields)?).ok()?,
                1 => uuid = Some(Uuid(serialized::uuid(&mut fields)?)),
                2 => number = serialized::not_negative(&mut fields)?,
                3 => tag = serialized::text(&mut fields)?,
                4 | 5 => _ = serialized::unsigned(&mut fields)?,
                6 => immediate = serialized::unsigned(&mut fields)?,
                7 => original = serialized::unsigned(&mut fields)?,
                8 => length = Some(serialized::unsigned(&mut fields)?),
                9..=LAST_KNOWN_FIELD => _ = serialized::unsigned(&mut fields)?,
                // Fields of later versions, which may be left unread.
                _ => break,
            }
        }
        let tsid = Tsid::new(uuid?, tag).ok()?;
        if !is_number(number) {
            return None;
        }
        let mut event = Self::new(Some(Gtid::MySql(MySqlGtid { tsid, number })), flags);
        event.set_times(immediate, if original == 0 { immediate } else { original });
        event.transaction_length = length;
        Some(event)
    }

    /// MariaDB source `Gtid_log_event`.
    fn read_mariadb(mut bytes: Bytes<'_>, server_id: u32) -> Option<Self> {
        use mariadb_gtid_flags as bits;
        let sequence = bytes.u64()?;
        let domain = bytes.u32()?;
        let flags = bytes.u8()?;
        let gtid = Gtid::MariaDb(MariaDbGtid {
            domain,
            server_id,
            sequence,
        });
        let mut event = Self::new(Some(gtid), flags);
        if flags & bits::GROUP_COMMIT_ID != 0 {
            event.commit_id = Some(bytes.u64()?);
        }
        if flags & (bits::PREPARED_XA | bits::COMPLETED_XA) != 0 {
            let format = bytes.u32()?;
            let global = usize::from(bytes.u8()?);
            let branch = usize::from(bytes.u8()?);
            event.xa = Some((
                format,
                bytes.take(global)?.to_vec(),
                bytes.take(branch)?.to_vec(),
            ));
        }
        // Before 10.8 nothing is left, or zeros.
        event.extra_flags = bytes.u8().unwrap_or_default();
        Some(event)
    }
}

/// Whether a transaction of MySQL can have this number.
fn is_number(number: u64) -> bool {
    (1..=MAX_NUMBER).contains(&number)
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
