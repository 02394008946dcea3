//! Whether a server that sends nothing but heartbeats has nothing to send.
//!
//! A stream may be attached to a log that is not written any more: MySQL 5.6 says nothing to a
//! connected replica whose binlog is reset, and goes on with its heartbeats. So a mirror that
//! only hears those asks now and then where the log ends.

use std::time::{Duration, Instant};

use crate::source::{
    BinlogPosition, EventHeader, ServerInfo, ServerUrl, SourceError, connect, status::binlog_status,
};

/// Heartbeats between two looks.
const EVERY: u32 = 5;

/// What was seen of a quiet server.
#[derive(Debug)]
pub(crate) struct QuietServer {
    every: Duration,
    next: Instant,
    /// The end of the log at the last look, when it was ahead of the stream, and where that was.
    ahead: Option<(BinlogPosition, BinlogPosition)>,
}

impl QuietServer {
    pub(crate) fn new(heartbeat_seconds: u32) -> Self {
        let every = Duration::from_secs(u64::from(heartbeat_seconds.max(1) * EVERY));
        Self {
            every,
            next: Instant::now() + every,
            ahead: None,
        }
    }

    /// To be called with each event that arrives, and where the stream stands after it.
    ///
    /// # Errors
    /// When the log ends before that place, or was ahead of it at two looks without anything
    /// between them. A server that cannot be asked is no error: the stream tells.
    pub(crate) fn heard(
        &mut self,
        header: &EventHeader,
        stands: &BinlogPosition,
        url: &ServerUrl,
    ) -> Result<(), SourceError> {
        if !header.is_heartbeat() {
            self.ahead = None;
            return Ok(());
        }
        if Instant::now() < self.next {
            return Ok(());
        }
        self.next = Instant::now() + self.every;
        match end_of_log(url) {
            Ok(end) => self.judge(end, stands),
            Err(error) => {
                tracing::debug!(%error, "the end of the binlog could not be read");
                Ok(())
            }
        }
    }

    fn judge(&mut self, end: BinlogPosition, stands: &BinlogPosition) -> Result<(), SourceError> {
        if end < *stands {
            return Err(SourceError::AheadOfServer {
                asked: stands.to_string(),
                detail: format!("it ends at {end}, and was reset"),
            });
        }
        let before = self
            .ahead
            .take()
            .filter(|(end, stood)| end > stood && stood == stands);
        if let Some((end, _)) = before {
            return Err(SourceError::Broken {
                detail: format!(
                    "the server's binlog goes on to {end}, but nothing came after {stands}"
                ),
            });
        }
        if end > *stands {
            self.ahead = Some((end, stands.clone()));
        }
        Ok(())
    }
}

fn end_of_log(url: &ServerUrl) -> Result<BinlogPosition, SourceError> {
    let mut conn = connect(url)?;
    let info = ServerInfo::read(&mut conn)?;
    binlog_status(&mut conn, &info)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> BinlogPosition {
        text.parse().unwrap()
    }

    #[test]
    fn a_log_that_ends_before_the_stream_was_reset() {
        let mut quiet = QuietServer::new(2);
        let stands = at("b.000002:900");
        assert_eq!(quiet.judge(at("b.000002:900"), &stands), Ok(()));
        let error = quiet.judge(at("b.000001:120"), &stands).unwrap_err();
        assert!(
            matches!(error, SourceError::AheadOfServer { .. }),
            "{error}"
        );
    }

    #[test]
    fn a_log_that_stays_ahead_of_a_silent_stream_breaks_it_at_the_second_look() {
        let mut quiet = QuietServer::new(2);
        let stands = at("b.000002:900");
        // What is just being sent may be ahead for a moment.
        assert_eq!(quiet.judge(at("b.000002:950"), &stands), Ok(()));
        assert_eq!(quiet.judge(at("b.000002:990"), &at("b.000002:950")), Ok(()));
        assert_eq!(quiet.judge(at("b.000002:990"), &at("b.000002:990")), Ok(()));
        assert_eq!(quiet.judge(at("b.000002:999"), &at("b.000002:990")), Ok(()));
        let error = quiet.judge(at("b.000003:120"), &at("b.000002:990"));
        assert!(
            matches!(error, Err(SourceError::Broken { .. })),
            "{error:?}"
        );
    }
}
