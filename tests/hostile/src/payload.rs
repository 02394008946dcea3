//! Compressed transactions of MySQL and compressed events of MariaDB.

use std::io::Write as _;

use mirror_runtime::Schema as _;
use mirror_runtime::source::event::{EventHeader, event_type as t};
use mirror_runtime::store::Mode;
use mirror_runtime::transaction::TransactionSink as _;
use test_mirror::Tables;

use crate::event::{Parts, Placer, parts, push_event};
use crate::stream::{Sink, reader};
use crate::wire::{push_packed, table_map_body};

/// An input by its first byte:
///
/// - 0: the body of a TRANSACTION_PAYLOAD event;
/// - 1: events in a row (see [`parts`]) that are the content of a payload, compressed here;
/// - 2: the same, not compressed;
/// - 3: a compressed QUERY event, the bytes as they stand in it;
/// - 4: a compressed rows event of the first table, the bytes as they stand behind its columns;
/// - 5: the rows of such an event, compressed here.
///
/// What fails leaves no trace: tables that readers see change with whole payloads only.
pub fn payload(input: &[u8]) {
    let Some((kind, input)) = input.split_first() else {
        return;
    };
    let mut events = Vec::new();
    match kind % 6 {
        0 => transaction(&mut events, input),
        1 => {
            let packed = zstd::bulk::compress(&content(input), 1).unwrap();
            transaction(&mut events, &payload_body(0, &packed));
        }
        2 => transaction(&mut events, &payload_body(255, &content(input))),
        3 => {
            let mut body = vec![0; 13];
            body.push(0);
            body.extend(input);
            add(&mut events, t::QUERY_COMPRESSED, &body);
        }
        4 => compressed_rows(&mut events, input),
        _ => compressed_rows(&mut events, &deflated(input)),
    }
    let mut sink = Sink::new(Mode::Tolerant);
    let mut reader = reader();
    let mut placer = Placer::new();
    for parts in parts(&events) {
        let before = sink.published();
        if placer
            .place(parts, |event| reader.event(event, &mut sink))
            .is_err()
        {
            assert_eq!(sink.published(), before);
            sink.abandon();
            reader.restart();
        }
    }
}

fn add(events: &mut Vec<u8>, type_code: u8, body: &[u8]) {
    let _ = push_event(events, type_code, 0, body);
}

/// A GTID that opens the transaction, and its payload.
fn transaction(events: &mut Vec<u8>, body: &[u8]) {
    let mut gtid = vec![1];
    gtid.extend([7; 16]);
    gtid.extend(9_u64.to_le_bytes());
    add(events, t::GTID, &gtid);
    add(events, t::TRANSACTION_PAYLOAD, body);
}

/// The body of a TRANSACTION_PAYLOAD event: its fields are a kind, a length and a value each
/// (MySQL source, `Transaction_payload_event`), the field 0 ends them.
fn payload_body(compression: u8, payload: &[u8]) -> Vec<u8> {
    let mut body = vec![1, 3];
    push_number(&mut body, payload.len());
    body.push(2);
    match compression {
        255 => body.extend([3, 252, 255, 0]),
        small => body.extend([1, small]),
    }
    body.push(0);
    body.extend(payload);
    body
}

/// A length-encoded integer of always three bytes.
fn push_number(out: &mut Vec<u8>, number: usize) {
    out.push(252);
    out.extend((number as u16).to_le_bytes());
}

/// The events of an input as they stand in a payload, each with its header.
fn content(input: &[u8]) -> Vec<u8> {
    parts(input).flat_map(with_header).collect()
}

fn with_header(parts: Parts<'_>) -> Vec<u8> {
    let header = EventHeader {
        timestamp: 1,
        type_code: parts.type_code,
        server_id: 7,
        event_size: (EventHeader::LEN + parts.body.len()) as u32,
        log_pos: 0,
        flags: parts.flags.into(),
    };
    [&header.to_bytes()[..], parts.body].concat()
}

/// MariaDB's form: a GTID, a TABLE_MAP, and the rows.
fn compressed_rows(events: &mut Vec<u8>, rows: &[u8]) {
    let mut gtid = 9_u64.to_le_bytes().to_vec();
    gtid.extend([0; 11]);
    add(events, t::MARIADB_GTID, &gtid);
    let layout = Tables::layouts()[0];
    add(events, t::TABLE_MAP, &table_map_body(7, layout));
    let mut body = vec![7, 0, 0, 0, 0, 0, 1, 0];
    push_packed(&mut body, layout.physical_columns);
    body.extend(vec![0xff; layout.physical_columns.div_ceil(8)]);
    body.extend(rows);
    add(events, t::WRITE_ROWS_COMPRESSED_V1, &body);
    add(events, t::XID, &[0; 8]);
}

/// MariaDB's frame around a zlib stream: method and width of the length, the length, the stream.
fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x84];
    frame.extend((bytes.len() as u32).to_be_bytes());
    let mut encoder = flate2::write::ZlibEncoder::new(frame, flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn published(events: &[u8]) -> usize {
        let mut sink = Sink::new(Mode::Strict);
        let (mut reader, mut placer) = (reader(), Placer::new());
        for parts in parts(events) {
            let taken = placer.place(parts, |event| reader.event(event, &mut sink));
            taken.unwrap_or_else(|error| panic!("event {}: {error}", parts.type_code));
        }
        sink.published()
    }

    /// A row of `mirror_test.integers` that is NULL where it may be.
    fn row() -> Vec<u8> {
        let layout = Tables::layouts()[0];
        let mut row = vec![0; layout.physical_columns.div_ceil(8)];
        for column in layout.columns.iter().filter(|column| column.nullable) {
            row[column.ordinal / 8] |= 1 << (column.ordinal % 8);
        }
        // The key, and integers of 1, 2, 3, 4 and 8 bytes, signed and unsigned.
        row.extend(vec![1; 4 + 2 * (1 + 2 + 3 + 4 + 8)]);
        row
    }

    #[test]
    fn what_is_made_here_gets_through_to_the_tables() {
        let layout = Tables::layouts()[0];
        let rows = row();
        let mut events = Vec::new();
        compressed_rows(&mut events, &deflated(&rows));
        assert_eq!(published(&events), 1);

        let mut body = vec![7, 0, 0, 0, 0, 0, 1, 0, 2, 0];
        push_packed(&mut body, layout.physical_columns);
        body.extend(vec![0xff; layout.physical_columns.div_ceil(8)]);
        body.extend(&rows);
        let mut inner = Vec::new();
        add(&mut inner, t::QUERY, b"\0\0\0\0\0\0\0\0\0\0\0\0\0\0BEGIN");
        add(&mut inner, t::TABLE_MAP, &table_map_body(7, layout));
        add(&mut inner, t::WRITE_ROWS, &body);
        add(&mut inner, t::XID, &[0; 8]);
        let content = content(&inner);
        for (compression, bytes) in [
            (255, content.clone()),
            (0, zstd::bulk::compress(&content, 1).unwrap()),
        ] {
            let mut events = Vec::new();
            transaction(&mut events, &payload_body(compression, &bytes));
            assert_eq!(published(&events), 1, "{compression}");
        }
    }
}
