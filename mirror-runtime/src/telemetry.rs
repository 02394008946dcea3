//! A status as metrics, by the `metrics` facade: whichever exporter the service has installed gets
//! them. Names and labels are listed in docs/status.md.

use metrics::{counter, gauge};

use crate::checkpoint::CheckpointStatus;
use crate::health::{Readiness, Staleness};
use crate::status::{State, Status, TableStatus};

/// Sets all metrics of a mirror to what its status says: to be called every few seconds.
///
/// `mirror` tells several mirrors of one process apart; it becomes a label.
///
/// ```no_run
/// # fn example<S: mirror_runtime::Schema>(mirror: &mirror_runtime::Mirror<S>) {
/// mirror_runtime::record_metrics("ads", &mirror.status(), &Default::default());
/// # }
/// ```
pub fn record_metrics(mirror: &str, status: &Status, taken: &Staleness) {
    let label = || mirror.to_owned();
    let ready = status.readiness(taken) == Readiness::Ready;
    gauge!("mirror_ready", "mirror" => label()).set(f64::from(u8::from(ready)));
    let live = status.state == State::Live;
    gauge!("mirror_live", "mirror" => label()).set(f64::from(u8::from(live)));
    let seconds = [
        ("mirror_commit_to_visible_seconds", status.commit_to_visible),
        ("mirror_silent_seconds", status.silent_for),
        ("mirror_oldest_snapshot_seconds", status.oldest_snapshot),
        ("mirror_load_seconds", status.load_time),
    ];
    for (name, duration) in seconds {
        gauge!(name, "mirror" => label()).set(duration.unwrap_or_default().as_secs_f64());
    }
    let counts = [
        ("mirror_transactions_total", status.transactions),
        ("mirror_reconnects_total", status.reconnects),
        ("mirror_reloads_total", status.reloads),
    ];
    for (name, count) in counts {
        counter!(name, "mirror" => label()).absolute(count);
    }
    gauge!("mirror_pinned_versions", "mirror" => label()).set(status.pinned_versions() as f64);
    if let Some(checkpoint) = &status.checkpoint {
        record_checkpoint(mirror, checkpoint);
    }
    for table in &status.tables {
        record_table(mirror, table);
    }
}

fn record_checkpoint(mirror: &str, checkpoint: &CheckpointStatus) {
    let label = || mirror.to_owned();
    let failed = f64::from(u8::from(checkpoint.error.is_some()));
    gauge!("mirror_checkpoint_failed", "mirror" => label()).set(failed);
    counter!("mirror_checkpoints_total", "mirror" => label()).absolute(checkpoint.written);
    if let Some(age) = checkpoint.age() {
        gauge!("mirror_checkpoint_age_seconds", "mirror" => label()).set(age.as_secs_f64());
        gauge!("mirror_checkpoint_bytes", "mirror" => label()).set(checkpoint.bytes as f64);
    }
}

fn record_table(mirror: &str, table: &TableStatus) {
    let labels = [
        ("mirror", mirror.to_owned()),
        ("table", table.table.clone()),
    ];
    let gauges = [
        ("mirror_table_rows", table.rows as f64),
        ("mirror_table_row_bytes", table.memory.row_bytes as f64),
        ("mirror_table_index_bytes", table.memory.index_bytes as f64),
        ("mirror_table_versions", table.memory.versions as f64),
        (
            "mirror_table_suspect",
            f64::from(u8::from(table.suspect.is_some())),
        ),
    ];
    for (name, value) in gauges {
        gauge!(name, &labels).set(value);
    }
    let counts = [
        ("mirror_table_reloads_total", table.reloads),
        ("mirror_table_divergences_total", table.divergences),
    ];
    for (name, count) in counts {
        counter!(name, &labels).absolute(count);
    }
}
