//! A subscription's transactions, applied to the snapshot that they follow on.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use mirror_runtime::store::ChangeView;
use mirror_runtime::{
    BinlogPosition, Deliveries, Delivery, NoTransaction, Op, Resync, Schema, Subscription, Version,
};
use test_mirror::{Mirror, Snapshot, Tables, Transaction};

use crate::compare::difference;
use crate::oracle::Line;
use crate::shown::{key_of, snapshot_rows, values_of};

/// Time without a transaction after which all have come.
const SILENCE: Duration = Duration::from_millis(300);
/// GTIDs that are kept, to see whether one comes twice; long tests would fill the memory with all.
const GTIDS_KEPT: usize = 10_000;

/// A subscriber's own copy of all tables; any change that does not fit it is an error of the
/// mirror.
#[derive(Debug)]
pub struct Replay {
    tables: BTreeMap<&'static str, BTreeMap<Line, Line>>,
    gtids: BTreeSet<String>,
    /// The same in the order in which they came.
    gtids_in_order: VecDeque<String>,
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
        Self::from(&subscription.snapshot(), subscription.version())
    }

    /// A copy of the state that a subscriber starts from, or starts anew from.
    #[must_use]
    pub fn of(state: &Resync<Tables>) -> Self {
        Self::from(&state.snapshot(), state.version())
    }

    fn from(snapshot: &Snapshot, version: &Version) -> Self {
        let tables = Tables::layouts()
            .iter()
            .map(|layout| {
                let rows = snapshot_rows(snapshot, layout).into_iter().map(|line| {
                    let key = layout.key.iter().map(|&field| line[field].clone());
                    (key.collect(), line)
                });
                (layout.table, rows.collect())
            })
            .collect();
        Self {
            tables,
            gtids: BTreeSet::new(),
            gtids_in_order: VecDeque::new(),
            position: version.position.clone(),
            transactions: 0,
            changes: 0,
            reloads: 0,
        }
    }

    /// Applies everything that the subscription gives until it has been silent for so long, or
    /// a minute has passed.
    ///
    /// # Panics
    /// When a change does not fit.
    pub fn drain(&mut self, subscription: &Subscription<Tables>, silence: Duration) {
        self.drain_within(subscription, silence, Duration::from_secs(60));
    }

    /// As [`drain`](Self::drain), but no longer than `limit`, silent or not.
    fn drain_within(
        &mut self,
        subscription: &Subscription<Tables>,
        silence: Duration,
        limit: Duration,
    ) {
        let until = Instant::now() + limit;
        while Instant::now() < until {
            match subscription.next_timeout(silence) {
                Ok(transaction) => self.apply(&transaction),
                Err(NoTransaction::Yet | NoTransaction::Ended) => return,
            }
        }
    }

    /// As [`drain`](Self::drain), of a subscription that has let go of its snapshot.
    fn drain_deliveries(
        &mut self,
        deliveries: &Deliveries<Tables>,
        silence: Duration,
        limit: Duration,
    ) {
        let until = Instant::now() + limit;
        while Instant::now() < until {
            match deliveries.next_timeout(silence) {
                Ok(Delivery::Transaction(transaction)) => self.apply(&transaction),
                Ok(Delivery::Resync(state)) => panic!("transactions were dropped: {state:?}"),
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
            self.gtids_in_order.push_back(gtid.to_string());
            if self.gtids_in_order.len() > GTIDS_KEPT
                && let Some(oldest) = self.gtids_in_order.pop_front()
            {
                self.gtids.remove(&oldest);
            }
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

    /// The last position that was applied.
    #[must_use]
    pub fn position(&self) -> Option<&BinlogPosition> {
        self.position.as_ref()
    }

    /// A number that tells the rows from others.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.tables.hash(&mut hasher);
        hasher.finish()
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

/// Replays a subscription beside `work`, and compares what that gives with the mirror.
///
/// # Panics
/// When it does not fit, or little came.
pub fn check_replayed(mirror: &Mirror, work: impl FnOnce()) {
    let subscription = mirror.subscribe();
    let mut replay = Replay::new(&subscription);
    // A snapshot that is held keeps old versions of rows in memory.
    let deliveries = subscription.into_deliveries();
    std::thread::scope(|scope| {
        let (done, is_done) = std::sync::mpsc::channel::<()>();
        let replayed = scope.spawn(move || {
            // The other end is dropped when the work is done, or has failed.
            while is_done.try_recv() != Err(std::sync::mpsc::TryRecvError::Disconnected) {
                let turn = Duration::from_millis(20);
                replay.drain_deliveries(&deliveries, turn, turn);
            }
            replay.drain_deliveries(&deliveries, SILENCE, Duration::from_secs(60));
            replay
        });
        work();
        drop(done);
        let replay = replayed.join().unwrap();
        replay.assert_equals(&mirror.snapshot());
        println!(
            "replayed {} transactions, {} changes",
            replay.transactions, replay.changes
        );
        assert!(replay.transactions > 20 && replay.changes > replay.transactions);
    });
}
