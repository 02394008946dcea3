//! One JSON line per transaction.

use std::io::Write;

use mirror_runtime::jsonl::{write_row, write_string};
use mirror_runtime::store::{ChangeView, Op};
use mirror_runtime::transaction::Boundary;
use mirror_runtime::types::Timestamp;

use crate::exit::Failure;

/// Starts a line: everything but the changes.
pub(crate) fn start_line(line: &mut Vec<u8>, boundary: &Boundary) {
    line.clear();
    line.extend_from_slice(b"{\"gtid\":");
    match &boundary.gtid {
        Some(gtid) => write_string(line, &gtid.to_string()),
        None => line.extend_from_slice(b"null"),
    }
    line.extend_from_slice(b",\"file\":");
    write_string(line, &boundary.position.file);
    line.extend_from_slice(format!(",\"position\":{}", boundary.position.offset).as_bytes());
    line.extend_from_slice(b",\"committed_at\":");
    write_string(line, &commit_time(boundary.committed_at_micros));
    line.extend_from_slice(b",\"changes\":[");
}

/// `2031-02-03T04:05:06.000000Z`.
fn commit_time(micros: u64) -> String {
    let seconds = u32::try_from(micros / 1_000_000).unwrap_or(u32::MAX);
    let rest = u32::try_from(micros % 1_000_000).unwrap_or(0);
    let time = Timestamp::from_wire(seconds, rest).unwrap_or(Timestamp::ZERO);
    let text = time.with_fsp(6).to_string();
    format!("{}Z", text.replace(' ', "T"))
}

/// Adds one change.
pub(crate) fn add_change(line: &mut Vec<u8>, change: &ChangeView<'_>) {
    open_change(line, &change.layout.full_name(), op_name(change.op));
    for (name, row) in [("before", change.before), ("after", change.after)] {
        line.extend_from_slice(format!(",\"{name}\":").as_bytes());
        match row {
            Some(row) => write_row(line, row, None),
            None => line.extend_from_slice(b"null"),
        }
    }
    line.push(b'}');
}

/// Opens a change object: comma, table and op.
pub(crate) fn open_change(line: &mut Vec<u8>, table: &str, op: &str) {
    if line.last() == Some(&b'}') {
        line.push(b',');
    }
    line.extend_from_slice(b"{\"table\":");
    write_string(line, table);
    line.extend_from_slice(format!(",\"op\":\"{op}\"").as_bytes());
}

fn op_name(op: Op) -> &'static str {
    match op {
        Op::Insert => "insert",
        Op::Update => "update",
        Op::Delete => "delete",
        Op::Truncate => "truncate",
    }
}

/// Ends the line and writes it as a whole.
pub(crate) fn finish_line(line: &mut Vec<u8>, out: &mut dyn Write) -> Result<(), Failure> {
    line.extend_from_slice(b"]}\n");
    out.write_all(line)
        .and_then(|()| out.flush())
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::NobodyReads,
            _ => Failure::Output {
                what: "standard output".into(),
                error,
            },
        })
}
