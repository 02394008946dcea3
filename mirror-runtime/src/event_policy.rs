//! What is done with every event type of both servers; nothing is passed over by default.
//!
//! Codes are those of MySQL (0 to 42) and MariaDB (160 to 171); the sources are the MySQL
//! manual, "Binary Log Event Types" of the internals pages, and the MariaDB knowledge base,
//! "Replication Protocol Events". `docs/events.md` shows the same table to users.

/// What is done with an event type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventPolicy {
    /// Applied: it frames a transaction or carries rows or statements.
    Apply,
    /// Passed over, and why nothing is lost by that.
    Ignore(&'static str),
    /// Applied if the table is mirrored, and this version cannot: the mirror stops or loads
    /// again; the text says what it was.
    Stop(&'static str),
    /// Never seen: stops the mirror, unless the server marked the event as ignorable.
    Unknown,
}

/// The policy for an event type code.
#[must_use]
pub const fn event_policy(type_code: u8) -> EventPolicy {
    use EventPolicy::{Apply, Ignore, Stop, Unknown};
    match type_code {
        2 | 16 | 18 | 19 | 23..=25 | 30..=34 | 38..=40 | 42 | 160 | 162 | 165..=171 => Apply,
        15 => Apply,
        3 => Ignore("STOP: the server shut down in order; the next file says how it goes on"),
        4 => Ignore("ROTATE: the source follows it to the next file"),
        5 => Ignore("INTVAR: belongs to a statement, which is judged by its own text"),
        9 => Ignore("APPEND_BLOCK: data of a LOAD DATA, which is judged by its statement"),
        13 => Ignore("RAND: belongs to a statement, which is judged by its own text"),
        14 => Ignore("USER_VAR: belongs to a statement, which is judged by its own text"),
        17 => Ignore("BEGIN_LOAD_QUERY: data of a LOAD DATA, which is judged by its statement"),
        11 => Ignore("DELETE_FILE: ends the data of a LOAD DATA"),
        27 | 41 => Ignore("HEARTBEAT: the source takes its position"),
        28 => Ignore("IGNORABLE: marked so by the server"),
        29 => Ignore("ROWS_QUERY: the text of a statement whose rows follow"),
        35 => Ignore("PREVIOUS_GTIDS: what earlier files hold"),
        36 => Ignore("TRANSACTION_CONTEXT: for group replication's conflict detection"),
        37 => Ignore("VIEW_CHANGE: membership of a replication group"),
        161 => Ignore("BINLOG_CHECKPOINT: which files the server needs for crash recovery"),
        163 => Ignore("GTID_LIST: what earlier files hold"),
        164 => Ignore("START_ENCRYPTION: the server sends the events decrypted"),
        1 | 6..=8 | 10 | 12 | 20..=22 => Stop("an event of a server older than MySQL 5.1"),
        26 => Stop("INCIDENT: the server says that its log lacks changes"),
        0 | 43..=159 | 172..=255 => Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_codes_outside_both_servers_ranges_are_unknown() {
        for code in 0..=255 {
            let listed = matches!(code, 1..=42 | 160..=171);
            assert_eq!(
                event_policy(code) == EventPolicy::Unknown,
                !listed,
                "code {code}"
            );
        }
    }

    #[test]
    fn events_that_carry_rows_are_never_ignored() {
        for code in (20..=25).chain(30..=32).chain(38..=40).chain(165..=171) {
            assert!(
                !matches!(event_policy(code), EventPolicy::Ignore(_)),
                "code {code}"
            );
        }
    }
}
