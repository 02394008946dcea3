//! The walk over all tables, within a snapshot of the server.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::report::{Difference, TableReport, VerifyReport};
use super::select::TableSelect;
use super::server::{Link, Server};
use super::view::{View, held};
use super::{Finding, VerifyOptions, VerifyProgress, Watch};
use crate::error::{Error, TableError};
use crate::layout::TableLayout;
use crate::mirror::Shared;
use crate::source::{BinlogPosition, SourceError, SourceErrorKind};
use crate::store::{Comparer, Read, Schema};

/// Tries in a row before a failure is given back; with the waits about 3 s in all, as long as a
/// mirror waits for a table that is not there.
const TRIES: u32 = 7;
/// First wait before another try; each next one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(50);
/// Rows that only the mirror has which are looked up at once.
const ABSENT_AT_ONCE: usize = 500;
/// Suspects that are kept of one SELECT. Pages have fewer rows; of a table that is read as a
/// whole, the others are reported as not compared.
const MAX_SUSPECTS: usize = 50_000;
/// Differences whose keys are kept, so that none is told of twice.
const MAX_TOLD: usize = 10_000;

/// One verification.
pub(super) struct Verification<'a, S: Schema> {
    pub(super) shared: &'a Shared<S>,
    pub(super) options: &'a VerifyOptions,
    pub(super) server: Server,
    pub(super) differences: u64,
    pub(super) watch: &'a mut dyn Watch,
    pub(super) view: Option<Rc<View<S>>>,
    pub(super) views: u32,
    pub(super) position: Option<BinlogPosition>,
    rows: u64,
    total_rows: u64,
}

/// What a comparison works on.
pub(super) struct Work {
    pub(super) index: usize,
    pub(super) layout: &'static TableLayout,
    pub(super) select: TableSelect,
    pub(super) comparer: Box<dyn Comparer>,
    pub(super) report: TableReport,
    /// Keys of differences that were told of, since a table may be read again from its start;
    /// not more than [`MAX_TOLD`].
    told: BTreeSet<String>,
}

/// A page that was read.
struct Page<S: Schema> {
    view: Rc<View<S>>,
    is_last: bool,
    dropped: u64,
}

impl<'a, S: Schema> Verification<'a, S> {
    pub(super) fn new(
        shared: &'a Shared<S>,
        options: &'a VerifyOptions,
        watch: &'a mut dyn Watch,
    ) -> Self {
        Self {
            shared,
            options,
            server: Server::new(shared.url().clone()),
            differences: 0,
            watch,
            view: None,
            views: 0,
            position: None,
            rows: 0,
            total_rows: 0,
        }
    }

    /// Compares all tables that were asked for.
    pub(super) fn run(mut self) -> Result<VerifyReport, Error> {
        let started = Instant::now();
        let selected = selection(self.shared, self.options)?;
        let layouts = S::layouts().iter().enumerate();
        let chosen: Vec<(usize, &'static TableLayout)> = layouts
            .filter(|(index, _)| selected.get(*index) == Some(&true))
            .map(|(index, layout)| (index, *layout))
            .collect();
        let view = self.attempt(Self::view)?;
        let counts = chosen.iter().map(|(index, _)| view.after.row_count(*index));
        self.total_rows = counts.sum::<usize>() as u64;
        drop(view);
        let mut tables = Vec::new();
        for (index, layout) in chosen {
            tables.push(self.table(index, layout)?);
        }
        Ok(VerifyReport {
            tables,
            position: self.position.ok_or(Error::Stopped)?,
            snapshots: self.views,
            took: started.elapsed(),
        })
    }

    fn table(&mut self, index: usize, layout: &'static TableLayout) -> Result<TableReport, Error> {
        let select = self.attempt(|this| {
            let (conn, _) = this.server.link(Link::Check)?;
            Ok(TableSelect::new(conn, layout)?)
        })?;
        let mut work = self.work(index, layout, select)?;
        let mut last_view = 0;
        loop {
            let was_in_order = work.comparer.in_order();
            let page = self.attempt(|this| this.page(&mut work))?;
            if !work.comparer.did_resume() && page.view.number == last_view {
                // The row that the page before ended with is there, but the server did not find
                // it by its key: nothing that was read by keys is to be relied on.
                tracing::debug!(table = work.report.table, "read as a whole");
                work.select.read_as_a_whole();
                work = self.again(work)?;
                continue;
            }
            if was_in_order && !work.comparer.in_order() {
                tracing::debug!(table = work.report.table, "not in the order of the mirror");
                work.select.ignore_order();
                work = self.again(work)?;
                continue;
            }
            last_view = page.view.number;
            let from = work.comparer.last_key().map(<[_]>::to_vec);
            self.judge_page(&mut work, &page)?;
            if page.is_last {
                break;
            }
            if work.comparer.last_key() == from.as_deref() {
                tracing::debug!(table = work.report.table, "pages do not go on");
                work.select.read_as_a_whole();
                work = self.again(work)?;
            }
        }
        if !work.comparer.in_order() {
            self.held_rows(&mut work)?;
        }
        Ok(work.report)
    }

    /// The table again from its start; what was found so far will be found again.
    fn again(&mut self, work: Work) -> Result<Work, Error> {
        self.rows = self.rows.saturating_sub(work.report.rows);
        self.differences = self.differences.saturating_sub(work.report.differences);
        let mut new = self.work(work.index, work.layout, work.select)?;
        new.told = work.told;
        Ok(new)
    }

    fn work(
        &self,
        index: usize,
        layout: &'static TableLayout,
        select: TableSelect,
    ) -> Result<Work, Error> {
        let kind = S::kinds().get(index).ok_or(Error::Stopped)?;
        let mut comparer = kind.comparer();
        if !select.is_in_order() {
            comparer.ignore_order();
        }
        Ok(Work {
            index,
            layout,
            select,
            comparer,
            report: TableReport {
                table: layout.full_name(),
                ..TableReport::default()
            },
            told: BTreeSet::new(),
        })
    }

    /// Reads the next page and compares its rows.
    fn page(&mut self, work: &mut Work) -> Result<Page<S>, Error> {
        let view = self.view()?;
        let held = held(&view.before, &view.after, work.index).ok_or(Error::Stopped)?;
        let from = work.comparer.last_key().map(<[_]>::to_vec);
        // The row that the page begins with was compared already.
        let limit = self.options.page_rows.max(1) + u64::from(from.is_some());
        let question = work.select.page(from.as_deref(), limit);
        let comparer = &mut work.comparer;
        comparer.begin_page(from.is_some());
        let mut dropped = 0;
        let rows = self
            .server
            .rows(Link::Walk, work.layout, question, &mut |values| {
                comparer.row(held, &mut values.into_iter())?;
                dropped += comparer.drop_suspects(MAX_SUSPECTS);
                Ok(())
            })?;
        self.let_go()?;
        Ok(Page {
            view,
            is_last: !work.select.is_paged() || rows < limit,
            dropped,
        })
    }

    /// What follows from a page: rows that only the mirror has, and suspects.
    fn judge_page(&mut self, work: &mut Work, page: &Page<S>) -> Result<(), Error> {
        let view = &page.view;
        let rows = work.comparer.page_rows();
        work.report.rows += rows;
        self.rows += rows;
        if page.dropped > 0 {
            work.report.not_compared += page.dropped;
        }
        self.recheck(work)?;
        while work.comparer.in_order() {
            let held = held(&view.before, &view.after, work.index).ok_or(Error::Stopped)?;
            let comparer = &mut work.comparer;
            let is_through = comparer.look_for_absent(held, page.is_last, ABSENT_AT_ONCE);
            self.recheck(work)?;
            if is_through {
                break;
            }
        }
        work.comparer.end_page();
        self.show(work, rows);
        Ok(())
    }

    /// Asks the server for every row that the mirror holds: where rows do not come in the order
    /// of the mirror's keys, this finds those that only the mirror has.
    fn held_rows(&mut self, work: &mut Work) -> Result<(), Error> {
        let at_once = usize::try_from(self.options.page_rows.clamp(1, 1000)).unwrap_or(1000);
        loop {
            let view = self.attempt(Self::view)?;
            let both = held(&view.before, &view.after, work.index).ok_or(Error::Stopped)?;
            let keys = work.comparer.ask_for_held(both, at_once);
            if keys.is_empty() {
                return Ok(());
            }
            let view = self.attempt(|this| {
                let view = this.view()?;
                let comparer = &mut work.comparer;
                this.server.rows(
                    Link::Walk,
                    work.layout,
                    work.select.by_keys(&keys),
                    &mut |values| comparer.answer(Read::Committed, &mut values.into_iter()),
                )?;
                this.let_go()?;
                Ok(view)
            })?;
            let both = held(&view.before, &view.after, work.index).ok_or(Error::Stopped)?;
            work.comparer.end_held(both);
            self.recheck(work)?;
            self.show(work, keys.len() as u64);
        }
    }

    fn show(&mut self, work: &Work, rows: u64) {
        let progress = VerifyProgress {
            table: &work.report.table,
            rows: self.rows,
            total_rows: self.total_rows.max(self.rows),
            differences: self.differences,
        };
        if let Some(callback) = &self.options.on_progress {
            callback(&progress);
        }
        self.watch.page(&progress, rows);
    }

    /// Tries something again when the connection is lost, or a table is redefined, a few times.
    pub(super) fn attempt<T>(
        &mut self,
        mut work: impl FnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut wait = FIRST_WAIT;
        for tries in 1.. {
            self.check_stop()?;
            let error = match work(self) {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            // What ended the mirror says more than what it made the SELECTs fail with.
            self.check_stop()?;
            if tries == TRIES || !may_pass(&error) {
                return Err(error);
            }
            tracing::debug!(%error, tries, "trying again");
            self.server.close();
            self.view = None;
            std::thread::sleep(wait);
            wait *= 2;
        }
        Err(Error::Stopped)
    }

    /// Takes a difference into the report, and tells of it once.
    pub(super) fn found(&mut self, work: &mut Work, difference: Difference, at: &BinlogPosition) {
        self.differences += 1;
        work.report.differences += 1;
        if work.report.first.len() < self.options.named_keys {
            work.report.first.push(difference.clone());
        }
        if work.told.contains(&difference.key) {
            return;
        }
        if work.told.len() < MAX_TOLD {
            work.told.insert(difference.key.clone());
        }
        self.watch.found(Finding {
            table: work.report.table.clone(),
            difference,
            position: at.clone(),
        });
    }
}

/// The tables to compare, by table index.
pub(super) fn selection<S: Schema>(
    shared: &Shared<S>,
    options: &VerifyOptions,
) -> Result<Vec<bool>, Error> {
    let mut mirrored = shared.options.clone();
    let Some(tables) = &options.tables else {
        return Ok(shared.selected.clone());
    };
    mirrored.tables = Some(tables.clone());
    let chosen = mirrored.selection(S::layouts())?;
    for (index, layout) in S::layouts().iter().enumerate() {
        let is_on = |list: &[bool]| list.get(index) == Some(&true);
        if is_on(&chosen) && !is_on(&shared.selected) {
            let names = S::layouts().iter().zip(&shared.selected);
            let names: Vec<String> = names
                .filter(|(_, on)| **on)
                .map(|(layout, _)| layout.full_name())
                .collect();
            return Err(Error::UnknownTable {
                name: layout.full_name(),
                mirrored: names.join(", "),
            });
        }
    }
    Ok(chosen)
}

/// Whether a failure may be gone at the next try: that of a connection, or of a table that is
/// being made anew, which the mirror follows or ends at. 1412: the table was redefined since the
/// snapshot was opened; 1054 and 1146: no such column or table (MySQL server error reference).
fn may_pass(error: &Error) -> bool {
    let error = match error {
        Error::Source(error) => error,
        // Perhaps of a column that was altered: then the mirror loads again, or ends and says so.
        Error::Table(TableError::Value { .. }) => return true,
        _ => return false,
    };
    error.is_transient()
        || error.kind() == SourceErrorKind::Unknown
        || matches!(
            error,
            SourceError::Server {
                code: 1054 | 1146 | 1412,
                ..
            }
        )
}
