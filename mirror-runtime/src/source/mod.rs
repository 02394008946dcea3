//! Everything that talks to the server, behind small interfaces.
//!
//! - [`ServerUrl`] says where; [`connect`] opens a session for queries with settings of its own;
//!   [`ServerInfo`] is what the server says about itself.
//! - [`preflight`] checks settings and rights, all at once.
//! - [`status`] reads positions and GTID sets, [`columns`] the columns of a table.
//! - [`EventSource`] yields checked binlog events: [`LiveSource`] from a server,
//!   [`RecordedSource`] from binlog files.
//! - [`BinlogPosition`] and [`GtidSet`] are the two ways to say how far one has read.
//!
//! Every failure is a [`SourceError`], which knows whether a retry can help.

mod assemble;
mod collations;
mod columns;
mod definitions;
mod error;
pub mod event;
mod followed_log;
mod gtid;
mod live;
mod position;
mod preflight;
mod recorded;
mod server_info;
mod servers;
mod session;
mod statement_texts;
pub mod status;
mod stop;
mod stream;
mod url;
mod url_parts;
mod watch;
mod window;

pub use collations::Collations;
pub use columns::{ServerColumn, columns};
pub(crate) use definitions::Definitions;
pub(crate) use error::query_error;
pub use error::{SourceError, SourceErrorKind};
pub use event::{EventHeader, RawEvent};
pub(crate) use followed_log::FollowedLog;
pub use gtid::{
    Gtid, GtidError, GtidEvent, GtidSet, MariaDbGtid, MariaDbGtidList, MySqlGtid, MySqlGtidSet,
    Tsid, Uuid, mariadb_gtid_flags,
};
pub use live::LiveSource;
pub use position::{BinlogPosition, PositionError, PositionTracker};
pub(crate) use preflight::NO_TABLE;
pub use preflight::{
    Finding, FindingKind, PreflightReport, Requirements, Severity, TableRequirement, least_rights,
    preflight, preflight_report,
};
pub use recorded::{RecordedSource, TruncatedTail};
pub use server_info::{Family, ServerInfo};
pub(crate) use servers::Servers;
pub use session::connect;
pub use statement_texts::StatementTexts;
pub use stop::StopHandle;
pub use stream::{EventSource, StreamOptions, StreamStart, derive_server_id};
pub use url::{ServerUrl, SslMode};
