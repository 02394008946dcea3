//! Tests of binlog files that are made here, byte by byte.

use super::super::assemble::checksum;
use super::super::window::TRUSTED_BYTES;
use super::*;

/// Builds a file.
struct Recording {
    bytes: Vec<u8>,
    checksums: bool,
}

impl Recording {
    fn new(checksums: bool) -> Self {
        let mut recording = Self {
            bytes: MAGIC.to_vec(),
            checksums,
        };
        let mut body = 4_u16.to_le_bytes().to_vec();
        let mut version = b"9.7.4".to_vec();
        version.resize(50, 0);
        body.extend(version);
        body.extend([0, 0, 0, 0, 19]);
        body.extend([0; 42]);
        let code = u8::from(checksums);
        let header = recording.header(event_type::FORMAT_DESCRIPTION, body.len() + 5);
        let sum = checksum(&header, &body, Some(code));
        recording.bytes.extend(header.to_bytes());
        recording.bytes.extend(body);
        recording.bytes.push(code);
        recording.bytes.extend(sum.to_le_bytes());
        recording
    }

    fn header(&self, type_code: u8, behind: usize) -> EventHeader {
        let event_size = (EventHeader::LEN + behind) as u32;
        EventHeader {
            timestamp: 1,
            type_code,
            server_id: 1,
            event_size,
            log_pos: self.bytes.len() as u32 + event_size,
            flags: 0,
        }
    }

    fn event(mut self, type_code: u8, body: &[u8]) -> Self {
        let trailer = if self.checksums { CHECKSUM_LEN } else { 0 };
        let header = self.header(type_code, body.len() + trailer);
        self.bytes.extend(header.to_bytes());
        self.bytes.extend(body);
        if self.checksums {
            let sum = checksum(&header, body, None);
            self.bytes.extend(sum.to_le_bytes());
        }
        self
    }

    fn rotate(self, file: &str) -> Self {
        let mut body = 4_u64.to_le_bytes().to_vec();
        body.extend(file.as_bytes());
        self.event(event_type::ROTATE, &body)
    }

    fn save(&self, folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, &self.bytes).unwrap();
        path
    }
}

/// Types and end positions of all events.
fn events(mut source: RecordedSource) -> Result<Vec<(u8, String)>, SourceError> {
    let mut events = Vec::new();
    while let Some(event) = source.next_event()? {
        events.push((event.header.type_code, event.end_position().to_string()));
    }
    Ok(events)
}

fn read(paths: &[PathBuf], tail: TruncatedTail) -> Result<Vec<(u8, String)>, SourceError> {
    events(RecordedSource::open(paths, tail)?)
}

#[test]
fn files_are_one_stream_with_positions_of_their_own() {
    for checksums in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let first = Recording::new(checksums)
            .event(event_type::XID, &[1; 8])
            .rotate("b.000002");
        let second = Recording::new(checksums).event(event_type::XID, &[2; 8]);
        let paths = [
            first.save(folder.path(), "b.000001"),
            second.save(folder.path(), "b.000002"),
        ];
        let events = read(&paths, TruncatedTail::Error).unwrap();
        let types: Vec<u8> = events.iter().map(|(code, _)| *code).collect();
        assert_eq!(types, [15, 16, 4, 15, 16]);
        let ends = [first.bytes.len(), second.bytes.len()];
        assert_eq!(events[2].1, format!("b.000001:{}", ends[0]));
        assert_eq!(events[4].1, format!("b.000002:{}", ends[1]));
    }
}

#[test]
fn each_file_says_for_itself_whether_it_has_checksums() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [
        Recording::new(true)
            .event(event_type::XID, &[1; 8])
            .save(folder.path(), "b.000001"),
        Recording::new(false)
            .event(event_type::XID, &[2; 8])
            .save(folder.path(), "b.000002"),
    ];
    let mut source = RecordedSource::open(&paths, TruncatedTail::Error).unwrap();
    let mut bodies = Vec::new();
    while let Some(event) = source.next_event().unwrap() {
        if event.header.type_code == event_type::XID {
            bodies.push(event.body.to_vec());
        }
    }
    assert_eq!(bodies, [vec![1; 8], vec![2; 8]]);
}

#[test]
fn every_cut_of_the_last_event_is_an_error_or_the_end_as_asked() {
    let folder = tempfile::tempdir().unwrap();
    let whole = Recording::new(true).event(event_type::XID, &[1; 8]);
    let cut_at = Recording::new(true).bytes.len();
    for length in cut_at + 1..whole.bytes.len() {
        let cut = Recording {
            bytes: whole.bytes[..length].to_vec(),
            checksums: true,
        };
        let path = cut.save(folder.path(), "b.000001");
        let paths = [path];
        assert_eq!(read(&paths, TruncatedTail::End).unwrap().len(), 1);
        let error = read(&paths, TruncatedTail::Error).unwrap_err();
        assert!(
            matches!(&error, SourceError::Malformed { position, .. } if *position == cut_at as u64),
            "{error}"
        );
    }
}

#[test]
fn a_cut_file_in_the_middle_is_always_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = Recording::new(true).event(event_type::XID, &[1; 8]);
    first.bytes.pop();
    let paths = [
        first.save(folder.path(), "b.000001"),
        Recording::new(true).save(folder.path(), "b.000002"),
    ];
    assert!(read(&paths, TruncatedTail::End).is_err());
}

#[test]
fn every_flipped_bit_of_an_event_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let from = Recording::new(true).bytes.len();
    let good = Recording::new(true)
        .event(event_type::XID, &[1; 8])
        .event(event_type::XID, &[2; 8]);
    for at in from..from + 31 {
        for bit in 0..8 {
            let mut bytes = good.bytes.clone();
            bytes[at] ^= 1 << bit;
            let bad = Recording {
                bytes,
                checksums: true,
            };
            let paths = [bad.save(folder.path(), "b.000001")];
            assert!(read(&paths, TruncatedTail::Error).is_err(), "{at} {bit}");
        }
    }
}

#[test]
fn nothing_comes_after_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let mut bad = Recording::new(true)
        .event(event_type::XID, &[1; 8])
        .event(event_type::XID, &[2; 8]);
    let at = Recording::new(true).bytes.len() + EventHeader::LEN;
    bad.bytes[at] ^= 1;
    let paths = [bad.save(folder.path(), "b.000001")];
    let mut source = RecordedSource::open(&paths, TruncatedTail::Error).unwrap();
    assert!(source.next_event().unwrap().is_some());
    assert!(source.next_event().is_err());
    assert!(source.next_event().unwrap().is_none());
}

#[test]
fn other_files_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("text");
    for content in [&b""[..], b"abc", b"not a binlog", b"\xfdbin"] {
        std::fs::write(&path, content).unwrap();
        let error = RecordedSource::open([&path], TruncatedTail::Error).unwrap_err();
        assert!(error.to_string().contains("not a binlog file"), "{error}");
    }
    let missing = folder.path().join("missing");
    assert!(RecordedSource::open([&missing], TruncatedTail::Error).is_err());
    assert!(RecordedSource::open(Vec::<PathBuf>::new(), TruncatedTail::Error).is_err());
}

#[test]
fn a_hostile_size_allocates_little() {
    let folder = tempfile::tempdir().unwrap();
    let mut recording = Recording::new(false);
    let mut header = recording.header(event_type::XID, 8);
    header.event_size = u32::MAX;
    recording.bytes.extend(header.to_bytes());
    let paths = [recording.save(folder.path(), "b.000001")];
    let mut source = RecordedSource::open(&paths, TruncatedTail::End).unwrap();
    source.next_event().unwrap();
    assert!(source.next_event().unwrap().is_none());
    assert!(source.window.capacity() <= TRUSTED_BYTES);

    header.event_size = 18;
    let at = recording.bytes.len() - EventHeader::LEN;
    recording.bytes.truncate(at);
    recording.bytes.extend(header.to_bytes());
    let paths = [recording.save(folder.path(), "b.000001")];
    assert!(read(&paths, TruncatedTail::Error).is_err());
}

#[test]
fn checksums_are_expected_by_version() {
    for (version, known) in [
        (&b"5.5.62"[..], false),
        (b"5.6.0-m4", false),
        (b"5.6.1", true),
        (b"9.7.4", true),
        (b"5.2.14-MariaDB", false),
        (b"5.5.68-MariaDB", true),
        (b"10.11.19-MariaDB-log", true),
        (b"", false),
    ] {
        assert_eq!(knows_checksums(version), known);
    }
}
