//! A server's binlogs, cut into inputs.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;

use hostile_bytes::{PARSED_TYPES, ROWS_TYPES, metadata_input, push_event};
use integration::World;
use mirror_runtime::Schema as _;
use mirror_runtime::image::{Plan, RowsEvent, TableMap};
use mirror_runtime::layout::ColumnType;
use mirror_runtime::source::event::{EventHeader, QueryEvent, event_type as t};
use mirror_runtime::source::{EventSource as _, RawEvent, RecordedSource, TruncatedTail};
use mysql::prelude::Queryable;
use test_mirror::Tables;

use crate::folder::Folder;

/// Bytes of a stream that is kept as one input.
const STREAM_BYTES: usize = 4000;

/// The binlogs of the server, the last one closed; small ones are made before.
pub(crate) fn files(world: &mut World) -> Vec<PathBuf> {
    let mut conn = world.conn();
    for sql in [
        "FLUSH BINARY LOGS",
        "UPDATE marker SET n = n + 1 WHERE id = 1",
        "FLUSH BINARY LOGS",
    ] {
        conn.query_drop(sql).unwrap();
    }
    let logs: Vec<mysql::Row> = conn.query("SHOW BINARY LOGS").unwrap();
    let folder = world.server.dir().join("data");
    logs.iter()
        .map(|row| folder.join(row.get::<String, _>(0).unwrap()))
        .collect()
}

/// Keeps inputs of all targets that read a part of a binlog.
pub(crate) fn cut(files: &[PathBuf], folder: &mut Folder) {
    let mut cutter = Cutter::default();
    for file in files {
        folder.keep("binlog_file", &fs::read(file).unwrap());
        let mut source = RecordedSource::open([file], TruncatedTail::End).unwrap();
        while let Some(event) = source.next_event().unwrap() {
            cutter.take(&event, folder);
        }
    }
}

#[derive(Default)]
struct Cutter {
    maps: HashMap<u64, (usize, TableMap)>,
    /// The transactions since the last input was kept.
    stream: Vec<u8>,
    /// Types and lengths, by steps of 32 bytes, of events in `stream`.
    shape: Vec<(u8, usize)>,
    /// Shapes that were kept; others with the same one would show nothing new.
    kept: HashSet<Vec<(u8, usize)>>,
}

impl Cutter {
    fn take(&mut self, event: &RawEvent<'_>, folder: &mut Folder) {
        let (code, flags) = (event.header.type_code, event.header.flags as u8);
        match code {
            t::TABLE_MAP => self.map(event.body, folder),
            t::QUERY => {
                if let Ok(query) = QueryEvent::parse(event) {
                    folder.keep("classify", query.statement);
                }
            }
            t::QUERY_COMPRESSED => {
                let statement = QueryEvent::parse(event).map(|query| query.statement);
                folder.keep("payload", &[&[3], statement.unwrap_or_default()].concat());
            }
            t::TRANSACTION_PAYLOAD => folder.keep("payload", &[&[0], event.body].concat()),
            _ => self.rows(code, event.body, folder),
        }
        if PARSED_TYPES.contains(&code) && self.kept.insert(vec![(code, event.body.len())]) {
            let mut input = Vec::new();
            if push_event(&mut input, code, flags, event.body) {
                folder.keep("events", &input);
            }
        }
        self.stream(event, folder);
    }

    fn stream(&mut self, event: &RawEvent<'_>, folder: &mut Folder) {
        let starts = matches!(
            event.header.type_code,
            t::GTID | t::ANONYMOUS_GTID | t::GTID_TAGGED | t::MARIADB_GTID
        );
        if starts && self.stream.len() > STREAM_BYTES / 4 {
            if self.kept.insert(std::mem::take(&mut self.shape)) {
                folder.keep("stream", &[&[0], &self.stream[..]].concat());
                folder.keep("stream", &[&[1], &self.stream[..]].concat());
                folder.keep("payload", &[&[1], &self.stream[..]].concat());
            }
            self.stream.clear();
        }
        if event.body.len() + EventHeader::LEN < STREAM_BYTES {
            let flags = event.header.flags as u8;
            self.shape
                .push((event.header.type_code, event.body.len() / 32));
            push_event(&mut self.stream, event.header.type_code, flags, event.body);
        }
    }

    fn map(&mut self, body: &[u8], folder: &mut Folder) {
        folder.keep("table_map", body);
        if let Some(input) = metadata_input(body) {
            folder.keep("metadata", &input);
        }
        let map = TableMap::parse(body).unwrap();
        let table = Tables::layouts()
            .iter()
            .position(|layout| layout.database == map.database && layout.table == map.table);
        match table {
            Some(table) => self.maps.insert(map.table_id, (table, map)),
            None => self.maps.remove(&map.table_id),
        };
    }

    fn rows(&self, code: u8, body: &[u8], folder: &mut Folder) {
        let table = RowsEvent::parse_table_id(body)
            .ok()
            .and_then(|id| self.maps.get(&id));
        let Some((table, map)) = table else {
            return;
        };
        if code == t::WRITE_ROWS_COMPRESSED_V1 && *table == 0 {
            let columns = map.columns.len();
            let head = 8 + 1 + columns.div_ceil(8);
            folder.keep("payload", &[&[4], &body[head..]].concat());
        }
        let Some(index) = ROWS_TYPES.iter().position(|known| *known == code) else {
            return;
        };
        folder.keep("rows", &[&[*table as u8, index as u8], body].concat());
        let layout = Tables::layouts()[*table];
        if let (Ok(plan), Ok(event)) = (Plan::new(layout, map), RowsEvent::parse(code, body)) {
            keep_values(&plan, &event, folder);
        }
    }
}

/// The JSON and DECIMAL values of an event.
fn keep_values(plan: &Plan, event: &RowsEvent<'_>, folder: &mut Folder) {
    let mut reader = plan.reader(event);
    while let Ok(Some(images)) = reader.next() {
        for image in [images.before, images.after].into_iter().flatten() {
            for (field, column) in plan.columns().iter().enumerate() {
                let Ok(Some(raw)) = image.raw(field) else {
                    continue;
                };
                match column.layout.kind {
                    ColumnType::Json => {
                        folder.keep("json", raw);
                        keep_differences(raw, folder);
                    }
                    ColumnType::Decimal { precision, scale } => {
                        folder.keep("decimal", &[&[precision, scale], raw].concat());
                    }
                    _ => {}
                }
            }
        }
    }
}

/// A document with differences of several kinds, whether they fit it or not.
fn keep_differences(raw: &[u8], folder: &mut Folder) {
    let Ok(length) = u16::try_from(raw.len()) else {
        return;
    };
    // An operation, a path and a value each: replace, insert, remove.
    let diffs: [&[u8]; 6] = [
        b"",
        b"\x00\x0a$.bb[last]\x06\x0c\x04LAST",
        b"\x01\x03$.a\x03\x05\x01\x00",
        b"\x00\x04$[0]\x02\x04\x00\x02\x07$[last]",
        b"\x02\x09$.\"b c\".x\x01\x04$.zz\x0a\x0f\xf6\x07\x0b\x02\x80\x00\x00\x012",
        b"\x01\x04$[1]\x08\x02\x00\x00\x04\x00\x04\x00\x00",
    ];
    for diffs in diffs {
        folder.keep(
            "json_diff",
            &[&length.to_le_bytes()[..], raw, diffs].concat(),
        );
    }
}
