//! Values of every column type: a table of one column each.

use std::path::Path;

use hostile_bytes::COLUMNS;
use integration::edge::Literals;
use integration::{Random, World};
use lab::Flavor;
use mirror_runtime::image::{Plan, RowsEvent, TableMap, type_code as t};
use mirror_runtime::layout::{ColumnType, TableLayout};
use mirror_runtime::source::event::event_type;
use mirror_runtime::source::{EventSource as _, RecordedSource, TruncatedTail};
use mysql::prelude::Queryable;

use crate::folder::Folder;

/// Makes a table of each type that the server has, writes its edge values, and keeps their
/// bytes in the binlog.
pub(crate) fn single_values(world: &World, folder: &mut Folder) {
    let mut random = Random::for_test();
    let mut conn = world.conn();
    let position = world.position();
    for (index, column) in COLUMNS.iter().enumerate() {
        if column.layout.sql_type.is_empty() {
            continue;
        }
        if world.flavor() == Flavor::Mariadb {
            let old = matches!(column.type_code, t::TIME | t::DATETIME | t::TIMESTAMP);
            let format = i32::from(!old);
            let _ = conn.query_drop(format!("SET GLOBAL mysql56_temporal_format = {format}"));
        }
        let sql_type = column.layout.sql_type;
        if conn
            .query_drop(format!("CREATE TABLE k{index} (c {sql_type})"))
            .is_err()
        {
            continue;
        }
        let layout = layout(index);
        for literal in literals(layout, &mut random) {
            if let Err(error) = conn.query_drop(format!("INSERT INTO k{index} VALUES ({literal})"))
            {
                println!("refused: a value of {sql_type}: {error}");
            }
        }
    }
    let (file, _) = position.split_once(':').unwrap();
    keep(&world.server.dir().join("data").join(file), folder);
}

fn layout(index: usize) -> &'static TableLayout {
    Box::leak(Box::new(TableLayout {
        database: "mirror_test",
        table: Box::leak(format!("k{index}").into_boxed_str()),
        columns: Box::leak(Box::new([COLUMNS[index].layout])),
        key: &[0],
        physical_columns: 1,
        old_fractions: &[],
        foreign_keys: &[],
        ignored_foreign_keys: &[],
    }))
}

fn literals(layout: &TableLayout, random: &mut Random) -> Vec<String> {
    let fixed: &[&str] = match layout.columns[0].kind {
        ColumnType::Geometry => &[
            "ST_GeomFromText('POINT(1 -2)')",
            "ST_GeomFromText('POLYGON((0 0,0 5,5 5,0 0))')",
            "ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 1),LINESTRING(0 0,1 1))')",
        ],
        ColumnType::Vector { .. } => &[
            "STRING_TO_VECTOR('[1,-2,3.5,0]')",
            "VEC_FromText('[1,-2,3.5,0]')",
        ],
        ColumnType::Uuid => &["'00112233-4455-6677-8899-aabbccddeeff'"],
        ColumnType::Inet4 => &["'1.2.3.4'"],
        ColumnType::Inet6 => &["'::1'", "'2001:db8::ff00:42:8329'"],
        _ => {
            let literals = Literals::new(layout);
            return (0..20)
                .map(|turn| literals.value(0, turn, random))
                .collect();
        }
    };
    fixed.iter().map(ToString::to_string).collect()
}

fn keep(file: &Path, folder: &mut Folder) {
    let mut source = RecordedSource::open([file], TruncatedTail::End).unwrap();
    let mut map = None;
    while let Some(event) = source.next_event().unwrap() {
        match event.header.type_code {
            event_type::TABLE_MAP => map = TableMap::parse(event.body).ok(),
            event_type::WRITE_ROWS_V1 | event_type::WRITE_ROWS => {
                if let Some(map) = &map {
                    keep_rows(map, event.header.type_code, event.body, folder);
                }
            }
            _ => {}
        }
    }
}

fn keep_rows(map: &TableMap, event_type: u8, body: &[u8], folder: &mut Folder) {
    let Some(index) = map
        .table
        .strip_prefix('k')
        .and_then(|index| index.parse::<usize>().ok())
    else {
        return;
    };
    let Ok(plan) = Plan::new(layout(index), map) else {
        return;
    };
    let event = RowsEvent::parse(event_type, body).unwrap();
    let mut reader = plan.reader(&event);
    while let Ok(Some(images)) = reader.next() {
        let raw = images.after.and_then(|image| image.raw(0).ok()).flatten();
        keep_value(index, map, raw, folder);
    }
}

fn keep_value(index: usize, map: &TableMap, raw: Option<&[u8]>, folder: &mut Folder) {
    let (typed, wire) = (&COLUMNS[index], &map.columns[0]);
    let mut input = vec![index as u8];
    let same = (wire.type_code, wire.meta) == (typed.type_code, typed.meta);
    input.push(u8::from(raw.is_none()) | if same { 0 } else { 2 });
    if !same {
        input.push(wire.type_code);
        input.extend(wire.meta.to_le_bytes());
    }
    let raw = raw.unwrap_or_default();
    input.extend(raw);
    folder.keep("column_values", &input);
    match typed.layout.kind {
        ColumnType::Json => folder.keep("json", raw),
        ColumnType::Decimal { precision, scale } => {
            folder.keep("decimal", &[&[precision, scale], raw].concat());
        }
        _ => {}
    }
}
