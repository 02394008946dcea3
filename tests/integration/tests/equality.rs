//! Both ways into a mirror, SELECT and binlog, give what the server itself says, value by value.

use std::collections::BTreeSet;

use integration::compare::{assert_equals_server, difference};
use integration::edge::Literals;
use integration::shown::{layout_of, snapshot_rows};
use integration::stream;
use integration::{Random, World, on_both_servers, rounds};
use lab::Flavor;
use mirror_runtime::TableLayout;
use mysql::Conn;
use mysql::prelude::Queryable;

on_both_servers!(select_and_binlog_give_what_the_server_says);

/// Tables of types; each has its key in `id`.
const TABLES: [&str; 10] = [
    "integers",
    "numbers",
    "dates",
    "times",
    "texts",
    "ascii_texts",
    "byte_strings",
    "label_sets",
    "bits",
    "documents",
];
/// Row images that sessions may log; all are to work.
const IMAGES: [&str; 3] = ["FULL", "MINIMAL", "NOBLOB"];

fn select_and_binlog_give_what_the_server_says(flavor: Flavor) {
    let world = World::start(flavor);
    let mut random = Random::for_test();
    let rows = rounds("rows per table", 240);
    let names = world.tables();
    let start = world.position();
    let tables: Vec<&'static TableLayout> = TABLES
        .iter()
        .map(|name| layout_of(name))
        .filter(|layout| names.contains(&layout.full_name()))
        .collect();
    let mut tables: Vec<Writer> = tables
        .iter()
        .map(|layout| Writer::new(&world, layout))
        .collect();
    for table in &mut tables {
        table.insert(1..=rows / 2, &mut random);
    }

    let followed = world.mirror();
    let loaded = assert_equals_server(&world, &followed);
    assert!(loaded >= tables.len() * (rows / 2) as usize);
    for table in &mut tables {
        table.change(rows, &mut random);
    }
    let compared = assert_equals_server(&world, &followed);
    assert_eq!(followed.status().reloads, 0, "{:?}", followed.status());

    let fresh = world.mirror();
    let selected = assert_equals_server(&world, &fresh);
    assert_eq!(selected, compared);
    let (one, other) = (followed.snapshot(), fresh.snapshot());
    for layout in tables.iter().map(|table| table.layout) {
        let (one, other) = (snapshot_rows(&one, layout), snapshot_rows(&other, layout));
        assert_varied(layout, &one);
        assert_eq!(
            difference(layout, one, other),
            None,
            "{flavor}: binlog and SELECT"
        );
    }
    assert_read_in_place(&world, &start, &tables);
    println!("{flavor}: {loaded} rows by SELECT, then {compared} by SELECT and binlog are equal");
}

/// The rows were read where the generated code knows columns of all these types to be.
fn assert_read_in_place(world: &World, start: &str, tables: &[Writer]) {
    let seen = stream::read_from(world, start);
    for table in tables {
        let table = table.layout.table;
        assert!(seen.count(&format!("rows {table}")) > 0, "{table}");
        assert!(!seen.elsewhere.contains(table), "{table}");
    }
}

/// Writes edge values to one table.
struct Writer {
    layout: &'static TableLayout,
    literals: Literals,
    conn: Conn,
}

impl Writer {
    fn new(world: &World, layout: &'static TableLayout) -> Self {
        Self {
            layout,
            literals: Literals::new(layout),
            conn: world.conn(),
        }
    }

    /// Inserts rows with these ids, several a statement.
    fn insert(&mut self, ids: impl Iterator<Item = u32>, random: &mut Random) {
        let ids: Vec<u32> = ids.collect();
        let table = self.layout.table;
        for some in ids.chunks(4) {
            let rows: Vec<String> = some
                .iter()
                .map(|&id| format!("({id}, {})", self.values(id as usize, random).join(", ")))
                .collect();
            self.run(&format!("INSERT INTO {table} VALUES {}", rows.join(", ")));
        }
    }

    /// A value for each column but the first; the edges move from column to column.
    fn values(&self, turn: usize, random: &mut Random) -> Vec<String> {
        (1..self.layout.columns.len())
            .map(|field| self.literals.value(field, turn + field * 5, random))
            .collect()
    }

    /// Inserts the other half, and updates and deletes rows of both halves.
    fn change(&mut self, rows: u32, random: &mut Random) {
        for (part, image) in (0..).zip(IMAGES) {
            self.log_images(image);
            self.insert((rows / 2 + 1..=rows).filter(|id| id % 3 == part), random);
        }
        let table = self.layout.table;
        for image in IMAGES {
            self.log_images(image);
            for id in (1..=rows).filter(|id| IMAGES[(id / 7 % 3) as usize] == image) {
                match id % 7 {
                    0..=2 => self.update(id, random),
                    3 => self.run(&format!("DELETE FROM {table} WHERE id = {id}")),
                    4 => self.run(&format!(
                        "UPDATE {table} SET id = id + 1000000 WHERE id = {id}"
                    )),
                    _ => {}
                }
            }
        }
    }

    fn log_images(&mut self, image: &str) {
        self.run(&format!("SET SESSION binlog_row_image = '{image}'"));
    }

    /// Changes all columns of a row, or a few.
    fn update(&mut self, id: u32, random: &mut Random) {
        let values = self.values(id as usize + 3, random);
        let columns = self.layout.columns.iter().skip(1);
        let mut set: Vec<String> = columns
            .zip(values)
            .map(|(column, value)| format!("`{}` = {value}", column.name))
            .collect();
        if random.one_in(2) {
            let start = random.below(set.len() as u64) as usize;
            set = set.split_off(start).into_iter().take(3).collect();
        }
        let table = self.layout.table;
        self.run(&format!(
            "UPDATE {table} SET {} WHERE id = {id}",
            set.join(", ")
        ));
    }

    fn run(&mut self, sql: &str) {
        self.conn.query_drop(sql).unwrap_or_else(|error| {
            let start: String = sql.chars().take(2000).collect();
            panic!("{}: {error}: {start}", self.layout.table)
        });
    }
}

/// Every column has more than one value and, where it may, NULL: the rows do show something.
fn assert_varied(layout: &TableLayout, rows: &[Vec<Option<String>>]) {
    for (field, column) in layout.columns.iter().enumerate() {
        let values: BTreeSet<&Option<String>> = rows.iter().map(|line| &line[field]).collect();
        let least = if column.name.starts_with("char_0") {
            1
        } else {
            2
        };
        let null = values.contains(&None);
        assert_eq!(null, column.nullable, "{}.{}", layout.table, column.name);
        let distinct = values.len() - usize::from(null);
        assert!(
            distinct >= least,
            "{}.{}: {distinct}",
            layout.table,
            column.name
        );
    }
}
