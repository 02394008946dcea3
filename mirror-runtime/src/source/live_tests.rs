//! Tests of what a live stream asks for; the streams themselves are tested on real servers.

use mysql_common::misc::raw::Either;

use super::*;

fn info(family: Family) -> ServerInfo {
    ServerInfo {
        family,
        version: (10, 11, 0),
        version_text: String::new(),
        version_comment: String::new(),
        server_uuid: None,
        server_id: 1,
        host: String::new(),
        lower_case_table_names: 0,
    }
}

fn options(non_blocking: bool) -> StreamOptions {
    StreamOptions {
        server_id: 77,
        heartbeat_seconds: 5,
        non_blocking,
        max_event_bytes: 1 << 30,
    }
}

const UUID: &str = "3e11fa47-71ca-11e1-9e33-c80aa9429562";

#[test]
fn a_position_beyond_four_gibibytes_is_refused() {
    let ask = |offset| {
        let start = StreamStart::File(BinlogPosition::new("b.000001", offset));
        request(&start, &info(Family::MySql), &options(false))
    };
    assert!(ask(u64::from(u32::MAX)).is_ok());
    let error = ask(u64::from(u32::MAX) + 1).unwrap_err();
    assert!(
        matches!(&error, SourceError::PositionTooLarge { position } if position == "b.000001:4294967296"),
        "{error}"
    );
    assert!(error.to_string().contains("GTID"));
}

#[test]
fn mysql_gtids_ask_through_gtid_and_mariadb_ones_do_not() {
    let set = StreamStart::Gtid(GtidSet::MySql(format!("{UUID}:1-5").parse().unwrap()));
    let mysql = request(&set, &info(Family::MySql), &options(true)).unwrap();
    assert!(mysql.use_gtid());
    assert!(mysql.flags().contains(BinlogDumpFlags::BINLOG_THROUGH_GTID));
    assert!(
        mysql
            .flags()
            .contains(BinlogDumpFlags::BINLOG_DUMP_NON_BLOCK)
    );
    assert!(matches!(mysql.as_cmd(), Either::Right(_)));

    let list = StreamStart::Gtid(GtidSet::MariaDb("0-1-5".parse().unwrap()));
    let mariadb = request(&list, &info(Family::MariaDb), &options(false)).unwrap();
    assert!(!mariadb.use_gtid());
    assert!(matches!(mariadb.as_cmd(), Either::Left(_)));

    assert!(request(&set, &info(Family::MariaDb), &options(false)).is_err());
    assert!(request(&list, &info(Family::MySql), &options(false)).is_err());
}

#[test]
fn settings_tell_each_server_what_it_understands() {
    let heartbeat = Duration::from_secs(5);
    let list = StreamStart::Gtid(GtidSet::MariaDb("0-1-5,1-2-7".parse().unwrap()));
    let mariadb = settings(&list, Family::MariaDb, heartbeat).join(";");
    assert!(mariadb.contains("@master_heartbeat_period = 5000000000"));
    assert!(mariadb.contains("@mariadb_slave_capability = 4"));
    assert!(mariadb.contains("@slave_connect_state = '0-1-5,1-2-7'"));

    let file = StreamStart::File(BinlogPosition::start_of("b.000001"));
    let by_file = settings(&file, Family::MariaDb, heartbeat).join(";");
    assert!(!by_file.contains("@slave_connect_state"), "{by_file}");
    let mysql = settings(&file, Family::MySql, heartbeat).join(";");
    assert!(mysql.contains("@source_heartbeat_period = 5000000000"));
    assert!(mysql.contains("@replica_uuid = '"));
}
