//! Passes bytes on, as well as the connection allows.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::Ordering;

use super::Shared;
use super::line::Line;
use super::packets::Packets;

/// Bytes that are passed on at once.
const PIECE: usize = 32 * 1024;

/// Until an end closes, or the connection is cut.
pub(super) fn to_client(mut from: TcpStream, mut to: TcpStream, line: &Line, shared: &Shared) {
    let mut packets = Packets::default();
    let mut buffer = vec![0; PIECE];
    while !line.is_cut() {
        let Some(bytes) = read(&mut from, &mut buffer) else {
            return;
        };
        if !shared.may_pass() || !line.may_pass() {
            return;
        }
        line.hold_back(bytes.len());
        let shaped = line.shape(bytes, &mut packets);
        shared.flipped.fetch_add(shaped.flipped, Ordering::SeqCst);
        // Counted first: whoever has received the bytes finds them counted.
        let pass = shaped.pass as u64;
        shared.to_client.fetch_add(pass, Ordering::SeqCst);
        let passed = bytes.get(..shaped.pass).unwrap_or_default();
        if to.write_all(passed).is_err() || shaped.cut {
            return;
        }
    }
}

/// Until an end closes.
pub(super) fn to_server(mut from: TcpStream, mut to: TcpStream, line: &Line, shared: &Shared) {
    let mut packets = Packets::default();
    let mut buffer = vec![0; PIECE];
    while let Some(bytes) = read(&mut from, &mut buffer) {
        if !shared.may_pass() || !line.may_pass() {
            return;
        }
        if line.asks_for_binlog(bytes, &mut packets)
            && let Some(fault) = shared.lock().next_stream.take()
        {
            line.disturb(fault);
        }
        shared
            .to_server
            .fetch_add(bytes.len() as u64, Ordering::SeqCst);
        if to.write_all(bytes).is_err() {
            return;
        }
    }
}

/// The next bytes; none when the end has closed.
fn read<'b>(from: &mut TcpStream, buffer: &'b mut [u8]) -> Option<&'b mut [u8]> {
    let read = from.read(buffer).ok().filter(|read| *read > 0)?;
    buffer.get_mut(..read)
}
