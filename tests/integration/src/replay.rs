//! A subscription's transactions, applied to the snapshot that they follow on.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use mirror_runtime::store::ChangeView;
use mirror_runtime::{BinlogPosition, NoTransaction, Op, Schema, Subscription};
use test_mirror::{Snapshot, Tables, Transaction};

use crate::compare::difference;
use crate::oracle::Line;
use crate::shown::{key_of, snapshot_rows, values_of};

/// A subscriber's own copy of all tables; any change that does not fit it is an error of the
/// mirror.
#[derive(Debug)]
pub struct Replay {
    tables: BTreeMap<&'static str, BTreeMap<Line, Line>>,
    gtids: BTreeSet<String>,
    position: Option<BinlogPosition>,
    /// Transactions applied.
    pub transactions: u64,
    /// Row changes applied.
    pub changes: u64,
    /// Reloads among the transactions.
    pub reloads: u64,
}

impl Replay {
    /// A copy of the subscription's first snapshot.
    #[must_use]
    pub fn new(subscription: &Subscription<Tables>) -> Self {
        let snapshot = subscription.snapshot();
        let tables = Tables::layouts()
            .iter()
            .map(|layout| {
                let rows = snapshot_rows(&snapshot, layout).into_iter().map(|line| {
                    let key = layout.key.iter().map(|&field| line[field].clone());
                    (key.collect(), line)
                });
                (layout.table, rows.collect())
            })
            .collect();
        Self {
            tables,
            gtids: BTreeSet::new(),
            position: subscription.version().position.clone(),
            transactions: 0,
            changes: 0,
            reloads: 0,
        }
    }

    /// Applies everything that the subscription gives until it has been silent for so long.
    ///
    /// # Panics
    /// When a change does not fit.
    pub fn drain(&mut self, subscription: &Subscription<Tables>, silence: Duration) {
        loop {
            match subscription.next_timeout(silence) {
                Ok(transaction) => self.apply(&transaction),
                Err(NoTransaction::Yet | NoTransaction::Ended) => return,
            }
        }
    }

    /// Applies one transaction.
    ///
    /// # Panics
    /// When a change does not fit the rows, a GTID came before, or the position goes back.
    pub fn apply(&mut self, transaction: &Transaction) {
        let boundary = &transaction.boundary;
        if let Some(before) = &self.position {
            let forward = if transaction.reload.is_some() {
                boundary.position >= *before
            } else {
                boundary.position > *before
            };
            assert!(forward, "{} follows {before}", boundary.position);
        }
        self.position = Some(boundary.position.clone());
        if transaction.reload.is_some() {
            self.reloads += 1;
        } else if let Some(gtid) = &boundary.gtid {
            assert!(
                self.gtids.insert(gtid.to_string()),
                "GTID {gtid} came twice"
            );
        }
        assert!(
            !transaction.changes.is_empty(),
            "a transaction of no change"
        );
        for change in &transaction.changes {
            self.change(Tables::change_view(change));
        }
        self.transactions += 1;
    }

    fn change(&mut self, change: ChangeView<'_>) {
        let name = change.layout.table;
        let rows = self.tables.get_mut(name).unwrap();
        self.changes += 1;
        if change.op == Op::Truncate {
            rows.clear();
            return;
        }
        let before = change.before.map(|row| (key_of(row), values_of(row)));
        let after = change.after.map(|row| (key_of(row), values_of(row)));
        let shape = (before.is_some(), after.is_some());
        let expected = match change.op {
            Op::Insert => (false, true),
            Op::Delete => (true, false),
            _ => (true, true),
        };
        assert_eq!(shape, expected, "{name}: images of {:?}", change.op);
        if let Some((key, line)) = before {
            let held = rows.remove(&key);
            assert_eq!(held, Some(line), "{name}: before image of {:?}", change.op);
        }
        if let Some((key, line)) = after {
            let held = rows.insert(key.clone(), line);
            assert_eq!(held, None, "{name}: {:?} of known row {key:?}", change.op);
        }
    }

    /// Whether the copy is what the snapshot shows.
    ///
    /// # Panics
    /// When it is not.
    pub fn assert_equals(&self, snapshot: &Snapshot) {
        for layout in Tables::layouts() {
            let own = self.tables[layout.table].values().cloned().collect();
            if let Some(found) = difference(layout, own, snapshot_rows(snapshot, layout)) {
                panic!("replayed subscription and snapshot differ: {found}");
            }
        }
    }
}
