//! Rows events (MySQL source, `Rows_event`).

use super::ImageError;
use super::cursor::Cursor;

/// What a rows event did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowsKind {
    /// New rows.
    Insert,
    /// Changed rows: before and after, in turn.
    Update,
    /// Deleted rows.
    Delete,
}

/// What a stored column has in the row after an update whose after image lacks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AbsentColumns {
    /// What it had before.
    #[default]
    Kept,
    /// Its default, as a row that is inserted without it: MariaDB logs a REPLACE that meets a row
    /// as an update without the columns that the statement does not name.
    Default,
    /// One or the other: nothing tells which statement changed the row.
    Unknown,
}

/// The head of a rows event, and its rows as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowsEvent<'a> {
    /// The table's number in the TABLE_MAP event before.
    pub table_id: u64,
    /// Flags; see [`ends_statement`](Self::ends_statement).
    pub flags: u16,
    /// What was done.
    pub kind: RowsKind,
    /// Whether after images may hold differences of JSON columns in place of their values
    /// (PARTIAL_UPDATE_ROWS).
    pub partial: bool,
    /// What columns have that an update's after image lacks. The event does not tell:
    /// [`parse`](Self::parse) says `Kept`, the statement before the event may say otherwise.
    pub absent: AbsentColumns,
    /// How many columns the table has.
    pub columns: usize,
    /// Which columns a before image has, one bit each, lowest first (update and delete).
    pub columns_before: &'a [u8],
    /// Which columns an after image has, one bit each, lowest first (insert and update).
    pub columns_after: &'a [u8],
    /// The rows.
    pub rows: &'a [u8],
    /// Offset of the rows within the event's body.
    pub rows_at: usize,
}

const STMT_END: u16 = 1;
const NO_FOREIGN_KEY_CHECKS: u16 = 2;
/// MySQL 9.6 and later: the server logs what foreign keys do, as rows of the child tables before
/// those of the parent (seen on 9.7 as `USE_SQL_FOREIGN_KEY_F`).
const USE_SQL_FOREIGN_KEY: u16 = 16;

impl<'a> RowsEvent<'a> {
    /// The event without the rows that take its first so many bytes.
    #[must_use]
    pub fn behind(&self, bytes: usize) -> Self {
        Self {
            rows: self.rows.get(bytes..).unwrap_or_default(),
            rows_at: self.rows_at + bytes,
            ..*self
        }
    }

    /// Reads just the table's number from the body of a rows event of any type, so that rows of
    /// tables nobody mirrors need no more.
    ///
    /// # Errors
    /// When the body ends too early.
    pub fn parse_table_id(body: &[u8]) -> Result<u64, ImageError> {
        Cursor::new(body).number(6, "table id")
    }

    /// Whether the rows event of any type with this body is the last of its statement; false when
    /// the body ends too early.
    #[must_use]
    pub fn ends_its_statement(body: &[u8]) -> bool {
        body.get(6)
            .is_some_and(|flags| u16::from(*flags) & STMT_END != 0)
    }

    /// Reads the body of a rows event (behind the event header, without checksum), of the types
    /// 23 to 25 (version 1), 30 to 32 and 39 (version 2).
    ///
    /// # Errors
    /// When the body ends too early, or the type is another one.
    pub fn parse(event_type: u8, body: &'a [u8]) -> Result<Self, ImageError> {
        let (kind, version) = match event_type {
            23 => (RowsKind::Insert, 1),
            24 => (RowsKind::Update, 1),
            25 => (RowsKind::Delete, 1),
            30 => (RowsKind::Insert, 2),
            31 | 39 => (RowsKind::Update, 2),
            32 => (RowsKind::Delete, 2),
            _ => return Err(ImageError::Unsupported { event_type }),
        };
        let mut cursor = Cursor::new(body);
        let table_id = cursor.number(6, "table id")?;
        let flags = cursor.number(2, "rows event flags")? as u16;
        if version == 2 {
            skip_extra_data(&mut cursor)?;
        }
        let columns = cursor.packed_length("column count")?;
        let bitmap = columns.div_ceil(8);
        let first = cursor.take(bitmap, "bitmap of present columns")?;
        let (columns_before, columns_after): (&[u8], &[u8]) = match kind {
            RowsKind::Insert => (&[], first),
            RowsKind::Delete => (first, &[]),
            RowsKind::Update => (first, cursor.take(bitmap, "bitmap of present columns")?),
        };
        Ok(Self {
            table_id,
            flags,
            kind,
            partial: event_type == 39,
            absent: AbsentColumns::default(),
            columns,
            columns_before,
            columns_after,
            rows: cursor.rest(),
            rows_at: cursor.position(),
        })
    }

    /// Whether this is the last rows event of its statement; table numbers end with it.
    #[must_use]
    pub fn ends_statement(&self) -> bool {
        self.flags & STMT_END != 0
    }

    /// Whether foreign keys changed other rows with these that the log does not tell: not when
    /// the session had `foreign_key_checks = 0`, nor when the server logs those rows too.
    #[must_use]
    pub fn cascades_silently(&self) -> bool {
        self.kind != RowsKind::Insert
            && self.flags & (NO_FOREIGN_KEY_CHECKS | USE_SQL_FOREIGN_KEY) == 0
    }
}

/// Version 2 has extra data behind the flags; its length counts its own two bytes.
fn skip_extra_data(cursor: &mut Cursor<'_>) -> Result<(), ImageError> {
    const WHAT: &str = "extra data of a rows event";
    let at = cursor.position();
    let length = cursor.number(2, WHAT)? as usize;
    match length.checked_sub(2) {
        Some(length) => cursor.take(length, WHAT).map(|_| ()),
        None => Err(ImageError::Invalid { what: WHAT, at }),
    }
}
