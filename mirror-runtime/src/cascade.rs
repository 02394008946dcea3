//! What foreign keys do to child rows, done with the change of the parent row.
//!
//! InnoDB does it without telling the log, but for MySQL from 9.6 on, whose row events say so.

use std::sync::Arc;

use crate::apply::Applier;
use crate::foreign_keys::{Link, keys_differ, may_change_keys};
use crate::image::{Plan, RowsEvent};
use crate::policy::Cause;
use crate::reload::Reload;
use crate::source::RawEvent;
use crate::store::{
    ApplyError, ChildChange, Mode, ParentKey, RowImagesOf, RowValues, Schema, Unapplied,
};
use crate::table_states::with_relatives;

/// Why a parent's event was not applied to the end.
pub(crate) enum CascadeError {
    /// A change of this table could not be applied; the bytes of the event's rows that were are
    /// those of the event's own table.
    Table(usize, Unapplied),
    /// Only the server knows what became of the child rows of a row; the bytes of the event's rows
    /// before that one.
    Reload(Reload, usize),
}

/// A parent row before and after, and its table.
type Changed = (usize, Box<dyn RowValues>, Option<Box<dyn RowValues>>);

impl<S: Schema> Applier<'_, S> {
    /// Applies rows of a table whose changes change rows of others.
    pub(crate) fn parent_rows(
        &mut self,
        table: usize,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        event: &RawEvent<'_>,
    ) -> Result<(), CascadeError> {
        let failed = |bytes, error| CascadeError::Table(table, Unapplied { bytes, error });
        let mode = self.mode_for(table, event);
        if mode != Mode::Strict || !self.relatives_are_strict(table, event) {
            // The rows of parent and children may be of different times: which of them the server
            // changed cannot be told.
            let links = self.foreign_keys.of(table);
            if may_change_keys(plan, rows, links).map_err(|error| failed(0, error.into()))? {
                return Err(CascadeError::Reload(self.not_replayable(table, event), 0));
            }
            return self
                .apply_all(table, plan, rows, mode)
                .map_err(|unapplied| CascadeError::Table(table, unapplied));
        }
        let mut applied = 0;
        while applied < rows.rows.len() {
            let rest = rows.behind(applied);
            let changes = self.changes.as_mut();
            let Some((held, at)) = self.writer.table_mut(table) else {
                return Ok(());
            };
            let first = held
                .apply_first(at, plan, &rest, mode, changes)
                .map_err(|error| failed(applied, error))?;
            if first.bytes == 0 {
                return Err(failed(applied, ApplyError::Mismatch("a row without bytes")));
            }
            if let Some((before, after)) = first.change {
                self.cascade((table, before, after), event, applied)?;
            }
            applied += first.bytes;
        }
        Ok(())
    }

    /// Whether the replay has passed everything that the loads of tables which change with this one
    /// may have in them.
    fn relatives_are_strict(&self, table: usize, event: &RawEvent<'_>) -> bool {
        let mut tables = vec![table];
        with_relatives(&mut tables, &self.foreign_keys);
        tables
            .into_iter()
            .all(|table| self.mode_for(table, event) == Mode::Strict)
    }

    /// Changes the child rows of a changed row, and theirs.
    fn cascade(
        &mut self,
        changed: Changed,
        event: &RawEvent<'_>,
        applied: usize,
    ) -> Result<(), CascadeError> {
        let foreign_keys = Arc::clone(&self.foreign_keys);
        let mut pending = vec![changed];
        while let Some((parent, before, after)) = pending.pop() {
            for link in foreign_keys.of(parent) {
                let unchanged = after
                    .as_deref()
                    .is_some_and(|after| !keys_differ(link, before.as_ref(), after));
                if unchanged {
                    continue;
                }
                let children = match link.layout.by_value {
                    true => self
                        .change_children(link, before.as_ref(), after.as_deref())
                        .map_err(|error| {
                            let bytes = applied;
                            CascadeError::Table(link.child, Unapplied { bytes, error })
                        })?,
                    false => match self.unless_some_children(link, after.is_none(), event) {
                        None => Vec::new(),
                        Some(reload) => return Err(CascadeError::Reload(reload, applied)),
                    },
                };
                pending.extend(
                    children
                        .into_iter()
                        .map(|(before, after)| (link.child, before, after)),
                );
            }
        }
        Ok(())
    }

    fn change_children(
        &mut self,
        link: &Link,
        before: &dyn RowValues,
        after: Option<&dyn RowValues>,
    ) -> Result<Vec<RowImagesOf>, ApplyError> {
        let change = ChildChange::of(link.layout, after)?;
        let parent = ParentKey::of(before, link.layout.parent_fields);
        let (Some(change), Some(parent)) = (change, parent) else {
            return Ok(Vec::new());
        };
        self.begin_change(link.child);
        let changes = self.changes.as_mut();
        match self.writer.table_mut(link.child) {
            Some((held, at)) => held.change_children(at, link.key, &parent, &change, changes),
            None => Ok(Vec::new()),
        }
    }

    /// Of a foreign key whose effects only the server knows: a reload, unless the child table has no
    /// rows that it could have effects on.
    fn unless_some_children(
        &mut self,
        link: &Link,
        deleted: bool,
        event: &RawEvent<'_>,
    ) -> Option<Reload> {
        let action = match deleted {
            true => link.layout.on_delete,
            false => link.layout.on_update,
        };
        let is_empty = self.writer.row_count(link.child) == 0;
        if is_empty || action == crate::layout::ForeignKeyAction::Restrict {
            return None;
        }
        let reason = format!(
            "rows of {} at {}: constraint `{}` may have changed them, which only the server knows",
            Self::name_of(link.child),
            event.end_position(),
            link.layout.name
        );
        Some(Reload {
            not_replayable: true,
            ..Reload::new(Cause::Incomplete, vec![link.child], reason)
        })
    }

    fn not_replayable(&self, table: usize, event: &RawEvent<'_>) -> Reload {
        let reason = format!(
            "a replayed change of {} at {}, which changes rows of other tables by a foreign key",
            Self::name_of(table),
            event.end_position()
        );
        Reload {
            diverged: true,
            not_replayable: true,
            ..Reload::new(Cause::Incomplete, vec![table], reason)
        }
    }
}
