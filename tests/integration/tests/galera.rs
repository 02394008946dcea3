//! Streaming replication of a Galera cluster, as its nodes log it: recorded on MariaDB 10.11,
//! `wsrep_trx_fragment_size=1`, `wsrep_trx_fragment_unit='rows'`, GTID domain 77.
//!
//! While `galera_streamed.binlog` was written, this node streamed a transaction over several
//! fragments ("near"), another node did so ("far"), both streamed one that they rolled back
//! ("never"), and two small ones were committed in the meantime.

use std::path::PathBuf;

use integration::stream::read;
use mirror_runtime::image::{Plan, RowsEvent};
use mirror_runtime::jsonl::write_row;
use mirror_runtime::source::{EventSource, RawEvent, RecordedSource, TruncatedTail};
use mirror_runtime::store::ShownRow;
use mirror_runtime::transaction::{Boundary, Touch, TransactionReader, TransactionSink};
use mirror_runtime::{Error, Schema};
use test_mirror::Tables;

const TABLE: &str = "mirror_test.fire_a";

fn recorded(name: &str) -> RecordedSource {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("recorded")
        .join(name);
    RecordedSource::open([path], TruncatedTail::Error).unwrap()
}

#[test]
fn a_streamed_galera_transaction_is_one_transaction() {
    let mut source = recorded("galera_streamed.binlog");
    let selected = Tables::layouts()
        .iter()
        .map(|layout| layout.full_name() == TABLE)
        .collect::<Vec<bool>>();
    let mut reader = TransactionReader::new(Tables::layouts(), &selected);
    let mut transactions = Transactions::default();
    while let Some(event) = source.next_event().unwrap() {
        reader.event(&event, &mut transactions).unwrap();
    }
    assert!(!reader.in_transaction() && transactions.open.is_empty());
    let row = |id: u32, n: u32, tag: &str| format!(r#"{{"id":{id},"n":{n},"tag":"{tag}"}}"#);
    let insert = |row: String| format!("- {row}");
    let update = |before: String, after: String| format!("{before} {after}");
    let delete = |row: String| format!("{row} -");
    let expected = [
        ("77-1-536", vec![update(row(1, 0, "one"), row(1, 5, "one"))]),
        ("77-1-537", vec![update(row(2, 0, "two"), row(2, 6, "two"))]),
        (
            "77-1-538",
            vec![
                insert(row(111, 1, "far")),
                insert(row(112, 1, "far")),
                update(row(112, 1, "far"), row(112, 2, "far")),
            ],
        ),
        (
            "77-1-539",
            vec![
                insert(row(11, 1, "near")),
                insert(row(12, 1, "near")),
                update(row(11, 1, "near"), row(11, 2, "near")),
                delete(row(12, 1, "near")),
                insert(row(13, 3, "near")),
            ],
        ),
    ];
    let expected = expected.map(|(gtid, changes)| (gtid.to_owned(), changes));
    assert_eq!(transactions.committed, expected);
}

/// Galera logs the rows that a transaction takes back, which servers alone do not.
#[test]
fn rows_that_a_galera_transaction_takes_back_make_the_mirror_load_again() {
    let mut source = recorded("galera_savepoint.binlog");
    let (seen, result) = read(&mut source, &[TABLE.to_owned()]);
    result.unwrap();
    let rows = "rows fire_a";
    let expected = [
        rows,
        rows,
        "ROLLBACK TO SAVEPOINT on fire_a",
        rows,
        "commit",
    ];
    assert_eq!(seen.told, expected);
}

/// The changes of each transaction, by its GTID.
#[derive(Default)]
struct Transactions {
    open: Vec<String>,
    committed: Vec<(String, Vec<String>)>,
}

impl TransactionSink for Transactions {
    fn rows(
        &mut self,
        table: usize,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        _event: &RawEvent<'_>,
    ) -> Result<(), Error> {
        let open = &mut self.open;
        let mut show = |before: ShownRow<'_>, after: ShownRow<'_>| {
            let mut change = Vec::new();
            for (side, row) in [before, after].into_iter().enumerate() {
                if side == 1 {
                    change.push(b' ');
                }
                match row {
                    Some(row) => write_row(&mut change, row, Some(&|field| row.has(field))),
                    None => change.push(b'-'),
                }
            }
            open.push(String::from_utf8(change).unwrap());
            Ok(())
        };
        let decoder = Tables::kinds()[table];
        decoder.decode_only(plan, rows, &mut show).unwrap();
        Ok(())
    }

    fn truncate(&mut self, table: usize) -> Result<(), Error> {
        panic!("table {table} was not truncated")
    }

    fn touched(&mut self, touch: Touch) -> Result<(), Error> {
        panic!("rows tell everything, not {}", touch.kind)
    }

    fn commit(&mut self, boundary: Boundary) -> Result<(), Error> {
        let gtid = boundary.gtid.expect("Galera gives GTIDs");
        let changes = std::mem::take(&mut self.open);
        self.committed.push((gtid.to_string(), changes));
        Ok(())
    }

    fn abandon(&mut self) {
        panic!("no transaction was cut")
    }
}
