//! The contenders of decoding, each a way through one binlog file: into generated structs,
//! `mysql_common`'s BinlogRow, mysql_cdc (with the feature of that name), and just framing, which
//! is reading the events and checking their checksums, by this project's source and by
//! `mysql_common`'s reader.

use std::collections::HashMap;
use std::fs::File;
use std::hint::black_box;
use std::io::BufReader;
use std::path::Path;

use generated::{LongTable, ShortTable, Tables};
use mirror_runtime::image::{ImageError, Plan, RowsEvent};
use mirror_runtime::source::{EventSource, RawEvent, RecordedSource, TruncatedTail};
use mirror_runtime::store::Schema;
use mirror_runtime::transaction::{Boundary, Touch, TransactionReader, TransactionSink};
use mirror_runtime::{Error as MirrorError, Row, TableError, error::ValueError};
use mysql_common::binlog::BinlogFile;
use mysql_common::binlog::consts::BinlogVersion;
use mysql_common::binlog::events::EventData;

use crate::Error;

/// A way through a binlog file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contender {
    /// Into generated structs.
    Mirror,
    /// Events and checksums alone, as the mirror reads them.
    Framing,
    /// Every row as a BinlogRow; no checksum is checked.
    BinlogRow,
    /// Events and checksums alone, as `mysql_common` reads them.
    CommonFraming,
    /// Every row as mysql_cdc gives it; no checksum is checked.
    #[cfg(feature = "mysql_cdc")]
    MysqlCdc,
}

impl Contender {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Mirror,
        Self::Framing,
        Self::BinlogRow,
        Self::CommonFraming,
        #[cfg(feature = "mysql_cdc")]
        Self::MysqlCdc,
    ];

    /// What reports call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mirror => "generated structs",
            Self::Framing => "framing and CRC32 alone",
            Self::BinlogRow => "mysql_common BinlogRow",
            Self::CommonFraming => "mysql_common framing and CRC32 alone",
            #[cfg(feature = "mysql_cdc")]
            Self::MysqlCdc => "mysql_cdc 0.2.1",
        }
    }

    /// Goes through a file; gives the rows that were seen, `None` when it looks at none.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn go(self, file: &Path) -> Result<Option<u64>, Error> {
        match self {
            Self::Mirror => decode(file).map(Some),
            Self::Framing => frame(file).map(|()| None),
            Self::BinlogRow => binlog_rows(file).map(Some),
            Self::CommonFraming => common_frame(file).map(|()| None),
            #[cfg(feature = "mysql_cdc")]
            Self::MysqlCdc => mysql_cdc_rows(file).map(Some),
        }
    }
}

fn frame(file: &Path) -> Result<(), Error> {
    let mut source = RecordedSource::open([file], TruncatedTail::End)?;
    while let Some(event) = source.next_event()? {
        black_box(event.body);
    }
    Ok(())
}

/// Decodes rows into generated structs and drops them.
struct Decoder {
    rows: u64,
    short: usize,
}

fn decode(file: &Path) -> Result<u64, Error> {
    let layouts = Tables::layouts();
    let short = layouts
        .iter()
        .position(|layout| layout.table == "short_table")
        .ok_or("short_table is not in schema.json")?;
    let selected = vec![true; layouts.len()];
    let mut reader = TransactionReader::new(layouts, &selected);
    let mut decoder = Decoder { rows: 0, short };
    let mut source = RecordedSource::open([file], TruncatedTail::End)?;
    while let Some(event) = source.next_event()? {
        reader.event(&event, &mut decoder)?;
    }
    Ok(decoder.rows)
}

/// Why rows could not be decoded, as text.
struct Failed(String);

impl From<ImageError> for Failed {
    fn from(error: ImageError) -> Self {
        Self(error.to_string())
    }
}

impl From<ValueError> for Failed {
    fn from(error: ValueError) -> Self {
        Self(error.to_string())
    }
}

fn decode_rows<R: Row>(plan: &Plan, rows: &RowsEvent<'_>) -> Result<u64, Failed> {
    let mut reader = plan.reader(rows);
    reader.decode_each(|_, row: R| {
        black_box(&row);
        Ok(())
    })
}

impl TransactionSink for Decoder {
    fn rows(
        &mut self,
        table: usize,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        event: &RawEvent<'_>,
    ) -> Result<(), MirrorError> {
        let seen = if table == self.short {
            decode_rows::<ShortTable>(plan, rows)
        } else {
            decode_rows::<LongTable>(plan, rows)
        };
        self.rows += seen.map_err(|Failed(detail)| TableError::Event {
            event: event.header.type_name(),
            position: event.end_position(),
            detail,
        })?;
        Ok(())
    }

    fn truncate(&mut self, _table: usize) -> Result<(), MirrorError> {
        Ok(())
    }

    fn touched(&mut self, _touch: Touch) -> Result<(), MirrorError> {
        Ok(())
    }

    fn commit(&mut self, _boundary: Boundary) -> Result<(), MirrorError> {
        Ok(())
    }

    fn abandon(&mut self) {}
}

/// The baseline: every row as a BinlogRow.
fn binlog_rows(file: &Path) -> Result<u64, Error> {
    let file = BinlogFile::new(BinlogVersion::Version4, BufReader::new(File::open(file)?))?;
    let mut maps = HashMap::new();
    let mut seen = 0;
    for event in file {
        let event = event?;
        match event.read_data()? {
            Some(EventData::TableMapEvent(map)) => {
                maps.insert(map.table_id(), map.into_owned());
            }
            Some(EventData::RowsEvent(rows)) => {
                let map = maps
                    .get(&rows.table_id())
                    .ok_or("rows without a table map")?;
                for row in rows.rows(map) {
                    black_box(row?);
                    seen += 1;
                }
            }
            _ => {}
        }
    }
    Ok(seen)
}

/// The baseline of framing: every event, its checksum checked.
fn common_frame(file: &Path) -> Result<(), Error> {
    let file = BinlogFile::new(BinlogVersion::Version4, BufReader::new(File::open(file)?))?;
    for event in file {
        let event = event?;
        let algorithm = event.footer().get_checksum_alg()?;
        if let (Some(expected), Some(algorithm)) = (event.checksum(), algorithm)
            && event.calc_checksum(algorithm).to_le_bytes() != expected
        {
            return Err("a checksum does not match".into());
        }
        black_box(event.data());
    }
    Ok(())
}

/// The other baseline: every row as mysql_cdc gives it. It checks no checksum.
#[cfg(feature = "mysql_cdc")]
fn mysql_cdc_rows(file: &Path) -> Result<u64, Error> {
    use mysql_cdc::binlog_reader::BinlogReader;
    use mysql_cdc::events::binlog_event::BinlogEvent;
    let failed = |error| format!("mysql_cdc: {error:?}");
    let mut seen = 0;
    for event in BinlogReader::new(File::open(file)?).map_err(failed)? {
        let rows = match event.map_err(failed)?.1 {
            BinlogEvent::WriteRowsEvent(event) => black_box(event).rows.len(),
            BinlogEvent::UpdateRowsEvent(event) => black_box(event).rows.len(),
            _ => 0,
        };
        seen += rows as u64;
    }
    Ok(seen)
}
