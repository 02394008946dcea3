//! From where a load sees the server: an anchor, and a snapshot where one is needed.

use std::time::Duration;

use mysql::Conn;

use super::Order;
use super::anchor::{self, Anchor};
use super::snapshot::{self, Contents};
use crate::error::Error;
use crate::foreign_key_check::logs_cascades;
use crate::foreign_keys::ForeignKeys;
use crate::mirror::Shared;
use crate::source::{BinlogPosition, ServerInfo, StreamStart, status::binlog_status};
use crate::store::Schema;

/// Tries at an anchor that is not before the place where the other tables stand: what was read
/// from the binlog is visible to SELECTs a moment later.
const TRIES: u32 = 50;
const BETWEEN_TRIES: Duration = Duration::from_millis(20);

/// What a load is seen from.
pub(super) struct View {
    /// Whether all selected tables have to be loaded.
    pub(super) is_whole: bool,
    /// Every transaction before this is visible.
    pub(super) anchor: Anchor,
    /// The end of the binlog before the first SELECT.
    pub(super) before_load: BinlogPosition,
    /// The connection that sees the snapshot, if there is one, and what that lacks.
    pub(super) conn: Option<Conn>,
    pub(super) contents: Option<Contents>,
}

impl View {
    /// Where other tables stand at a place of their own, SELECTs must see everything before it:
    /// then the replay can start there, for all tables. An anchor that stays behind (the start of
    /// the current file) makes it a load of all tables.
    pub(super) fn open<S: Schema>(
        conn: &mut Conn,
        info: &ServerInfo,
        shared: &Shared<S>,
        order: &Order<'_>,
    ) -> Result<Self, Error> {
        let Some(resume) = order.resume else {
            return Self::look(conn, info, shared, order, true);
        };
        for _ in 0..TRIES {
            let view = Self::look(conn, info, shared, order, false)?;
            if view.contents.as_ref().is_some_and(|held| !held.is_exact()) {
                // Between the place and the snapshot there would be much that cannot be replayed.
                break;
            }
            if covers(&view.anchor.start, resume) {
                return Ok(view);
            }
            if shared.stopped() {
                return Err(Error::Stopped);
            }
            if is_other_kind(&view.anchor.start, resume) {
                break;
            }
            std::thread::sleep(BETWEEN_TRIES);
        }
        tracing::info!("loading all tables: nothing tells that SELECTs see the last transaction");
        Self::look(conn, info, shared, order, true)
    }

    fn look<S: Schema>(
        conn: &mut Conn,
        info: &ServerInfo,
        shared: &Shared<S>,
        order: &Order<'_>,
        is_whole: bool,
    ) -> Result<Self, Error> {
        let loading = match is_whole {
            true => &shared.selected,
            false => order.loading,
        };
        // What a foreign key does cannot be replayed over rows of different times.
        let has_cascades = !ForeignKeys::new(S::layouts(), loading).is_empty();
        let options = &shared.options;
        if order.in_snapshot || (has_cascades && !logs_cascades(conn, info)?) {
            let opened =
                snapshot::open(conn, shared.url(), options.naive_anchor, info, S::layouts())?;
            return Ok(Self {
                is_whole,
                anchor: opened.anchor,
                before_load: opened.before,
                conn: Some(opened.conn),
                contents: Some(opened.contents),
            });
        }
        let anchor = anchor::choose(conn, info, options.naive_anchor)?;
        Ok(Self {
            is_whole,
            anchor,
            before_load: binlog_status(conn, info)?,
            conn: None,
            contents: None,
        })
    }
}

/// Whether an anchor has everything before the place in it.
fn covers(anchor: &StreamStart, resume: &StreamStart) -> bool {
    match (anchor, resume) {
        (StreamStart::Gtid(anchor), StreamStart::Gtid(resume)) => anchor.contains_set(resume),
        (StreamStart::File(anchor), StreamStart::File(resume)) => anchor >= resume,
        _ => false,
    }
}

/// Whether the two cannot be compared, however often they are looked at.
fn is_other_kind(anchor: &StreamStart, resume: &StreamStart) -> bool {
    std::mem::discriminant(anchor) != std::mem::discriminant(resume)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Family, GtidSet};

    #[test]
    fn an_anchor_covers_what_is_not_behind_it() {
        let gtid = |text: &str| StreamStart::Gtid(GtidSet::parse(text, Family::MySql).unwrap());
        let file = |offset| StreamStart::File(BinlogPosition::new("binlog.000002", offset));
        let id = "3E11FA47-71CA-11E1-9E33-C80AA9429562";
        assert!(covers(
            &gtid(&format!("{id}:1-9")),
            &gtid(&format!("{id}:1-9"))
        ));
        assert!(!covers(
            &gtid(&format!("{id}:1-8")),
            &gtid(&format!("{id}:1-9"))
        ));
        assert!(covers(&file(900), &file(900)));
        assert!(!covers(&file(899), &file(900)));
        assert!(!covers(&file(900), &gtid(&format!("{id}:1"))));
    }
}
