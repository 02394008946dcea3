//! What happens now and then: changes of definitions, other tables, lost connections.

use std::time::Duration;

use integration::{Random, World, wait_for};
use lab::{Fault, Proxy};
use mysql::prelude::Queryable;
use test_mirror::Mirror;

/// Longest wait for a loss of the connection, and how often it is brought about.
const PATIENCE: Duration = Duration::from_secs(20);
const TRIES: u32 = 6;

/// A kind of event, and how to let it happen.
type Kind = (&'static str, fn(&mut Events<'_>, &mut Random));

const KINDS: &[Kind] = &[
    ("alter", |events, random| {
        let number = events.number;
        let place = if random.one_in(2) { "FIRST" } else { "" };
        events.run(&format!(
            "ALTER TABLE ddl_a ADD COLUMN soak_{number} INT NULL {place}"
        ));
        std::thread::sleep(Duration::from_millis(random.below(1_500)));
        events.run(&format!("ALTER TABLE ddl_a DROP COLUMN soak_{number}"));
    }),
    ("index and comment", |events, _| {
        let number = events.number;
        events.run(&format!("CREATE INDEX soak_{number} ON ddl_a (n)"));
        events.run(&format!("ALTER TABLE ddl_b COMMENT = 'soak {number}'"));
        events.run(&format!("DROP INDEX soak_{number} ON ddl_a"));
    }),
    ("alter of a table under load", |events, _| {
        let number = events.number;
        events.run(&format!("ALTER TABLE account_a COMMENT = 'soak {number}'"));
    }),
    ("truncate", |events, random| {
        let table = random.pick(&["ddl_b", "ddl_p", "fire_a"]);
        events.run(&format!("TRUNCATE TABLE {table}"));
    }),
    ("truncate partition", |events, random| {
        let part = random.below(3);
        events.run(&format!("ALTER TABLE ddl_p TRUNCATE PARTITION p{part}"));
    }),
    ("other table", |events, _| {
        let name = format!("soak_{}", events.number);
        events.run(&format!("CREATE TABLE {name} (id INT PRIMARY KEY, n INT)"));
        events.run(&format!("INSERT INTO {name} VALUES (1, 2), (2, 3)"));
        events.run(&format!("ALTER TABLE {name} ADD COLUMN x INT"));
        events.run(&format!("DROP TABLE {name}"));
    }),
    ("another binlog file", |events, _| events.purge()),
    ("kill of the stream", |events, _| {
        events.lose(|events| {
            let sql = "SELECT ID FROM information_schema.PROCESSLIST \
                       WHERE COMMAND LIKE 'Binlog Dump%' ORDER BY ID DESC LIMIT 1";
            let mut conn = events.world.conn();
            let id: Option<u64> = conn.query_first(sql).unwrap();
            // It may have ended by itself.
            let _ = conn.query_drop(format!("KILL {}", id.unwrap_or(0)));
        });
    }),
    ("cut", |events, random| {
        let after = random.below(50_000);
        events.lose(|events| {
            events.proxy.disturb_streams(Fault::Cut(after));
        });
    }),
    ("damaged row", |events, random| {
        let fault = Fault::FlipInRows {
            skip: random.below(20),
            place: random.next_u64(),
            bits: 1 + random.below(255) as u8,
        };
        events.lose(|events| {
            events.proxy.disturb_streams(fault);
        });
    }),
    ("half-open connection", |events, _| {
        events.lose(|events| {
            events.proxy.disturb_streams(Fault::Freeze);
        });
        events.world.catch_up(events.mirror);
        events.proxy.heal();
    }),
    ("slow network", |events, random| {
        let delay = Duration::from_millis(20 + random.below(200));
        events.proxy.disturb(Fault::Delay(delay));
        std::thread::sleep(Duration::from_secs(2));
        events.proxy.heal();
    }),
];

/// What events happen to.
pub(crate) struct Events<'s> {
    world: &'s World,
    proxy: &'s Proxy,
    mirror: &'s Mirror,
    /// Of this event; another with each.
    number: u64,
    bag: Vec<usize>,
}

impl<'s> Events<'s> {
    pub(crate) fn new(world: &'s World, proxy: &'s Proxy, mirror: &'s Mirror) -> Self {
        Self {
            world,
            proxy,
            mirror,
            number: 0,
            bag: Vec::new(),
        }
    }

    /// Lets one happen, each kind as often as the others, and waits until the mirror is there
    /// again; its name.
    pub(crate) fn happen(&mut self, random: &mut Random) -> &'static str {
        if self.bag.is_empty() {
            self.bag.extend(0..KINDS.len());
        }
        let at = random.below(self.bag.len() as u64) as usize;
        let (name, happen) = KINDS[self.bag.swap_remove(at)];
        self.number += 1;
        happen(self, random);
        self.world.catch_up(self.mirror);
        name
    }

    fn run(&self, sql: &str) {
        self.world.run(sql);
    }

    /// Lets the connection be lost, and waits until it is; while tables are loaded there is none
    /// at times.
    fn lose(&self, how: impl Fn(&Self)) {
        let before = self.mirror.status().connection_attempts;
        let lost =
            || self.mirror.status().connection_attempts > before || self.mirror.error().is_some();
        for _ in 0..TRIES {
            how(self);
            if wait_for(PATIENCE, lost) {
                return;
            }
        }
        panic!("no connection was lost: {:?}", self.mirror.status());
    }

    /// Begins another binlog file, and lets go of those before.
    fn purge(&self) {
        self.world.run("FLUSH BINARY LOGS");
        self.world.catch_up(self.mirror);
        let position = self.world.position();
        let file = position.split(':').next().unwrap_or_default();
        self.world.run(&format!("PURGE BINARY LOGS TO '{file}'"));
    }
}
