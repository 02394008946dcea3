//! Tests of the error mapping, with messages as the servers print them.

use super::super::SourceErrorKind as Kind;
use super::*;

fn context(connecting: bool) -> Context<'static> {
    Context {
        address: "db.example:3306",
        user: "mirror",
        action: "reading the binlog",
        asked: "binlog.000007:157",
        server_id: 4242,
        connecting,
    }
}

fn dump(message: &str) -> SourceError {
    from_server(1236, "HY000", message, &context(false))
}

#[test]
fn dump_errors_are_told_apart_by_their_text() {
    for (message, kind) in [
        (
            "A replica with the same server_uuid/server_id as this replica has connected to the source; the first event 'binlog.000001' at 4",
            Kind::DuplicateServerId,
        ),
        (
            "A slave with the same server_uuid/server_id as this slave has connected to the master",
            Kind::DuplicateServerId,
        ),
        (
            "Could not find first log file name in binary log index file",
            Kind::Purged,
        ),
        (
            "Cannot replicate because the source purged required binary logs. Replicate the missing transactions from elsewhere",
            Kind::Purged,
        ),
        (
            "Could not find GTID state requested by slave in any binlog files. Probably the slave state is too old and required binlog files have been purged.",
            Kind::Purged,
        ),
        (
            "Client requested source to start replication from position > file size; the first event 'binlog.000001' at 99999",
            Kind::Purged,
        ),
        (
            "Replica has more GTIDs than the source has, using the source's SERVER_UUID.",
            Kind::Purged,
        ),
        (
            "Error: connecting slave requested to start from GTID 0-1-999, which is not in the master's binlog",
            Kind::Purged,
        ),
        (
            "log event entry exceeded max_allowed_packet; Increase max_allowed_packet on source",
            Kind::Setting,
        ),
        (
            "The replication sender thread cannot start in AUTO_POSITION mode: this server has GTID_MODE = OFF instead of ON.",
            Kind::Setting,
        ),
        (
            "Cannot replicate anonymous transaction when AUTO_POSITION = 1, at file binlog.000003, position 198.",
            Kind::Setting,
        ),
        ("Binary log is not open", Kind::Setting),
        (
            "bogus data in log event; the first event 'binlog.000001' at 4",
            Kind::Malformed,
        ),
        (
            "event read from binlog did not pass crc check",
            Kind::Malformed,
        ),
        (
            "I/O error reading log event; the first event '' at 4, the last event read from 'binlog.000001' at 1148",
            Kind::Malformed,
        ),
        ("something new", Kind::Server),
    ] {
        let error = dump(message);
        assert_eq!(error.kind(), kind, "{message}");
        assert!(!error.is_transient(), "{message}");
    }
}

#[test]
fn a_stream_that_gtids_do_not_serve_any_more_is_told_apart() {
    let off = "cannot start in AUTO_POSITION mode: this server has GTID_MODE = OFF instead of ON.";
    let anonymous = "Cannot replicate anonymous transaction when AUTO_POSITION = 1, at file x";
    for (message, expected) in [
        (off, true),
        (anonymous, true),
        ("Binary log is not open", false),
        ("log event entry exceeded max_allowed_packet", false),
    ] {
        assert_eq!(dump(message).is_without_gtids(), expected, "{message}");
    }
}

#[test]
fn mariadb_has_a_number_for_a_server_id_used_twice() {
    let message = "A slave with the same server_uuid/server_id is already connected; the first event 'binlog.000002' at 4";
    let error = from_server(4052, "HY000", message, &context(false));
    assert_eq!(error.kind(), Kind::DuplicateServerId);
    assert!(error.to_string().contains("4242"), "{error}");
}

#[test]
fn dump_errors_name_what_was_asked_for() {
    let purged = dump("Could not find first log file name in binary log index file").to_string();
    assert!(purged.contains("binlog.000007:157"), "{purged}");
    let duplicate = dump("A slave with the same server_uuid/server_id as this").to_string();
    assert!(duplicate.contains("4242"), "{duplicate}");
    let damaged = dump("bogus data in log event").to_string();
    assert!(damaged.contains("binlog.000007, position 157"), "{damaged}");
}

#[test]
fn denied_access_and_missing_rights_differ() {
    let denied = from_server(
        1045,
        "28000",
        "Access denied for user 'mirror'@'10.0.0.7' (using password: YES)",
        &context(true),
    );
    assert_eq!(denied.kind(), Kind::AccessDenied);
    assert!(denied.to_string().contains("db.example:3306"));

    let message = "Access denied for user 'mirror'@'10.0.0.7' (using password: YES)";
    let text = from_server(1045, "28000", message, &context(false)).to_string();
    assert!(
        text.contains("GRANT REPLICATION SLAVE ON *.* TO 'mirror'@'10.0.0.7'"),
        "{text}"
    );

    let message = "Access denied; you need (at least one of) the SUPER, REPLICATION CLIENT privilege(s) for this operation";
    let missing = from_server(1227, "42000", message, &context(false));
    let text = missing.to_string();
    assert_eq!(missing.kind(), Kind::MissingRight);
    assert!(
        text.contains("GRANT REPLICATION CLIENT ON *.* TO"),
        "{text}"
    );

    let message = "SELECT command denied to user 'mirror'@'10.0.0.7' for table 'banner'";
    let text = from_server(1142, "42000", message, &context(false)).to_string();
    assert!(text.contains("missing right SELECT"), "{text}");
    assert!(text.contains("TO 'mirror'@'10.0.0.7'"), "{text}");

    let message = "Access denied for user 'mirror'@'%' to database 'ads'";
    assert_eq!(
        from_server(1044, "42000", message, &context(true)).kind(),
        Kind::AccessDenied
    );
    assert_eq!(
        from_server(1044, "42000", message, &context(false)).kind(),
        Kind::MissingRight
    );
}

#[test]
fn unknown_names_are_named() {
    let message = "Table 'ads.bannner' doesn't exist";
    let text = from_server(1146, "42S02", message, &context(false)).to_string();
    assert!(text.contains("unknown table ads.bannner"), "{text}");
    let message = "Unknown database 'adds'";
    let text = from_server(1049, "42000", message, &context(true)).to_string();
    assert!(text.contains("unknown database 'adds'"), "{text}");
}

#[test]
fn only_errors_that_pass_by_themselves_are_transient() {
    for (code, transient) in [
        (1040, true),
        (1053, true),
        (1213, true),
        (3032, true),
        (1064, false),
    ] {
        let error = from_server(code, "HY000", "x", &context(false));
        assert_eq!(error.is_transient(), transient, "{code}");
    }
    let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
    let unreachable = from_io(&refused, &context(true));
    assert_eq!(unreachable.kind(), Kind::Unreachable);
    assert!(unreachable.is_transient());
    let reset = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
    let broken = from_io(&reset, &context(false));
    assert_eq!(broken.kind(), Kind::Broken);
    assert!(broken.is_transient());
}

#[test]
fn a_connection_that_ends_without_a_word_is_lost_with_and_without_tls() {
    let tls = "peer closed connection without sending TLS close_notify: https://docs.rs/x";
    let ends = [
        std::io::Error::new(std::io::ErrorKind::UnexpectedEof, tls),
        std::io::ErrorKind::UnexpectedEof.into(),
        std::io::ErrorKind::ConnectionReset.into(),
    ];
    for end in ends {
        let text = from_io(&end, &context(false)).to_string();
        assert!(text.contains("broke: connection lost;"), "{text}");
        assert!(!text.contains("close_notify"), "{text}");
    }
}

#[test]
fn values_of_the_driver_stay_out_of_messages() {
    let error = DriverFailure::FromValueError(mysql::Value::Bytes(b"secret".to_vec()));
    let text = from_mysql(error, &context(false)).to_string();
    assert!(!text.contains("secret"), "{text}");
}
