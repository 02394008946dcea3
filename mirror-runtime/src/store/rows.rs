//! Rows of one version in an order: read in parts, so that nothing is borrowed between them.

use std::ops::Bound;
use std::sync::Arc;

use super::index::{IndexOf, is_empty_range};
use super::ordered::Ordered;
use super::table::TableAt;
use crate::row::Row;

/// Keys that are looked up in the first part, and in the largest.
const FIRST: usize = 16;
const LARGEST: usize = 1024;

/// Gives the rows of the next part, of so many keys; whether there may be more.
type Fetch<'s, R> = Box<dyn FnMut(usize, &mut Vec<&'s R>) -> bool + Send + 's>;

/// Rows of a range, in key order.
pub struct IndexRange<'s, R> {
    part: std::vec::IntoIter<&'s R>,
    size: usize,
    fetch: Option<Fetch<'s, R>>,
}

impl<'s, R> IndexRange<'s, R> {
    fn new(fetch: impl FnMut(usize, &mut Vec<&'s R>) -> bool + Send + 's) -> Self {
        Self {
            part: Vec::new().into_iter(),
            size: FIRST,
            fetch: Some(Box::new(fetch)),
        }
    }

    pub(super) fn empty() -> Self {
        Self {
            part: Vec::new().into_iter(),
            size: FIRST,
            fetch: None,
        }
    }
}

impl<'s, R> Iterator for IndexRange<'s, R> {
    type Item = &'s R;

    #[inline]
    fn next(&mut self) -> Option<&'s R> {
        loop {
            if let Some(row) = self.part.next() {
                return Some(row);
            }
            let fetch = self.fetch.as_mut()?;
            let mut rows = Vec::with_capacity(self.size);
            if !fetch(self.size, &mut rows) {
                self.fetch = None;
            }
            self.size = (self.size * 4).min(LARGEST);
            self.part = rows.into_iter();
        }
    }
}

/// Rows by key.
pub(super) fn by_key<'s, R: Row>(
    table: TableAt<'s, R>,
    ordered: Arc<Ordered<R>>,
    bounds: (Bound<R::Key>, Bound<R::Key>),
) -> IndexRange<'s, R> {
    if is_empty_range(&bounds) {
        return IndexRange::empty();
    }
    let (mut start, end) = bounds;
    IndexRange::new(move |most, rows| {
        let mut last = None;
        let keys = ordered.keys.range((start.as_ref(), end.as_ref()));
        for key in keys.take(most) {
            rows.extend(table.get(R::borrowed(key)));
            last = Some(key);
        }
        let Some(last) = last.cloned() else {
            return false;
        };
        start = Bound::Excluded(last);
        true
    })
}

/// Rows by the key of an index, then by their own.
pub(super) fn by_index<'s, I: IndexOf<R>, R: Row>(
    table: TableAt<'s, R>,
    ordered: Arc<Ordered<R>>,
    bounds: (Bound<I::Key>, Bound<I::Key>),
) -> IndexRange<'s, R> {
    if is_empty_range(&bounds) {
        return IndexRange::empty();
    }
    let (mut start, end) = bounds;
    let mut last: Option<(I::Key, R::Key)> = None;
    IndexRange::new(move |most, rows| {
        let entries = &I::index(&ordered.indexes).entries;
        let after = last.as_ref().map(|(key, row)| (key, row));
        let (mut left, mut reached) = (most, None);
        let bounds = (start.as_ref(), end.as_ref());
        let more = entries.walk(bounds, after, &mut |key, row| {
            let found = table.get(R::borrowed(row));
            rows.extend(found.filter(|found| I::is_of(found, key)));
            left -= 1;
            if left == 0 {
                reached = Some((key.clone(), row.clone()));
            }
            left > 0
        });
        if let Some(reached) = reached {
            start = Bound::Included(reached.0.clone());
            last = Some(reached);
        }
        more
    })
}
