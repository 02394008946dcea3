//! The proxy between an echo server and its clients.
#![allow(clippy::unwrap_used, clippy::panic)] // a failing test panics, its helpers too

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use lab::{Fault, Proxy};

/// Port of a server that sends back what it gets, after `prefix`.
fn echo(prefix: &'static [u8]) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let mut from = stream.try_clone().unwrap();
                let mut to = stream;
                to.write_all(prefix)
                    .and_then(|()| std::io::copy(&mut from, &mut to).map(drop))
            });
        }
    });
    port
}

fn client(proxy: &Proxy) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", proxy.port())).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    stream
}

fn say(stream: &mut TcpStream, text: &str) -> String {
    stream.write_all(text.as_bytes()).unwrap();
    let mut back = vec![0; text.len()];
    stream.read_exact(&mut back).unwrap();
    String::from_utf8(back).unwrap()
}

/// What comes until the other end closes, cleanly or not.
fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let mut all = Vec::new();
    match stream.read_to_end(&mut all) {
        Err(error) if error.kind() != ErrorKind::ConnectionReset => panic!("not closed: {error}"),
        _ => all,
    }
}

#[test]
fn bytes_pass_and_are_counted() {
    let proxy = Proxy::start(echo(b"")).unwrap();
    let mut one = client(&proxy);
    assert_eq!(say(&mut one, "hello"), "hello");
    let counters = proxy.counters();
    assert_eq!((counters.connections, counters.open), (1, 1));
    assert_eq!((counters.to_server, counters.to_client), (5, 5));
}

#[test]
fn cut_all_closes_open_connections_and_lets_new_ones_through() {
    let proxy = Proxy::start(echo(b"")).unwrap();
    let mut streams = [client(&proxy), client(&proxy)];
    for stream in &mut streams {
        say(stream, "a");
    }
    assert_eq!(proxy.cut_all(), 2);
    for stream in &mut streams {
        assert_eq!(rest(stream), b"");
    }
    assert_eq!(say(&mut client(&proxy), "again"), "again");
}

#[test]
fn cut_after_passes_exactly_so_many_bytes_of_each_new_connection() {
    let proxy = Proxy::start(echo(b"0123456789")).unwrap();
    let mut old = client(&proxy);
    let mut begin = [0; 10];
    old.read_exact(&mut begin).unwrap();
    proxy.cut_after(7);
    for _ in 0..2 {
        assert_eq!(rest(&mut client(&proxy)), b"0123456");
    }
    assert_eq!(say(&mut old, "still open"), "still open");
    proxy.cut_after(0);
    assert_eq!(rest(&mut client(&proxy)), b"");
    proxy.cut_after(None);
    let mut free = client(&proxy);
    free.read_exact(&mut begin).unwrap();
    assert_eq!(say(&mut free, "free"), "free");
}

#[test]
fn paused_proxy_passes_nothing_until_resumed() {
    let proxy = Proxy::start(echo(b"")).unwrap();
    let mut stream = client(&proxy);
    say(&mut stream, "a");
    proxy.pause();
    stream.write_all(b"late").unwrap();
    stream
        .set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    let mut back = [0; 4];
    let kind = stream.read_exact(&mut back).unwrap_err().kind();
    assert!(
        matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut),
        "{kind}"
    );
    proxy.resume();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    stream.read_exact(&mut back).unwrap();
    assert_eq!(&back, b"late");
}

#[test]
fn refusing_proxy_closes_at_once() {
    let proxy = Proxy::start(echo(b"")).unwrap();
    proxy.refuse(true);
    assert_eq!(rest(&mut client(&proxy)), b"");
    proxy.refuse(false);
    assert_eq!(say(&mut client(&proxy), "up"), "up");
    assert_eq!(proxy.counters().connections, 2);
}

#[test]
fn new_connections_go_to_the_new_target() {
    let proxy = Proxy::start(echo(b"A")).unwrap();
    let mut byte = [0; 1];
    client(&proxy).read_exact(&mut byte).unwrap();
    assert_eq!(&byte, b"A");
    proxy.retarget(echo(b"B"));
    client(&proxy).read_exact(&mut byte).unwrap();
    assert_eq!(&byte, b"B");
}

#[test]
fn target_that_is_down_closes_the_client() {
    let port = TcpListener::bind(("127.0.0.1", 0))
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let proxy = Proxy::start(port).unwrap();
    assert_eq!(rest(&mut client(&proxy)), b"");
}

#[test]
fn dropped_proxy_closes_its_connections_and_its_port() {
    let proxy = Proxy::start(echo(b"")).unwrap();
    let port = proxy.port();
    let mut stream = client(&proxy);
    say(&mut stream, "a");
    proxy.pause();
    drop(proxy);
    assert_eq!(rest(&mut stream), b"");
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
}

/// A packet of the protocol: its length, its number, and what is in it.
fn packet(number: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = (payload.len() as u32).to_le_bytes();
    bytes[3] = number;
    [&bytes, payload].concat()
}

/// A packet with an event of this type, as a server sends it.
fn event(type_code: u8, body: &[u8]) -> Vec<u8> {
    let mut payload = vec![0; 20];
    payload[5] = type_code;
    packet(1, &[&payload, body].concat())
}

/// Sends bytes and reads as many.
fn echoed(stream: &mut TcpStream, bytes: &[u8]) -> Vec<u8> {
    stream.write_all(bytes).unwrap();
    let mut back = vec![0; bytes.len()];
    stream.read_exact(&mut back).unwrap();
    back
}

/// A client that has asked for the binlog.
fn stream_client(proxy: &Proxy) -> TcpStream {
    let mut stream = client(proxy);
    let dump = packet(0, &[0x12, 4, 0, 0, 0]);
    assert_eq!(echoed(&mut stream, &dump), dump);
    stream
}

#[test]
fn slow_connections_give_all_bytes_but_later() {
    let proxy = Proxy::start(echo(b"")).unwrap();
    let mut stream = client(&proxy);
    say(&mut stream, "a");
    for (fault, least) in [
        (Fault::Delay(Duration::from_millis(150)), 150),
        (Fault::Throttle(20), 400),
    ] {
        assert_eq!(proxy.disturb(fault), 1);
        let begin = Instant::now();
        assert_eq!(say(&mut stream, "0123456789"), "0123456789");
        assert!(begin.elapsed() >= Duration::from_millis(least), "{fault:?}");
        proxy.heal();
    }
    let begin = Instant::now();
    for _ in 0..20 {
        say(&mut stream, "0123456789");
    }
    assert!(begin.elapsed() < Duration::from_secs(3), "still slow");
}

#[test]
fn open_connections_are_cut_after_exactly_so_many_more_bytes() {
    let proxy = Proxy::start(echo(b"")).unwrap();
    let mut stream = client(&proxy);
    assert_eq!(say(&mut stream, "before"), "before");
    proxy.disturb(Fault::Cut(3));
    stream.write_all(b"0123456789").unwrap();
    assert_eq!(rest(&mut stream), b"012");
    assert_eq!(say(&mut client(&proxy), "again"), "again");
}

#[test]
fn one_byte_is_flipped_where_it_was_asked_for_and_no_other() {
    let proxy = Proxy::start(echo(b"")).unwrap();
    let mut stream = client(&proxy);
    say(&mut stream, "before");
    proxy.disturb(Fault::Flip { after: 4, bits: 1 });
    assert_eq!(say(&mut stream, "abc"), "abc");
    assert_eq!(say(&mut stream, "abc"), "acc");
    assert_eq!(say(&mut stream, "abc"), "abc");
    assert_eq!(proxy.counters().flipped, 1);
}

#[test]
fn only_bodies_of_rows_events_are_hit_and_only_in_binlog_streams() {
    let proxy = Proxy::start(echo(b"")).unwrap();
    let mut other = client(&proxy);
    say(&mut other, "a");
    let mut stream = stream_client(&proxy);
    assert_eq!(proxy.streams(), 1);
    let body = [7; 30];
    for place in [0, 29, 30, 1000] {
        let hit = proxy.disturb_streams(Fault::FlipInRows {
            skip: 1,
            place,
            bits: 0x80,
        });
        assert_eq!(hit, 1);
        for (type_code, is_hit) in [
            (16, false),
            (30, false),
            (2, false),
            (31, true),
            (31, false),
        ] {
            let sent = event(type_code, &body);
            let mut expected = sent.clone();
            if is_hit {
                expected[4 + 20 + place as usize % 30] ^= 0x80;
            }
            assert_eq!(echoed(&mut stream, &sent), expected, "type {type_code}");
        }
    }
    assert_eq!(say(&mut other, "untouched"), "untouched");
}

#[test]
fn a_frozen_connection_stays_open_and_says_nothing_until_it_is_closed() {
    let proxy = Proxy::start(echo(b"")).unwrap();
    let mut frozen = stream_client(&proxy);
    assert_eq!(proxy.disturb_streams(Fault::Freeze), 1);
    frozen.write_all(b"lost").unwrap();
    assert_eq!(say(&mut client(&proxy), "new"), "new");
    frozen
        .set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    let kind = frozen.read(&mut [0]).unwrap_err().kind();
    assert!(
        matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut),
        "{kind}"
    );
    proxy.heal();
    frozen
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    assert_eq!(rest(&mut frozen), b"");
}
