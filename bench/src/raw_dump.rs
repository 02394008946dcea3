//! The least that a client of the binlog can do: ask for a dump and throw its bytes away. What is
//! left is the server's and the network's share of the time.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Instant;

use crate::Error;
use crate::measure::cpu_time;

/// What reading a dump took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dump {
    pub(crate) bytes: u64,
    pub(crate) cpu_seconds: f64,
    /// From the request to the last byte.
    pub(crate) wall_seconds: f64,
}

/// Size of the buffer that is read into, again and again.
const BUFFER: usize = 64 * 1024;
/// Nobody else's id on the benchmark's own server.
const SERVER_ID: u32 = 4_000_000_001;
/// CLIENT_LONG_PASSWORD, CLIENT_PROTOCOL_41, CLIENT_SECURE_CONNECTION, CLIENT_PLUGIN_AUTH (MySQL
/// source, `mysql_com.h`).
const CAPABILITIES: u32 = 1 | 1 << 9 | 1 << 15 | 1 << 19;
const UTF8MB4: u8 = 45;
const COM_QUERY: u8 = 0x03;
const COM_BINLOG_DUMP: u8 = 0x12;
/// BINLOG_DUMP_NON_BLOCK: the dump ends where the log does.
const NON_BLOCK: u16 = 1;
const OK: u8 = 0;
const AUTH_MORE: u8 = 1;
const EOF: u8 = 0xfe;
const ERR: u8 = 0xff;

/// Reads the server's log from the start of `file` to its end, as a user without a password.
pub(crate) fn read(port: u16, user: &str, file: &str) -> Result<Dump, Error> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    log_in(&mut stream, user)?;
    let checksum = "SET @source_binlog_checksum = 'CRC32', @master_binlog_checksum = 'CRC32'";
    send(
        &mut stream,
        0,
        &[&[COM_QUERY], checksum.as_bytes()].concat(),
    )?;
    is_ok(&packet(&mut stream)?)?;
    let request = [
        &[COM_BINLOG_DUMP][..],
        &4_u32.to_le_bytes(),
        &NON_BLOCK.to_le_bytes(),
        &SERVER_ID.to_le_bytes(),
        file.as_bytes(),
    ]
    .concat();
    let (cpu, started) = (cpu_time()?, Instant::now());
    send(&mut stream, 0, &request)?;
    let bytes = throw_away(&mut stream)?;
    Ok(Dump {
        bytes,
        cpu_seconds: (cpu_time()? - cpu).as_secs_f64(),
        wall_seconds: started.elapsed().as_secs_f64(),
    })
}

/// Reads packets to the one that ends the dump, looking at their heads only; all their bytes.
fn throw_away(stream: &mut impl Read) -> Result<u64, Error> {
    let mut buffer = vec![0; BUFFER];
    let (mut total, mut filled) = (0, 0);
    // What is left of the packet that reaches beyond the buffer.
    let mut skip = 0;
    loop {
        let free = buffer.get_mut(filled..).unwrap_or_default();
        let read = stream.read(free)?;
        if read == 0 {
            return Err("the dump was cut".into());
        }
        total += read as u64;
        filled += read;
        let mut at = skip.min(filled);
        skip -= at;
        // A head and the first byte behind it.
        while let Some([a, b, c, _, kind]) = buffer.get(at..filled).and_then(<[u8]>::first_chunk) {
            let length = u32::from_le_bytes([*a, *b, *c, 0]) as usize;
            match *kind {
                EOF if length < 9 => return Ok(total),
                ERR => return Err("the server refused the dump".into()),
                _ => {}
            }
            let next = at + 4 + length;
            skip = next.saturating_sub(filled);
            at = next.min(filled);
        }
        buffer.copy_within(at..filled, 0);
        filled -= at;
    }
}

fn log_in(stream: &mut TcpStream, user: &str) -> Result<(), Error> {
    packet(stream)?;
    let answer = [
        &CAPABILITIES.to_le_bytes()[..],
        &(1_u32 << 24).to_le_bytes(),
        &[UTF8MB4],
        &[0; 23],
        user.as_bytes(),
        // The end of the name, and a password of no bytes.
        &[0, 0],
        b"caching_sha2_password\0",
    ]
    .concat();
    send(stream, 1, &answer)?;
    loop {
        let answer = packet(stream)?;
        match answer.first() {
            Some(&AUTH_MORE) => {}
            // Another plugin is asked for; no password is the same to all of them.
            Some(&EOF) => send(stream, 3, &[])?,
            _ => return is_ok(&answer),
        }
    }
}

fn is_ok(packet: &[u8]) -> Result<(), Error> {
    match packet.first() {
        Some(&OK) => Ok(()),
        Some(&ERR) => {
            let text = String::from_utf8_lossy(packet.get(3..).unwrap_or_default());
            Err(format!("the server says {text}").into())
        }
        _ => Err("the server answers with something else than OK".into()),
    }
}

fn send(stream: &mut TcpStream, sequence: u8, payload: &[u8]) -> Result<(), Error> {
    let [a, b, c, _] = u32::try_from(payload.len())?.to_le_bytes();
    stream.write_all(&[&[a, b, c, sequence], payload].concat())?;
    Ok(())
}

/// One whole packet, as before the dump: a few bytes.
fn packet(stream: &mut TcpStream) -> Result<Vec<u8>, Error> {
    let mut head = [0; 4];
    stream.read_exact(&mut head)?;
    let [a, b, c, _] = head;
    let mut payload = vec![0; u32::from_le_bytes([a, b, c, 0]) as usize];
    stream.read_exact(&mut payload)?;
    Ok(payload)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives so many bytes at a time at most.
    struct Dribble<'b>(&'b [u8], usize);

    impl Read for Dribble<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let most = buffer.len().min(self.1);
            self.0.read(buffer.get_mut(..most).unwrap_or_default())
        }
    }

    fn dump(end: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        // One that is larger than the buffer, and bytes that look like an end within an event.
        for length in [1_u32, 300, 70_000, 5] {
            let [a, b, c, _] = length.to_le_bytes();
            bytes.extend([a, b, c, 0, OK]);
            bytes.extend(vec![EOF; length as usize - 1]);
        }
        bytes.extend(end);
        bytes
    }

    #[test]
    fn a_dump_ends_with_its_last_packet_however_its_bytes_arrive() {
        let bytes = dump(&[5, 0, 0, 9, EOF, 0, 0, 2, 0]);
        for at_a_time in [1, 3, 4, 5, 1000, 1 << 20] {
            let read = throw_away(&mut Dribble(&bytes, at_a_time)).unwrap();
            let missing = bytes.len() as u64 - read;
            // The end is known by its first byte.
            assert!(missing <= 4, "{missing} of {at_a_time} at a time");
        }
    }

    #[test]
    fn a_dump_that_is_cut_or_refused_is_an_error() {
        assert!(throw_away(&mut Dribble(&dump(&[]), 1000)).is_err());
        assert!(throw_away(&mut Dribble(&dump(&[3, 0, 0, 9, ERR, 0, 0]), 1000)).is_err());
    }
}
