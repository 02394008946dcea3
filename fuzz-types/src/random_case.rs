//! Random cases: tables that a server took, and statements on them.

use crate::case::{Case, Held};
use crate::error::Error;
use crate::expected::FEATURES;
use crate::product::Product;
use crate::random::Random;
use crate::schema::{Maker, Schema};
use crate::sessions::Sessions;
use crate::sql;
use crate::statements::Writer;

/// Tables that are tried until the server takes one.
const TRIES: usize = 40;
/// Parts of the changes; the mirror is compared after each.
const PARTS: u64 = 2;

/// What of a run's size a case has to know.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// The run's seed.
    pub seed: u64,
    /// Row changes in the case, about.
    pub changes: u64,
}

/// Makes the tables of a random schema on the server, and the statements that will run on them.
///
/// # Errors
/// When the connection breaks, or the server takes none of the tables.
pub fn make(
    sessions: &mut Sessions,
    maker: &Maker,
    product: Product,
    size: Size,
    number: usize,
) -> Result<Case, Error> {
    let mut random = Random::part(size.seed, number as u64);
    let mut schema = maker.schema(&mut random, number);
    let mut setup = Vec::new();
    run(
        sessions,
        &mut setup,
        create_database(&mut random, &schema.database),
    )?;
    for at in 0..schema.tables.len() {
        let mut taken = false;
        for _ in 0..TRIES {
            let Some(table) = schema.tables.get(at) else {
                break;
            };
            let mut statements = Vec::new();
            taken = true;
            for sql in table.create(&schema.database, product) {
                let is_create = sql.starts_with("CREATE");
                taken &= run(sessions, &mut statements, sql)? || !is_create;
            }
            if taken {
                setup.extend(statements);
                break;
            }
            if let Some(slot) = schema.tables.get_mut(at) {
                *slot = maker.table(&mut random, at, None);
            }
        }
        if !taken {
            return Err(Error::Usage(format!(
                "schema {number} of seed {}: the server takes no table",
                size.seed
            )));
        }
    }
    let left_out = left_out(&mut random, &schema, product);
    let held = held(&mut random, &schema);
    let mut writer = Writer::new(&schema, product, random, FEATURES);
    Ok(Case {
        name: format!("schema {number}"),
        origin: format!(
            "seed {} schema {number}, {} {}.{}",
            size.seed,
            product.family(),
            product.version.0,
            product.version.1
        ),
        families: vec![product.family().to_owned()],
        before: writer.first_rows(),
        parts: (0..PARTS)
            .map(|_| writer.changes(size.changes / PARTS))
            .collect(),
        database: schema.database.clone(),
        left_out,
        held,
        setup,
    })
}

fn create_database(random: &mut Random, name: &str) -> String {
    let charset = random.pick(&["utf8mb4", "latin1", "utf8"]);
    format!(
        "CREATE DATABASE {} CHARACTER SET {charset}",
        sql::name(name)
    )
}

fn run(sessions: &mut Sessions, done: &mut Vec<String>, sql: String) -> Result<bool, Error> {
    let taken = sessions.statement(0, &sql)?;
    done.push(sql);
    Ok(taken)
}

/// Some columns of some tables are not mirrored.
fn left_out(random: &mut Random, schema: &Schema, product: Product) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for table in schema.tables.iter().filter(|table| !table.key.is_empty()) {
        let some = random.one_in(4);
        // A generated column that MariaDB does not log makes the mirror load again and again,
        // and so hides what is to be tested.
        let generated = product.mariadb && !random.one_in(6);
        let columns = table.columns.iter().enumerate();
        for (_, column) in columns.filter(|(at, _)| !table.key.contains(at)) {
            if (some && random.one_in(3)) || (generated && !column.is_written()) {
                all.push((table.name.clone(), column.name.clone()));
            }
        }
    }
    all
}

/// Some columns are mirrored as `bool` or as bytes.
fn held(random: &mut Random, schema: &Schema) -> Vec<Held> {
    let mut all = Vec::new();
    for table in &schema.tables {
        for column in table.columns.iter().filter(|column| column.is_written()) {
            let text = ["char", "varchar", "text", "text in another charset"];
            let kind = match column.ty.entry {
                "bool" if random.one_in(2) => "bool",
                entry if text.contains(&entry) && random.one_in(8) => "bytes",
                _ => continue,
            };
            all.push(Held {
                table: table.name.clone(),
                column: column.name.clone(),
                kind: kind.to_owned(),
            });
        }
    }
    all
}
