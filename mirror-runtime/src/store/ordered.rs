//! What a table has beside its rows, made of those that come and go: their order, the secondary
//! indexes, child rows by parent.

use std::collections::BTreeMap;
use std::sync::Arc;

use version_store::Follow;

use super::Indexes;
use super::children::Children;
use super::index::Step;
use crate::row::Row;

/// The keys of all rows that any version shows, in order, and the secondary indexes.
pub(super) struct Ordered<R: Row> {
    pub(super) keys: imbl::OrdSet<R::Key>,
    pub(super) indexes: R::Indexes,
}

impl<R: Row> Clone for Ordered<R> {
    fn clone(&self) -> Self {
        Self {
            keys: self.keys.clone(),
            indexes: self.indexes.clone(),
        }
    }
}

impl<R: Row> Default for Ordered<R> {
    fn default() -> Self {
        Self {
            keys: imbl::OrdSet::new(),
            indexes: R::Indexes::default(),
        }
    }
}

/// Follows the rows of one table for its writer.
pub(super) struct Following<R: Row> {
    ordered: Arc<Ordered<R>>,
    /// Keys that came again before they went: how often beyond the first time.
    again: BTreeMap<R::Key, u32>,
    pub(super) children: Children<R>,
    /// Bytes that the rows of all versions have on the heap.
    pub(super) heap_bytes: usize,
    /// Whether readers have an older order.
    is_new: bool,
    /// Keys that readers have in their order and that went since.
    dropped: usize,
}

impl<R: Row> Default for Following<R> {
    fn default() -> Self {
        Self {
            ordered: Arc::default(),
            again: BTreeMap::new(),
            children: Children::default(),
            heap_bytes: 0,
            is_new: false,
            dropped: 0,
        }
    }
}

impl<R: Row> Following<R> {
    pub(super) fn ordered(&self) -> &Ordered<R> {
        &self.ordered
    }

    /// The order for readers, when theirs is older.
    pub(super) fn take_new(&mut self) -> Option<Arc<Ordered<R>>> {
        self.dropped = 0;
        std::mem::take(&mut self.is_new).then(|| Arc::clone(&self.ordered))
    }

    /// Whether the order that readers have holds much memory that could be given back.
    pub(super) fn should_show(&self) -> bool {
        const MANY: usize = 10_000;
        self.dropped > MANY
    }

    /// About the bytes of the order and the indexes.
    pub(super) fn index_bytes(&self) -> usize {
        let keys = self.ordered.keys.len() * size_of::<R::Key>() * 4 / 3;
        keys + self.ordered.indexes.bytes() + self.children.bytes()
    }

    fn key_came(&mut self, key: R::Key) {
        let ordered = Arc::make_mut(&mut self.ordered);
        self.is_new = true;
        if let Some(key) = ordered.keys.insert(key) {
            *self.again.entry(key).or_default() += 1;
        }
    }

    fn key_went(&mut self, key: &R::Key) {
        if let Some(times) = self.again.get_mut(key) {
            *times -= 1;
            if *times == 0 {
                self.again.remove(key);
            }
            return;
        }
        self.is_new = true;
        self.dropped += 1;
        Arc::make_mut(&mut self.ordered).keys.remove(key);
    }
}

impl<R: Row> Follow<R> for Following<R> {
    fn came(&mut self, row: &R, beside: Option<&R>) {
        self.heap_bytes += row.heap_bytes();
        if beside.is_none() {
            self.key_came(row.key());
        }
        self.count(row, beside, Step::Came);
    }

    fn went(&mut self, row: &R, beside: Option<&R>) {
        self.heap_bytes -= row.heap_bytes();
        if beside.is_none() {
            self.key_went(&row.key());
        }
        self.count(row, beside, Step::Went);
    }
}

impl<R: Row> Following<R> {
    fn count(&mut self, row: &R, beside: Option<&R>, step: Step) {
        if R::Indexes::COUNT > 0 && beside.is_none_or(|beside| R::Indexes::differ(row, beside)) {
            self.is_new = true;
            Arc::make_mut(&mut self.ordered)
                .indexes
                .follow(row, beside, step);
        }
        self.children.follow(row, beside, step);
    }
}
