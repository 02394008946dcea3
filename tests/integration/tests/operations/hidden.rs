//! Statements that are about another table than they seem to be.

use integration::{World, on_both_servers, run_in};
use lab::Flavor;

use super::{assert_equal, mirror_of};

on_both_servers!(
    a_truncate_of_a_temporary_table_leaves_the_mirrored_one,
    comments_that_one_kind_of_server_executes_hide_nothing,
);

const TABLES: [&str; 2] = ["account_a", "fire_a"];

fn fill(world: &World) {
    world.run("INSERT INTO account_a VALUES (1, 1, NULL), (2, 2, NULL)");
    world.run("INSERT INTO fire_a VALUES (1, 1, 'one'), (2, 2, 'two'), (3, 3, 'three')");
}

fn a_truncate_of_a_temporary_table_leaves_the_mirrored_one(flavor: Flavor) {
    let world = World::start(flavor);
    fill(&world);
    let mirror = mirror_of(&world, &TABLES);
    for format in ["STATEMENT", "MIXED"] {
        let mut conn = world.conn();
        for statement in [
            &format!("SET SESSION binlog_format = '{format}'"),
            "CREATE TEMPORARY TABLE fire_a (id INT PRIMARY KEY)",
            "INSERT INTO fire_a VALUES (7)",
            "TRUNCATE TABLE fire_a",
            "DROP TEMPORARY TABLE fire_a",
            "TRUNCATE TABLE account_a",
        ] {
            run_in(&mut conn, statement);
        }
        assert_equal(&world, &mirror, &TABLES);
        assert_eq!(mirror.snapshot().fire_a().len(), 3, "{flavor}, {format}");
        println!("{flavor}, {format}: {:?}", mirror.status().last_reload);
    }
}

/// `/*M! ... */` is a comment to MySQL and text to MariaDB, `/*M!999999 ... */` a comment to both.
fn comments_that_one_kind_of_server_executes_hide_nothing(flavor: Flavor) {
    let world = World::start(flavor);
    for statement in [
        "CREATE DATABASE other",
        "CREATE TABLE other.fire_a LIKE fire_a",
    ] {
        world.run(statement);
    }
    fill(&world);
    world.run("INSERT INTO other.fire_a SELECT * FROM fire_a");
    let mirror = mirror_of(&world, &TABLES);
    let mut conn = world.conn();
    run_in(&mut conn, "SET SESSION binlog_format = 'STATEMENT'");
    for version in ["", "100000", "999999"] {
        for statement in [
            "DELETE FROM /*M! other. */ fire_a WHERE id = 1",
            "DELETE FROM /*M! mirror_test. */ fire_a WHERE id = 2",
            "/*M! SET STATEMENT max_statement_time = 9 FOR */ DELETE FROM fire_a WHERE id = 3",
            "TRUNCATE TABLE /*M! other. */ fire_a",
            "REPLACE INTO fire_a VALUES (1, 1, 'one'), (2, 2, 'two'), (3, 3, 'three')",
            "USE other",
            "TRUNCATE TABLE /*M! mirror_test. */ fire_a",
            "USE mirror_test",
            "REPLACE INTO fire_a VALUES (1, 1, 'one'), (2, 2, 'two'), (3, 3, 'three')",
        ] {
            let statement = statement.replace("/*M!", &format!("/*M!{version}"));
            run_in(&mut conn, &statement);
            assert_equal(&world, &mirror, &TABLES);
            println!("{flavor}: {statement}: {:?}", mirror.status().last_reload);
        }
    }
}
