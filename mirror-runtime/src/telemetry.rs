//! A status as metrics, by the `metrics` facade: whichever exporter the service has installed gets
//! them. Names and labels are listed in docs/status.md.

use metrics::{Unit, counter, describe_counter, describe_gauge, gauge};

use crate::checkpoint::CheckpointStatus;
use crate::health::{Readiness, Staleness};
use crate::status::{State, Status, TableStatus};

/// Every gauge, its unit and what it is.
const GAUGES: [(&str, Unit, &str); 15] = [
    (
        "mirror_ready",
        Unit::Count,
        "1 if a service can use what the mirror shows, else 0",
    ),
    (
        "mirror_live",
        Unit::Count,
        "1 while the mirror follows the server, else 0",
    ),
    (
        "mirror_commit_to_visible_seconds",
        Unit::Seconds,
        "Time from commit to visible of the last transaction",
    ),
    (
        "mirror_silent_seconds",
        Unit::Seconds,
        "Time since anything came from the server",
    ),
    (
        "mirror_oldest_snapshot_seconds",
        Unit::Seconds,
        "Time since the oldest state that a snapshot holds was replaced",
    ),
    (
        "mirror_load_seconds",
        Unit::Seconds,
        "How long the last load took",
    ),
    (
        "mirror_pinned_versions",
        Unit::Count,
        "Versions of rows that are kept beside the last state",
    ),
    (
        "mirror_checkpoint_failed",
        Unit::Count,
        "1 if the last checkpoint was not written, else 0",
    ),
    (
        "mirror_checkpoint_age_seconds",
        Unit::Seconds,
        "Time since the last checkpoint was written",
    ),
    (
        "mirror_checkpoint_bytes",
        Unit::Bytes,
        "Size of the last checkpoint",
    ),
    ("mirror_table_rows", Unit::Count, "Rows of the table"),
    (
        "mirror_table_row_bytes",
        Unit::Bytes,
        "Memory of the table's rows and their versions",
    ),
    (
        "mirror_table_index_bytes",
        Unit::Bytes,
        "Memory of the table's keys and indexes",
    ),
    (
        "mirror_table_versions",
        Unit::Count,
        "Versions of the table's rows, the last ones included",
    ),
    (
        "mirror_table_suspect",
        Unit::Count,
        "1 if rows of the table may be wrong, else 0",
    ),
];

/// Every counter and what it counts.
const COUNTERS: [(&str, &str); 7] = [
    (
        "mirror_transactions_total",
        "Transactions that were published",
    ),
    (
        "mirror_reconnects_total",
        "Lost connections that were made again",
    ),
    (
        "mirror_connection_attempts_total",
        "Tries to make lost connections again",
    ),
    (
        "mirror_reloads_total",
        "Loads after the first, of one table or more",
    ),
    ("mirror_checkpoints_total", "Checkpoints that were written"),
    (
        "mirror_table_reloads_total",
        "Loads of the table after its first",
    ),
    (
        "mirror_table_divergences_total",
        "Changes that did not fit the rows that the mirror held",
    ),
];

/// Tells the exporter what each metric is, for its HELP lines: once, after it was installed.
pub fn describe_metrics() {
    for (name, unit, help) in GAUGES {
        describe_gauge!(name, unit, help);
    }
    for (name, help) in COUNTERS {
        describe_counter!(name, Unit::Count, help);
    }
}

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
        (
            "mirror_connection_attempts_total",
            status.connection_attempts,
        ),
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Mutex;

    use metrics::{
        Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString,
        with_local_recorder,
    };

    use super::*;
    use crate::status::StatusCell;

    /// Notes which names are described and which are set.
    #[derive(Default)]
    struct Names {
        described: Mutex<BTreeSet<String>>,
        set: Mutex<BTreeSet<String>>,
    }

    impl Names {
        fn describe(&self, key: &KeyName) {
            let is_new = self.described.lock().unwrap().insert(key.as_str().into());
            assert!(is_new, "{} is described twice", key.as_str());
        }

        fn set(&self, kind: &str, key: &Key) {
            let is_counter = key.name().ends_with("_total");
            assert_eq!(is_counter, kind == "counter", "{}", key.name());
            self.set.lock().unwrap().insert(key.name().to_owned());
        }
    }

    impl Recorder for Names {
        fn describe_counter(&self, key: KeyName, _: Option<Unit>, _: SharedString) {
            self.describe(&key);
        }

        fn describe_gauge(&self, key: KeyName, _: Option<Unit>, _: SharedString) {
            self.describe(&key);
        }

        fn describe_histogram(&self, key: KeyName, _: Option<Unit>, _: SharedString) {
            self.describe(&key);
        }

        fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
            self.set("counter", key);
            Counter::noop()
        }

        fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
            self.set("gauge", key);
            Gauge::noop()
        }

        fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
            self.set("histogram", key);
            Histogram::noop()
        }
    }

    #[test]
    fn every_metric_is_described_and_in_the_docs() {
        let mut status = StatusCell::new(["ads.banner".to_owned()].into_iter()).get();
        status.checkpoint = Some(CheckpointStatus {
            written_at: Some(std::time::SystemTime::now()),
            ..CheckpointStatus::default()
        });
        let names = Names::default();
        with_local_recorder(&names, || {
            describe_metrics();
            record_metrics("ads", &status, &Staleness::default());
        });
        let set = names.set.lock().unwrap();
        assert_eq!(*names.described.lock().unwrap(), *set);
        let docs = include_str!("../../docs/status.md");
        for name in set.iter() {
            assert!(
                docs.contains(&format!("`{name}`")),
                "docs/status.md lacks {name}"
            );
        }
    }
}
