//! Commands against a MySQL and a MariaDB server. `cargo xtask test --quick` leaves out tests
//! with `on_a_server` in their name.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

mod common;

use std::fs;

use common::{Answer, xtask};
use lab::{Flavor, Server, ServerOptions};
use tempfile::TempDir;

const TABLES: &str = "CREATE DATABASE ads;
    CREATE TABLE ads.campaign (id INT UNSIGNED PRIMARY KEY, name VARCHAR(50) NOT NULL, note TEXT)
        CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
    CREATE TABLE ads.banner (id INT UNSIGNED PRIMARY KEY, weight MEDIUMINT NOT NULL)
        CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
    CREATE TABLE ads.keyless (x INT) CHARSET=utf8mb4;
    CREATE VIEW ads.heavy AS SELECT id FROM ads.banner";

/// A server with tables, and a folder for schema.json and the generated crate.
struct Bench {
    server: Server,
    folder: TempDir,
}

impl Bench {
    fn start(flavor: Flavor) -> Self {
        let server = Server::start(flavor, &ServerOptions::new()).unwrap();
        server.exec_script(TABLES).unwrap();
        let bench = Self {
            server,
            folder: tempfile::tempdir().unwrap(),
        };
        bench.ask_for(
            "[{\"table\": \"campaign\", \"columns\": [\"id\", \"name\"]}, {\"table\": \"banner\"}]",
        );
        bench
    }

    fn ask_for(&self, tables: &str) {
        let text = format!("{{\"database\": \"ads\", \"tables\": {tables}}}");
        fs::write(self.path("schema.json"), text).unwrap();
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn url_of(&self, user: &str) -> String {
        format!("mysql://{user}@127.0.0.1:{}/", self.server.port())
    }

    fn run(&self, arguments: &[&str]) -> Answer {
        let (schema, out) = (self.path("schema.json"), self.path("generated"));
        let mut all = arguments.to_vec();
        all.extend(["--schema", &schema, "--out", &out]);
        xtask(&all)
    }

    fn regenerate(&self) -> Answer {
        self.run(&["regenerate", "--url", &self.server.url()])
    }

    fn check_live(&self) -> Answer {
        self.run(&["check", "--live", "--url", &self.server.url()])
    }
}

fn regenerate_and_check(flavor: Flavor) {
    let bench = Bench::start(flavor);
    let first = bench.regenerate();
    assert_eq!(first.code, 0, "{first}");
    let second = bench.regenerate();
    assert_eq!(second.code, 0, "{second}");
    assert!(second.out.contains("schema: nothing changed"), "{second}");
    assert!(second.out.contains("files: nothing changed"), "{second}");
    assert_eq!(bench.check_live().code, 0);

    bench
        .server
        .exec("ALTER TABLE ads.banner MODIFY weight BIGINT NOT NULL")
        .unwrap();
    let altered = bench.check_live();
    assert_eq!(altered.code, 1, "{altered}");
    for part in [
        "ads.banner.weight",
        "mediumint",
        "bigint",
        "breaks decoding and the API",
        "cargo xtask regenerate",
    ] {
        assert!(altered.out.contains(part), "{part}: {altered}");
    }
    assert_eq!(bench.run(&["check"]).code, 0, "offline it is still fresh");

    let third = bench.regenerate();
    assert_eq!(third.code, 0, "{third}");
    assert!(third.out.contains("ads.banner.weight"), "{third}");
    assert!(
        third.out.contains("src/banner.rs") && !third.out.contains("src/campaign.rs"),
        "{third}"
    );
    assert_eq!(bench.check_live().code, 0);

    bench.server.exec("DROP TABLE ads.campaign").unwrap();
    let dropped = bench.check_live();
    assert_eq!(dropped.code, 1, "{dropped}");
    assert!(
        dropped
            .out
            .contains("ads.campaign: table gone from the server"),
        "{dropped}"
    );
}

fn remedies(flavor: Flavor) {
    let bench = Bench::start(flavor);
    bench
        .server
        .exec_script(
            "CREATE USER limited@'%' IDENTIFIED BY 's3c/r3t:@';
             GRANT SELECT ON ads.banner TO limited@'%'",
        )
        .unwrap();
    let limited = bench.url_of("limited:s3c%2Fr3t%3A%40");
    let wrong = bench.url_of("limited:s3cr3t");
    bench.ask_for("[{\"table\": \"banner\"}]");
    let answer = bench.run(&["regenerate", "--url", &limited]);
    assert_eq!(answer.code, 0, "{answer}");
    let encrypted = format!("{limited}?ssl-mode=REQUIRED");
    let answer = bench.run(&["check", "--live", "--url", &encrypted]);
    let code = if flavor == Flavor::Mysql { 0 } else { 2 };
    assert_eq!(answer.code, code, "{answer}");

    let root = bench.server.url();
    for (tables, url, parts) in [
        (
            "[{\"table\": \"banner\"}]",
            &wrong,
            &["access denied", "'limited'", "127.0.0.1:"][..],
        ),
        (
            "[{\"table\": \"campaign\"}]",
            &limited,
            &[
                "right SELECT",
                "GRANT SELECT ON `ads`.`campaign` TO 'limited'",
            ],
        ),
        (
            "[{\"table\": \"campain\"}, {\"table\": \"baner\"}]",
            &root,
            &[
                "`ads`.`campain`; did you mean `campaign`?",
                "`ads`.`baner`; did you mean `banner`?",
            ],
        ),
        ("[{\"table\": \"heavy\"}]", &root, &["ads.heavy is a view"]),
        (
            "[{\"database\": \"adz\", \"table\": \"banner\"}, \
              {\"database\": \"adz\", \"table\": \"campaign\"}]",
            &root,
            &[
                "unknown database `adz`, whose tables banner, campaign are wanted; did you mean `ads`?",
            ],
        ),
        ("[{\"table\": \"keyless\"}]", &root, &["keyless", "key"]),
    ] {
        bench.ask_for(tables);
        let answer = bench.run(&["regenerate", "--url", url]);
        assert_eq!(answer.code, 2, "{tables}: {answer}");
        for part in parts {
            let said = answer.err.matches(part).count();
            assert!(said > 0, "{part}: {answer}");
            assert!(said == 1 || !part.contains("unknown database"), "{answer}");
        }
        for secret in ["s3c", "%2F"] {
            assert!(!answer.to_string().contains(secret), "{answer}");
        }
    }
}

fn init_makes_a_schema(flavor: Flavor) {
    let bench = Bench::start(flavor);
    let out = bench.path("new.json");
    let (url, url_without) = (format!("{}ads", bench.server.url()), bench.server.url());
    let answer = xtask(&["init", "--url", &url, "--out", &out]);
    assert_eq!(answer.code, 0, "{answer}");
    assert!(answer.err.contains("keyless"), "{answer}");
    let text = fs::read_to_string(&out).unwrap();
    assert!(
        text.contains("\"campaign\"") && text.contains("\"banner\""),
        "{text}"
    );
    assert!(
        !text.contains("keyless") && !text.contains("heavy"),
        "{text}"
    );
    fs::rename(&out, bench.path("schema.json")).unwrap();
    assert_eq!(bench.regenerate().code, 0);

    let answer = xtask(&[
        "init",
        "--url",
        &url_without,
        "--database",
        "ads",
        "--tables",
        "banner",
        "--out",
        &out,
    ]);
    assert_eq!(answer.code, 0, "{answer}");
    assert!(!fs::read_to_string(&out).unwrap().contains("campaign"));
    for (arguments, part) in [
        (&["--tables", "baner"][..], "did you mean `banner`?"),
        (&["--tables", "keyless"], "keyless"),
        (&["--database", "adz"], "did you mean `ads`?"),
    ] {
        let mut all = vec!["init", "--url", &url, "--out", &out, "--force"];
        all.extend(arguments);
        let answer = xtask(&all);
        assert_eq!(answer.code, 2, "{answer}");
        assert!(answer.err.contains(part), "{part}: {answer}");
    }
    let answer = xtask(&["init", "--url", &url_without, "--out", &out, "--force"]);
    assert_eq!(answer.code, 2, "{answer}");
    assert!(answer.err.contains("--database"), "{answer}");
}

mod mysql_on_a_server {
    use super::*;

    #[test]
    fn an_alter_shows_in_check_live_until_regenerated() {
        regenerate_and_check(Flavor::Mysql);
    }

    #[test]
    fn errors_name_place_and_remedy_but_no_password() {
        remedies(Flavor::Mysql);
    }

    #[test]
    fn init_takes_what_can_be_mirrored() {
        init_makes_a_schema(Flavor::Mysql);
    }
}

mod mariadb_on_a_server {
    use super::*;

    #[test]
    fn an_alter_shows_in_check_live_until_regenerated() {
        regenerate_and_check(Flavor::Mariadb);
    }

    #[test]
    fn errors_name_place_and_remedy_but_no_password() {
        remedies(Flavor::Mariadb);
    }

    #[test]
    fn init_takes_what_can_be_mirrored() {
        init_makes_a_schema(Flavor::Mariadb);
    }
}
