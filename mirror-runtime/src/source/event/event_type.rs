//! Type codes of binlog events of both servers.
//!
//! MySQL source `Log_event_type` (0 to 42), MariaDB source `Log_event_type` (160 to 171).

/// Never written by a server.
pub const UNKNOWN: u8 = 0;
/// First event of a file before MySQL 5.0.
pub const START_V3: u8 = 1;
/// A statement: DDL, BEGIN, COMMIT, XA, or DML in statement format.
pub const QUERY: u8 = 2;
/// The server shut down cleanly.
pub const STOP: u8 = 3;
/// The log goes on in another file.
pub const ROTATE: u8 = 4;
/// INSERT_ID or LAST_INSERT_ID for the statement that follows.
pub const INTVAR: u8 = 5;
/// LOAD DATA of MySQL 3.23.
pub const LOAD: u8 = 6;
/// Never written to a binlog.
pub const SLAVE: u8 = 7;
/// LOAD DATA of MySQL 4.0.
pub const CREATE_FILE: u8 = 8;
/// A further block of a file for LOAD DATA in statement format.
pub const APPEND_BLOCK: u8 = 9;
/// LOAD DATA of MySQL 4.0.
pub const EXEC_LOAD: u8 = 10;
/// Gives up a file for LOAD DATA in statement format.
pub const DELETE_FILE: u8 = 11;
/// LOAD DATA of MySQL 4.0.
pub const NEW_LOAD: u8 = 12;
/// Seeds of RAND() for the statement that follows.
pub const RAND: u8 = 13;
/// A user variable for the statement that follows.
pub const USER_VAR: u8 = 14;
/// First event of a file: version, header lengths, checksum algorithm.
pub const FORMAT_DESCRIPTION: u8 = 15;
/// Commit of a transaction of a transactional engine.
pub const XID: u8 = 16;
/// The first block of a file for LOAD DATA in statement format.
pub const BEGIN_LOAD_QUERY: u8 = 17;
/// The LOAD DATA statement itself.
pub const EXECUTE_LOAD_QUERY: u8 = 18;
/// Names and types of the table that row events refer to.
pub const TABLE_MAP: u8 = 19;
/// Rows of MySQL 5.1 before its release.
pub const PRE_GA_WRITE_ROWS: u8 = 20;
/// Rows of MySQL 5.1 before its release.
pub const PRE_GA_UPDATE_ROWS: u8 = 21;
/// Rows of MySQL 5.1 before its release.
pub const PRE_GA_DELETE_ROWS: u8 = 22;
/// Inserted rows; MariaDB, and MySQL before 5.6.
pub const WRITE_ROWS_V1: u8 = 23;
/// Updated rows; MariaDB, and MySQL before 5.6.
pub const UPDATE_ROWS_V1: u8 = 24;
/// Deleted rows; MariaDB, and MySQL before 5.6.
pub const DELETE_ROWS_V1: u8 = 25;
/// The log may miss changes from here on.
pub const INCIDENT: u8 = 26;
/// The source is alive and has nothing to send; in no file.
pub const HEARTBEAT: u8 = 27;
/// An event that readers may pass over.
pub const IGNORABLE: u8 = 28;
/// Text of the statement behind the rows that follow.
pub const ROWS_QUERY: u8 = 29;
/// Inserted rows.
pub const WRITE_ROWS: u8 = 30;
/// Updated rows.
pub const UPDATE_ROWS: u8 = 31;
/// Deleted rows.
pub const DELETE_ROWS: u8 = 32;
/// Starts a transaction and names its GTID; MySQL.
pub const GTID: u8 = 33;
/// Starts a transaction that has no GTID; MySQL.
pub const ANONYMOUS_GTID: u8 = 34;
/// The GTIDs of all files before this one; MySQL.
pub const PREVIOUS_GTIDS: u8 = 35;
/// Certification data of group replication.
pub const TRANSACTION_CONTEXT: u8 = 36;
/// Membership change of group replication.
pub const VIEW_CHANGE: u8 = 37;
/// XA PREPARE, or a one-phase XA COMMIT.
pub const XA_PREPARE: u8 = 38;
/// Updated rows with partial JSON values; MySQL 8.0.
pub const PARTIAL_UPDATE_ROWS: u8 = 39;
/// A compressed transaction; MySQL 8.0.20.
pub const TRANSACTION_PAYLOAD: u8 = 40;
/// A heartbeat with a 64-bit position; MySQL 8.0.26.
pub const HEARTBEAT_V2: u8 = 41;
/// Starts a transaction and names its tagged GTID; MySQL 8.3.
pub const GTID_TAGGED: u8 = 42;
/// Text of the statement behind the rows that follow; MariaDB.
pub const ANNOTATE_ROWS: u8 = 160;
/// The oldest file that crash recovery needs; MariaDB.
pub const BINLOG_CHECKPOINT: u8 = 161;
/// Starts a transaction and names its GTID; MariaDB.
pub const MARIADB_GTID: u8 = 162;
/// The last GTIDs of all files before this one; MariaDB.
pub const MARIADB_GTID_LIST: u8 = 163;
/// The rest of the file is encrypted on disk; MariaDB.
pub const START_ENCRYPTION: u8 = 164;
/// A compressed QUERY; MariaDB.
pub const QUERY_COMPRESSED: u8 = 165;
/// Compressed inserted rows; MariaDB.
pub const WRITE_ROWS_COMPRESSED_V1: u8 = 166;
/// Compressed updated rows; MariaDB.
pub const UPDATE_ROWS_COMPRESSED_V1: u8 = 167;
/// Compressed deleted rows; MariaDB.
pub const DELETE_ROWS_COMPRESSED_V1: u8 = 168;
/// Compressed inserted rows, version 2; MariaDB.
pub const WRITE_ROWS_COMPRESSED: u8 = 169;
/// Compressed updated rows, version 2; MariaDB.
pub const UPDATE_ROWS_COMPRESSED: u8 = 170;
/// Compressed deleted rows, version 2; MariaDB.
pub const DELETE_ROWS_COMPRESSED: u8 = 171;

/// First code that only MariaDB uses.
pub const FIRST_MARIADB: u8 = ANNOTATE_ROWS;

/// Name of a type code as the servers spell it; `unknown event type` for a code that neither uses.
#[must_use]
pub fn name(type_code: u8) -> &'static str {
    NAMES
        .iter()
        .find(|(code, _)| *code == type_code)
        .map_or("unknown event type", |(_, name)| name)
}

/// Every type code of both servers with its name, in order of the codes.
pub const NAMES: [(u8, &str); 55] = [
    (UNKNOWN, "UNKNOWN_EVENT"),
    (START_V3, "START_EVENT_V3"),
    (QUERY, "QUERY_EVENT"),
    (STOP, "STOP_EVENT"),
    (ROTATE, "ROTATE_EVENT"),
    (INTVAR, "INTVAR_EVENT"),
    (LOAD, "LOAD_EVENT"),
    (SLAVE, "SLAVE_EVENT"),
    (CREATE_FILE, "CREATE_FILE_EVENT"),
    (APPEND_BLOCK, "APPEND_BLOCK_EVENT"),
    (EXEC_LOAD, "EXEC_LOAD_EVENT"),
    (DELETE_FILE, "DELETE_FILE_EVENT"),
    (NEW_LOAD, "NEW_LOAD_EVENT"),
    (RAND, "RAND_EVENT"),
    (USER_VAR, "USER_VAR_EVENT"),
    (FORMAT_DESCRIPTION, "FORMAT_DESCRIPTION_EVENT"),
    (XID, "XID_EVENT"),
    (BEGIN_LOAD_QUERY, "BEGIN_LOAD_QUERY_EVENT"),
    (EXECUTE_LOAD_QUERY, "EXECUTE_LOAD_QUERY_EVENT"),
    (TABLE_MAP, "TABLE_MAP_EVENT"),
    (PRE_GA_WRITE_ROWS, "PRE_GA_WRITE_ROWS_EVENT"),
    (PRE_GA_UPDATE_ROWS, "PRE_GA_UPDATE_ROWS_EVENT"),
    (PRE_GA_DELETE_ROWS, "PRE_GA_DELETE_ROWS_EVENT"),
    (WRITE_ROWS_V1, "WRITE_ROWS_EVENT_V1"),
    (UPDATE_ROWS_V1, "UPDATE_ROWS_EVENT_V1"),
    (DELETE_ROWS_V1, "DELETE_ROWS_EVENT_V1"),
    (INCIDENT, "INCIDENT_EVENT"),
    (HEARTBEAT, "HEARTBEAT_EVENT"),
    (IGNORABLE, "IGNORABLE_EVENT"),
    (ROWS_QUERY, "ROWS_QUERY_EVENT"),
    (WRITE_ROWS, "WRITE_ROWS_EVENT"),
    (UPDATE_ROWS, "UPDATE_ROWS_EVENT"),
    (DELETE_ROWS, "DELETE_ROWS_EVENT"),
    (GTID, "GTID_EVENT"),
    (ANONYMOUS_GTID, "ANONYMOUS_GTID_EVENT"),
    (PREVIOUS_GTIDS, "PREVIOUS_GTIDS_EVENT"),
    (TRANSACTION_CONTEXT, "TRANSACTION_CONTEXT_EVENT"),
    (VIEW_CHANGE, "VIEW_CHANGE_EVENT"),
    (XA_PREPARE, "XA_PREPARE_LOG_EVENT"),
    (PARTIAL_UPDATE_ROWS, "PARTIAL_UPDATE_ROWS_EVENT"),
    (TRANSACTION_PAYLOAD, "TRANSACTION_PAYLOAD_EVENT"),
    (HEARTBEAT_V2, "HEARTBEAT_LOG_EVENT_V2"),
    (GTID_TAGGED, "GTID_TAGGED_LOG_EVENT"),
    (ANNOTATE_ROWS, "ANNOTATE_ROWS_EVENT"),
    (BINLOG_CHECKPOINT, "BINLOG_CHECKPOINT_EVENT"),
    (MARIADB_GTID, "GTID_EVENT (MariaDB)"),
    (MARIADB_GTID_LIST, "GTID_LIST_EVENT"),
    (START_ENCRYPTION, "START_ENCRYPTION_EVENT"),
    (QUERY_COMPRESSED, "QUERY_COMPRESSED_EVENT"),
    (WRITE_ROWS_COMPRESSED_V1, "WRITE_ROWS_COMPRESSED_EVENT_V1"),
    (UPDATE_ROWS_COMPRESSED_V1, "UPDATE_ROWS_COMPRESSED_EVENT_V1"),
    (DELETE_ROWS_COMPRESSED_V1, "DELETE_ROWS_COMPRESSED_EVENT_V1"),
    (WRITE_ROWS_COMPRESSED, "WRITE_ROWS_COMPRESSED_EVENT"),
    (UPDATE_ROWS_COMPRESSED, "UPDATE_ROWS_COMPRESSED_EVENT"),
    (DELETE_ROWS_COMPRESSED, "DELETE_ROWS_COMPRESSED_EVENT"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_both_servers_has_a_name_of_its_own() {
        let codes: Vec<u8> = NAMES.iter().map(|(code, _)| *code).collect();
        let expected: Vec<u8> = (0..=42).chain(160..=171).collect();
        assert_eq!(codes, expected);
        let mut names: Vec<&str> = NAMES.iter().map(|(_, name)| *name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), codes.len());
        assert_eq!(name(HEARTBEAT_V2), "HEARTBEAT_LOG_EVENT_V2");
        assert_eq!(name(43), "unknown event type");
    }
}
