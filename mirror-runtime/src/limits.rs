//! The most that a mirror takes of anything, and what is said when that is reached.

use crate::error::Error;

/// Bytes in 1 GiB: the largest packet of the protocol, and so the largest event of a server.
pub(crate) const GIB: u64 = 1 << 30;
const KIB: u64 = 1 << 10;
const TIB: u64 = 1 << 40;

/// The most that a mirror takes of anything that grows with what the server or the program does.
///
/// Reaching one is [`Error::Limit`], or what is said here; `docs/limits.md` has a table, with what is
/// bounded by constants too. A mirror does not start with one that is out of its range.
///
/// ```
/// use mirror_runtime::{Limits, Options};
///
/// let mut options = Options::new("mysql://mirror@db/".parse()?);
/// options.limits = Limits {
///     transaction_bytes: 512 << 20,
///     table_bytes: 8 << 30,
///     ..Limits::default()
/// };
/// # Ok::<(), mirror_runtime::SourceError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one binlog event, as it comes and once it is unpacked; 64 KiB to 1 GiB, default
    /// 1 GiB (the most that `max_allowed_packet` can be).
    pub event_bytes: u64,
    /// Bytes of a compressed transaction once it is unpacked, which is done event by event; 64 KiB
    /// to 2^64 - 1, default 64 GiB.
    pub payload_bytes: u64,
    /// Bytes of memory that a transaction takes which is not committed yet: versions of rows, keys,
    /// and the list of changes for subscribers; 64 KiB to 2^64 - 1, default 4 GiB. What is done then
    /// is up to [`Policies::too_large`](crate::Policies::too_large): the tables are loaded again, or
    /// the mirror stops with [`Error::Limit`].
    pub transaction_bytes: u64,
    /// Bytes of memory that all tables take, those that are being loaded and the versions of rows
    /// that snapshots hold included; 64 KiB to 2^64 - 1, default 2^64 - 1: no limit.
    pub table_bytes: u64,
    /// Subscriptions at a time; 1 to 1,000,000, default 10,000.
    pub subscribers: usize,
    /// Transactions that a subscriber may ask its queue to hold; 1 to 16,777,216, default 1,048,576.
    pub queue_transactions: usize,
    /// Bytes of a checkpoint's file, written or read; 64 KiB to 2^64 - 1, default 1 TiB. No larger one
    /// is written, and one that is there is not used.
    pub checkpoint_bytes: u64,
    /// Times within a minute that a lost connection is made again, whatever else happened between;
    /// 1 to 6,000, default 120. Then the mirror waits, and says so in its log.
    pub reconnects_per_minute: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            event_bytes: GIB,
            payload_bytes: 64 * GIB,
            transaction_bytes: 4 * GIB,
            table_bytes: u64::MAX,
            subscribers: 10_000,
            queue_transactions: 1 << 20,
            checkpoint_bytes: TIB,
            reconnects_per_minute: 120,
        }
    }
}

impl Limits {
    /// Whether each is in its range.
    ///
    /// # Errors
    /// [`Error::Option`] for the first that is not.
    pub fn check(&self) -> Result<(), Error> {
        let least = 64 * KIB;
        in_range("limits.event_bytes", self.event_bytes, least, GIB)?;
        in_range("limits.payload_bytes", self.payload_bytes, least, u64::MAX)?;
        let transaction = self.transaction_bytes;
        in_range("limits.transaction_bytes", transaction, least, u64::MAX)?;
        in_range("limits.table_bytes", self.table_bytes, least, u64::MAX)?;
        let subscribers = self.subscribers as u64;
        in_range("limits.subscribers", subscribers, 1, 1_000_000)?;
        let queue = self.queue_transactions as u64;
        in_range("limits.queue_transactions", queue, 1, 1 << 24)?;
        let checkpoint = self.checkpoint_bytes;
        in_range("limits.checkpoint_bytes", checkpoint, least, u64::MAX)?;
        let reconnects = u64::from(self.reconnects_per_minute);
        in_range("limits.reconnects_per_minute", reconnects, 1, 6000)
    }
}

/// Whether an option is in its range.
pub(crate) fn in_range(name: &'static str, found: u64, least: u64, most: u64) -> Result<(), Error> {
    match (least..=most).contains(&found) {
        true => Ok(()),
        false => Err(Error::Option {
            name,
            found: found.to_string(),
            expected: format!("{least} to {most}"),
        }),
    }
}

/// One of the [`Limits`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// [`Limits::event_bytes`].
    EventBytes,
    /// [`Limits::payload_bytes`].
    PayloadBytes,
    /// [`Limits::transaction_bytes`].
    TransactionBytes,
    /// [`Limits::table_bytes`].
    TableBytes,
    /// [`Limits::subscribers`].
    Subscribers,
    /// [`Limits::queue_transactions`].
    QueueTransactions,
}

impl Limit {
    /// The field of [`Limits`].
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::EventBytes => "event_bytes",
            Self::PayloadBytes => "payload_bytes",
            Self::TransactionBytes => "transaction_bytes",
            Self::TableBytes => "table_bytes",
            Self::Subscribers => "subscribers",
            Self::QueueTransactions => "queue_transactions",
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::EventBytes | Self::PayloadBytes | Self::TransactionBytes | Self::TableBytes => {
                "bytes"
            }
            Self::Subscribers => "subscriptions",
            Self::QueueTransactions => "transactions",
        }
    }

    fn remedy(self) -> &'static str {
        match self {
            Self::EventBytes => {
                "raise it (--max-event), or write smaller rows, and start again: without a \
                 checkpoint, or behind this event"
            }
            Self::PayloadBytes => {
                "raise it, write smaller transactions, or switch binlog_transaction_compression off, \
                 and start again: without a checkpoint, or behind this transaction"
            }
            Self::TransactionBytes => {
                "raise it (--max-transaction-memory), write smaller transactions, or choose \
                 Policy::Reload for it, and start again"
            }
            Self::TableBytes => {
                "raise it (--max-memory), mirror fewer tables or columns, or let go of old snapshots, \
                 and start again"
            }
            Self::Subscribers => "drop subscriptions that are not needed, or raise it",
            Self::QueueTransactions => "ask for a shorter queue, or raise it",
        }
    }
}

/// One of the [`Limits`] was reached.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{what}: found {found} {unit}, allowed {allowed} (limit {name}); {remedy}",
    found = found.map_or_else(|| "more".to_owned(), |found| found.to_string()),
    unit = limit.unit(), name = limit.name(), remedy = limit.remedy()
)]
pub struct LimitError {
    /// Which.
    pub limit: Limit,
    /// What is larger, and where it was met; never a value.
    pub what: String,
    /// How much was found, where that is known.
    pub found: Option<u64>,
    /// How much is allowed.
    pub allowed: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_in_their_ranges_and_what_is_not_is_named() {
        assert_eq!(Limits::default().check(), Ok(()));
        let zero = Limits {
            event_bytes: 0,
            payload_bytes: 0,
            transaction_bytes: 0,
            table_bytes: 0,
            subscribers: 0,
            queue_transactions: 0,
            checkpoint_bytes: 0,
            reconnects_per_minute: 0,
        };
        let whole = Limits::default();
        let named = |limits: Limits| match limits.check() {
            Err(Error::Option { name, .. }) => name,
            other => panic!("{other:?}"),
        };
        macro_rules! each_is_named {
            ($($field:ident),*) => {$(
                let limits = Limits { $field: zero.$field, ..whole.clone() };
                assert_eq!(named(limits), concat!("limits.", stringify!($field)));
            )*};
        }
        each_is_named!(event_bytes, payload_bytes, transaction_bytes, table_bytes);
        each_is_named!(
            subscribers,
            queue_transactions,
            checkpoint_bytes,
            reconnects_per_minute
        );
        let event_bytes = GIB + 1;
        assert_eq!(
            named(Limits {
                event_bytes,
                ..whole
            }),
            "limits.event_bytes"
        );
    }

    #[test]
    fn the_message_says_what_found_allowed_and_what_to_do() {
        let error = LimitError {
            limit: Limit::TransactionBytes,
            what: "the transaction at b.000001:9".into(),
            found: Some(70_000),
            allowed: 65_536,
        };
        assert_eq!(
            error.to_string(),
            "the transaction at b.000001:9: found 70000 bytes, allowed 65536 (limit \
             transaction_bytes); raise it (--max-transaction-memory), write smaller transactions, or \
             choose Policy::Reload for it, and start again"
        );
    }
}
