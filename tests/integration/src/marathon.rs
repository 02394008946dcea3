//! Random changes of table definitions, and writers that do not mind them.

use mysql::Conn;
use mysql::prelude::Queryable;

use crate::Random;

/// The tables whose definitions change.
pub const TABLES: [&str; 3] = ["ddl_a", "ddl_b", "ddl_p"];
/// Rows that writers fight for.
const ROWS: u64 = 150;

/// A random change of a definition: what it is, and its statements.
#[derive(Debug, Clone)]
pub struct Change {
    /// A few words, for counts and messages.
    pub name: &'static str,
    /// The statements, in order.
    pub statements: Vec<String>,
}

/// A kind of change, and how to make its statements; the number is new with each change.
type Kind = (&'static str, fn(&mut Random, u64) -> Vec<String>);

fn one(sql: impl Into<String>) -> Vec<String> {
    vec![sql.into()]
}

fn many(statements: &[&str]) -> Vec<String> {
    statements.iter().map(|&sql| sql.to_owned()).collect()
}

/// FIRST, or behind one of the columns of `ddl_a`.
fn place(random: &mut Random) -> String {
    match random.below(5) {
        0 => "FIRST".to_owned(),
        at => format!("AFTER {}", ["id", "n", "e", "u"][at as usize - 1]),
    }
}

const KINDS: &[Kind] = &[
    ("add column", |random, number| {
        let ty = [
            "INT",
            "TEXT",
            "DATETIME(6) NULL",
            "VARCHAR(300) DEFAULT 'q'",
        ];
        let ty = ty[random.below(4) as usize];
        one(format!(
            "ALTER TABLE ddl_a ADD COLUMN extra_{number} {ty} {}",
            place(random)
        ))
    }),
    ("add and drop a column", |random, number| {
        vec![
            format!(
                "ALTER TABLE ddl_a ADD COLUMN gone_{number} INT {}",
                place(random)
            ),
            format!("ALTER TABLE ddl_a DROP COLUMN gone_{number}"),
        ]
    }),
    ("move column", |random, _| {
        let to = ["FIRST", "AFTER id", "AFTER e", "AFTER u"][random.below(4) as usize];
        one(format!("ALTER TABLE ddl_a MODIFY n INT NULL {to}"))
    }),
    ("swap columns of one type", |random, _| {
        let (a, b) = [("b1", "b2"), ("b2", "b3"), ("b3", "b1")][random.below(3) as usize];
        one(format!("ALTER TABLE ddl_b MODIFY {a} INT NULL AFTER {b}"))
    }),
    ("swap names of columns of one type", |_, _| {
        one("ALTER TABLE ddl_b CHANGE b1 b2 INT NULL, CHANGE b2 b1 INT NULL")
    }),
    ("rename column", |_, number| {
        one(format!(
            "ALTER TABLE ddl_a CHANGE s s_{number} VARCHAR(20) NULL"
        ))
    }),
    ("drop column", |_, _| {
        one("ALTER TABLE ddl_a DROP COLUMN at")
    }),
    ("widen column", |_, _| {
        one("ALTER TABLE ddl_a MODIFY n BIGINT NULL")
    }),
    ("signedness", |_, _| {
        many(&[
            "DELETE FROM ddl_b WHERE b3 < 0",
            "ALTER TABLE ddl_b MODIFY b3 INT UNSIGNED NULL",
        ])
    }),
    ("reorder labels", |_, _| {
        one("ALTER TABLE ddl_a MODIFY e ENUM('z', 'y', 'x') NULL")
    }),
    ("add label", |_, _| {
        one("ALTER TABLE ddl_a MODIFY e ENUM('x', 'y', 'z', 'w') NULL")
    }),
    ("character set", |_, _| {
        one("ALTER TABLE ddl_a CONVERT TO CHARACTER SET latin1")
    }),
    ("engine", |random, _| {
        let engine = ["MyISAM", "InnoDB"][random.below(2) as usize];
        one(format!("ALTER TABLE ddl_b ENGINE = {engine}"))
    }),
    ("comment, index, default", |_, number| {
        vec![
            format!("ALTER TABLE ddl_a COMMENT = 'change {number}'"),
            format!("CREATE INDEX ix_{number} ON ddl_a (n)"),
            format!("ALTER TABLE ddl_a ALTER u SET DEFAULT {number}"),
            format!("DROP INDEX ix_{number} ON ddl_a"),
        ]
    }),
    ("truncate", |random, _| {
        let table = TABLES[random.below(3) as usize];
        one(format!("TRUNCATE TABLE {table}"))
    }),
    ("truncate partition", |random, _| {
        one(format!(
            "ALTER TABLE ddl_p TRUNCATE PARTITION p{}",
            random.below(3)
        ))
    }),
    ("drop and add partition", |_, _| {
        many(&[
            "ALTER TABLE ddl_p DROP PARTITION p0",
            "ALTER TABLE ddl_p REORGANIZE PARTITION p1 INTO (
               PARTITION p0 VALUES LESS THAN (50), PARTITION p1 VALUES LESS THAN (100))",
        ])
    }),
    ("exchange partition", |_, _| {
        many(&[
            "DROP TABLE IF EXISTS ddl_x",
            "CREATE TABLE ddl_x (id INT NOT NULL PRIMARY KEY, v INT NULL)
             ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
            "INSERT INTO ddl_x VALUES (1, -1), (2, -2), (3, -3)",
            "ALTER TABLE ddl_p EXCHANGE PARTITION p0 WITH TABLE ddl_x",
            "DROP TABLE ddl_x",
        ])
    }),
    ("rename swap", |random, _| {
        let table = ["ddl_a", "ddl_b"][random.below(2) as usize];
        vec![
            "DROP TABLE IF EXISTS ddl_new, ddl_old".to_owned(),
            format!("CREATE TABLE ddl_new LIKE {table}"),
            format!("INSERT INTO ddl_new SELECT * FROM {table} WHERE id % 2 = 0"),
            format!("RENAME TABLE {table} TO ddl_old, ddl_new TO {table}"),
            "DROP TABLE ddl_old".to_owned(),
        ]
    }),
    ("online schema change", |_, number| {
        vec![
            "DROP TABLE IF EXISTS _ddl_a_gho, _ddl_a_del".to_owned(),
            "CREATE /* osc */ TABLE `_ddl_a_gho` LIKE `ddl_a`".to_owned(),
            format!("ALTER TABLE `_ddl_a_gho` ADD COLUMN osc_{number} INT NULL FIRST"),
            "LOCK TABLES ddl_a WRITE, _ddl_a_gho WRITE".to_owned(),
            "INSERT INTO _ddl_a_gho (id, n, s, e, at, u) SELECT id, n, s, e, at, u FROM ddl_a"
                .to_owned(),
            "UNLOCK TABLES".to_owned(),
            "RENAME TABLE `ddl_a` TO `_ddl_a_del`, `_ddl_a_gho` TO `ddl_a`".to_owned(),
            "DROP TABLE `_ddl_a_del`".to_owned(),
        ]
    }),
    ("drop and create", |_, _| {
        many(&[
            "DROP TABLE ddl_b",
            "CREATE TABLE ddl_b (id INT NOT NULL, b1 INT NULL, b2 INT NULL, b3 INT NULL, PRIMARY KEY (id))
             ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
            "INSERT INTO ddl_b VALUES (1, 1, 1, 1)",
        ])
    }),
    ("other tables", |_, number| {
        vec![
            format!("CREATE TABLE ddl_other_{number} (id INT PRIMARY KEY, ddl_a INT)"),
            format!("ALTER TABLE ddl_other_{number} ADD COLUMN x INT COMMENT 'ddl_b'"),
            format!("INSERT INTO ddl_other_{number} VALUES (1, 2, 3)"),
            format!("TRUNCATE ddl_other_{number}"),
            format!("DROP TABLE ddl_other_{number}"),
        ]
    }),
    ("statement format", |_, _| {
        many(&[
            "SET SESSION binlog_format = 'STATEMENT'",
            "UPDATE ddl_b SET b1 = 5 WHERE id % 3 = 0",
            "SET SESSION binlog_format = 'ROW'",
        ])
    }),
];

/// A random change; `number` is a new one.
pub fn change(random: &mut Random, number: u64) -> Change {
    let (name, make) = KINDS[random.below(KINDS.len() as u64) as usize];
    Change {
        name,
        statements: make(random, number),
    }
}

/// A random statement of a writer; it may fail, since the tables are not always as it thinks.
pub fn write(conn: &mut Conn, random: &mut Random) {
    let (id, n) = (random.below(ROWS), random.between(-1000, 1000));
    let sql = match random.below(10) {
        0..=2 => format!(
            "INSERT INTO ddl_a (id, n, s, e, at) VALUES ({id}, {n}, 't{n}', 'y', '2031-02-03 04:05:06.007')
             ON DUPLICATE KEY UPDATE n = n + 1, e = 'z'"
        ),
        3 => format!("UPDATE ddl_a SET n = {n}, s = 'u{n}' WHERE id BETWEEN {id} AND {id} + 5"),
        4 => format!("DELETE FROM ddl_a WHERE id = {id}"),
        5 => format!("REPLACE INTO ddl_b (id, b1, b2, b3) VALUES ({id}, {n}, {id}, 1)"),
        6 => format!("UPDATE ddl_b SET b1 = {n}, b3 = 2 WHERE id = {id}"),
        7 => format!("DELETE FROM ddl_b WHERE id = {id}"),
        8 => format!("INSERT IGNORE INTO ddl_p (id, v) VALUES ({id}, {n})"),
        _ => format!("UPDATE ddl_p SET v = {n} WHERE id = {id}"),
    };
    // A column or table that is not there, a lock that waits: the next statement goes on.
    let _ = conn.query_drop(sql);
}
