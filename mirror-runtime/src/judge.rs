//! What becomes of the mirror when row events no longer tell what tables hold.

use crate::apply::Applier;
use crate::error::{Error, TableError};
use crate::policy::{Cause, Policy};
use crate::reload::Reload;
use crate::store::Schema;
use crate::table_states::with_relatives;
use crate::transaction::Touch;

impl<S: Schema> Applier<'_, S> {
    /// Whether the boundary that comes sends the table to be loaded, so that its rows are of no
    /// use.
    pub(crate) fn is_to_be_loaded(&self, table: usize) -> bool {
        let reload = self.reload.as_ref();
        reload.is_some_and(|reload| reload.tables.contains(&table))
    }

    /// A statement or event after which row events alone no longer tell what tables hold.
    pub(crate) fn touch(&mut self, touch: &Touch) -> Result<(), Error> {
        let names: Vec<String> = touch
            .tables
            .iter()
            .map(|&table| Self::name_of(table))
            .collect();
        let cause = match touch {
            touch if touch.is_definition() => Cause::Definition,
            touch if touch.is_incident() => Cause::Incident,
            _ => Cause::Statement,
        };
        let reason = format!("{} on {}", touch.kind, names.join(", "));
        self.need(Reload::new(cause, touch.tables.clone(), reason))
    }

    /// Does what the policy for the cause says. While a load is caught up with, that is to load
    /// again: a load is only shown when it is right.
    ///
    /// # Errors
    /// When the policy is to stop.
    pub(crate) fn need(&mut self, mut reload: Reload) -> Result<(), Error> {
        self.count(&reload);
        with_relatives(&mut reload.tables, &self.foreign_keys);
        let policy = match self.publishing {
            true => self.policies.of(reload.cause),
            false => Policy::Reload,
        };
        match policy {
            Policy::Reload => match &mut self.reload {
                Some(held) => held.join(reload),
                None => self.reload = Some(reload),
            },
            Policy::Stop => return Err(stopped(&reload)),
            Policy::KeepServing => self.keep_serving(&reload),
        }
        Ok(())
    }

    fn count(&self, reload: &Reload) {
        if reload.cause != Cause::Divergence {
            return;
        }
        tracing::warn!(reason = reload.reason, "divergence");
        self.status.update(|status| {
            for &table in &reload.tables {
                if let Some(table) = status.tables.get_mut(table) {
                    table.divergences += 1;
                }
            }
        });
    }

    fn keep_serving(&mut self, reload: &Reload) {
        for &table in &reload.tables {
            self.states.suspect(table);
        }
        tracing::error!(
            reason = reload.reason,
            cause = %reload.cause,
            "tables are served although rows may be wrong"
        );
        self.status.update(|status| {
            for &table in &reload.tables {
                if let Some(table) = status.tables.get_mut(table) {
                    table.suspect.get_or_insert_with(|| reload.reason.clone());
                }
            }
        });
    }
}

/// The error of a policy to stop.
pub(crate) fn stopped(reload: &Reload) -> Error {
    TableError::StoppedByPolicy {
        cause: reload.cause,
        reason: reload.reason.clone(),
    }
    .into()
}
