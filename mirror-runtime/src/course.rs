//! The course of a mirror from load to load: what the next one is of, and when it is given up.

use std::sync::Arc;

use crate::backoff::Backoff;
use crate::bootstrap::{Loaded, Order, bootstrap};
use crate::error::{Error, TableError};
use crate::foreign_keys::ForeignKeys;
use crate::image::ColumnDefault;
use crate::mirror::Shared;
use crate::reload::Reload;
use crate::remedy::remedy;
use crate::resume::{MAX_MISSING, is_missing};
use crate::source::{BinlogPosition, FollowedLog, StreamStart, derive_server_id};
use crate::status::State;
use crate::store::{Schema, Writer};
use crate::table_states::TableStates;

/// Where the reason of a load is logged: whoever tells it otherwise leaves this out.
const LOADING_AGAIN: &str = "mirror_runtime::loading_again";

/// From load to load: what the next one is of, and why it is made.
pub(crate) struct Course<'m, S: Schema> {
    shared: &'m Shared<S>,
    pub(crate) server_id: u32,
    pub(crate) foreign_keys: Arc<ForeignKeys>,
    pub(crate) states: TableStates,
    /// What columns have that an insert's image lacks, as of each table's load.
    pub(crate) defaults: Vec<Arc<[ColumnDefault]>>,
    /// Why the tables are loaded again; nothing before the first load.
    pub(crate) reason: Option<String>,
    /// Where the tables that are not loaded stand.
    resume: Option<StreamStart>,
    /// The log in which that is.
    pub(crate) log: FollowedLog,
    in_snapshot: bool,
    in_a_row: u32,
    /// Loads in a row that were not shown, since each met what needs another.
    unshown: u32,
    met_at: Option<BinlogPosition>,
    missing: u32,
    backoff: Backoff,
}

impl<'m, S: Schema> Course<'m, S> {
    pub(crate) fn new(shared: &'m Shared<S>) -> Self {
        let options = &shared.options;
        Self {
            shared,
            server_id: options
                .server_id
                .unwrap_or_else(|| derive_server_id(&options.url)),
            foreign_keys: Arc::new(ForeignKeys::new(S::layouts(), &shared.selected)),
            states: TableStates::new(&shared.selected),
            defaults: vec![Arc::default(); S::layouts().len()],
            reason: None,
            resume: None,
            log: FollowedLog::default(),
            in_snapshot: false,
            in_a_row: 0,
            unshown: 0,
            met_at: None,
            missing: 0,
            backoff: Backoff::new(options),
        }
    }

    /// The next load, tried until it is there; `None` when the mirror is to stop.
    pub(crate) fn load(&mut self, writer: &Writer<S>) -> Result<Option<Loaded<S>>, Error> {
        let shared = self.shared;
        loop {
            let asks = |conn| shared.set_stream(Some(conn));
            let order = Order {
                loading: self.states.loading(),
                resume: self.resume.as_ref(),
                log: &self.log,
                // Our own stream of before a reload may still be listed among the replicas.
                check_id: self.reason.is_none().then_some(self.server_id),
                in_snapshot: self.in_snapshot,
                asks: &asks,
            };
            let anchor = tracing::field::Empty;
            let span = tracing::info_span!("load", tables = self.names(), anchor);
            let loaded = span.in_scope(|| bootstrap(shared, &order, writer));
            shared.set_stream(None);
            if shared.stopped() {
                return Ok(None);
            }
            let reloading = self.reason.is_some();
            match loaded {
                Ok(loaded) => {
                    self.missing = 0;
                    shared.servers.served();
                    return Ok(Some(loaded));
                }
                Err(error) if self.has_another(&error) => {
                    tracing::warn!(%error, "trying the next server");
                    continue;
                }
                Err(error) if reloading && is_transient(&error) => {
                    tracing::warn!(%error, "loading again failed");
                    shared.status.update(|status| {
                        status.state = State::Reconnecting;
                        status.last_loss = Some(error.to_string());
                    });
                }
                Err(error) if reloading && is_missing(&error) && self.missing < MAX_MISSING => {
                    // Between the DROP or RENAME that made us load again and what follows on it.
                    tracing::warn!(%error, "loading again failed");
                    self.missing += 1;
                }
                Err(error) => return Err(error),
            }
            self.backoff.wait(shared);
        }
    }

    /// Whether there is a server that was not tried since one served: goes on to it.
    fn has_another(&self, error: &Error) -> bool {
        matches!(error, Error::Source(_)) && self.shared.servers.failed()
    }

    /// Takes over where the load stands; the start of its replay.
    pub(crate) fn take(&mut self, loaded: &mut Loaded<S>) -> StreamStart {
        if let Some(log) = loaded.restored.take() {
            self.log = log;
            self.states.restored();
            self.defaults = std::mem::take(&mut loaded.defaults);
            return loaded.start.clone();
        }
        if loaded.is_whole {
            self.log = FollowedLog::default();
            self.states.plan_all();
        }
        let defaults = std::mem::take(&mut loaded.defaults);
        for (index, defaults) in defaults.into_iter().enumerate() {
            if let Some(held) = self.defaults.get_mut(index)
                && self.states.is_loading(index)
            {
                *held = defaults;
            }
        }
        loaded.start.clone()
    }

    /// Decides on the next load.
    pub(crate) fn again(
        &mut self,
        reload: Reload,
        resume: Option<StreamStart>,
        live: bool,
        applied: u64,
    ) -> Result<(), Error> {
        match resume {
            Some(_) => self.states.plan(&reload, live),
            None => self.states.plan_all(),
        }
        self.resume = resume.filter(|_| !self.states.loads_all());
        self.in_snapshot = reload.not_replayable;
        let tables = self.names();
        tracing::warn!(target: LOADING_AGAIN, reason = reload.reason, tables, "loading again");
        // A load that is replayed from before what it was made for meets that again.
        let met_again = reload.at.is_some() && reload.at == self.met_at;
        self.in_a_row = match (reload.diverged || met_again, applied) {
            (true, 0) => self.in_a_row + 1,
            _ => 0,
        };
        if self.in_a_row >= self.shared.options.max_reloads_in_a_row {
            let remedy = remedy(&reload);
            return Err(match reload.at.filter(|_| met_again && !reload.diverged) {
                Some(position) => met_in_each_replay(&reload.reason, position),
                None => TableError::ReloadLoop {
                    table: tables,
                    times: self.in_a_row,
                    remedy,
                    reason: reload.reason,
                },
            }
            .into());
        }
        self.count(&reload.reason);
        self.reason = Some(reload.reason);
        self.met_at = reload.at;
        self.unshown = if live { 0 } else { self.unshown + 1 };
        if met_again || self.unshown >= self.shared.options.max_reloads_in_a_row {
            self.backoff.wait(self.shared);
        } else {
            self.backoff.reset();
        }
        Ok(())
    }

    fn count(&self, reason: &str) {
        self.shared.status.update(|status| {
            // With the count, so that who waits for both sees the load that was counted.
            status.state = State::Loading;
            status.reloads += 1;
            status.last_reload = Some(reason.to_owned());
            for (table, loading) in status.tables.iter_mut().zip(self.states.loading()) {
                table.reloads += u64::from(*loading);
            }
        });
    }

    /// The tables of the next load, in words.
    fn names(&self) -> String {
        if self.states.loads_all() {
            return "*".into();
        }
        let layouts = S::layouts().iter().zip(self.states.loading());
        let names: Vec<String> = layouts
            .filter(|(_, loading)| **loading)
            .map(|(layout, _)| layout.full_name())
            .collect();
        names.join(", ")
    }
}

/// What rows cannot tell, in the stretch that each load has to be replayed from: without GTIDs
/// and the right to read `log_status`, that is the current file.
fn met_in_each_replay(reason: &str, position: BinlogPosition) -> TableError {
    TableError::Unsupported {
        table: "*".into(),
        what: format!("{reason}, which each load meets again in its replay,"),
        position,
        remedy: "make the server start a new file (FLUSH BINARY LOGS) and start again; on MySQL, \
                 loads start behind such statements with gtid_mode = ON, or with BACKUP_ADMIN ON \
                 *.* and SELECT ON performance_schema.log_status",
    }
}

fn is_transient(error: &Error) -> bool {
    matches!(error, Error::Source(error) if error.is_transient())
}
