//! Whether the log to go on in is the one that was followed before the connection broke.
//!
//! A reset (RESET MASTER) begins files anew under names that were used before, and MySQL's GTIDs
//! from number 1: once the new log has grown past the old position, the server sees nothing
//! wrong with it, and would leave out all that came before. What tells the files apart is when
//! they were begun, which stands in the header of their FORMAT_DESCRIPTION.

use std::sync::Arc;

use super::error::SourceError;
use super::event::{RawEvent, event_type};
use super::live::LiveSource;
use super::position::BinlogPosition;
use super::server_info::ServerInfo;
use super::stream::{EventSource, StreamOptions, StreamStart};
use super::url::ServerUrl;

/// Seconds between heartbeats of a look at the start of a file; three may be missed.
const PROBE_HEARTBEAT_SECONDS: u32 = 2;

/// A file, and when it was begun.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mark {
    file: Arc<str>,
    /// Seconds since 1970 on the server's clock.
    begun: u32,
}

impl Mark {
    /// The mark that an event carries, if it is a FORMAT_DESCRIPTION.
    fn of(event: &RawEvent<'_>) -> Option<Self> {
        (event.header.type_code == event_type::FORMAT_DESCRIPTION).then(|| Self {
            file: Arc::clone(event.file),
            begun: event.header.timestamp,
        })
    }

    /// # Errors
    /// When both are of files of one name, begun at different times.
    fn check(&self, found: &Self) -> Result<(), SourceError> {
        if self.file != found.file || self.begun == found.begun {
            return Ok(());
        }
        Err(SourceError::OtherLog {
            file: self.file.to_string(),
            expected: self.begun,
            found: found.begun,
        })
    }
}

/// The log that a mirror follows, through any number of connections.
#[derive(Debug, Clone, Default)]
pub(crate) struct FollowedLog {
    /// The file of the last boundary, where the stream goes on.
    resume: Option<Mark>,
    /// The file that is being read.
    current: Option<Mark>,
    /// Identity of its server.
    server: Option<String>,
}

impl FollowedLog {
    /// The log as a checkpoint holds it: the file of the last boundary with its time, and the
    /// server's identity.
    pub(crate) fn stored(file: Option<(String, u32)>, server: String) -> Self {
        let resume = file.map(|(file, begun)| Mark {
            file: file.into(),
            begun,
        });
        Self {
            resume,
            current: None,
            server: Some(server),
        }
    }

    /// The file of the last boundary, and when it was begun.
    pub(crate) fn to_store(&self) -> Option<(String, u32)> {
        let mark = self.resume.as_ref()?;
        Some((mark.file.to_string(), mark.begun))
    }

    /// Whether it is the log of another server than this one, as far as is known.
    pub(crate) fn is_of_other(&self, identity: &str) -> bool {
        self.server
            .as_deref()
            .is_some_and(|server| server != identity)
    }

    /// From now on it is the log of this server; of another one, its files are not known.
    pub(crate) fn is_now_of(&mut self, identity: String) {
        if self.is_of_other(&identity) {
            self.resume = None;
            self.current = None;
        }
        self.server = Some(identity);
    }

    /// To be called when a stream was opened: whether its server still has the file that was
    /// read last, as it was.
    ///
    /// A stream that starts at a file begins with what tells; one that starts after a GTID set
    /// may start in another file, so that the one of before is looked at. On another server GTIDs
    /// mean the same, and files do not. Whether it is another server.
    ///
    /// # Errors
    /// When it is another file, or is gone, or the server cannot be asked; when a position in a
    /// file is asked for on another server.
    pub(crate) fn check(
        &mut self,
        url: &ServerUrl,
        start: &StreamStart,
        info: &ServerInfo,
    ) -> Result<bool, SourceError> {
        let found = info.identity();
        let is_other = self.is_of_other(&found);
        self.current = None;
        if let StreamStart::File(position) = start {
            if let Some(expected) = self.server.clone().filter(|_| is_other) {
                return Err(SourceError::OtherServer {
                    address: url.address(),
                    expected,
                    found,
                    asked: position.to_string(),
                });
            }
            self.server = Some(found);
            return Ok(false);
        }
        self.is_now_of(found);
        let Some(mark) = &self.resume else {
            return Ok(is_other);
        };
        match probe(url, &mark.file) {
            Ok(found) => found.map_or(Ok(is_other), |found| mark.check(&found).map(|()| is_other)),
            Err(SourceError::Purged { oldest, detail, .. }) => Err(SourceError::Purged {
                asked: format!("{start}, last read in {}", mark.file),
                oldest,
                detail,
            }),
            Err(error) => Err(error),
        }
    }

    /// To be called with each event of the stream.
    ///
    /// # Errors
    /// When it begins a file that was begun at another time before.
    pub(crate) fn event(&mut self, event: &RawEvent<'_>) -> Result<(), SourceError> {
        let Some(found) = Mark::of(event) else {
            return Ok(());
        };
        if let Some(mark) = &self.resume {
            mark.check(&found)?;
        }
        self.resume.get_or_insert_with(|| found.clone());
        self.current = Some(found);
        Ok(())
    }

    /// To be called when the stream would be resumed from the file that is being read.
    pub(crate) fn passed_boundary(&mut self) {
        if self.current.is_some() && self.current != self.resume {
            self.resume.clone_from(&self.current);
        }
    }
}

/// The mark of a file of that name on the server; `None` when the file has none.
fn probe(url: &ServerUrl, file: &Arc<str>) -> Result<Option<Mark>, SourceError> {
    let start = StreamStart::File(BinlogPosition::start_of(Arc::clone(file)));
    let options = StreamOptions {
        non_blocking: true,
        heartbeat_seconds: PROBE_HEARTBEAT_SECONDS,
        ..StreamOptions::new(url)
    };
    let (mut source, _) = LiveSource::open(url, &start, options)?;
    while let Some(event) = source.next_event()? {
        if let Some(mark) = Mark::of(&event) {
            return Ok(Some(mark));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::EventHeader;

    fn event(log: &mut FollowedLog, type_code: u8, file: &str, begun: u32) -> Option<SourceError> {
        let file = Arc::from(file);
        let event = RawEvent {
            header: EventHeader {
                timestamp: begun,
                type_code,
                server_id: 1,
                event_size: 100,
                log_pos: 0,
                flags: 0,
            },
            body: &[],
            file: &file,
            start: 4,
            end: 4,
        };
        log.event(&event).err()
    }

    #[test]
    fn a_file_that_was_begun_at_another_time_is_another_log() {
        let mut log = FollowedLog::default();
        let begin = event_type::FORMAT_DESCRIPTION;
        assert_eq!(event(&mut log, begin, "b.000001", 100), None);
        // Other events have times of their own.
        assert_eq!(event(&mut log, event_type::XID, "b.000001", 101), None);
        assert_eq!(event(&mut log, begin, "b.000001", 100), None);
        let error = event(&mut log, begin, "b.000001", 200).unwrap();
        let text = error.to_string();
        for part in ["b.000001", "100", "200", "load the tables again"] {
            assert!(text.contains(part), "{part:?} is missing in: {text}");
        }
        assert!(!error.is_transient());
    }

    #[test]
    fn the_file_of_the_last_boundary_is_the_one_that_counts() {
        let mut log = FollowedLog::default();
        let begin = event_type::FORMAT_DESCRIPTION;
        assert_eq!(event(&mut log, begin, "b.000001", 100), None);
        assert_eq!(event(&mut log, begin, "b.000002", 150), None);
        // Cut before the first transaction of the second file.
        assert_eq!(event(&mut log, begin, "b.000001", 100), None);
        assert!(event(&mut log, begin, "b.000001", 170).is_some());
        assert_eq!(event(&mut log, begin, "b.000002", 150), None);
        log.passed_boundary();
        assert_eq!(event(&mut log, begin, "b.000001", 170), None);
        assert!(event(&mut log, begin, "b.000002", 151).is_some());
    }
}
