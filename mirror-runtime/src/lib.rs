//! The runtime below the crates that `cargo xtask regenerate` renders.
//!
//! It follows the binary log of a MySQL or MariaDB server, turns transactions into versions
//! of the mirrored tables, and lets readers take snapshots of them. It names no table: those
//! are in the generated crate, which implements [`Row`] and [`Schema`].

mod apply;
mod backoff;
mod bootstrap;
mod by_position;
mod cascade;
mod charset;
mod checkpoint;
mod course;
pub mod doctor;
pub mod error;
mod event_policy;
mod follow;
mod foreign_key_check;
mod foreign_keys;
#[cfg(feature = "async")]
mod futures;
mod health;
pub mod image;
pub mod jsonl;
mod judge;
pub mod layout;
mod layout_check;
mod limits;
mod mirror;
mod options;
mod policy;
mod progress;
mod quiet_server;
mod reload;
mod remedy;
mod replay;
mod resume;
pub mod row;
pub mod source;
mod statement;
mod status;
mod status_json;
pub mod store;
pub mod stored;
mod subscription;
mod table_states;
#[cfg(feature = "metrics")]
mod telemetry;
pub mod transaction;
pub mod types;
pub mod value;
mod verify;
mod wait;
mod weight;

pub use bootstrap::check_server;
pub use charset::Charset;
pub use checkpoint::{
    CheckpointError, CheckpointOptions, CheckpointStatus, Unusable, WhenUnusable, read_checkpoint,
};
pub use doctor::{Diagnosis, diagnose};
pub use error::{Error, TableError, ValueError};
pub use event_policy::{EventPolicy, event_policy};
pub use health::{Readiness, Staleness};
pub use image::{ImageColumn, RowImage};
pub use layout::{ColumnLayout, ColumnType, TableLayout};
pub use limits::{Limit, LimitError, Limits};
pub use mirror::Mirror;
pub use options::Options;
pub use policy::{Cause, Policies, Policy};
pub use progress::Progress;
pub use row::{ColumnValue, Row, SelectValue};
pub use source::{BinlogPosition, ServerUrl, SourceError};
pub use statement::{Statement, classify};
pub use status::{Health, State, Status, TableStatus};
pub use store::{Op, RowChange, Schema, Version};
pub use subscription::{
    Deliveries, Delivery, NoTransaction, QUEUE_TRANSACTIONS, Resync, SlowReader, SubscribeOptions,
    Subscription, Transaction,
};
#[cfg(feature = "metrics")]
pub use telemetry::{describe_metrics, record_metrics};
pub use types::*;
pub use value::Value;
pub use verify::{
    Audit, AuditOptions, AuditProgress, Difference, DifferenceKind, Finding, FindingCallback,
    ProgressCallback, TableReport, VerifyOptions, VerifyProgress, VerifyReport,
};
pub use wait::WaitTarget;
