//! What a foreign key does to a child row is done wholly or not at all.

use mirror_runtime::row::SelectValue;
use mirror_runtime::store::{ChildChange, ParentKey, Store};
use mirror_runtime::{BinlogPosition, Schema as _};
use test_cases::{FkB, Tables};

fn fk_c() -> usize {
    let layouts = Tables::layouts().iter();
    let mut names = layouts.map(|layout| layout.table);
    names.position(|name| name == "fk_c").unwrap()
}

#[test]
fn a_child_row_whose_new_key_is_taken_stays_as_it_was() {
    let (store, mut writer) = Store::<Tables>::new();
    let mut batch = Tables::kinds()[fk_c()].new_batch();
    for (b, id) in [(1, 7), (2, 7)] {
        let values = [b, id, 0].map(SelectValue::Int);
        batch.push(&mut values.into_iter()).unwrap();
    }
    let (table, at) = writer.table_mut(fk_c()).unwrap();
    table.insert_batch(at, batch).unwrap();
    writer.mark();

    let parent = FkB {
        id: 1,
        a: None,
        v: None,
    };
    let parent = ParentKey::of(&parent, &[0]).unwrap();
    let change = ChildChange::Set(vec![SelectValue::Int(2)]);
    let (table, at) = writer.table_mut(fk_c()).unwrap();
    let changed = table.change_children(at, 0, &parent, &change, None);
    assert!(changed.is_err());
    writer.commit(BinlogPosition::start_of("b.000001"));
    let snapshot = test_cases::Snapshot::from(store.snapshot());
    let keys: Vec<_> = snapshot.fk_c().iter().map(|row| (row.b, row.id)).collect();
    assert_eq!(keys, [(1, 7), (2, 7)]);
}
