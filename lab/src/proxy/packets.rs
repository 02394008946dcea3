//! Where packets begin and end in one direction of a connection, without TLS and compression.
//!
//! MySQL source documentation, "MySQL Packets": three bytes of length, one of sequence, payload.

const HEADER: usize = 4;
/// Commands by which a client asks for the binlog: COM_BINLOG_DUMP and COM_BINLOG_DUMP_GTID.
const DUMPS: [u8; 2] = [0x12, 0x1e];
/// Where a packet of the binlog has its event's type: behind the OK byte and the time.
const EVENT_TYPE: usize = 5;
/// Bytes of a packet of the binlog before the event's body: the OK byte and the event's header.
pub(super) const EVENT_BODY: usize = 20;
/// WRITE, UPDATE and DELETE of rows, in both versions, and the UPDATE with JSON differences.
const ROWS: [u8; 7] = [23, 24, 25, 30, 31, 32, 39];

/// Follows the packets of one direction.
#[derive(Debug, Default)]
pub(super) struct Packets {
    header: [u8; HEADER],
    /// Bytes of the header that have come.
    have: usize,
    /// Bytes of the payload that have come.
    at: usize,
}

/// Bytes of one packet's payload that came together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretch {
    /// Index of the first of them among the bytes that came.
    pub(super) from: usize,
    /// How many they are; not 0.
    pub(super) len: usize,
    /// Where they begin in the payload.
    pub(super) at: usize,
    /// Bytes of the whole payload.
    pub(super) payload: usize,
    /// Whether they begin a command that asks for the binlog.
    pub(super) is_dump: bool,
    /// Whether the packet is known, with these bytes for the first time, to be a rows event.
    pub(super) begins_rows: bool,
}

impl Packets {
    /// Takes bytes in, in the order in which they come.
    pub(super) fn feed(&mut self, bytes: &[u8], mut see: impl FnMut(Stretch)) {
        let mut from = 0;
        while let Some(rest) = bytes.get(from..).filter(|rest| !rest.is_empty()) {
            if self.have < HEADER {
                for (place, byte) in self.header.iter_mut().skip(self.have).zip(rest) {
                    *place = *byte;
                }
                let taken = rest.len().min(HEADER - self.have);
                self.have += taken;
                from += taken;
                self.end_if_whole();
                continue;
            }
            let taken = rest.len().min(self.payload() - self.at);
            let rest = rest.get(..taken).unwrap_or_default();
            let stretch = self.stretch(from, rest);
            self.at += taken;
            from += taken;
            self.end_if_whole();
            see(stretch);
        }
    }

    fn stretch(&mut self, from: usize, bytes: &[u8]) -> Stretch {
        let is_first = self.at == 0;
        let kind = EVENT_TYPE.checked_sub(self.at).and_then(|at| bytes.get(at));
        let begins_rows = kind.is_some_and(|kind| ROWS.contains(kind));
        Stretch {
            from,
            len: bytes.len(),
            at: self.at,
            payload: self.payload(),
            is_dump: is_first
                && self.header[3] == 0
                && bytes.first().is_some_and(|first| DUMPS.contains(first)),
            begins_rows: begins_rows && self.payload() > EVENT_BODY,
        }
    }

    fn payload(&self) -> usize {
        let [low, middle, high, _] = self.header;
        usize::from(low) | usize::from(middle) << 8 | usize::from(high) << 16
    }

    fn end_if_whole(&mut self) {
        if self.have == HEADER && self.at == self.payload() {
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(sequence: u8, payload: &[u8]) -> Vec<u8> {
        let mut bytes = (payload.len() as u32).to_le_bytes();
        bytes[3] = sequence;
        [&bytes, payload].concat()
    }

    /// Payloads as they are put together again, and the packets that were marked.
    fn seen(pieces: &[&[u8]]) -> (Vec<Vec<u8>>, Vec<usize>, Vec<usize>) {
        let mut packets = Packets::default();
        let (mut payloads, mut dumps, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for piece in pieces {
            packets.feed(piece, |stretch| {
                if stretch.at == 0 {
                    payloads.push(Vec::new());
                }
                let now: &mut Vec<u8> = payloads.last_mut().unwrap();
                assert_eq!(now.len(), stretch.at);
                now.extend(&piece[stretch.from..stretch.from + stretch.len]);
                if stretch.is_dump {
                    dumps.push(payloads.len() - 1);
                }
                if stretch.begins_rows {
                    rows.push(payloads.len() - 1);
                }
            });
        }
        (payloads, dumps, rows)
    }

    #[test]
    fn packets_are_the_same_however_their_bytes_come() {
        let mut rows = vec![0; 60];
        rows[EVENT_TYPE] = 30;
        let payloads = [vec![0x12, 1, 2], vec![0x12; 300], rows, vec![7; 21]];
        let bytes: Vec<u8> = [0, 1, 2, 3]
            .into_iter()
            .zip(&payloads)
            .flat_map(|(sequence, payload)| packet(sequence, payload))
            .collect();
        for size in [1, 2, 3, 5, 7, 64, bytes.len()] {
            let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
            let (found, dumps, rows) = seen(&pieces);
            assert_eq!(found, payloads, "in pieces of {size}");
            assert_eq!((dumps, rows), (vec![0], vec![2]), "in pieces of {size}");
        }
    }

    #[test]
    fn a_packet_without_a_payload_ends_with_its_header() {
        let bytes = [packet(0, b""), packet(0, &[0x1e])].concat();
        assert_eq!(seen(&[&bytes]).1, [0]);
    }
}
