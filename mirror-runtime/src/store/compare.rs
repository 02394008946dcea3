//! Rows of a table beside the server's: what `verify` needs to know of the row type.
//!
//! Rows are compared with two versions of the table, between which the server's rows were read
//! (see [`crate::verify`]). What does not agree is a suspect, to be read again; nothing is
//! called a difference here before the same held row was found to differ several times.

use std::any::Any;

use version_store::{Moment, RowRef};

use super::{Table, TableAt};
use crate::error::ValueError;
use crate::layout::TableLayout;
use crate::row::{Row, SelectValue};
use crate::verify::{Difference, DifferenceKind, key_text, sql_parameter};

/// One version of a table, without its row type.
#[derive(Clone, Copy)]
pub struct HeldTable<'a> {
    pub(crate) table: &'a dyn Any,
    pub(crate) at: Moment<'a>,
}

/// Two versions of one table: from before and from after the server's rows were read.
#[derive(Clone, Copy)]
pub struct Held<'a> {
    pub(crate) before: HeldTable<'a>,
    pub(crate) after: HeldTable<'a>,
}

/// How the server's rows of an answer were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read {
    /// Committed rows.
    Committed,
    /// Rows that may not be committed yet.
    Dirty,
}

/// Compares the rows of one table with the server's, without its row type.
pub trait Comparer: Send {
    /// Starts a page of the server's rows in key order; `resumed` when it begins with the last
    /// row of the page before. Again for a page that could not be read to its end.
    fn begin_page(&mut self, resumed: bool);
    /// Compares one row of the server.
    ///
    /// # Errors
    /// When its values do not fit their columns.
    fn row(
        &mut self,
        held: Held<'_>,
        values: &mut dyn Iterator<Item = SelectValue>,
    ) -> Result<(), ValueError>;
    /// Rows of the page that were compared.
    fn page_rows(&self) -> u64;
    /// Whether a page that was resumed did begin with the last row of the page before.
    fn did_resume(&self) -> bool;
    /// Whether all rows so far came in the order of the mirror's keys.
    fn in_order(&self) -> bool;
    /// Takes rows to come in no order: keys of a page are not kept.
    fn ignore_order(&mut self);
    /// The page is compared: the next one goes on behind it.
    fn end_page(&mut self);
    /// The values of the last key of the pages that have ended.
    fn last_key(&self) -> Option<&[SelectValue]>;
    /// Looks for rows that only the mirror has, from the end of the page before to that of this
    /// one, or of the table. Stops when it has found some; true when it is through.
    fn look_for_absent(&mut self, held: Held<'_>, to_the_end: bool, limit: usize) -> bool;
    /// Asks for the next rows that the mirror holds, in its own order, whatever pages there
    /// were; their keys. None when it is through.
    fn ask_for_held(&mut self, held: Held<'_>, limit: usize) -> Vec<Vec<SelectValue>>;
    /// The answers are there: rows that were asked for and did not come are suspects.
    fn end_held(&mut self, held: Held<'_>);
    /// A row that was asked for.
    ///
    /// # Errors
    /// When its values do not fit their columns.
    fn answer(
        &mut self,
        read: Read,
        values: &mut dyn Iterator<Item = SelectValue>,
    ) -> Result<(), ValueError>;
    /// Number of rows that have to be read again.
    fn suspects(&self) -> usize;
    /// Drops suspects beyond this number; how many.
    fn drop_suspects(&mut self, limit: usize) -> u64;
    /// Takes the next suspects to ask for; the keys of all that are being asked for.
    fn ask_for_suspects(&mut self, limit: usize) -> Vec<Vec<SelectValue>>;
    /// Whether suspects are being asked for.
    fn is_asking(&self) -> bool;
    /// Judges the answers: rows that agree, and those that differed `times` in a row while the
    /// mirror held the very same, are asked for no more. The latter are differences.
    fn judge(&mut self, held: Held<'_>, times: u32) -> Vec<Difference>;
    /// Gives up on the suspects that are being asked for; their keys in words.
    fn give_up(&mut self) -> Vec<String>;
}

/// A row that did not agree.
struct Suspect<R: Row> {
    key: R::Key,
    parameters: Vec<SelectValue>,
    text: String,
    /// What the mirror held under the key when it was judged last.
    held: Option<RowRef<R>>,
    /// How often in a row the server's row differed from that.
    times: u32,
    committed: Option<R>,
    dirty: Option<R>,
}

/// Compares rows of one type.
pub(super) struct TableComparer<R: Row> {
    /// The last key of the page before, and its values.
    from: Option<(R::Key, Vec<SelectValue>)>,
    resumed: bool,
    did_resume: bool,
    in_order: bool,
    /// Keys of the page, while rows come in order.
    page: Vec<R::Key>,
    /// The last row of the page.
    last: Option<R>,
    page_rows: u64,
    /// Up to where rows that only the mirror has were looked for.
    looked: Option<R::Key>,
    /// Held rows that were asked for, in key order; whether they came.
    asked: Vec<(RowRef<R>, bool)>,
    suspects: Vec<Suspect<R>>,
    checking: Vec<Suspect<R>>,
}

impl<R: Row> TableComparer<R> {
    pub(super) fn new() -> Self {
        Self {
            from: None,
            resumed: false,
            did_resume: true,
            in_order: true,
            page: Vec::new(),
            last: None,
            page_rows: 0,
            looked: None,
            asked: Vec::new(),
            suspects: Vec::new(),
            checking: Vec::new(),
        }
    }

    fn suspect(&mut self, row: &R) {
        self.suspects.push(Suspect {
            key: row.key(),
            parameters: key_parameters(row),
            text: key_text(row),
            held: None,
            times: 0,
            committed: None,
            dirty: None,
        });
    }
}

/// The two versions as tables of rows of this type.
fn tables<'a, R: Row>(held: Held<'a>) -> Option<(TableAt<'a, R>, TableAt<'a, R>)> {
    let table = |held: HeldTable<'a>| {
        let table = held.table.downcast_ref::<Table<R>>()?;
        Some(table.at(held.at, 0))
    };
    Some((table(held.before)?, table(held.after)?))
}

fn key_parameters<R: Row>(row: &R) -> Vec<SelectValue> {
    let layout = R::layout();
    let column = |&field: &usize| {
        let column = layout.columns.get(field)?;
        Some(sql_parameter(&row.value(field), column))
    };
    layout.key.iter().filter_map(column).collect()
}

/// Whether two versions hold the very same row, or none.
fn is_same<R>(one: Option<&R>, other: Option<&R>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => std::ptr::eq(one, other),
        (None, None) => true,
        _ => false,
    }
}

/// Whether a held row is the server's, value by value.
fn agrees<R: Row>(held: Option<&R>, server: Option<&R>) -> bool {
    match (held, server) {
        (Some(held), Some(server)) => differing(held, server).next().is_none(),
        (None, None) => true,
        _ => false,
    }
}

/// The mirrored columns in which two rows are not exactly the same.
fn differing<'r, R: Row>(one: &'r R, other: &'r R) -> impl Iterator<Item = &'static str> + 'r {
    let layout: &'static TableLayout = R::layout();
    let columns = layout.columns.iter().enumerate();
    columns
        .filter(|(field, _)| !one.value(*field).is_exactly(&other.value(*field)))
        .map(|(_, column)| column.name)
}

fn kind<R: Row>(held: Option<&R>, server: Option<&R>) -> DifferenceKind {
    match (held, server) {
        (Some(held), Some(server)) => DifferenceKind::Columns(differing(held, server).collect()),
        (Some(_), None) => DifferenceKind::OnlyInMirror,
        (None, _) => DifferenceKind::OnlyOnServer,
    }
}

impl<R: Row> Comparer for TableComparer<R> {
    fn begin_page(&mut self, resumed: bool) {
        self.page.clear();
        self.last = None;
        self.page_rows = 0;
        self.resumed = resumed;
        self.did_resume = !resumed;
        self.suspects.clear();
    }

    fn row(
        &mut self,
        held: Held<'_>,
        values: &mut dyn Iterator<Item = SelectValue>,
    ) -> Result<(), ValueError> {
        let row = R::from_select(values)?;
        let key = row.key();
        let before = self.page.last().or(self.from.as_ref().map(|(key, _)| key));
        if self.resumed && self.last.is_none() && before == Some(&key) {
            // Compared with the page before.
            self.did_resume = true;
            self.last = Some(row);
            return Ok(());
        }
        self.in_order &= before.is_none_or(|before| *before < key);
        self.page_rows += 1;
        let agreed = tables::<R>(held).is_some_and(|(before, after)| {
            let (one, other) = (before.get(row.key_ref()), after.get(row.key_ref()));
            agrees(one, Some(&row)) || (!is_same(one, other) && agrees(other, Some(&row)))
        });
        if !agreed {
            self.suspect(&row);
        }
        if self.in_order {
            self.page.push(key);
        }
        self.last = Some(row);
        Ok(())
    }

    fn page_rows(&self) -> u64 {
        self.page_rows
    }

    fn did_resume(&self) -> bool {
        self.did_resume
    }

    fn in_order(&self) -> bool {
        self.in_order
    }

    fn ignore_order(&mut self) {
        self.in_order = false;
    }

    fn end_page(&mut self) {
        if let Some(last) = self.last.take() {
            self.from = Some((last.key(), key_parameters(&last)));
        }
        self.looked = self.from.as_ref().map(|(key, _)| key.clone());
        self.page.clear();
        self.page_rows = 0;
    }

    fn last_key(&self) -> Option<&[SelectValue]> {
        self.from.as_ref().map(|(_, values)| values.as_slice())
    }

    fn look_for_absent(&mut self, held: Held<'_>, to_the_end: bool, limit: usize) -> bool {
        let Some((before, after)) = tables::<R>(held) else {
            return true;
        };
        let end = match &self.last {
            _ if to_the_end => None,
            Some(row) => Some(row.key()),
            None => return true,
        };
        let skip = |key: &R::Key| self.looked.as_ref().is_some_and(|looked| key <= looked);
        let mut page = self.page.iter().skip_while(|key| skip(key)).peekable();
        let mut found = Vec::new();
        let mut through = true;
        let mut looked = None;
        for row in before.between(self.looked.as_ref(), end.as_ref()) {
            let key = row.key();
            while page.peek().is_some_and(|next| **next < key) {
                page.next();
            }
            if page.peek() == Some(&&key) || after.get(row.key_ref()).is_none() {
                continue;
            }
            found.push(row);
            if found.len() >= limit {
                looked = Some(key);
                through = false;
                break;
            }
        }
        if looked.is_some() {
            self.looked = looked;
        }
        for row in found {
            self.suspect(row);
        }
        through
    }

    fn ask_for_held(&mut self, held: Held<'_>, limit: usize) -> Vec<Vec<SelectValue>> {
        let from = self.asked.last().map(|(row, _)| row.key());
        self.asked.clear();
        if let Some((before, _)) = tables::<R>(held) {
            let rows = before.between(from.as_ref(), None).take(limit);
            let refs = rows.filter_map(|row| before.get_ref(row.key_ref()));
            self.asked.extend(refs.map(|row| (row, false)));
        }
        let keys = self.asked.iter().map(|(row, _)| key_parameters(&**row));
        keys.collect()
    }

    fn end_held(&mut self, held: Held<'_>) {
        let Some((_, after)) = tables::<R>(held) else {
            return;
        };
        let absent: Vec<RowRef<R>> = self
            .asked
            .iter()
            .filter(|(row, came)| !came && after.get(row.key_ref()).is_some())
            .map(|(row, _)| row.clone())
            .collect();
        for row in absent {
            self.suspect(&row);
        }
    }

    fn answer(
        &mut self,
        read: Read,
        values: &mut dyn Iterator<Item = SelectValue>,
    ) -> Result<(), ValueError> {
        let row = R::from_select(values)?;
        let key = row.key();
        if self.checking.is_empty() {
            let found = self.asked.binary_search_by(|(row, _)| row.key().cmp(&key));
            if let Some((_, came)) = found.ok().and_then(|at| self.asked.get_mut(at)) {
                *came = true;
            }
            return Ok(());
        }
        // A row that was not asked for is one that the server takes for the same text.
        if let Some(suspect) = self.checking.iter_mut().find(|other| other.key == key) {
            match read {
                Read::Committed => suspect.committed = Some(row),
                Read::Dirty => suspect.dirty = Some(row),
            }
        }
        Ok(())
    }

    fn suspects(&self) -> usize {
        self.suspects.len()
    }

    fn drop_suspects(&mut self, limit: usize) -> u64 {
        let dropped = self.suspects.len().saturating_sub(limit);
        self.suspects.truncate(limit);
        dropped as u64
    }

    fn ask_for_suspects(&mut self, limit: usize) -> Vec<Vec<SelectValue>> {
        if self.checking.is_empty() {
            let count = self.suspects.len().min(limit);
            self.checking = self.suspects.drain(..count).collect();
        }
        for suspect in &mut self.checking {
            (suspect.committed, suspect.dirty) = (None, None);
        }
        let keys = self.checking.iter();
        keys.map(|suspect| suspect.parameters.clone()).collect()
    }

    fn is_asking(&self) -> bool {
        !self.checking.is_empty()
    }

    fn judge(&mut self, held: Held<'_>, times: u32) -> Vec<Difference> {
        let mut differences = Vec::new();
        let Some((before, after)) = tables::<R>(held) else {
            return differences;
        };
        self.checking.retain_mut(|suspect| {
            let (one, other) = (
                before.get(R::borrowed(&suspect.key)),
                after.get(R::borrowed(&suspect.key)),
            );
            let is_held = |row: Option<&R>| agrees(one, row) || agrees(other, row);
            if is_held(suspect.committed.as_ref()) {
                return false;
            }
            // A change that the binlog has and a SELECT does not see yet, or one on the way.
            if is_held(suspect.dirty.as_ref()) || !is_same(one, other) {
                suspect.times = 0;
                return true;
            }
            if suspect.times == 0 || !is_same(suspect.held.as_deref(), one) {
                suspect.times = 0;
                suspect.held = before.get_ref(R::borrowed(&suspect.key));
            }
            suspect.times += 1;
            if suspect.times < times {
                return true;
            }
            differences.push(Difference {
                key: std::mem::take(&mut suspect.text),
                kind: kind(one, suspect.committed.as_ref()),
            });
            false
        });
        differences
    }

    fn give_up(&mut self) -> Vec<String> {
        let given_up = self.checking.drain(..);
        given_up.map(|suspect| suspect.text).collect()
    }
}
