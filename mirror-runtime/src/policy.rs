//! What a mirror does when row events no longer tell what its tables hold, by cause.

/// Why row events alone no longer tell what some tables hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// A change that does not fit the rows that the mirror holds: someone wrote without the
    /// binlog (`sql_log_bin = 0`, HandlerSocket, a crash without `sync_binlog`).
    Divergence,
    /// A statement that changed rows of a mirrored table without logging them, or a ROLLBACK of
    /// which the log does not say what it left.
    Statement,
    /// ALTER, DROP, RENAME, CREATE OR REPLACE, or work on partitions.
    Definition,
    /// Rows that the server logged without all that is needed: a generated column, a default, or
    /// what a foreign key did.
    Incomplete,
    /// The server says that its log lacks changes (INCIDENT).
    Incident,
    /// The owner asked for it by [`Mirror::reload`](crate::Mirror::reload).
    Requested,
    /// The server no longer has the binlog from where the mirror stands, or no longer gives
    /// GTIDs.
    Gap,
    /// A transaction takes more memory than
    /// [`Limits::transaction_bytes`](crate::Limits::transaction_bytes).
    TooLarge,
}

/// What is done about a [`Cause`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Policy {
    /// The tables are loaded again while readers keep the last state; then all tables are shown
    /// at one transaction boundary.
    #[default]
    Reload,
    /// The mirror stops with the cause, and readers keep the last state.
    Stop,
    /// The mirror goes on. The tables are marked in its status
    /// ([`TableStatus::suspect`](crate::TableStatus::suspect)), which is unhealthy until they are
    /// loaded again; later changes of them are applied as far as they fit.
    KeepServing,
}

/// A [`Policy`] for each cause that there is a choice for.
///
/// They are followed by a mirror that is live. While it loads, whatever the load meets is loaded
/// again, since a load is only shown when it is right.
///
/// ```
/// use mirror_runtime::{Policies, Policy};
/// let policies = Policies {
///     divergence: Policy::Stop,
///     ..Policies::default()
/// };
/// assert_eq!(policies.statement, Policy::Reload);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Policies {
    /// For [`Cause::Divergence`].
    pub divergence: Policy,
    /// For [`Cause::Statement`].
    pub statement: Policy,
    /// For [`Cause::Definition`]. A layout that differs stops the mirror under any policy.
    pub definition: Policy,
    /// For [`Cause::Incomplete`].
    pub incomplete: Policy,
    /// For [`Cause::Incident`].
    pub incident: Policy,
    /// For [`Cause::Gap`]: with `KeepServing` as with `Stop`, since nothing can be followed.
    pub gap: Policy,
    /// For [`Cause::TooLarge`]: with `KeepServing` as with `Stop`, which is
    /// [`Error::Limit`](crate::Error::Limit) here.
    pub too_large: Policy,
}

impl Policies {
    /// The policy for a cause.
    #[must_use]
    pub fn of(&self, cause: Cause) -> Policy {
        match cause {
            Cause::Divergence => self.divergence,
            Cause::Statement => self.statement,
            Cause::Definition => self.definition,
            Cause::Incomplete => self.incomplete,
            Cause::Incident => self.incident,
            Cause::Gap => self.gap,
            Cause::TooLarge => self.too_large,
            Cause::Requested => Policy::Reload,
        }
    }
}

impl std::fmt::Display for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Divergence => "divergence",
            Self::Statement => "statement",
            Self::Definition => "definition",
            Self::Incomplete => "incomplete rows",
            Self::Incident => "incident",
            Self::Requested => "request",
            Self::Gap => "gap",
            Self::TooLarge => "a transaction that is too large",
        })
    }
}
