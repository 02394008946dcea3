//! Binlog files.

use std::io::Write as _;

use mirror_runtime::source::event::EventHeader;
use mirror_runtime::source::{EventSource as _, RecordedSource, TruncatedTail};
use mirror_runtime::store::Mode;
use mirror_runtime::transaction::TransactionSink as _;

use crate::stream::{Sink, reader};

/// The bytes of a binlog file, read as one that is complete and as one that is being written,
/// and applied to all tables.
///
/// Each event takes its bytes, so there are no more of them than there are headers in the file;
/// nothing comes behind an error.
pub fn binlog_file(bytes: &[u8]) {
    let mut file = tempfile::Builder::new()
        .prefix("binlog.")
        .tempfile()
        .unwrap();
    file.write_all(bytes).unwrap();
    for tail in [TruncatedTail::Error, TruncatedTail::End] {
        let Ok(mut source) = RecordedSource::open([file.path()], tail) else {
            continue;
        };
        let (mut reader, mut sink) = (reader(), Sink::new(Mode::Tolerant));
        let mut count = 0;
        loop {
            match source.next_event() {
                Ok(None) => break,
                Ok(Some(event)) => {
                    count += 1;
                    assert!(event.body.len() + EventHeader::LEN <= bytes.len());
                    if reader.event(&event, &mut sink).is_err() {
                        sink.abandon();
                        reader.restart();
                    }
                }
                Err(error) => {
                    let _ = error.to_string();
                    assert!(matches!(source.next_event(), Ok(None)));
                    break;
                }
            }
        }
        assert!(count <= bytes.len() / EventHeader::LEN);
        let _ = source.position();
    }
}
