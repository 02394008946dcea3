//! Decoding into generated structs, against `mysql_common`'s BinlogRow, against mysql_cdc (with
//! the feature of that name), and against reading the events with their checksums alone; the same
//! files, in the page cache, for all.

use std::collections::HashMap;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::BufReader;
use std::path::Path;

use generated::{LongTable, ShortTable, Tables};
use mirror_runtime::image::{Plan, RowsEvent};
use mirror_runtime::source::{EventSource, RawEvent, RecordedSource, TruncatedTail};
use mirror_runtime::store::Schema;
use mirror_runtime::transaction::{Boundary, Touch, TransactionReader, TransactionSink};
use mirror_runtime::{Error as MirrorError, Row, TableError};
use mysql_common::binlog::BinlogFile;
use mysql_common::binlog::consts::BinlogVersion;
use mysql_common::binlog::events::EventData;

use crate::Error;
use crate::measure::{Cost, cost};
use crate::report::Measurement;
use crate::workload::Interval;

/// Measures one interval: against BinlogRow, and against framing.
pub(crate) fn run(interval: &Interval, runs: usize) -> Result<Vec<Measurement>, Error> {
    let file = interval.file.as_path();
    let rows = interval.rows;
    let megabytes = fs::metadata(file)?.len() as f64 / 1e6;
    let framing = cost(runs, rows, || frame(file).map(|()| rows))?;
    let ours = cost(runs, rows, || decode(file))?;
    let baseline_runs = runs.min(3);
    let baseline = cost(baseline_runs, rows, || binlog_rows(file))?;
    let name = format!("decode_{}", swap(interval.name));
    let per_second = |seconds: f64| rows as f64 / seconds;
    let allocations = |cost: Cost| cost.allocations as f64 / rows as f64;
    let against = |name: String, baseline: &'static str, its: Cost| Measurement {
        name,
        unit: "rows/CPU-s",
        value: per_second(ours.cpu_seconds),
        baseline,
        baseline_value: per_second(its.cpu_seconds),
        runs,
        note: format!(
            "{:.0} MB/CPU-s, {:.2} allocations a row; the baseline {:.0} MB/CPU-s, {:.1} allocations a row",
            megabytes / ours.cpu_seconds,
            allocations(ours),
            megabytes / its.cpu_seconds,
            allocations(its),
        ),
    };
    let mut measurements = vec![against(name.clone(), "mysql_common BinlogRow", baseline)];
    #[cfg(feature = "mysql_cdc")]
    measurements.push(against(
        format!("{name}_vs_mysql_cdc"),
        "mysql_cdc 0.2.1",
        cost(baseline_runs, rows, || mysql_cdc_rows(file))?,
    ));
    measurements.push(Measurement {
        name: format!("{name}_vs_framing"),
        unit: "CPU-s",
        value: ours.cpu_seconds,
        baseline: "framing and CRC32 alone",
        baseline_value: framing.cpu_seconds,
        runs,
        note: format!("framing {:.0} MB/CPU-s", megabytes / framing.cpu_seconds),
    });
    Ok(measurements)
}

/// `insert_long` is reported as `long_insert`.
fn swap(name: &str) -> String {
    match name.split_once('_') {
        Some((verb, table)) => format!("{table}_{verb}"),
        None => name.to_owned(),
    }
}

pub(crate) fn frame(file: &Path) -> Result<(), Error> {
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

pub(crate) fn decode(file: &Path) -> Result<u64, Error> {
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

fn decode_rows<R: Row>(plan: &Plan, rows: &RowsEvent<'_>) -> Result<u64, String> {
    let mut reader = plan.reader(rows);
    let mut seen = 0;
    while let Some(images) = reader.next().map_err(|error| error.to_string())? {
        if let Some(before) = &images.before {
            black_box(R::decode(before).map_err(|error| error.to_string())?);
        }
        if let Some(after) = &images.after {
            black_box(R::decode(after).map_err(|error| error.to_string())?);
        }
        seen += 1;
    }
    Ok(seen)
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
        self.rows += seen.map_err(|detail| TableError::Event {
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
