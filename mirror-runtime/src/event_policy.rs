//! What is done with every event type of both servers; nothing is passed over by default.
//!
//! Codes are those of MySQL (0 to 42) and MariaDB (160 to 171); the sources are the MySQL
//! manual, "Binary Log Event Types" of the internals pages, and the MariaDB knowledge base,
//! "Replication Protocol Events". The table of `docs/events.md` is made from this one; real
//! servers write each type in `tests/integration/tests/events.rs`.

/// What is done with an event type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventPolicy {
    /// Applied, and as what: it frames a transaction or carries rows or statements.
    Apply(&'static str),
    /// Passed over, and why nothing is lost by that.
    Ignore(&'static str),
    /// All tables are loaded again; the text says why.
    Reload(&'static str),
    /// The mirror stops; the text says what it was.
    Stop(&'static str),
    /// Never seen: stops the mirror, unless the server marked the event as ignorable.
    Unknown,
}

/// The policy for an event type code.
#[must_use]
pub const fn event_policy(type_code: u8) -> EventPolicy {
    use EventPolicy::{Apply, Ignore, Reload, Stop, Unknown};
    match type_code {
        2 => Apply("a statement: frames a transaction, or is sorted by its text, see below"),
        3 => Ignore("the server shut down in order; the next file says how it goes on"),
        4 => Ignore("the source follows it to the next file"),
        5 | 13 | 14 => Ignore("belongs to a statement, which is judged by its own text"),
        9 => Ignore("data of a LOAD DATA, which is judged by its statement"),
        11 => Ignore("gives up the data of a LOAD DATA, whose statement does not follow"),
        15 => Apply("checksum algorithm; an unfinished transaction before it never happened"),
        16 => Apply("commit"),
        17 => Ignore("data of a LOAD DATA, which is judged by its statement"),
        18 => Apply("the statement of a LOAD DATA, sorted by its text"),
        19 => Apply("layout check of a mirrored table"),
        23 | 30 => Apply("inserted rows"),
        24 | 31 => Apply("updated rows"),
        25 | 32 => Apply("deleted rows"),
        26 => Reload("INCIDENT"),
        27 | 41 => Ignore("the source takes its position"),
        28 => Ignore("marked as ignorable by the server"),
        29 => Ignore("the text of a statement whose rows follow"),
        33 | 34 | 42 | 162 => Apply("start of a transaction"),
        35 | 163 => Ignore("tells what earlier files hold"),
        36 => Ignore("for the detection of conflicts in group replication"),
        37 => Ignore("membership of a replication group"),
        38 => Apply("one phase commits; otherwise the rows stay invisible"),
        39 => Apply("updated rows with differences of JSON documents, see below"),
        40 => Apply("the events in it, one by one, see below"),
        160 => Apply("tells what columns have that an update lacks, see below"),
        161 => Ignore("tells which files the server needs after a crash"),
        164 => Ignore("the server sends the events decrypted"),
        165 => Apply("a statement, decompressed"),
        166 | 169 => Apply("inserted rows, decompressed"),
        167 | 170 => Apply("updated rows, decompressed"),
        168 | 171 => Apply("deleted rows, decompressed"),
        1 | 6..=8 | 10 | 12 | 20..=22 => Stop("an event of a server older than MySQL 5.1"),
        0 | 43..=159 | 172..=255 => Unknown,
    }
}

#[cfg(test)]
#[path = "event_policy_tests.rs"]
mod tests;
