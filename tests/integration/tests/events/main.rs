//! A test for each row of the table of binlog events (docs/events.md): a server writes the event
//! while a mirror follows, the event is seen in the stream, and the mirror holds what the server
//! holds, has loaded its tables again, or has stopped with the message. What no server here
//! writes is made (`made.rs`).

mod group;
mod indirect;
mod made;
mod plain;
mod settings;
mod transactions;
mod two_phases;

use std::collections::BTreeSet;

use integration::compare::assert_equals_server;
use integration::stream::{Seen, read_from};
use integration::{World, run_in};
use mirror_runtime::{EventPolicy, event_policy};
use test_mirror::Mirror;

/// A mirror of a server, and from where on it is being watched.
struct Watched<'w> {
    world: &'w World,
    mirror: Mirror,
}

/// What becomes of the mirror.
#[derive(Debug, Clone, Copy)]
enum Effect {
    /// It follows by what the log says.
    Follows,
    /// It loads its tables again, for a reason that has this text.
    Reloads(&'static str),
}

impl<'w> Watched<'w> {
    fn new(world: &'w World) -> Self {
        Self {
            world,
            mirror: world.mirror(),
        }
    }

    /// Runs statements in a session of their own; what they wrote has events of all these types,
    /// the mirror does that and equals the server after it. `mirror tail --from` would tell of
    /// the same: `reload` where the mirror loads again.
    fn step(&self, statements: &[&str], codes: &[u8], effect: Effect) -> Seen {
        self.during(codes, effect, || {
            let mut conn = self.world.conn();
            for statement in statements {
                run_in(&mut conn, statement);
            }
        })
    }

    /// As [`step`](Self::step), with anything that writes.
    fn during(&self, codes: &[u8], effect: Effect, write: impl FnOnce()) -> Seen {
        let flavor = self.world.flavor();
        let from = self.world.position();
        let before = self.mirror.status().reloads;
        write();
        assert_equals_server(self.world, &self.mirror);
        let seen = read_from(self.world, &from);
        assert!(
            seen.has(codes),
            "{flavor}: not all of {codes:?} were written: {seen:?}"
        );
        let status = self.mirror.status();
        match effect {
            Effect::Follows => {
                assert_eq!(status.reloads, before, "{flavor}: {status:?}");
                let touched = seen.with(" on ").next();
                assert_eq!(touched, None, "{flavor}: the stream alone does not tell");
            }
            Effect::Reloads(text) => {
                assert!(status.reloads > before, "{flavor}: {status:?} {seen:?}");
                let reason = status.last_reload.unwrap_or_default();
                assert!(
                    reason.contains(text),
                    "{flavor}: {text:?} is not the reason: {reason}"
                );
                let told = seen.with(" on ").any(|told| told.contains(text));
                assert!(told, "{flavor}: {text}: {seen:?}");
            }
        }
        seen
    }
}

/// The codes that the tests here see real servers write, and those that they make: together all
/// that are in the table.
#[test]
fn every_code_of_the_table_is_tested() {
    let mut tested: BTreeSet<u8> = BTreeSet::new();
    let lists = [
        plain::MYSQL,
        plain::MARIADB,
        plain::BOTH,
        settings::MYSQL,
        settings::MARIADB,
        settings::BOTH,
        transactions::MYSQL,
        transactions::BOTH,
    ];
    for list in lists {
        tested.extend(list);
    }
    let made: BTreeSet<u8> = made::CODES.iter().copied().collect();
    let twice: Vec<&u8> = tested.intersection(&made).collect();
    assert!(twice.is_empty(), "servers write these: {twice:?}");
    tested.extend(made);
    let table: BTreeSet<u8> = (0..=255)
        .filter(|&code| event_policy(code) != EventPolicy::Unknown)
        .collect();
    assert_eq!(tested, table);
}
