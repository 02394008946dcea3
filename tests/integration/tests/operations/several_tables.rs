//! Statements over several tables, and triggers: several TABLE_MAPs come first, then the rows of
//! each table.

use integration::{World, on_both_servers, run_in};
use lab::Flavor;

use super::{assert_equal, mirror_of};

on_both_servers!(rows_of_several_tables_in_one_statement_reach_their_own_table);

/// Also where only one of the tables is mirrored.
fn rows_of_several_tables_in_one_statement_reach_their_own_table(flavor: Flavor) {
    let all = ["account_a", "account_b", "audit"];
    let world = World::start(flavor);
    world.run("INSERT INTO account_a VALUES (1, 1, NULL), (2, 2, NULL)");
    world.run("INSERT INTO account_b VALUES (1, 1, 'a'), (2, 2, 'b')");
    let selections = [&all[..], &all[..1], &all[1..2], &all[2..]];
    let mirrors = selections.map(|tables| mirror_of(&world, tables));
    let mut conn = world.conn();
    for sql in [
        "UPDATE account_a, account_b SET account_a.balance = account_a.balance + 10,
         account_a.note = 'audited', account_b.note = CONCAT(account_b.note, '!')
         WHERE account_a.id = account_b.id",
        "DELETE account_a, account_b FROM account_a JOIN account_b USING (id)
         WHERE account_a.id = 2",
        "CREATE TRIGGER account_a_insert AFTER INSERT ON account_a FOR EACH ROW
         INSERT INTO account_b VALUES (NEW.id, NEW.balance, 'trigger')",
        "INSERT INTO account_a VALUES (3, 3, 'three'), (4, 4, 'four')",
        "INSERT INTO unmirrored (note) SELECT note FROM account_b",
    ] {
        run_in(&mut conn, sql);
    }
    for (mirror, tables) in mirrors.iter().zip(selections) {
        assert_equal(&world, mirror, tables);
        let status = mirror.status();
        assert_eq!(status.reloads, 0, "{tables:?}: {:?}", status.last_reload);
    }
    let snapshot = mirrors[0].snapshot();
    let a: Vec<_> = snapshot.account_a().iter().map(|row| row.id).collect();
    let b: Vec<_> = snapshot
        .account_b()
        .iter()
        .map(|row| (row.id, row.note.as_deref().unwrap_or_default()))
        .collect();
    assert_eq!(a, [1, 3, 4]);
    assert_eq!(b, [(1, "a!"), (3, "trigger"), (4, "trigger")]);
    assert_eq!(snapshot.audit().len(), 2);
    assert!(mirrors[1].snapshot().account_b().is_empty());
}
