//! What a replayed change means to tables that were loaded after it, or while it was made.

use crate::apply::Applier;
use crate::bootstrap::Contents;
use crate::error::Error;
use crate::policy::Cause;
use crate::reload::Reload;
use crate::source::{BinlogPosition, RawEvent};
use crate::store::{Mode, Schema};
use crate::transaction::Touch;

/// The load that a replay is applied over.
pub(crate) struct ReplayedOver {
    /// The end of the binlog before the first SELECT.
    pub(crate) before_load: BinlogPosition,
    /// What they do not have in them, where that is known.
    pub(crate) contents: Option<Contents>,
}

impl<S: Schema> Applier<'_, S> {
    /// Changes that the load certainly does not have in it must fit already in the replay.
    pub(crate) fn mode_for(&self, table: usize, event: &RawEvent<'_>) -> Mode {
        if self.states.is_loading(table) {
            let contents = self.replayed_over.as_ref();
            return match contents.and_then(|load| load.contents.as_ref()) {
                Some(contents) if contents.lack(table, &event.end_position()) => Mode::Strict,
                _ => Mode::Tolerant,
            };
        }
        match self.states.is_suspect(table) {
            true => Mode::Lenient,
            false => Mode::Strict,
        }
    }

    /// A change of definition in the replay. The statement holds the table until it is over:
    /// if it was in the log before the load, then the SELECTs saw what it made of the table,
    /// and everything before it; the replay of this table starts with it. Otherwise some of
    /// the SELECTs may have come before it, and the tables have to be loaded again.
    pub(crate) fn redefine(
        &mut self,
        touch: &Touch,
        position: &BinlogPosition,
    ) -> Result<(), Error> {
        if !self.was_over(position) {
            return self.touch(touch);
        }
        self.mark();
        for &table in &touch.tables {
            self.back_to_load(table)?;
        }
        Ok(())
    }

    /// TRUNCATE TABLE of tables of the load: as any change of definition, but that one which was
    /// not over can be replayed.
    pub(crate) fn judge_truncated(&mut self, position: &BinlogPosition) -> Result<(), Error> {
        for table in std::mem::take(&mut self.truncated) {
            if self.was_over(position) {
                self.mark();
                self.back_to_load(table)?;
            } else {
                self.writer.truncate(table, None);
            }
        }
        Ok(())
    }

    /// Whether a statement that ends there was over before the first SELECT of the load.
    fn was_over(&self, position: &BinlogPosition) -> bool {
        let load = self.replayed_over.as_ref();
        load.is_some_and(|load| *position <= load.before_load)
    }

    /// Gives a table the rows again that the load had.
    fn back_to_load(&mut self, table: usize) -> Result<(), Error> {
        if self.writer.back_to_load(table) {
            self.states.changed(table);
            return Ok(());
        }
        // A statement that the load has in it, behind one that it does not have: that cannot be.
        self.need(Reload {
            diverged: true,
            ..Reload::new(
                Cause::Definition,
                vec![table],
                "its load was emptied".into(),
            )
        })
    }

    /// Whether the load certainly has a change in it.
    pub(crate) fn is_in_load(&self, table: usize, event: &RawEvent<'_>) -> bool {
        let load = self.replayed_over.as_ref();
        let contents = load.and_then(|load| load.contents.as_ref());
        self.states.is_loading(table)
            && contents.is_some_and(|held| held.have(table, &event.end_position()))
    }
}
