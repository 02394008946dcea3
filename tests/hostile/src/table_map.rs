//! TABLE_MAP events, and their optional metadata by itself.

use mirror_runtime::Schema as _;
use mirror_runtime::image::AbsentColumns;
use mirror_runtime::image::{Plan, RowsEvent, TableMap};
use mirror_runtime::source::Collations;
use test_mirror::Tables;

use crate::wire::push_packed;

/// The body of a TABLE_MAP event, read and planned for every table.
///
/// What is read has an entry per column in each of its lists, and its header is the one that is
/// read by itself. A plan knows as many columns as the map.
pub fn table_map(body: &[u8]) {
    let header = TableMap::parse_header(body);
    let Ok(map) = TableMap::parse(body) else {
        return;
    };
    let header = header.unwrap();
    assert_eq!(header.table_id, map.table_id);
    assert_eq!(
        (header.database, header.table),
        (&*map.database, &*map.table)
    );
    check_lists(&map);
    for layout in Tables::layouts() {
        let Ok(plan) = Plan::new(layout, &map) else {
            continue;
        };
        assert_eq!(plan.physical_columns(), map.columns.len());
        assert_eq!(plan.columns().len(), layout.columns.len());
        let _ = plan.check_charsets(&map, &Collations::default());
        one_row(&plan);
    }
}

/// A row of zeros is read, or is an error, but never a panic.
fn one_row(plan: &Plan) {
    let columns = plan.physical_columns();
    let present = vec![0xff; columns.div_ceil(8)];
    let rows = [0; 64];
    let event = RowsEvent {
        absent: AbsentColumns::Kept,
        table_id: 7,
        flags: 0,
        kind: mirror_runtime::image::RowsKind::Insert,
        columns,
        partial: false,
        columns_before: &[],
        columns_after: &present,
        rows: &rows,
        rows_at: 0,
    };
    let mut reader = plan.reader(&event);
    while let Ok(Some(images)) = reader.next() {
        let image = images.after.unwrap();
        for field in 0..plan.columns().len() {
            let _ = image.raw(field);
        }
    }
}

fn check_lists(map: &TableMap) {
    let columns = map.columns.len();
    assert!(columns <= 4096);
    let metadata = &map.metadata;
    let lengths = [
        metadata.unsigned.as_ref().map(Vec::len),
        metadata.collations.as_ref().map(Vec::len),
        metadata.names.as_ref().map(Vec::len),
        metadata.labels.as_ref().map(Vec::len),
    ];
    for length in lengths.into_iter().flatten() {
        assert_eq!(length, columns);
    }
}

/// Optional metadata of a table of columns of any types: the number of columns (a byte), a byte
/// for the type of each, the metadata.
///
/// Any metadata that is read has an entry per column in each of its lists.
pub fn metadata(input: &[u8]) {
    let Some((count, rest)) = input.split_first() else {
        return;
    };
    let Some((types, metadata)) = rest.split_at_checked(usize::from(*count)) else {
        return;
    };
    let types: Vec<(u8, &[u8])> = types
        .iter()
        .map(|number| TYPES[usize::from(*number) % TYPES.len()])
        .collect();
    let mut body = vec![7, 0, 0, 0, 0, 0, 1, 0, 1, b'd', 0, 1, b't', 0];
    push_packed(&mut body, types.len());
    body.extend(types.iter().map(|(code, _)| code));
    let type_metadata: Vec<u8> = types
        .iter()
        .flat_map(|(_, metadata)| *metadata)
        .copied()
        .collect();
    push_packed(&mut body, type_metadata.len());
    body.extend(type_metadata);
    body.extend(vec![0x55; types.len().div_ceil(8)]);
    // Without metadata it is a table map that can be read.
    check_lists(&TableMap::parse(&body).unwrap());
    body.extend(metadata);
    if let Ok(map) = TableMap::parse(&body) {
        check_lists(&map);
    }
}

/// The input of [`metadata`] that has the columns and the optional metadata of a TABLE_MAP event;
/// `None` when it has too many columns or none of the metadata.
#[must_use]
pub fn metadata_input(body: &[u8]) -> Option<Vec<u8>> {
    let map = TableMap::parse(body).ok()?;
    let mut input = vec![u8::try_from(map.columns.len()).ok()?];
    for column in &map.columns {
        let number = TYPES
            .iter()
            .position(|(code, metadata)| match column.type_code {
                hidden @ 247..=248 => *code == 254 && metadata.first() == Some(&hidden),
                254 => metadata.first() == Some(&254),
                plain => *code == plain,
            });
        input.push(number? as u8);
    }
    input.extend(optional_metadata(body)?);
    Some(input)
}

/// What follows the null bitmap.
fn optional_metadata(body: &[u8]) -> Option<&[u8]> {
    let mut rest = body.get(8..)?;
    for _ in 0..2 {
        let (length, name) = rest.split_first()?;
        rest = name.get(usize::from(*length) + 1..)?;
    }
    let (columns, rest) = packed(rest)?;
    let (type_metadata, rest) = packed(rest.get(columns..)?)?;
    let metadata = rest.get(type_metadata + columns.div_ceil(8)..)?;
    (!metadata.is_empty()).then_some(metadata)
}

/// A length-encoded integer of one or three bytes, and what follows it.
fn packed(bytes: &[u8]) -> Option<(usize, &[u8])> {
    match bytes {
        [252, low, high, rest @ ..] => Some((u16::from_le_bytes([*low, *high]).into(), rest)),
        [small @ 0..=250, rest @ ..] => Some((usize::from(*small), rest)),
        _ => None,
    }
}

/// Type codes with metadata that is valid for them.
const TYPES: [(u8, &[u8]); 24] = [
    (1, &[]),
    (2, &[]),
    (3, &[]),
    (4, &[4]),
    (5, &[8]),
    (8, &[]),
    (9, &[]),
    (10, &[]),
    (13, &[]),
    (15, &[40, 0]),
    (16, &[1, 8]),
    (17, &[6]),
    (18, &[3]),
    (19, &[0]),
    (20, &[15, 1, 2, 3]),
    (140, &[2]),
    (141, &[1, 1]),
    (242, &[4]),
    (245, &[4]),
    (246, &[10, 2]),
    (252, &[2]),
    (254, &[247, 1]),
    (254, &[248, 8]),
    (254, &[254, 40]),
];
