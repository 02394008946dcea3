//! How a mirror is run.

use std::time::Duration;

use crate::checkpoint::CheckpointOptions;
use crate::error::Error;
use crate::layout::TableLayout;
use crate::limits::{Limits, in_range};
use crate::policy::Policies;
use crate::source::ServerUrl;

/// How a mirror is run; start from [`Options::new`] and change what you need.
#[derive(Debug, Clone)]
pub struct Options {
    /// The server, or several in the order in which they are tried: when one is lost, the next
    /// that has every transaction that the mirror has is followed on by GTIDs.
    pub url: ServerUrl,
    /// Full names (`database.table`) of the tables to mirror; `None` for all that were
    /// generated. The others stay empty, and their layouts are not checked.
    pub tables: Option<Vec<String>>,
    /// Server id to register as; must be unique among the server's replicas. `None` derives
    /// one from process, time and address.
    pub server_id: Option<u32>,
    /// Connections that load tables side by side, 1 to 64; default 4. Each takes up to a core of
    /// the server, and about half of one here.
    pub load_connections: usize,
    /// Rows that a SELECT of the load is planned to give, by the server's estimate, at least 1;
    /// default 50,000. It does not bound memory: rows are taken over in batches of 1 MiB of text.
    pub chunk_rows: u64,
    /// Seconds between the server's heartbeats, 1 to 3600; the connection counts as lost after
    /// three of them without anything; default 2.
    pub heartbeat_seconds: u32,
    /// Longest wait between two tries to connect again, 1 ms to a day; default 30 s. The first is 100 ms, each
    /// next one twice as long, and each is shortened at random by up to a half.
    pub reconnect_max_wait: Duration,
    /// How long servers may lack transactions that the mirror has, as a replica does that lags when
    /// it takes over; then the tables are loaded again from one of them. Default 10 s.
    pub behind_patience: Duration,
    /// Loads in a row, without a transaction applied in between, before the mirror gives up; at
    /// least 1, default 5.
    pub max_reloads_in_a_row: u32,
    /// What to do when row events no longer tell what tables hold, by cause; default: load them
    /// again.
    pub policies: Policies,
    /// Where checkpoints are written, and from where the mirror starts without a load; default:
    /// none.
    pub checkpoint: Option<CheckpointOptions>,
    /// The most that the mirror takes of anything.
    pub limits: Limits,
    /// For the tests only: use the racy anchor, to show that they would see it.
    #[doc(hidden)]
    pub naive_anchor: bool,
}

impl Options {
    /// The defaults, for this server.
    #[must_use]
    pub fn new(url: ServerUrl) -> Self {
        Self {
            url,
            tables: None,
            server_id: None,
            load_connections: 4,
            chunk_rows: 50_000,
            heartbeat_seconds: 2,
            reconnect_max_wait: Duration::from_secs(30),
            behind_patience: Duration::from_secs(10),
            max_reloads_in_a_row: 5,
            policies: Policies::default(),
            checkpoint: None,
            limits: Limits::default(),
            naive_anchor: false,
        }
    }

    /// Whether each option is in its range.
    ///
    /// # Errors
    /// [`Error::Option`] for the first that is not.
    pub fn check(&self) -> Result<(), Error> {
        let connections = self.load_connections as u64;
        in_range("load_connections", connections, 1, 64)?;
        in_range("chunk_rows", self.chunk_rows, 1, u64::MAX)?;
        let heartbeat = u64::from(self.heartbeat_seconds);
        in_range("heartbeat_seconds", heartbeat, 1, 3600)?;
        let wait = u64::try_from(self.reconnect_max_wait.as_millis()).unwrap_or(u64::MAX);
        in_range("reconnect_max_wait (milliseconds)", wait, 1, 86_400_000)?;
        let reloads = u64::from(self.max_reloads_in_a_row);
        in_range("max_reloads_in_a_row", reloads, 1, u64::from(u32::MAX))?;
        self.limits.check()
    }

    /// Which of the tables are mirrored, by table index.
    ///
    /// # Errors
    /// When a name in `tables` is none of theirs.
    pub fn selection(&self, layouts: &[&'static TableLayout]) -> Result<Vec<bool>, Error> {
        let Some(names) = &self.tables else {
            return Ok(vec![true; layouts.len()]);
        };
        let full_names: Vec<String> = layouts.iter().map(|layout| layout.full_name()).collect();
        let names: Vec<&str> = names.iter().map(|name| name.trim()).collect();
        for name in &names {
            if !full_names.iter().any(|full| full == name) {
                return Err(Error::UnknownTable {
                    name: (*name).to_owned(),
                    mirrored: full_names.join(", "),
                });
            }
        }
        Ok(full_names
            .iter()
            .map(|full| names.contains(&full.as_str()))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_out_of_its_range_is_named_with_what_was_found_and_expected() {
        let whole = Options::new("mysql://u@h/".parse().unwrap());
        assert_eq!(whole.check(), Ok(()));
        let refused = |change: &dyn Fn(&mut Options)| {
            let mut options = whole.clone();
            change(&mut options);
            options.check().unwrap_err().to_string()
        };
        assert_eq!(
            refused(&|options| options.load_connections = 65),
            "option load_connections: found 65, expected 1 to 64"
        );
        for (change, name) in [
            (
                (|options| options.chunk_rows = 0) as fn(&mut Options),
                "chunk_rows",
            ),
            (|options| options.heartbeat_seconds = 0, "heartbeat_seconds"),
            (
                |options| options.reconnect_max_wait = Duration::ZERO,
                "reconnect_max_wait",
            ),
            (
                |options| options.max_reloads_in_a_row = 0,
                "max_reloads_in_a_row",
            ),
            (
                |options| options.limits.subscribers = 0,
                "limits.subscribers",
            ),
        ] {
            let message = refused(&change);
            assert!(message.contains(name), "{message}");
        }
    }
}
