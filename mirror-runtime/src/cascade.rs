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
use crate::store::{ApplyError, ChildChange, Mode, ParentKey, RowImagesOf, RowValues, Schema};
use crate::table_states::with_relatives;

/// Why a parent's event was not applied to the end.
pub(crate) enum CascadeError {
    /// A change of this table could not be applied.
    Table(usize, ApplyError),
    /// Only the server knows what became of the child rows.
    Reload(Reload),
}

/// A parent row before and after, and its table.
type Changed = (usize, Arc<dyn RowValues>, Option<Arc<dyn RowValues>>);

impl<S: Schema> Applier<'_, S> {
    /// Applies rows of a table whose changes change rows of others.
    pub(crate) fn parent_rows(
        &mut self,
        table: usize,
        plan: &Plan,
        rows: &RowsEvent<'_>,
        event: &RawEvent<'_>,
    ) -> Result<(), CascadeError> {
        let failed = |error| CascadeError::Table(table, error);
        let mode = self.mode_for(table, event);
        if mode != Mode::Strict || !self.relatives_are_strict(table, event) {
            // The rows of parent and children may be of different times: which of them the server
            // changed cannot be told.
            let links = self.foreign_keys.of(table);
            if may_change_keys(plan, rows, links).map_err(|error| failed(error.into()))? {
                return Err(CascadeError::Reload(self.not_replayable(table, event)));
            }
            return self.apply_all(table, plan, rows, mode).map_err(failed);
        }
        let mut rest = *rows;
        while !rest.rows.is_empty() {
            let changes = self.changes.as_mut();
            let Some(held) = self.writer.tables_mut().table_mut(table) else {
                return Ok(());
            };
            let first = held
                .apply_first(plan, &rest, mode, changes)
                .map_err(failed)?;
            match rest.rows.get(first.bytes..) {
                Some(behind) if first.bytes > 0 => rest.rows = behind,
                _ => return Err(failed(ApplyError::Mismatch("a row without bytes"))),
            }
            rest.rows_at += first.bytes;
            if let Some((before, after)) = first.change {
                self.cascade((table, before, after), event)?;
            }
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
    fn cascade(&mut self, changed: Changed, event: &RawEvent<'_>) -> Result<(), CascadeError> {
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
                let children = self.change_children(link, &before, after.as_deref(), event)?;
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
        before: &Arc<dyn RowValues>,
        after: Option<&dyn RowValues>,
        event: &RawEvent<'_>,
    ) -> Result<Vec<RowImagesOf>, CascadeError> {
        let failed = |error| CascadeError::Table(link.child, error);
        if !link.layout.by_value {
            return self.unless_some_children(link, after.is_none(), event);
        }
        let change = ChildChange::of(link.layout, after).map_err(|error| failed(error.into()))?;
        let parent = ParentKey::of(before.as_ref(), link.layout.parent_fields);
        let (Some(change), Some(parent)) = (change, parent) else {
            return Ok(Vec::new());
        };
        self.begin_change(link.child);
        let changes = self.changes.as_mut();
        match self.writer.tables_mut().table_mut(link.child) {
            Some(held) => held
                .change_children(link.key, &parent, &change, changes)
                .map_err(failed),
            None => Ok(Vec::new()),
        }
    }

    /// Of a foreign key whose effects only the server knows: nothing, when the child table has no
    /// rows that it could have effects on.
    fn unless_some_children(
        &mut self,
        link: &Link,
        deleted: bool,
        event: &RawEvent<'_>,
    ) -> Result<Vec<RowImagesOf>, CascadeError> {
        let action = match deleted {
            true => link.layout.on_delete,
            false => link.layout.on_update,
        };
        let tables = self.writer.tables();
        let is_empty = tables
            .table(link.child)
            .is_none_or(|held| held.row_count() == 0);
        if is_empty || action == crate::layout::ForeignKeyAction::Restrict {
            return Ok(Vec::new());
        }
        let reason = format!(
            "rows of {} at {}: constraint `{}` may have changed them, which only the server knows",
            Self::name_of(link.child),
            event.end_position(),
            link.layout.name
        );
        Err(CascadeError::Reload(Reload {
            not_replayable: true,
            ..Reload::new(Cause::Incomplete, vec![link.child], reason)
        }))
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
