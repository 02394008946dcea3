//! What the running transaction and all tables take in memory, against their limits.

use crate::apply::Applier;
use crate::error::Error;
use crate::limits::{Limit, LimitError, Limits};
use crate::policy::{Cause, Policy};
use crate::reload::Reload;
use crate::source::{BinlogPosition, RawEvent};
use crate::store::{Schema, TableMemory, Writer};

/// Bytes of tables, as of when they were looked at last.
#[derive(Debug)]
pub(crate) struct Weight {
    /// By table index.
    tables: Vec<u64>,
    all: u64,
    /// What all took at the last boundary.
    at_boundary: u64,
    limits: Limits,
}

impl Weight {
    pub(crate) fn new<S: Schema>(writer: &Writer<S>, limits: &Limits) -> Self {
        let mut weight = Self {
            tables: vec![0; S::layouts().len()],
            all: 0,
            at_boundary: 0,
            limits: limits.clone(),
        };
        weight.look(writer, 0..S::layouts().len());
        weight.boundary();
        weight
    }

    /// Looks at these tables again.
    pub(crate) fn look<S: Schema>(
        &mut self,
        writer: &Writer<S>,
        tables: impl IntoIterator<Item = usize>,
    ) {
        for index in tables {
            if let Some(held) = self.tables.get_mut(index) {
                let now = bytes(&writer.memory(index));
                self.all = self.all.saturating_sub(*held).saturating_add(now);
                *held = now;
            }
        }
    }

    /// A transaction ends here, in whatever way.
    pub(crate) fn boundary(&mut self) {
        self.at_boundary = self.all;
    }

    /// Bytes by which the tables grew since the last boundary.
    fn grown(&self) -> u64 {
        self.all.saturating_sub(self.at_boundary)
    }

    /// Whether the tables take more than they may.
    ///
    /// # Errors
    /// [`Error::Limit`] then.
    pub(crate) fn check_tables(&self, at: &dyn std::fmt::Display) -> Result<(), Error> {
        check_tables(self.all, &self.limits, at)
    }
}

/// What a table takes, in bytes.
pub(crate) fn bytes(memory: &TableMemory) -> u64 {
    memory.row_bytes as u64 + memory.index_bytes as u64
}

/// Whether tables may take so many bytes.
///
/// # Errors
/// [`Error::Limit`] when they may not.
pub(crate) fn check_tables(
    found: u64,
    limits: &Limits,
    at: &dyn std::fmt::Display,
) -> Result<(), Error> {
    let allowed = limits.table_bytes;
    if found <= allowed {
        return Ok(());
    }
    Err(LimitError {
        limit: Limit::TableBytes,
        what: format!("the memory of all tables ({at})"),
        found: Some(found),
        allowed,
    }
    .into())
}

impl<S: Schema> Applier<'_, S> {
    /// Looks at what the running transaction takes, behind an event of it.
    ///
    /// # Errors
    /// When all tables take more than they may, or the transaction does and the policy for that is
    /// to stop.
    pub(crate) fn weigh(&mut self, event: &RawEvent<'_>) -> Result<(), Error> {
        self.weight.look(self.writer, self.changed.iter().copied());
        let listed = self.changes.as_ref().map_or(0, Vec::capacity);
        let listed = (listed * size_of::<S::Change>()) as u64;
        let found = self.weight.grown().saturating_add(listed);
        let allowed = self.weight.limits.transaction_bytes;
        if found > allowed {
            self.too_large(found, allowed, &event.end_position())?;
        }
        if self.weight.all > self.weight.limits.table_bytes {
            return self.weight.check_tables(&event.end_position());
        }
        Ok(())
    }

    /// The rest of the transaction is not taken: its tables are loaded again behind it.
    fn too_large(
        &mut self,
        found: u64,
        allowed: u64,
        position: &BinlogPosition,
    ) -> Result<(), Error> {
        let names: Vec<String> = self.changed.iter().map(|&at| Self::name_of(at)).collect();
        let error = LimitError {
            limit: Limit::TransactionBytes,
            what: format!(
                "the transaction that goes on at {position}, in {}",
                names.join(", ")
            ),
            found: Some(found),
            allowed,
        };
        if self.publishing && self.policies.too_large != Policy::Reload {
            return Err(error.into());
        }
        let tables = self.changed.clone();
        // What is listed is of no use: all rows of these tables come with the load.
        self.changes = None;
        let reason = format!(
            "{}: found {found} bytes, allowed {allowed} (limit {})",
            error.what,
            error.limit.name()
        );
        self.need(Reload::new(Cause::TooLarge, tables, reason))
    }
}
