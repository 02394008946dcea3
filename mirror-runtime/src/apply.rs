//! Applies transactions to the store and publishes them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::cascade::CascadeError;
use crate::error::Error;
use crate::foreign_keys::ForeignKeys;
use crate::image::{Plan, RowsEvent};
use crate::mirror::Shared;
use crate::policy::{Cause, Policies};
use crate::reload::{Reload, apply_error};
use crate::replay::ReplayedOver;
use crate::source::{BinlogPosition, RawEvent};
use crate::status::{Status, StatusCell, since_micros};
use crate::store::{Mode, Schema, Store, Unapplied, Writer};
use crate::subscription::{Subscribers, Transaction};
use crate::table_states::TableStates;
use crate::transaction::{Boundary, Redefined, Touch, TransactionSink};
use crate::weight::Weight;

/// Transactions, of any tables, between two looks which states snapshots hold.
const HELD_LOOK: u64 = 64;
/// How long memory is given back with such a look: no heartbeat comes while there are transactions.
const HELD_TIDY: Duration = Duration::from_millis(1);

/// The sink of a mirror: changes go to the writer's working copy, boundaries publish it.
pub(crate) struct Applier<'m, S: Schema> {
    pub(crate) writer: &'m mut Writer<S>,
    /// Which tables' changes change rows of others.
    pub(crate) foreign_keys: Arc<ForeignKeys>,
    pub(crate) states: &'m mut TableStates,
    subscribers: &'m Subscribers<S>,
    store: &'m Store<S>,
    pub(crate) status: &'m StatusCell,
    stop: &'m Arc<AtomicBool>,
    pub(crate) policies: Policies,
    /// While a load is caught up with, boundaries are not published.
    pub(crate) publishing: bool,
    /// Until then, what the replay is applied over.
    pub(crate) replayed_over: Option<ReplayedOver>,
    /// A change of definition in the replay, to be judged at its boundary.
    redefined: Option<Touch>,
    /// Tables of the load that were truncated in the replay, to be judged at the boundary.
    pub(crate) truncated: Vec<usize>,
    /// Tables that the running transaction changed.
    pub(crate) changed: Vec<usize>,
    /// What that and the tables take.
    pub(crate) weight: Weight,
    pub(crate) changes: Option<Vec<S::Change>>,
    pub(crate) reload: Option<Reload>,
    last: Option<Boundary>,
    applied: u64,
    boundaries: u64,
}

impl<'m, S: Schema> Applier<'m, S> {
    pub(crate) fn new(
        writer: &'m mut Writer<S>,
        states: &'m mut TableStates,
        foreign_keys: Arc<ForeignKeys>,
        replayed_over: ReplayedOver,
        shared: &'m Shared<S>,
    ) -> Self {
        Self {
            weight: Weight::new(writer, &shared.options.limits),
            writer,
            foreign_keys,
            states,
            subscribers: &shared.subscribers,
            store: &shared.store,
            status: &shared.status,
            stop: &shared.stop,
            policies: shared.options.policies,
            publishing: false,
            replayed_over: Some(replayed_over),
            redefined: None,
            truncated: Vec::new(),
            changed: Vec::new(),
            changes: None,
            reload: None,
            last: None,
            applied: 0,
            boundaries: 0,
        }
    }

    /// Why the tables have to be loaded again, once a boundary has shown that.
    pub(crate) fn reload(&self) -> Option<&Reload> {
        self.reload.as_ref()
    }

    /// Transactions published since this was made.
    pub(crate) fn applied(&self) -> u64 {
        self.applied
    }

    /// The last boundary that was passed, and how many there were.
    pub(crate) fn boundary(&self) -> (u64, Option<&Boundary>) {
        (self.boundaries, self.last.as_ref())
    }

    /// The first table that is known to be wrong, and served by policy.
    pub(crate) fn first_suspect(&self) -> Option<usize> {
        self.states.first_suspect()
    }

    /// Whether the load has been caught up with.
    pub(crate) fn is_live(&self) -> bool {
        self.publishing
    }

    /// The replay has reached the end of the load: publishes it, and is strict from now on.
    pub(crate) fn go_live(&mut self, position: BinlogPosition, reload: Option<String>) {
        let gtid = self.last.as_ref().and_then(|last| last.gtid.clone());
        let shown = self.states.show();
        let transaction = self
            .subscribers
            .begin()
            .then(|| self.whole(&shown, &position, reload));
        let writer = &mut *self.writer;
        let stopped = || self.stop.load(Ordering::Relaxed);
        self.subscribers
            .publish(transaction, self.store, &stopped, || {
                writer.commit(position.clone())
            });
        self.publishing = true;
        self.replayed_over = None;
        self.changes = None;
        self.changed.clear();
        self.weight.look(self.writer, 0..S::layouts().len());
        self.weight.boundary();
        let (writer, states) = (&*self.writer, &*self.states);
        self.status.update(|status| {
            for (index, table) in status.tables.iter_mut().enumerate() {
                if !states.is_suspect(index) {
                    table.suspect = None;
                }
            }
            refresh(writer, status, shown);
            status.position = Some(position);
            status.gtid = gtid.or(status.gtid.take());
        });
    }

    /// These tables as one transaction: what subscribers get of a load.
    fn whole(
        &self,
        shown: &[usize],
        position: &BinlogPosition,
        reload: Option<String>,
    ) -> Transaction<S> {
        let mut changes = Vec::new();
        for &index in shown {
            if let Some(table) = self.writer.table(index) {
                table.describe(&mut changes);
            }
        }
        let boundary = match &self.last {
            Some(last) => Boundary {
                position: position.clone(),
                ..last.clone()
            },
            None => Boundary {
                position: position.clone(),
                gtid: None,
                committed_at_micros: now_micros(),
            },
        };
        Transaction {
            boundary,
            changes,
            reload: Some(reload.unwrap_or_else(|| "the first load".into())),
        }
    }

    pub(crate) fn name_of(table: usize) -> String {
        let layout = S::layouts().get(table);
        layout.map_or_else(String::new, |layout| layout.full_name())
    }

    /// There is nothing to apply: gives back memory, for about so long, and looks which states
    /// snapshots hold.
    pub(crate) fn tidy(&mut self, time: Duration) {
        self.writer.tidy(time);
        self.weight.look(self.writer, 0..S::layouts().len());
        self.weight.boundary();
        self.status.held_since(self.writer.oldest_replaced());
        let writer = &*self.writer;
        self.status
            .update(|status| refresh(writer, status, 0..S::layouts().len()));
    }

    /// Applies all rows of an event to their table, and nothing else.
    pub(crate) fn apply_all(
        &mut self,
        table: usize,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        mode: Mode,
    ) -> Result<(), Unapplied> {
        match self.writer.table_mut(table) {
            Some((held, at)) => held.apply(at, plan, rows, mode, self.changes.as_mut()),
            None => Ok(()),
        }
    }

    /// The first change of a transaction decides whether changes are listed.
    pub(crate) fn begin_change(&mut self, table: usize) {
        if self.changed.is_empty() {
            self.changes = (self.publishing && self.subscribers.begin()).then(Vec::new);
        }
        if self.changed.last() != Some(&table) && !self.changed.contains(&table) {
            self.changed.push(table);
        }
    }

    /// What was changed is part of the state that later changes follow on; readers see it with
    /// the load.
    pub(crate) fn mark(&mut self) {
        self.settle();
        for table in self.changed.drain(..) {
            self.states.changed(table);
        }
        self.changes = None;
        self.writer.mark();
    }

    /// The transaction that changed tables ends here.
    fn settle(&mut self) {
        self.weight.look(self.writer, self.changed.iter().copied());
        self.weight.boundary();
    }

    fn publish(&mut self, boundary: &Boundary) {
        let changes = self.changes.take();
        let transaction = changes.map(|changes| Transaction {
            boundary: boundary.clone(),
            changes,
            reload: None,
        });
        let writer = &mut *self.writer;
        let stopped = || self.stop.load(Ordering::Relaxed);
        self.subscribers
            .publish(transaction, self.store, &stopped, || {
                writer.commit(boundary.position.clone())
            });
        self.applied += 1;
        self.settle();
    }
}

/// Takes over the row counts and the memory of these tables.
fn refresh<S: Schema>(
    writer: &Writer<S>,
    status: &mut Status,
    indexes: impl IntoIterator<Item = usize>,
) {
    for index in indexes {
        if let Some(shown) = status.tables.get_mut(index) {
            shown.memory = writer.memory(index);
            shown.changes = writer.changes(index);
            shown.rows = shown.memory.rows as u64;
        }
    }
}

fn now_micros() -> u64 {
    u64::try_from(since_micros(0).as_micros()).unwrap_or(u64::MAX)
}

impl<S: Schema> TransactionSink for Applier<'_, S> {
    fn rows(
        &mut self,
        table: usize,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        event: &RawEvent<'_>,
    ) -> Result<(), Error> {
        if self.is_to_be_loaded(table) || self.is_in_load(table, event) {
            return Ok(());
        }
        self.begin_change(table);
        let mode = self.mode_for(table, event);
        let is_parent = mode != Mode::Lenient && !self.foreign_keys.of(table).is_empty();
        let result = if is_parent && rows.cascades_silently() {
            self.parent_rows(table, plan, rows, event)
        } else {
            self.apply_all(table, plan, rows, mode)
                .map_err(|unapplied| CascadeError::Table(table, unapplied))
        };
        let (reload, applied) = match result {
            Ok(()) => return self.weigh(event),
            Err(CascadeError::Reload(reload, bytes)) => (reload, bytes),
            Err(CascadeError::Table(table, Unapplied { bytes, error })) => {
                let position = event.end_position();
                let reload = apply_error(error, table, Self::name_of(table), &position)?;
                (reload, bytes)
            }
        };
        self.need(reload)?;
        if self.states.is_suspect(table) {
            // By policy: the rows that fit, from the one on that did not.
            return self.rows(table, plan, &rows.behind(applied), event);
        }
        Ok(())
    }

    /// Within the statement that redefined the table (CREATE TABLE ... SELECT), the boundary
    /// decides what becomes of its rows. Later ones follow on a redefinition in the replay.
    fn unnamed_rows(&mut self, table: usize, _how: Redefined, error: Error) -> Result<(), Error> {
        let pending = |touch: &Touch| touch.tables.contains(&table);
        if self.is_to_be_loaded(table) || self.redefined.as_ref().is_some_and(pending) {
            return Ok(());
        }
        self.need(Reload {
            diverged: true,
            ..Reload::new(Cause::Definition, vec![table], error.to_string())
        })
    }

    fn truncate(&mut self, table: usize) -> Result<(), Error> {
        if self.is_to_be_loaded(table) {
            return Ok(());
        }
        self.begin_change(table);
        if self.states.is_loading(table) {
            self.truncated.push(table);
            return Ok(());
        }
        self.writer.truncate(table, self.changes.as_mut());
        Ok(())
    }

    fn touched(&mut self, touch: Touch) -> Result<(), Error> {
        let are_loading = touch
            .tables
            .iter()
            .all(|&table| self.states.is_loading(table));
        if self.publishing || !touch.is_definition() || self.redefined.is_some() || !are_loading {
            return self.touch(&touch);
        }
        self.redefined = Some(touch);
        Ok(())
    }

    fn commit(&mut self, boundary: Boundary) -> Result<(), Error> {
        self.boundaries += 1;
        self.judge_truncated(&boundary.position)?;
        if let Some(touch) = self.redefined.take() {
            self.redefine(&touch, &boundary.position)?;
        }
        if let Some(reload) = &mut self.reload {
            reload.at.get_or_insert_with(|| boundary.position.clone());
            // The load goes on from here.
            self.mark();
            self.subscribers.abandon();
            self.last = Some(boundary);
            return Ok(());
        }
        if self.publishing {
            let published = !self.changed.is_empty();
            if published {
                self.publish(&boundary);
            }
            let writer = &*self.writer;
            let changed = self.changed.drain(..);
            self.status.update_with(boundary.gtid.as_ref(), |status| {
                refresh(writer, status, changed);
                status.position = Some(boundary.position.clone());
                if boundary.gtid.is_some() {
                    status.gtid.clone_from(&boundary.gtid);
                }
                if published {
                    status.transactions += 1;
                    status.commit_to_visible = Some(since_micros(boundary.committed_at_micros));
                }
            });
            if self.boundaries.is_multiple_of(HELD_LOOK) {
                self.tidy(HELD_TIDY);
            }
        } else if !self.changed.is_empty() {
            self.mark();
        }
        self.last = Some(boundary);
        Ok(())
    }

    fn abandon(&mut self) {
        self.redefined = None;
        self.truncated.clear();
        if self.changed.is_empty() {
            return;
        }
        self.changes = None;
        self.writer.rollback();
        self.settle();
        self.changed.clear();
        if self.publishing {
            self.subscribers.abandon();
        }
    }
}
