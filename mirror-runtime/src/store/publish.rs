//! The published version of all tables, readers' snapshots of it, and the single writer.

use std::sync::Arc;

use arc_swap::ArcSwap;

use super::Schema;

/// Which state of the server a snapshot shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Version {
    /// Counts publications, from 0 for the empty state before the first load.
    pub number: u64,
    /// The transaction boundary in the binlog, `FILE:POS`; `None` before the first load.
    pub position: Option<crate::source::BinlogPosition>,
    /// Counts the loads that were published, from 0 before the first. Within one load, a row
    /// that no change touched is the same row in memory from version to version.
    pub load: u64,
}

/// One version of all tables.
struct Published<S> {
    tables: S,
    version: Version,
}

/// The tables of a mirror: what is published now, for readers on any thread.
pub struct Store<S: Schema> {
    current: ArcSwap<Published<S>>,
}

/// All tables at one transaction boundary; it stays as it is however long it is kept.
///
/// A clone is another handle of the same version.
pub struct Snapshot<S: Schema> {
    published: Arc<Published<S>>,
}

impl<S: Schema> Clone for Snapshot<S> {
    fn clone(&self) -> Self {
        Self {
            published: Arc::clone(&self.published),
        }
    }
}

impl<S: Schema> Snapshot<S> {
    /// The tables of this version.
    #[must_use]
    pub fn tables(&self) -> &S {
        &self.published.tables
    }

    /// Which version this is.
    #[must_use]
    pub fn version(&self) -> &Version {
        &self.published.version
    }
}

impl<S: Schema> Store<S> {
    /// A store with empty tables, and the one writer of it.
    #[must_use]
    pub fn new() -> (Arc<Self>, Writer<S>) {
        let store = Arc::new(Self {
            current: ArcSwap::from_pointee(Published {
                tables: S::default(),
                version: Version::default(),
            }),
        });
        let writer = Writer {
            store: Arc::clone(&store),
            working: S::default(),
            boundary: S::default(),
            number: 0,
            load: 0,
        };
        (store, writer)
    }

    /// The version that is published now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot<S> {
        Snapshot {
            published: self.current.load_full(),
        }
    }
}

/// The single writer of a store.
///
/// Changes are made to a working copy that nobody else sees; [`commit`](Self::commit)
/// publishes it, [`mark`](Self::mark) keeps it without publishing, and
/// [`rollback`](Self::rollback) goes back to the last of these.
pub struct Writer<S: Schema> {
    store: Arc<Store<S>>,
    working: S,
    boundary: S,
    number: u64,
    load: u64,
}

impl<S: Schema> Writer<S> {
    /// The working copy, to change.
    pub fn tables_mut(&mut self) -> &mut S {
        &mut self.working
    }

    /// The working copy, to read.
    #[must_use]
    pub fn tables(&self) -> &S {
        &self.working
    }

    /// Replaces the working copy as a whole, as after a load, without publishing it.
    pub fn replace(&mut self, tables: S) {
        self.boundary = tables.clone();
        self.working = tables;
        self.load += 1;
    }

    /// Replaces some tables of the working copy, as after a load of those, without publishing it.
    pub fn replace_some(&mut self, tables: &S, which: &[bool]) {
        for (index, _) in which.iter().enumerate().filter(|(_, on)| **on) {
            if let (Some(held), Some(new)) = (self.working.table_mut(index), tables.table(index)) {
                held.copy_from(new.as_any());
            }
        }
        self.load += 1;
        self.mark();
    }

    /// Makes the working copy what [`rollback`](Self::rollback) goes back to.
    pub fn mark(&mut self) {
        self.boundary = self.working.clone();
    }

    /// Publishes the working copy as the state at `position`: from now on every new snapshot
    /// shows all changes since the last commit, never some of them.
    pub fn commit(&mut self, position: crate::source::BinlogPosition) {
        self.mark();
        self.number += 1;
        self.store.current.store(Arc::new(Published {
            tables: self.working.clone(),
            version: Version {
                number: self.number,
                position: Some(position),
                load: self.load,
            },
        }));
    }

    /// Puts the working copy back to what it was at some moment of the running transaction.
    pub fn restore(&mut self, tables: S) {
        self.working = tables;
    }

    /// Drops all changes since the last commit or mark.
    pub fn rollback(&mut self) {
        self.working = self.boundary.clone();
    }
}
