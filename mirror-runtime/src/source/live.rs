//! Events from a server, over the replication protocol.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use mysql::binlog::BinlogChecksumAlg;
use mysql::binlog::events::Event;
use mysql::prelude::Queryable;
use mysql::{
    BinlogDumpFlags, BinlogRequest, BinlogStream, Conn, DriverError, Error as DriverFailure,
};

use mysql_common::proto::codec::error::PacketCodecError;

use super::assemble::{Assembler, Parts};
use super::error::{Context, SourceError, from_mysql};
use super::event::{ChecksumAlgorithm, EventHeader, RawEvent};
use super::gtid::GtidSet;
use super::position::{BinlogPosition, FIRST_OFFSET};
use super::server_info::{Family, ServerInfo};
use super::session;
use super::status::oldest_binlog;
use super::stop::StopHandle;
use crate::limits::{Limit, LimitError};

use super::stream::{EventSource, StreamOptions, StreamStart, random_uuid};
use super::url::ServerUrl;
use super::watch::Watch;

/// Heartbeats that may be missed before the connection counts as broken.
const MISSED_HEARTBEATS: u32 = 3;

/// Longest wait for an answer to the KILL of our own stream.
const KILL_TIMEOUT: Duration = Duration::from_secs(2);

/// A binlog stream from a server; a connection of its own, ended when this is dropped.
pub struct LiveSource {
    /// `None` after the end or an error.
    stream: Option<BinlogStream>,
    /// The event that was lent out last.
    current: Option<Event>,
    assembler: Assembler,
    stop: StopHandle,
    watch: Option<Watch>,
    options: StreamOptions,
    url: ServerUrl,
    start: StreamStart,
    info: ServerInfo,
    connection_id: u32,
}

impl LiveSource {
    /// Connects, registers as a replica and asks for the stream.
    ///
    /// The server's answer to the request comes with the first event: a purged position, for
    /// instance, is an error of the first [`next_event`](EventSource::next_event).
    ///
    /// # Errors
    /// When the server cannot be reached or refuses the connection, or the start is a position
    /// beyond 4 GiB or a GTID set of the other server family.
    pub fn open(
        url: &ServerUrl,
        start: &StreamStart,
        options: StreamOptions,
    ) -> Result<(Self, StopHandle), SourceError> {
        let heartbeat = Duration::from_secs(u64::from(options.heartbeat_seconds.max(1)));
        // A byte before the event says that there is one.
        let max_packet = options.max_event_bytes.saturating_add(1);
        let max_packet = usize::try_from(max_packet).unwrap_or(usize::MAX);
        let mut conn = session::open_for(url, Some(heartbeat * MISSED_HEARTBEATS), max_packet)?;
        let address = url.address();
        let first = match start {
            StreamStart::File(position) => position.clone(),
            StreamStart::Gtid(_) => BinlogPosition::start_of(""),
        };
        let asked = start.to_string();
        let context = Context {
            address: &address,
            user: url.user(),
            asked: &asked,
            server_id: options.server_id,
            ..Context::query("requesting the binlog")
        };
        let info = ServerInfo::read(&mut conn)?;
        for setting in settings(start, info.family, heartbeat) {
            conn.query_drop(setting)
                .map_err(|error| from_mysql(error, &context))?;
        }
        check_contains(&mut conn, start, &info, &context)?;
        let request = request(start, &info, &options)?;
        let stop = StopHandle::new(&conn)?;
        let connection_id = conn.connection_id();
        let stream = ask(conn, request).map_err(|error| from_mysql(error, &context))?;
        let source = Self {
            stream: Some(stream),
            current: None,
            assembler: Assembler::new(first).with_checked_rotate(checks_rotate(&info)),
            stop: stop.clone(),
            watch: None,
            options,
            url: url.clone(),
            start: start.clone(),
            info,
            connection_id,
        };
        Ok((source, stop))
    }

    /// Ends the stream with [`SourceError::EventOverdue`] when an event takes longer than this to
    /// come whole; heartbeats are events too.
    ///
    /// # Errors
    /// When the system gives no thread to watch from.
    pub fn watch(&mut self, patience: Duration) -> Result<(), SourceError> {
        let watch = Watch::new(self.stop.clone(), patience);
        self.watch = Some(watch.map_err(|error| SourceError::Broken {
            detail: format!("no thread can be started: {error}"),
        })?);
        Ok(())
    }

    /// The server's number for this connection.
    #[must_use]
    pub fn connection_id(&self) -> u32 {
        self.connection_id
    }

    /// What the server said about itself when the stream was opened.
    #[must_use]
    pub fn server_info(&self) -> &ServerInfo {
        &self.info
    }

    /// Reads one event of the driver into `current`; `false` at the end.
    fn read(&mut self) -> Result<bool, SourceError> {
        let Some(stream) = &mut self.stream else {
            return Ok(false);
        };
        let step = || self.watch.iter().for_each(Watch::step);
        step();
        // The driver reads and partly decodes events with code that panics on hostile bytes.
        let answer = catch_unwind(AssertUnwindSafe(|| stream.next()));
        step();
        let overdue = self.watch.as_ref().and_then(Watch::gave_up);
        let failure = match (answer, overdue) {
            (Ok(Some(Ok(event))), _) => {
                self.current = Some(event);
                return Ok(true);
            }
            (_, Some(waited)) => Some(SourceError::EventOverdue { waited }),
            (Ok(Some(Err(error))), None) => Some(self.failure(error)),
            (Ok(None), None) if self.options.non_blocking => None,
            (Ok(None), None) => Some(SourceError::Broken {
                detail: "the server ended the stream".to_owned(),
            }),
            (Err(_), None) => Some(self.malformed("the event is shorter than it says".to_owned())),
        };
        match self.stop.is_stopped() {
            true => self.end_on_server(),
            false => self.end(),
        }
        match failure {
            Some(error) if !self.stop.is_stopped() => Err(error),
            _ => Ok(false),
        }
    }

    fn failure(&self, error: DriverFailure) -> SourceError {
        match error {
            // Network errors are codec errors, but for the one below; other I/O errors come
            // from the bytes of an event.
            DriverFailure::IoError(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                self.malformed(error.to_string())
            }
            DriverFailure::CodecError(PacketCodecError::PacketTooLarge) => LimitError {
                limit: Limit::EventBytes,
                what: format!("the binlog event behind {}", self.assembler.position()),
                found: None,
                allowed: self.options.max_event_bytes,
            }
            .into(),
            DriverFailure::DriverError(DriverError::UnexpectedPacket) => {
                self.malformed("the packet holds no event".to_owned())
            }
            error => {
                let position = self.assembler.position();
                let asked = if position.file.is_empty() {
                    self.start.to_string()
                } else {
                    position.to_string()
                };
                let context = Context {
                    address: &self.url.address(),
                    user: self.url.user(),
                    asked: &asked,
                    server_id: self.options.server_id,
                    ..Context::query("reading the binlog")
                };
                self.with_oldest(from_mysql(error, &context))
            }
        }
    }

    /// Asks the server for the oldest binlog that it has, when ours is gone; without an answer
    /// the error stays as it is.
    fn with_oldest(&self, error: SourceError) -> SourceError {
        match error {
            SourceError::Purged { asked, detail, .. } => SourceError::Purged {
                oldest: session::connect(&self.url)
                    .and_then(|mut conn| oldest_binlog(&mut conn))
                    .ok()
                    .flatten()
                    .map(|position| position.file.to_string()),
                asked,
                detail,
            },
            other => other,
        }
    }

    fn malformed(&self, detail: String) -> SourceError {
        malformed_at(&self.assembler.position(), detail)
    }

    fn end(&mut self) {
        self.stop.shut_down();
        self.stream = None;
        self.current = None;
    }

    /// Ends a stream that works, on the server too: that would notice only with the next event or
    /// heartbeat, and not purge the binlog until then.
    fn end_on_server(&mut self) {
        if self.stream.is_none() {
            return;
        }
        self.end();
        let killed = session::open(&self.url, Some(KILL_TIMEOUT)).and_then(|mut conn| {
            let context = Context::query("ending the stream");
            conn.query_drop(format!("KILL {}", self.connection_id))
                .map_err(|error| from_mysql(error, &context))
        });
        // It may have ended by itself.
        if let Err(error) = killed {
            tracing::debug!(%error, "the server was not told that the stream has ended");
        }
    }
}

impl EventSource for LiveSource {
    fn next_event(&mut self) -> Result<Option<RawEvent<'_>>, SourceError> {
        if self.stop.is_stopped() {
            self.end_on_server();
        }
        if !self.read()? {
            return Ok(None);
        }
        let Some(event) = &self.current else {
            return Ok(None);
        };
        let assembled = match parts(event) {
            Some(parts) => self.assembler.assemble(parts).map(Some),
            None => Err(malformed_at(
                &self.assembler.position(),
                "the checksum algorithm is not known".to_owned(),
            )),
        };
        if assembled.is_err() {
            self.stop.shut_down();
            self.stream = None;
        }
        assembled
    }

    fn position(&self) -> BinlogPosition {
        self.assembler.position()
    }
}

impl Drop for LiveSource {
    fn drop(&mut self) {
        self.end_on_server();
    }
}

/// MySQL itself only looks at the GTIDs of its own UUID: it would leave out what it lacks of others
/// without a word. MariaDB looks at all of them.
fn check_contains(
    conn: &mut Conn,
    start: &StreamStart,
    info: &ServerInfo,
    context: &Context<'_>,
) -> Result<(), SourceError> {
    let StreamStart::Gtid(GtidSet::MySql(set)) = start else {
        return Ok(());
    };
    if info.family != Family::MySql || set.is_empty() {
        return Ok(());
    }
    let missing: Option<String> = conn
        .exec_first(
            "SELECT GTID_SUBTRACT(?, @@global.gtid_executed)",
            (set.to_string(),),
        )
        .map_err(|error| from_mysql(error, context))?;
    match missing {
        Some(missing) if !missing.is_empty() => Err(SourceError::LacksTransactions {
            address: context.address.to_owned(),
            missing: missing.replace('\n', ""),
        }),
        _ => Ok(()),
    }
}

fn malformed_at(position: &BinlogPosition, detail: String) -> SourceError {
    SourceError::Malformed {
        file: position.file.to_string(),
        position: position.offset,
        detail,
    }
}

/// The driver's event in our terms; `None` when its checksum algorithm is not known, or its server
/// knows of none.
fn parts(event: &Event) -> Option<Parts<'_>> {
    let header = event.header();
    let algorithm = match event.footer().get_checksum_alg().ok()? {
        Some(BinlogChecksumAlg::BINLOG_CHECKSUM_ALG_CRC32) => ChecksumAlgorithm::Crc32,
        Some(BinlogChecksumAlg::BINLOG_CHECKSUM_ALG_OFF) => ChecksumAlgorithm::Off,
        // A FORMAT_DESCRIPTION of a server before 5.6.1, of which nothing is mirrored: its version
        // was damaged.
        None => return None,
    };
    Some(Parts {
        header: EventHeader {
            timestamp: header.timestamp(),
            type_code: header.event_type_raw(),
            server_id: header.server_id(),
            event_size: header.event_size(),
            log_pos: header.log_pos(),
            flags: header.flags_raw(),
        },
        body: event.data(),
        algorithm,
        checksum: event.checksum(),
    })
}

/// Whether the server gives the made-up ROTATE at the start of a stream a checksum: MySQL does since
/// it knows `@source_binlog_checksum` (8.0.26; `Binlog_sender::init_checksum_alg`), while the driver
/// sets the older name to what means none there.
fn checks_rotate(info: &ServerInfo) -> bool {
    info.family == Family::MySql && info.version >= (8, 0, 26)
}

/// User variables by which a replica tells the server what it wants (MySQL source
/// `rpl_binlog_sender.cc`, MariaDB source `sql_repl.cc`).
fn settings(start: &StreamStart, family: Family, heartbeat: Duration) -> Vec<String> {
    let period = heartbeat.as_nanos();
    let mut settings = vec![format!("SET @master_heartbeat_period = {period}")];
    match family {
        Family::MySql => {
            let uuid = random_uuid();
            settings.push(format!(
                "SET @source_heartbeat_period = {period}, @source_binlog_checksum = 'CRC32', \
                 @slave_uuid = '{uuid}', @replica_uuid = '{uuid}'"
            ));
        }
        Family::MariaDb => {
            settings.push("SET @mariadb_slave_capability = 4".to_owned());
            if let StreamStart::Gtid(GtidSet::MariaDb(list)) = start {
                // The list prints as digits, dashes and commas only.
                settings.push(format!(
                    "SET @slave_connect_state = '{list}', @slave_gtid_strict_mode = 0, \
                     @slave_gtid_ignore_duplicates = 0"
                ));
            }
        }
    }
    settings
}

fn request(
    start: &StreamStart,
    info: &ServerInfo,
    options: &StreamOptions,
) -> Result<BinlogRequest<'static>, SourceError> {
    let mut flags = BinlogDumpFlags::empty();
    if options.non_blocking {
        flags |= BinlogDumpFlags::BINLOG_DUMP_NON_BLOCK;
    }
    let request = BinlogRequest::new(options.server_id);
    match (start, info.family) {
        (StreamStart::File(position), _) => {
            if position.offset > u64::from(u32::MAX) {
                return Err(SourceError::PositionTooLarge {
                    position: position.to_string(),
                });
            }
            Ok(request
                .with_filename(position.file.as_bytes().to_vec())
                .with_pos(position.offset)
                .with_flags(flags))
        }
        (StreamStart::Gtid(GtidSet::MySql(set)), Family::MySql) => {
            let sids = set.to_sids().map_err(|error| SourceError::Answer {
                action: "requesting the binlog".to_owned(),
                detail: error.to_string(),
            })?;
            Ok(request
                .with_use_gtid(true)
                .with_pos(FIRST_OFFSET)
                .with_sids(sids)
                .with_flags(flags | BinlogDumpFlags::BINLOG_THROUGH_GTID))
        }
        (StreamStart::Gtid(GtidSet::MariaDb(_)), Family::MariaDb) => {
            Ok(request.with_pos(FIRST_OFFSET).with_flags(flags))
        }
        (StreamStart::Gtid(set), family) => Err(SourceError::Setting {
            name: "server family".to_owned(),
            found: family.name().to_owned(),
            needed: set.family().name().to_owned(),
            remedy: format!("start from a GTID set of {}", family.name()),
        }),
    }
}

/// Sends the request; registering as a replica comes first.
fn ask(conn: Conn, request: BinlogRequest<'static>) -> Result<BinlogStream, DriverFailure> {
    catch_unwind(AssertUnwindSafe(|| conn.get_binlog_stream(request)))
        .unwrap_or(Err(DriverFailure::DriverError(DriverError::SetupError)))
}

#[cfg(test)]
#[path = "live_tests.rs"]
mod tests;
