//! The parts of a server URL, read and decoded.

use super::error::SourceError;

const DEFAULT_PORT: u16 = 3306;

/// The first line of a file.
pub(super) fn password_of(path: &str) -> Result<String, SourceError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| invalid(&format!("password-file {path} cannot be read: {error}")))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

pub(super) fn invalid(detail: &str) -> SourceError {
    SourceError::Url {
        detail: detail.to_owned(),
    }
}

pub(super) fn unknown(what: &str, found: &str, known: &[&str]) -> SourceError {
    let near = known
        .iter()
        .map(|name| (distance(&found.to_ascii_lowercase(), name), name))
        .min()
        .filter(|(distance, name)| *distance <= name.len() / 2)
        .map(|(_, name)| format!(", did you mean '{name}'?"))
        .unwrap_or_default();
    let found: String = found.chars().take(40).collect();
    invalid(&format!(
        "unknown {what} '{found}'{near} (known: {})",
        known.join(", ")
    ))
}

/// How many characters have to change (Levenshtein); long texts are cut.
pub(super) fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(40).collect();
    let mut row: Vec<usize> = (0..=a.len()).collect();
    for (line, b_char) in b.chars().enumerate() {
        let mut next = vec![line + 1];
        for ((a_char, pair), left) in a.iter().zip(row.windows(2)).zip(0_usize..) {
            let (diagonal, above) = match pair {
                [diagonal, above] => (*diagonal, *above),
                _ => continue,
            };
            let left = next.get(left).copied().unwrap_or(usize::MAX - 1);
            let replaced = diagonal + usize::from(*a_char != b_char);
            next.push(replaced.min(above + 1).min(left + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

/// `host`, `host:port`, `[::1]:port`, or nothing.
pub(super) fn parse_place(place: &str) -> Result<(String, u16), SourceError> {
    let (host, port) = if let Some(rest) = place.strip_prefix('[') {
        let (host, port) = rest
            .split_once(']')
            .ok_or_else(|| invalid("there is no ] behind the IPv6 address"))?;
        if host.parse::<std::net::Ipv6Addr>().is_err() {
            return Err(invalid("there is no IPv6 address between [ and ]"));
        }
        (host, port.strip_prefix(':').unwrap_or(port))
    } else {
        place.rsplit_once(':').unwrap_or((place, ""))
    };
    let port = match port {
        "" => DEFAULT_PORT,
        port => port
            .parse()
            .ok()
            .filter(|number| *number != 0 && port.bytes().all(|b| b.is_ascii_digit()))
            .ok_or_else(|| invalid("the port is not a number from 1 to 65535"))?,
    };
    let host = decode(host, "the host")?;
    if host.contains(':') && !place.starts_with('[') {
        return Err(invalid(
            "the host has a colon; write an IPv6 address as [::1], and percent-encode @ / : ? in user and password",
        ));
    }
    let host = if host.is_empty() {
        "127.0.0.1".to_owned()
    } else {
        host
    };
    Ok((host, port))
}

/// Undoes percent-encoding.
pub(super) fn decode(text: &str, what: &str) -> Result<String, SourceError> {
    let wrong = || invalid(&format!("{what} is not valid percent-encoded UTF-8"));
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        match (digit(rest.next()), digit(rest.next())) {
            (Some(high), Some(low)) => bytes.push((high * 16 + low) as u8),
            _ => return Err(wrong()),
        }
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}
