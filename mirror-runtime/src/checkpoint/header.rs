//! What a checkpoint says of itself: what it is of, where it stands, and how many rows it has.

use std::sync::Arc;

use crate::error::ValueError;
use crate::image::ColumnDefault;
use crate::row::SelectValue;
use crate::source::{BinlogPosition, Family, FollowedLog, GtidSet, ServerInfo, StreamStart};
use crate::stored::{Stored, StoredBytes, store_counted, store_length};

/// The part before the rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Header {
    /// Random; in the checksum of every block, so that blocks of two files do not mix.
    pub(super) id: u64,
    /// Of the generated code.
    pub(super) fingerprint: String,
    /// Seconds since 1970.
    pub(super) written_at: u64,
    pub(super) server: Server,
    /// The end of the last transaction that is in it.
    pub(super) position: BinlogPosition,
    /// Where the stream goes on.
    pub(super) start: StreamStart,
    /// The transactions before a position on MariaDB, if they are known.
    pub(super) gtids: Option<GtidSet>,
    /// The file in which the stream goes on: its name, and when it was begun.
    pub(super) log: Option<(String, u32)>,
    /// By table index; `None` for tables that are not in it.
    pub(super) tables: Vec<Option<Table>>,
}

/// Which server it is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Server {
    pub(super) family: Family,
    /// What tells it from others.
    pub(super) identity: String,
    /// For people.
    pub(super) version: String,
}

/// One table of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    pub(super) rows: u64,
    /// What its columns have that an insert's image lacks, by field index.
    pub(super) defaults: Arc<[ColumnDefault]>,
}

impl Server {
    pub(super) fn of(info: &ServerInfo) -> Self {
        Self {
            family: info.family,
            identity: info.identity(),
            version: info.version_text.clone(),
        }
    }
}

impl Header {
    /// The log that the stream goes on in.
    pub(super) fn followed_log(&self) -> FollowedLog {
        FollowedLog::stored(self.log.clone(), self.server.identity.clone())
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.id.store(&mut out);
        text(&mut out, &self.fingerprint);
        self.written_at.store(&mut out);
        (self.server.family == Family::MariaDb).store(&mut out);
        text(&mut out, &self.server.identity);
        text(&mut out, &self.server.version);
        text(&mut out, &self.position.to_string());
        match &self.start {
            StreamStart::File(position) => {
                false.store(&mut out);
                text(&mut out, &position.to_string());
            }
            StreamStart::Gtid(set) => {
                true.store(&mut out);
                text(&mut out, &set.to_string());
            }
        }
        self.gtids.is_some().store(&mut out);
        if let Some(gtids) = &self.gtids {
            text(&mut out, &gtids.to_string());
        }
        self.log.is_some().store(&mut out);
        if let Some((file, begun)) = &self.log {
            text(&mut out, file);
            begun.store(&mut out);
        }
        store_length(&mut out, self.tables.len());
        for table in &self.tables {
            table.is_some().store(&mut out);
            if let Some(table) = table {
                table.rows.store(&mut out);
                store_length(&mut out, table.defaults.len());
                for default in table.defaults.iter() {
                    store_default(&mut out, default);
                }
            }
        }
        out
    }

    /// # Errors
    /// When the bytes are no header.
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, ValueError> {
        let bytes = &mut StoredBytes::new(bytes);
        let id = u64::restore(bytes)?;
        let fingerprint = restored_text(bytes)?;
        let written_at = u64::restore(bytes)?;
        let family = match bool::restore(bytes)? {
            true => Family::MariaDb,
            false => Family::MySql,
        };
        let server = Server {
            family,
            identity: restored_text(bytes)?,
            version: restored_text(bytes)?,
        };
        let position = restored_position(bytes)?;
        let start = match bool::restore(bytes)? {
            false => StreamStart::File(restored_position(bytes)?),
            true => StreamStart::Gtid(restored_gtids(bytes, family)?),
        };
        let gtids = match bool::restore(bytes)? {
            true => Some(restored_gtids(bytes, family)?),
            false => None,
        };
        let log = match bool::restore(bytes)? {
            true => Some((restored_text(bytes)?, u32::restore(bytes)?)),
            false => None,
        };
        let tables = each(bytes, |bytes| match bool::restore(bytes)? {
            true => Ok(Some(Table {
                rows: u64::restore(bytes)?,
                defaults: each(bytes, restore_default)?.into(),
            })),
            false => Ok(None),
        })?;
        if !bytes.is_empty() {
            return Err(ValueError::Invalid("bytes behind the header's end"));
        }
        Ok(Self {
            id,
            fingerprint,
            written_at,
            server,
            position,
            start,
            gtids,
            log,
            tables,
        })
    }
}

/// As many as the length in front says. Each takes a byte or more, so memory is set aside for no
/// more than there are bytes.
fn each<T>(
    bytes: &mut StoredBytes<'_>,
    one: impl Fn(&mut StoredBytes<'_>) -> Result<T, ValueError>,
) -> Result<Vec<T>, ValueError> {
    let count = bytes.length()?;
    if count > bytes.len() {
        return Err(ValueError::Length {
            expected: count,
            found: bytes.len(),
        });
    }
    (0..count).map(|_| one(bytes)).collect()
}

fn text(out: &mut Vec<u8>, text: &str) {
    store_counted(out, text.as_bytes());
}

fn restored_gtids(bytes: &mut StoredBytes<'_>, family: Family) -> Result<GtidSet, ValueError> {
    GtidSet::parse(&restored_text(bytes)?, family).map_err(|_| ValueError::Invalid("no GTID set"))
}

fn restored_text(bytes: &mut StoredBytes<'_>) -> Result<String, ValueError> {
    Box::<str>::restore(bytes).map(String::from)
}

fn restored_position(bytes: &mut StoredBytes<'_>) -> Result<BinlogPosition, ValueError> {
    let text = restored_text(bytes)?;
    text.parse()
        .map_err(|_| ValueError::Invalid("no binlog position"))
}

fn store_default(out: &mut Vec<u8>, default: &ColumnDefault) {
    let Some(value) = default else {
        return out.push(0);
    };
    match value {
        SelectValue::NULL => out.push(1),
        SelectValue::Bytes(bytes) => {
            out.push(2);
            store_counted(out, bytes);
        }
        SelectValue::Int(number) => {
            out.push(3);
            number.store(out);
        }
        SelectValue::UInt(number) => {
            out.push(4);
            number.store(out);
        }
        SelectValue::Float(number) => {
            out.push(5);
            number.store(out);
        }
        SelectValue::Double(number) => {
            out.push(6);
            number.store(out);
        }
        SelectValue::Date(year, month, day, hour, minute, second, micros) => {
            out.push(7);
            year.store(out);
            out.extend_from_slice(&[*month, *day, *hour, *minute, *second]);
            micros.store(out);
        }
        SelectValue::Time(negative, days, hours, minutes, seconds, micros) => {
            out.push(8);
            negative.store(out);
            days.store(out);
            out.extend_from_slice(&[*hours, *minutes, *seconds]);
            micros.store(out);
        }
    }
}

fn restore_default(bytes: &mut StoredBytes<'_>) -> Result<ColumnDefault, ValueError> {
    Ok(Some(match bytes.array()? {
        [0] => return Ok(None),
        [1] => SelectValue::NULL,
        [2] => SelectValue::Bytes(bytes.counted()?.to_vec()),
        [3] => SelectValue::Int(i64::restore(bytes)?),
        [4] => SelectValue::UInt(u64::restore(bytes)?),
        [5] => SelectValue::Float(f32::restore(bytes)?),
        [6] => SelectValue::Double(f64::restore(bytes)?),
        [7] => {
            let year = u16::restore(bytes)?;
            let [month, day, hour, minute, second] = bytes.array()?;
            SelectValue::Date(year, month, day, hour, minute, second, u32::restore(bytes)?)
        }
        [8] => {
            let negative = bool::restore(bytes)?;
            let days = u32::restore(bytes)?;
            let [hours, minutes, seconds] = bytes.array()?;
            SelectValue::Time(
                negative,
                days,
                hours,
                minutes,
                seconds,
                u32::restore(bytes)?,
            )
        }
        _ => return Err(ValueError::Invalid("no default of a column")),
    }))
}
