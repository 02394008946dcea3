//! A status as JSON: the names are listed in docs/status.md.

use std::time::Duration;

use serde_json::{Value, json};

use crate::checkpoint::CheckpointStatus;
use crate::status::{Health, Status, TableStatus};

fn seconds(duration: Option<Duration>) -> Value {
    duration.map_or(Value::Null, |duration| json!(duration.as_secs_f64()))
}

impl Status {
    /// The status as one JSON object: durations in seconds, sizes in bytes, what is not known as
    /// `null`. Names that are there stay there.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let (health, reason) = match self.health() {
            Health::Starting => ("starting", None),
            Health::Healthy => ("healthy", None),
            Health::Stale(reason) => ("stale", Some(reason)),
            Health::Unhealthy(reason) => ("unhealthy", Some(reason)),
        };
        json!({
            "state": self.state.name(),
            "health": health,
            "health_reason": reason,
            "server": self.server,
            "position": self.position.as_ref().map(ToString::to_string),
            "gtid": self.gtid.as_ref().map(ToString::to_string),
            "transactions": self.transactions,
            "lag_seconds": seconds(self.lag()),
            "commit_to_visible_seconds": seconds(self.commit_to_visible),
            "silent_seconds": seconds(self.silent_for),
            "reconnects": self.reconnects,
            "connection_attempts": self.connection_attempts,
            "last_loss": self.last_loss,
            "reloads": self.reloads,
            "last_reload": self.last_reload,
            "load_seconds": seconds(self.load_time),
            "oldest_snapshot_seconds": seconds(self.oldest_snapshot),
            "pinned_versions": self.pinned_versions(),
            "memory_bytes": self.memory_bytes(),
            "checkpoint": self.checkpoint.as_ref().map(CheckpointStatus::to_json),
            "tables": self.tables.iter().map(TableStatus::to_json).collect::<Vec<_>>(),
        })
    }

    /// Bytes of all tables: rows, their versions, keys and indexes, without what the allocator adds.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.tables.iter().map(TableStatus::memory_bytes).sum()
    }
}

impl CheckpointStatus {
    fn to_json(&self) -> Value {
        json!({
            "started_from": self.started_from.as_ref().map(ToString::to_string),
            "unusable": self.unusable,
            "written": self.written,
            "age_seconds": seconds(self.age()),
            "position": self.position.as_ref().map(ToString::to_string),
            "bytes": self.bytes,
            "write_seconds": self.took.as_secs_f64(),
            "error": self.error,
        })
    }
}

impl TableStatus {
    /// Bytes of rows, versions, keys and indexes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.memory.row_bytes + self.memory.index_bytes
    }

    fn to_json(&self) -> Value {
        json!({
            "table": self.table,
            "rows": self.rows,
            "changes": self.changes,
            "versions": self.memory.versions,
            "row_bytes": self.memory.row_bytes,
            "index_bytes": self.memory.index_bytes,
            "loading": self.loading,
            "estimated_rows": self.estimated_rows,
            "reloads": self.reloads,
            "divergences": self.divergences,
            "suspect": self.suspect,
        })
    }
}
