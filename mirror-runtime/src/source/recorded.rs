//! Events from binlog files.

use std::collections::VecDeque;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::assemble::{Assembler, CHECKSUM_LEN, Parts};
use super::error::SourceError;
use super::event::{ChecksumAlgorithm, EventHeader, FormatDescription, RawEvent, event_type};
use super::position::BinlogPosition;
use super::stream::EventSource;
use super::window::{Cut, Window};

/// What binlog files start with.
const MAGIC: [u8; 4] = *b"\xfebin";

/// What an event means that the last file ends in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TruncatedTail {
    /// An error: the file is damaged or not complete.
    Error,
    /// The end: the file is still being written.
    End,
}

/// Binlog files, read one after the other as one stream.
#[derive(Debug)]
pub struct RecordedSource {
    waiting: VecDeque<PathBuf>,
    open: Option<OpenFile>,
    /// What was read of the open file; the event that was lent out last is in it.
    window: Window,
    assembler: Assembler,
    tail: TruncatedTail,
}

#[derive(Debug)]
struct OpenFile {
    file: File,
    path: PathBuf,
    algorithm: ChecksumAlgorithm,
}

impl RecordedSource {
    /// Opens the first of the files; the others are opened when their turn comes.
    ///
    /// Files are named in positions by their last path component.
    ///
    /// # Errors
    /// When the first file cannot be opened or is no binlog file, or there is none.
    pub fn open<P: AsRef<Path>>(
        paths: impl IntoIterator<Item = P>,
        tail: TruncatedTail,
    ) -> Result<Self, SourceError> {
        let mut source = Self {
            waiting: paths
                .into_iter()
                .map(|path| path.as_ref().to_owned())
                .collect(),
            open: None,
            window: Window::default(),
            assembler: Assembler::new(BinlogPosition::start_of("")),
            tail,
        };
        if source.open_next()? {
            Ok(source)
        } else {
            Err(SourceError::File {
                path: String::new(),
                detail: "no binlog file was given".to_owned(),
            })
        }
    }

    fn open_next(&mut self) -> Result<bool, SourceError> {
        self.open = None;
        let Some(path) = self.waiting.pop_front() else {
            return Ok(false);
        };
        let failed = |detail: String| SourceError::File {
            path: path.display().to_string(),
            detail,
        };
        let mut file = File::open(&path).map_err(|error| failed(error.to_string()))?;
        self.window.clear();
        match self.window.take(&mut file, MAGIC.len()) {
            Ok(magic) if self.window.bytes(&magic) == MAGIC => {}
            Err(Cut::Failed(error)) => return Err(failed(error.to_string())),
            _ => {
                return Err(failed(
                    "not a binlog file: it does not start with fe 62 69 6e (encrypted files start with fd 62 69 6e)"
                        .to_owned(),
                ));
            }
        }
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        self.assembler.start_file(BinlogPosition::start_of(name));
        self.open = Some(OpenFile {
            file,
            path,
            algorithm: ChecksumAlgorithm::Off,
        });
        Ok(true)
    }

    /// Reads the next event: its header, and where the rest of it is in the window; `None` at the
    /// end.
    fn read(&mut self) -> Result<Option<(EventHeader, Range<usize>)>, SourceError> {
        loop {
            let Some(open) = &mut self.open else {
                return Ok(None);
            };
            let cut = match read_event(&mut open.file, &mut self.window) {
                Ok(event) => return Ok(Some(event)),
                Err(cut) => cut,
            };
            match cut {
                Cut::Clean => {}
                Cut::Within if self.waiting.is_empty() && self.tail == TruncatedTail::End => {}
                Cut::Within => return Err(self.malformed("the file ends within the event")),
                Cut::Failed(error) => {
                    return Err(SourceError::File {
                        path: open.path.display().to_string(),
                        detail: error.to_string(),
                    });
                }
            }
            if !self.open_next()? {
                return Ok(None);
            }
        }
    }

    fn malformed(&self, detail: &str) -> SourceError {
        let position = self.assembler.position();
        SourceError::Malformed {
            file: position.file.to_string(),
            position: position.offset,
            detail: detail.to_owned(),
        }
    }

    /// Cuts what follows a header into body, algorithm and checksum:
    /// `(length of the body, algorithm)`.
    fn measure(
        &mut self,
        header: &EventHeader,
        rest: &Range<usize>,
    ) -> Result<(usize, ChecksumAlgorithm), SourceError> {
        let length = rest.len();
        if header.type_code != event_type::FORMAT_DESCRIPTION {
            let algorithm = self
                .open
                .as_ref()
                .map_or(ChecksumAlgorithm::Off, |open| open.algorithm);
            let trailer = match algorithm {
                ChecksumAlgorithm::Off => 0,
                ChecksumAlgorithm::Crc32 => CHECKSUM_LEN,
            };
            return match length.checked_sub(trailer) {
                Some(body) => Ok((body, algorithm)),
                None => Err(self.malformed("the event is too short for a checksum")),
            };
        }
        let (body, algorithm) = format_trailer(self.window.bytes(rest))
            .ok_or_else(|| self.malformed("FORMAT_DESCRIPTION_EVENT: not valid"))?;
        if let Some(open) = &mut self.open {
            open.algorithm = algorithm;
        }
        Ok((body, algorithm))
    }
}

/// A FORMAT_DESCRIPTION ends in the algorithm's code and a checksum, since MySQL 5.6.1 and
/// MariaDB 5.3; older ones end in the last header length.
fn format_trailer(bytes: &[u8]) -> Option<(usize, ChecksumAlgorithm)> {
    const VERSION_AT: usize = 2;
    const VERSION_BYTES: usize = 50;
    let version = bytes.get(VERSION_AT..VERSION_AT + VERSION_BYTES)?;
    if !knows_checksums(version) {
        return Some((bytes.len(), ChecksumAlgorithm::Off));
    }
    let body = bytes.len().checked_sub(1 + CHECKSUM_LEN)?;
    let algorithm = ChecksumAlgorithm::from_code(*bytes.get(body)?)?;
    Some((body, algorithm))
}

fn knows_checksums(version: &[u8]) -> bool {
    let text = String::from_utf8_lossy(version);
    let mut numbers = text
        .split(|c: char| !c.is_ascii_digit())
        .map(|digits| digits.parse::<u32>().unwrap_or(0));
    let mut next = || numbers.next().unwrap_or(0);
    let version = (next(), next(), next());
    let first = if text.contains("MariaDB") {
        (5, 3, 0)
    } else {
        (5, 6, 1)
    };
    version >= first
}

/// Reads an event's header and the rest of it, which then is in the window.
fn read_event(file: &mut File, window: &mut Window) -> Result<(EventHeader, Range<usize>), Cut> {
    let header = window.take(file, EventHeader::LEN)?;
    let header = EventHeader::parse(window.bytes(&header)).ok_or(Cut::Within)?;
    let length = (header.event_size as usize)
        .checked_sub(EventHeader::LEN)
        .ok_or(Cut::Within)?;
    match window.take(file, length) {
        Ok(rest) => Ok((header, rest)),
        Err(Cut::Clean) => Err(Cut::Within),
        Err(cut) => Err(cut),
    }
}

impl EventSource for RecordedSource {
    fn next_event(&mut self) -> Result<Option<RawEvent<'_>>, SourceError> {
        let measured = self.read().and_then(|event| match event {
            Some((header, rest)) => {
                let cut = self.measure(&header, &rest)?;
                Ok(Some((header, rest, cut)))
            }
            None => Ok(None),
        });
        let (header, rest, (length, algorithm)) = match measured {
            Ok(Some(measured)) => measured,
            Ok(None) => return Ok(None),
            Err(error) => {
                self.open = None;
                self.waiting.clear();
                return Err(error);
            }
        };
        let rest = self.window.bytes(&rest);
        let (body, trailer) = rest.split_at_checked(length).unwrap_or_default();
        let checksum = trailer.last_chunk().copied();
        let parts = Parts {
            header,
            body,
            algorithm,
            checksum,
        };
        let assembled = self.assembler.assemble(parts).and_then(|event| {
            if header.type_code == event_type::FORMAT_DESCRIPTION {
                FormatDescription::parse(&event)?;
            }
            Ok(Some(event))
        });
        if assembled.is_err() {
            self.open = None;
            self.waiting.clear();
        }
        assembled
    }

    fn position(&self) -> BinlogPosition {
        self.assembler.position()
    }
}

#[cfg(test)]
#[path = "recorded_tests.rs"]
mod tests;
