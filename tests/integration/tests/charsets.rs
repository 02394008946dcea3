//! Every character set, every sequence of bytes that a column of it can hold as one character:
//! what the mirror decodes is what the server converts.

use integration::on_both_servers;
use lab::{Flavor, Server, ServerOptions};
use mirror_runtime::Charset;
use mysql::prelude::Queryable;
use mysql::{Conn, OptsBuilder};

on_both_servers!(every_character_is_decoded_as_the_server_converts_it);

/// Rows of one INSERT.
const ROWS: usize = 4000;

fn every_character_is_decoded_as_the_server_converts_it(flavor: Flavor) {
    let server = Server::start(flavor, &ServerOptions::new()).unwrap();
    let mut conn = connect(&server);
    let offered: Vec<String> = conn
        .query("SELECT CHARACTER_SET_NAME FROM information_schema.CHARACTER_SETS")
        .unwrap();
    let mut total = 0;
    for name in &offered {
        if matches!(name.as_str(), "binary" | "filename") {
            continue;
        }
        let charset = Charset::from_name(name)
            .unwrap_or_else(|| panic!("{flavor}: character set {name} has no decoder"));
        let compared = compare(&mut conn, charset);
        assert!(compared >= 128, "{name}: {compared} characters");
        total += compared;
    }
    assert!(offered.len() >= 35, "{flavor}: {offered:?}");
    println!("{flavor}: {total} characters of {} sets", offered.len());
}

/// Stores all sequences and compares what the server makes of those that it took unchanged.
fn compare(conn: &mut Conn, charset: Charset) -> usize {
    let name = charset.name();
    conn.query_drop("DROP TABLE IF EXISTS sequences").unwrap();
    conn.query_drop(format!(
        "CREATE TABLE sequences (b VARBINARY(4), c VARCHAR(4) CHARACTER SET {name}) ENGINE=MyISAM"
    ))
    .unwrap();
    for some in sequences(charset).chunks(ROWS) {
        let rows: Vec<String> = some
            .iter()
            .map(|bytes| {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                format!("(x'{hex}',x'{hex}')")
            })
            .collect();
        conn.query_drop(format!(
            "INSERT IGNORE INTO sequences VALUES {}",
            rows.join(",")
        ))
        .unwrap();
    }
    let rows: Vec<(Vec<u8>, Vec<u8>)> = conn
        .query(
            "SELECT b, CAST(CONVERT(c USING utf8mb4) AS BINARY) FROM sequences \
             WHERE b = CAST(c AS BINARY) AND CHAR_LENGTH(c) = 1",
        )
        .unwrap();
    for (stored, converted) in &rows {
        let text = String::from_utf8(converted.clone()).ok();
        // What the server has no character for.
        let lost = match text.as_deref() {
            Some("?") => !charset.decode(stored).is_ok_and(|text| text == "?"),
            Some("" | "\u{fffd}") | None => true,
            Some(_) => false,
        };
        let expected = if lost { None } else { text };
        let decoded = charset.decode(stored).ok().map(|text| text.into_owned());
        assert_eq!(decoded, expected, "{name} {stored:02x?}");
    }
    rows.len()
}

/// What may be one character.
fn sequences(charset: Charset) -> Vec<Vec<u8>> {
    let sample = || (0..=0x10_ffff_u32).step_by(67).filter_map(char::from_u32);
    let mut all: Vec<Vec<u8>> = match charset {
        Charset::Utf8mb3 | Charset::Utf8mb4 => sample().map(|c| c.to_string().into()).collect(),
        Charset::Utf32 => sample()
            .map(|c| u32::from(c).to_be_bytes().into())
            .collect(),
        Charset::Ucs2 => (0..=u16::MAX)
            .step_by(7)
            .map(|unit| unit.to_be_bytes().into())
            .collect(),
        Charset::Utf16 => sample().map(|c| utf16(c, u16::to_be_bytes)).collect(),
        Charset::Utf16le => sample().map(|c| utf16(c, u16::to_le_bytes)).collect(),
        _ => (0..=u8::MAX).map(|byte| vec![byte]).collect(),
    };
    let wide = matches!(
        charset,
        Charset::Utf8mb3
            | Charset::Utf8mb4
            | Charset::Utf32
            | Charset::Ucs2
            | Charset::Utf16
            | Charset::Utf16le
    );
    if wide || charset.max_char_bytes() == 1 {
        return all;
    }
    for lead in 0x80..=u8::MAX {
        for trail in 0..=u8::MAX {
            all.push(vec![lead, trail]);
            if charset.max_char_bytes() == 3 && trail >= 0x80 {
                all.push(vec![0x8f, lead, trail]);
            }
        }
    }
    if charset == Charset::Gb18030 {
        // Every 97th of the sequences of four bytes.
        let four = (0x81..=0xfe_u8).flat_map(|a| (0..12_600_u32).map(move |rest| (a, rest)));
        all.extend(four.step_by(97).map(|(a, rest)| {
            let (b, c, d) = (rest / 1260, rest / 10 % 126, rest % 10);
            vec![a, 0x30 + b as u8, 0x81 + c as u8, 0x30 + d as u8]
        }));
    }
    all
}

fn utf16(character: char, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let mut units = [0; 2];
    let units = character.encode_utf16(&mut units);
    units.iter().flat_map(|unit| bytes(*unit)).collect()
}

/// A session whose changes are not logged.
fn connect(server: &Server) -> Conn {
    let mut conn = Conn::new(
        OptsBuilder::new()
            .ip_or_hostname(Some("127.0.0.1"))
            .tcp_port(server.port())
            .user(Some("root"))
            .prefer_socket(false),
    )
    .unwrap();
    for sql in [
        "SET sql_log_bin = 0, sql_mode = ''",
        "SET NAMES utf8mb4",
        "CREATE DATABASE charsets",
        "USE charsets",
    ] {
        conn.query_drop(sql).unwrap();
    }
    conn
}
